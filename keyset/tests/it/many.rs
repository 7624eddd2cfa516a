//! A page for each of many parents, against the naive twin of each.

use std::collections::HashSet;

use keyset::{
    Args, Count, End, Kind, Lists, Order, Page, Sort, StatementCache, count, count_up_to, fetch, fetch_rows,
    page_cursors,
};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, Value};

use crate::atlas::{self, City, Column, Model};
use crate::exactness::{LIMITS, args, bounds, expected, places};
use crate::naive::Expected;

/// The children of a parent: the cities of a rank.
fn children(cities: &[Model], rank: i16) -> Vec<Model> {
    cities.iter().filter(|city| city.rank == rank).cloned().collect()
}

#[tokio::test]
async fn every_parent_has_its_own_exact_slice() {
    let (_test, db, statements) = atlas::recorded().await;
    let cities = atlas::cities();
    // One parent is given twice, and one does not exist.
    let ranks = [1, 0, 9, 1, 2];

    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        for (after, before) in bounds(&places, 3) {
            for asked in [End::Front, End::Back].into_iter().flat_map(|end| [0, 1, 2, 12].map(|size| (end, size))) {
                let page = Page::new(&args(asked, after, before), &order, LIMITS).unwrap();
                statements.take();
                let slices = fetch(&db, Lists::per_parent(City::find(), Column::Rank, ranks), &page).await.unwrap();
                assert_eq!(statements.take().len(), 1, "I2");
                assert_eq!(slices.len(), ranks.len());
                for (rank, slice) in ranks.iter().zip(slices) {
                    let twin = expected(&children(&cities, *rank), &criteria, asked, after, before);
                    assert_eq!(Expected::of(&slice), twin, "{order}: rank {rank}, {asked:?} {after:?} {before:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn hundreds_of_parents_are_a_statement_or_a_few() {
    let (test, db, statements) = atlas::recorded().await;
    let page = Page::new(&Args { first: Some(2), ..Args::default() }, &atlas::order(&[]), LIMITS).unwrap();
    for (parents, on_sqlite) in [(0_i16, 0), (1, 1), (400, 1), (401, 2), (900, 3)] {
        statements.take();
        let slices = fetch(&db, Lists::per_parent(City::find(), Column::Rank, 0..parents), &page).await.unwrap();
        let run = statements.take().len();
        let expected = if test.url.starts_with("sqlite") { on_sqlite } else { on_sqlite.min(1) };
        assert_eq!((slices.len(), run), (usize::try_from(parents).unwrap(), expected));
        assert!(slices.iter().skip(3).all(|slice| slice.rows.is_empty() && !slice.has_next && !slice.has_previous));
        assert!(slices.iter().take(3).all(|slice| slice.rows.len() == 2 && slice.has_next));
    }
}

/// Code that serves lists with and without parents reads both by the same calls.
#[tokio::test]
async fn one_list_has_one_result() {
    let (_test, db, _) = atlas::recorded().await;
    let page = Page::first(&atlas::order(&[]), 2);
    let one = Lists::one(City::find());
    let slices = fetch(&db, &one, &page).await.unwrap();
    assert_eq!(slices, [fetch(&db, City::find(), &page).await.unwrap()]);
    assert_eq!(count(&db, &one).await.unwrap(), [12]);
    assert_eq!(count_up_to(&db, &one, 20).await.unwrap(), [Count::Exact(12)]);
    let around =
        page_cursors(&db, &one, &page, &slices, keyset::Reach { pages: 1, before: 9, after: 9 }).await.unwrap();
    assert_eq!(
        around,
        [page_cursors(&db, City::find(), &page, &slices[0], keyset::Reach { pages: 1, before: 9, after: 9 })
            .await
            .unwrap()]
    );
}

/// On PostgreSQL one text serves any number of parents. On SQLite the number of texts is logarithmic.
#[tokio::test]
async fn few_texts_serve_all_numbers_of_parents() {
    let (test, db, statements) = atlas::recorded().await;
    let page = Page::first(&atlas::order(&[]), 2);
    let (mut pages, mut counts, mut limited) = (HashSet::new(), HashSet::new(), HashSet::new());
    for parents in 1..=64_i16 {
        let lists = Lists::per_parent(City::find(), Column::Rank, 0..parents);
        statements.take();
        fetch(&db, &lists, &page).await.unwrap();
        pages.extend(statements.take().into_iter().map(|statement| statement.sql));
        count(&db, &lists).await.unwrap();
        counts.extend(statements.take().into_iter().map(|statement| statement.sql));
        count_up_to(&db, &lists, 4).await.unwrap();
        limited.extend(statements.take().into_iter().map(|statement| statement.sql));
    }
    let texts = if test.url.starts_with("sqlite") { 7 } else { 1 };
    assert_eq!([pages.len(), counts.len(), limited.len()], [texts; 3]);
}

/// NULL is no parent: its list is empty, and the others keep their results.
#[tokio::test]
async fn a_parent_that_is_null_has_an_empty_list() {
    let (_test, db, _) = atlas::recorded().await;
    let page = Page::first(&atlas::order(&[]), 2);
    let lists = Lists::per_parent(City::find(), Column::Rank, [None, Some(1_i64), None, Some(0)]);
    let slices = fetch(&db, &lists, &page).await.unwrap();
    let rows: Vec<usize> = slices.iter().map(|slice| slice.rows.len()).collect();
    assert_eq!(rows, [0, 2, 0, 2]);
    assert!(slices[1].has_next && !slices[2].has_next && !slices[2].has_previous);
    assert_eq!(count(&db, &lists).await.unwrap(), [0, 4, 0, 4]);
    assert_eq!(count_up_to(&db, &lists, 5).await.unwrap(), [0, 4, 0, 4].map(Count::Exact));
    let around =
        page_cursors(&db, &lists, &page, &slices, keyset::Reach { pages: 1, before: 9, after: 9 }).await.unwrap();
    assert_eq!(around.iter().map(|around| around.number).collect::<Vec<_>>(), [None, Some(1), None, Some(1)]);

    let none = Lists::per_parent(City::find(), Column::Rank, [None::<i16>]);
    assert!(fetch(&db, &none, &page).await.unwrap()[0].rows.is_empty());
    assert_eq!(count(&db, &none).await.unwrap(), [0]);
    assert_eq!(count_up_to(&db, &none, 5).await.unwrap(), [Count::Exact(0)]);
}

/// No value of the column equals it, and its statement is that of any other parent: `SQLx` keeps prepared statements by their texts.
#[tokio::test]
async fn a_parent_beyond_the_column_has_an_empty_list() {
    let (_test, db, _) = atlas::recorded().await;
    let args = Args { first: Some(2), offset: Some(1), ..Args::default() };
    let page = Page::new(&args, &atlas::order(&[]), LIMITS).unwrap();
    for (parent, rows) in [(1_i64, 2), (1 << 40, 0), (1, 2)] {
        let lists = Lists::per_parent(City::find(), Column::Rank, [parent]);
        assert_eq!(fetch(&db, &lists, &page).await.unwrap()[0].rows.len(), rows, "{parent}");
        assert_eq!(count(&db, &lists).await.unwrap(), [if rows == 0 { 0 } else { 4 }]);
    }
}

/// Each parent has what its own query has: pages, counts and neighbours.
#[tokio::test]
async fn l2_parents_can_have_keys_of_several_values() {
    let (_test, db, statements) = atlas::recorded().await;
    let (texts, order) = (StatementCache::default(), atlas::order(&[]));
    let keys = [
        (1_i16, Some("elbe")),
        (0, None),
        (2, Some("ganges")),
        (1, Some("elbe")),
        (9, Some("elbe")),
        (0, Some("elbe")),
    ];
    let values = keys.iter().flat_map(|(rank, river)| [Value::from(*rank), Value::from(river.map(str::to_owned))]);
    let columns = [Column::Rank.into(), Column::River.into()];
    let lists = Lists::per_key(City::find().filter(Column::Id.gt(0)), &columns, values.collect());
    let reach = keyset::Reach { pages: 1, before: 9, after: 9 };
    let skipping = Page::new(&Args { first: Some(1), offset: Some(1), ..Args::default() }, &order, LIMITS).unwrap();
    for (page, run) in [(Page::first(&order, 1), 1), (Page::last(&order, 1), 1), (skipping, 2)] {
        statements.take();
        let slices = fetch(&db, &lists, &page).await.unwrap();
        assert_eq!(statements.take().len(), run, "I2");
        let kept = fetch_rows(&db, &lists, &page, &[], &texts).await.unwrap();
        let (counts, limited) = (count(&db, &lists).await.unwrap(), count_up_to(&db, &lists, 9).await.unwrap());
        let around = page_cursors(&db, &lists, &page, &slices, reach).await.unwrap();
        let found = slices.into_iter().zip(kept).zip(counts.into_iter().zip(limited)).zip(around);
        for ((rank, river), (((slice, kept), counted), around)) in keys.into_iter().zip(found) {
            // A key with a NULL has no children, although there are rows with this NULL.
            let one = City::find().filter(Column::Id.gt(0)).filter(Column::Rank.eq(rank));
            let one = one.filter(Column::River.eq(river.unwrap_or("-")));
            assert_eq!(slice, fetch(&db, one.clone(), &page).await.unwrap());
            assert_eq!(kept.map(drop), slice.clone().map(drop));
            let rows = count(&db, one.clone()).await.unwrap();
            assert_eq!(counted, (rows, Count::Exact(rows)));
            assert_eq!(around, page_cursors(&db, one, &page, &slice, reach).await.unwrap());
        }
    }
    assert!(matches!(
        count(&db, Lists::per_key(City::find(), &columns, vec![1_i16.into(), 1.into()])).await,
        Err(DbErr::Type(_))
    ));
}

/// An array has elements of one type.
#[tokio::test]
async fn parents_of_different_types_are_an_error() {
    let (_test, db, _) = atlas::recorded().await;
    let page = Page::first(&atlas::order(&[]), 2);
    let mixed = || Lists::per_parent(City::find(), Column::Rank, [Value::Int(Some(1)), Value::BigInt(Some(0))]);
    assert_eq!(fetch(&db, mixed(), &page).await.unwrap().len(), 2);
    let mixed = Lists::per_parent(City::find(), Column::Rank, [Value::Int(Some(1)), "0".into()]);
    let error = DbErr::Type("expected parents of one type for the column `rank`".into());
    assert_eq!(fetch(&db, &mixed, &page).await.unwrap_err(), error);
    assert_eq!(count_up_to(&db, &mixed, 5).await.unwrap_err(), error);
    assert!(matches!(count(&db, &mixed).await, Err(DbErr::Type(_))));
}

/// Under a computed order, and with a filter that has parameters, each parent has the slice of its own query.
#[tokio::test]
async fn a_computed_order_is_read_for_each_parent() {
    let (_test, db, _) = atlas::recorded().await;
    let owed = Sort::expression("people owed", Expr::cust("0 - people"), Kind::BigInt).computed();
    let order = Order::of::<City>([owed]).unwrap();
    let query = || City::find().filter(Column::Id.gt(2));
    let key = fetch(&db, query(), &Page::first(&order, 3)).await.unwrap().rows.remove(2).key;
    for page in [Page::first(&order, 2), Page::last(&order, 2)] {
        for page in [page.clone(), page.clone().after(key.clone()).unwrap(), page.before(key.clone()).unwrap()] {
            let slices = fetch(&db, Lists::per_parent(query(), Column::Rank, 0..4_i16), &page).await.unwrap();
            for (rank, slice) in (0..4_i16).zip(slices) {
                assert_eq!(slice, fetch(&db, query().filter(Column::Rank.eq(rank)), &page).await.unwrap());
            }
        }
    }
}

/// A text that was written for another page of the same shape reads the same rows as one that is written for this page.
#[tokio::test]
async fn kept_texts_read_what_new_ones_read() {
    let (_test, db, statements) = atlas::recorded().await;
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        let texts = StatementCache::default();
        for ranks in [vec![], vec![1_i16, 0, 9], vec![2, 1, 0, 1, 5]] {
            for (after, before) in bounds(&places, 3) {
                for (asked, least) in [((End::Front, 2), 1), ((End::Back, 2), 1), ((End::Front, 2), 3)] {
                    let cities = City::find().filter(Column::Id.gte(least));
                    let lists = match ranks.as_slice() {
                        [] => Lists::one(cities),
                        ranks => Lists::per_parent(cities, Column::Rank, ranks.to_vec()),
                    };
                    let page = Page::new(&args(asked, after, before), &order, LIMITS).unwrap();
                    let plain = fetch(&db, &lists, &page).await.unwrap();
                    statements.take();
                    let new = fetch_rows(&db, &lists, &page, &[], &StatementCache::default()).await.unwrap();
                    let kept = fetch_rows(&db, &lists, &page, &[], &texts).await.unwrap();
                    let run: Vec<_> = statements.take().into_iter().map(|run| (run.sql, run.values)).collect();
                    assert_eq!(run[0], run[1], "{order} {asked:?} {after:?} {before:?}");
                    assert_eq!([new.len(), kept.len()], [plain.len(); 2]);
                    for (plain, (new, kept)) in plain.into_iter().zip(new.into_iter().zip(kept)) {
                        let plain = plain.map(drop);
                        assert_eq!([new.map(drop), kept.map(drop)], [plain.clone(), plain]);
                    }
                }
            }
        }
    }
}
