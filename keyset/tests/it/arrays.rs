//! Lists as arrays, through a connection that reads them, against the same lists as rows. On PostgreSQL alone.

use std::sync::Arc;

use keyset::{
    ColumnSet, Columns, End, Join, ListPerRow, Lists, Many, ManyBy, Page, ReadRows, Record, Slice, StatementCache,
    StoredRows, StoredValue, Table, TableRows, can_nest, fetch_nested, fetch_rows, length_of_list,
};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sqlx::{Decode, Postgres, Row, Type};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryResult, Statement};

use crate::atlas::{self, City, Column};
use crate::exactness::{LIMITS, args, bounds, places};

/// Reads the arrays of the types that cities have.
struct Arrays<'a>(&'a DatabaseConnection);

fn array<T, V>(row: &QueryResult, index: usize, value: fn(V) -> StoredValue<'static>) -> Option<T>
where
    T: FromIterator<StoredValue<'static>>,
    Option<Vec<Option<V>>>: for<'r> Decode<'r, Postgres> + Type<Postgres>,
{
    let read = row.try_as_pg_row().unwrap().try_get::<Option<Vec<Option<V>>>, _>(index).ok()?;
    Some(read.into_iter().flatten().map(|it| it.map_or(StoredValue::Null, value)).collect())
}

fn values(row: &QueryResult, index: usize) -> Vec<StoredValue<'static>> {
    let read = array(row, index, |it: i32| StoredValue::Integer(it.into()));
    let read = read.or_else(|| array(row, index, |it: i16| StoredValue::Integer(it.into())));
    let read = read.or_else(|| array(row, index, StoredValue::Integer));
    read.or_else(|| array(row, index, |it: String| StoredValue::Text(it.leak()))).unwrap()
}

/// A value that is in no array.
fn value(row: &QueryResult, index: usize) -> StoredValue<'static> {
    let integer = |value: Option<i64>| value.map_or(StoredValue::Null, StoredValue::Integer);
    let read = row.try_get_by_index::<Option<i32>>(index).map(|it| integer(it.map(Into::into)));
    let read = read.or_else(|_| row.try_get_by_index::<Option<i16>>(index).map(|it| integer(it.map(Into::into))));
    let read = read.or_else(|_| row.try_get_by_index::<Option<i64>>(index).map(integer));
    let text = |value: Option<String>| value.map_or(StoredValue::Null, |it| StoredValue::Text(it.leak()));
    read.or_else(|_| row.try_get_by_index::<Option<String>>(index).map(text)).unwrap()
}

#[async_trait]
impl ReadRows for Arrays<'_> {
    fn backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        self.0.read(statement).await
    }

    fn reads_many(&self) -> ManyBy {
        ManyBy::Arrays
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        let Many::Arrays(lists) = many else { panic!("expected arrays") };
        let rows = self.0.query_all_raw(statement).await?;
        let names = rows.first().map(QueryResult::column_names).unwrap_or_default();
        let own = names.len().saturating_sub(lists.iter().map(|list| list.len()).sum());
        let lengths = (0..lists.len()).map(length_of_list);
        let mut found = StoredRows::new(Arc::new(Columns::new(names[..own].iter().cloned().chain(lengths))));
        let mut lists: Vec<_> = lists.into_iter().map(|list| (list.len(), StoredRows::new(list))).collect();
        for row in &rows {
            (0..own).for_each(|index| found.push(value(row, index)));
            let mut begin = own;
            for (width, list) in &mut lists {
                let arrays: Vec<_> = (begin..begin + *width).map(|index| values(row, index)).collect();
                let length = arrays[0].len();
                (0..length).flat_map(|place| arrays.iter().map(move |array| array[place])).for_each(|it| list.push(it));
                found.push(StoredValue::Integer(length.try_into().unwrap()));
                begin += *width;
            }
        }
        Ok([found.records()].into_iter().chain(lists.into_iter().map(|(_, list)| list.records())).collect())
    }
}

/// Keys and flags, and whether each row has its relation.
fn shown(slice: Slice<Record>) -> Slice<()> {
    slice.map(drop)
}

fn selected(columns: ColumnSet) -> TableRows {
    let (table, mut rows) = (Table::of::<City>(), Table::of::<City>().rows());
    table.select(&mut rows, columns);
    rows
}

fn rows() -> TableRows {
    selected(ColumnSet::ALL)
}

fn join() -> Join {
    Join::new::<City>("city_1", Column::Age, Column::Id)
}

#[tokio::test]
async fn the_lists_of_all_parents_are_those_of_rows() {
    let (_test, db, statements) = atlas::recorded().await;
    if db.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let (ranks, cache) = ([1_i16, 0, 9, 1, 2], StatementCache::default());
    for criteria in atlas::affordable(&db, atlas::orders(2)) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        for (after, before) in bounds(&places, 5) {
            for (end, joins) in [(End::Front, vec![]), (End::Back, vec![join()])] {
                let page = Page::new(&args((end, 2), after, before), &order, LIMITS).unwrap();
                let lists = Lists::per_parent(rows(), Column::Rank, ranks);
                let expected = fetch_rows(&db, &lists, &page, &joins, &StatementCache::default()).await.unwrap();
                statements.take();
                let found = fetch_rows(&Arrays(&db), &lists, &page, &joins, &cache).await.unwrap();
                assert_eq!(statements.take().len(), 1, "I2");
                let [found, expected] =
                    [found, expected].map(|slices| slices.into_iter().map(shown).collect::<Vec<_>>());
                assert_eq!(found, expected, "{order}: {end:?} {after:?} {before:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_page_with_lists_of_its_rows_is_one_statement() {
    let (_test, db, statements) = atlas::recorded().await;
    let key = [keyset::Column::from(Column::Id)];
    assert!(!can_nest(&db, &key) && !can_nest(&Arrays(&db), &[Column::River.into()]));
    if db.get_database_backend() == DbBackend::Sqlite {
        return assert!(!can_nest(&Arrays(&db), &key));
    }
    assert!(can_nest(&Arrays(&db), &key));
    let (cache, caches) = (StatementCache::default(), [StatementCache::default(), StatementCache::default()]);
    let rows = rows();
    // Cities whose rank, or age, is the number of the city.
    let references = [[keyset::Column::from(Column::Rank)], [Column::Age.into()]];
    for criteria in atlas::affordable(&db, atlas::orders(2)) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        for (after, before) in bounds(&places, 5) {
            for (end, joins) in [(End::Front, vec![join()]), (End::Back, vec![])] {
                let page = Page::new(&args((end, 3), after, before), &order, LIMITS).unwrap();
                let pages = [(1, &order), (2, &atlas::order(&[]))].map(|(size, order)| Page::first(order, size));
                let nested = [0, 1].map(|list| ListPerRow {
                    rows: &rows,
                    key: &key,
                    of: None,
                    references: &references[list],
                    page: &pages[list],
                    joins: &joins,
                    cache: &caches[list],
                });
                statements.take();
                let (slice, lists) = fetch_nested(&Arrays(&db), &rows, &page, &joins, &cache, &nested).await.unwrap();
                assert_eq!(statements.take().len(), 1, "I2");
                let alone = fetch_rows(&db, rows.clone(), &page, &joins, &StatementCache::default()).await.unwrap();
                let ids: Vec<i32> =
                    alone.rows.iter().map(|row| row.key.values().last().unwrap().clone().unwrap()).collect();
                assert_eq!(shown(slice), shown(alone), "{order}: {end:?} {after:?} {before:?}");
                for (list, found) in lists.into_iter().map(Result::unwrap).enumerate() {
                    let each =
                        Lists::per_key(rows.clone(), &references[list], ids.iter().map(|id| (*id).into()).collect());
                    let expected =
                        fetch_rows(&db, &each, &pages[list], &joins, &StatementCache::default()).await.unwrap();
                    let [found, expected] = [found, expected].map(|of| of.into_iter().map(shown).collect::<Vec<_>>());
                    assert_eq!(found, expected, "{order}: {end:?} {after:?} {before:?}, list {list}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_page_has_lists_of_the_rows_that_its_rows_refer_to() {
    let (_test, db, statements) = atlas::recorded().await;
    if db.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    // Each city has a rank, which is the number of another one. No city has the number of an age.
    let joins = [Column::Rank, Column::Age].map(|from| Join::new::<City>(&format!("{from:?}"), from, Column::Id));
    let (order, rows) = (atlas::order(&[]), rows());
    let [key, references] = [Column::Id, Column::Rank].map(|column| [keyset::Column::from(column)]);
    let (page, few) = (Page::first(&order, 9), Page::first(&order, 2));
    let (cache, caches) = (StatementCache::default(), [StatementCache::default(), StatementCache::default()]);
    let nested = [0, 1].map(|list| ListPerRow {
        rows: &rows,
        key: &key,
        of: Some(&joins[list]),
        references: &references,
        page: &few,
        joins: &[],
        cache: &caches[list],
    });
    statements.take();
    let (slice, lists) = fetch_nested(&Arrays(&db), &rows, &page, &joins, &cache, &nested).await.unwrap();
    assert_eq!(statements.take().len(), 1, "I2");
    let [of_rank, of_age]: [Vec<_>; 2] = lists.into_iter().map(Result::unwrap).collect::<Vec<_>>().try_into().unwrap();
    let id = |row: &keyset::Row<Record>| row.key.values()[0].clone().unwrap::<i32>();
    let rank = |id| atlas::cities().into_iter().find(|city| city.id == id).unwrap().rank;
    let ranks = slice.rows.iter().map(|row| rank(id(row)));
    let each = Lists::per_parent(rows, Column::Rank, ranks);
    let expected = fetch_rows(&db, &each, &few, &[], &StatementCache::default()).await.unwrap();
    let [found, expected] = [of_rank, expected].map(|of| of.into_iter().map(shown).collect::<Vec<_>>());
    assert_eq!(found, expected);
    assert!(found.iter().all(|list| list.rows.len() == 2) && of_age.iter().all(|list| list.rows.is_empty()));
    assert_eq!(of_age.len(), slice.rows.len());
}

#[tokio::test]
async fn the_statements_are_pinned() {
    let (_test, db, statements) = atlas::recorded().await;
    if db.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let order = atlas::order(&[]);
    let (page, cache) = (Page::first(&order, 2), StatementCache::default());
    let ids = || selected(ColumnSet::of(0));
    let said = || statements.take().into_iter().map(|statement| statement.sql).collect::<String>();
    statements.take();
    let each = Lists::per_parent(ids(), Column::Rank, [1_i16]);
    fetch_rows(&Arrays(&db), &each, &page, &[], &cache).await.unwrap();
    insta::assert_snapshot!(said());
    let key = [keyset::Column::from(Column::Id)];
    let list = ListPerRow {
        rows: &ids(),
        key: &key,
        of: None,
        references: &[Column::Rank.into()],
        page: &page,
        joins: &[],
        cache: &StatementCache::default(),
    };
    fetch_nested(&Arrays(&db), &ids(), &page, &[], &cache, &[list]).await.unwrap();
    insta::assert_snapshot!(said());
}

#[tokio::test]
async fn a_page_after_an_offset_has_no_lists() {
    let (_test, db, _) = atlas::recorded().await;
    let page = Page::first(&atlas::order(&[]), 2).offset(1).unwrap();
    let error = fetch_nested(&Arrays(&db), &rows(), &page, &[], &StatementCache::default(), &[]).await.unwrap_err();
    assert!(matches!(error, DbErr::Type(_)), "{error}");
}
