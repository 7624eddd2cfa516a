//! The index that an order needs: what serves it, and what a page costs with it.

use keyset::{Args, Column, Indexes, Limits, Lists, NeededIndex, Nulls, Order, Page, Sort, Table, fetch};
use sea_orm::prelude::*;
use sea_orm::{DatabaseConnection, DbBackend};
use testdb::{Statements, TestDb, plan};

use crate::cost::visit::{
    self,
    Column::{Day, Id, Kind, Score},
};
use crate::cost::{fill, key, read};

mod word {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "word")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub text: String,
        pub rank: i32,
        #[sea_orm(unique)]
        pub place: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

fn needed<E: keyset::Modelled>(sorts: &[Sort], parent: &[Column], backend: DbBackend) -> Option<NeededIndex> {
    let order = Order::of::<E>(sorts.iter().cloned()).unwrap();
    NeededIndex::of(&order, &Table::of::<E>(), parent, backend).unwrap()
}

async fn is_lacking(db: &DatabaseConnection, needed: &NeededIndex) -> bool {
    Indexes::read(db).await.unwrap().lack(needed)
}

/// Whether an index on these columns is the one that is needed.
async fn serves(db: &DatabaseConnection, needed: &NeededIndex, columns: &str) -> bool {
    let on = if columns.starts_with("USING") { columns.to_owned() } else { format!("({columns}") };
    db.execute_unprepared(&format!("CREATE INDEX tried ON {} {on}", needed.table())).await.unwrap();
    let is_lacking = is_lacking(db, needed).await;
    db.execute_unprepared("DROP INDEX tried").await.unwrap();
    !is_lacking
}

#[tokio::test]
async fn l7_an_index_serves_an_order_and_its_reverse_by_all_rows() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let backend = db.get_database_backend();
    let is_sqlite = backend == DbBackend::Sqlite;
    fill(&db, 10).await;
    let by_score = needed::<visit::Entity>(&[Sort::desc(Score)], &[], backend).unwrap();
    assert!(is_lacking(&db, &by_score).await);
    for (columns, expected) in [
        ("score, id)", true),
        ("score DESC, id DESC)", true),
        ("score, id, day)", true),
        // SQLite ends each index in the row id, ascending.
        ("score)", is_sqlite),
        ("score DESC)", false),
        ("score, id DESC)", false),
        ("score, day, id)", false),
        ("id, score)", false),
        ("day, score, id)", false),
        ("(score + 0), id)", false),
        ("score, id) WHERE day > 3", false),
    ] {
        assert_eq!(serves(&db, &by_score, columns).await, expected, "{columns}");
    }
    let of_kind = needed::<visit::Entity>(&[Sort::desc(Kind), Sort::asc(Score)], &[Kind.into()], backend);
    let native = if is_sqlite { Nulls::First } else { Nulls::Last };
    let of_kind_and_day = [Kind.into(), Day.into()];
    let of_both = needed::<visit::Entity>(&[Sort::asc(Score).nulls(native)], &of_kind_and_day, backend).unwrap();
    for (columns, expected) in
        [("kind, day, score, id)", true), ("day DESC, kind, score, id)", true), ("kind, score, day, id)", false)]
    {
        assert_eq!(serves(&db, &of_both, columns).await, expected, "{columns}");
    }
    if is_sqlite {
        assert!(of_kind.is_none(), "NULLs are its smallest values");
        return;
    }
    assert!(serves(&db, &of_kind.unwrap(), "kind, score, id)").await, "its first sort has one value");
    for (columns, expected) in [
        ("score) INCLUDE (id)", false),
        ("score NULLS FIRST, id)", false),
        ("score DESC NULLS LAST, id DESC)", false),
        ("USING hash (score)", false),
    ] {
        assert_eq!(serves(&db, &by_score, columns).await, expected, "{columns}");
    }
    let later = [Sort::asc(Kind), Sort::desc(Score)];
    let later = needed::<visit::Entity>(&later, &[], backend).unwrap();
    for (columns, expected) in [
        ("kind, score DESC NULLS LAST, id DESC)", true),
        ("kind DESC, score NULLS FIRST, id)", true),
        ("kind, score DESC, id DESC)", false),
    ] {
        assert_eq!(serves(&db, &later, columns).await, expected, "{columns}");
    }
}

#[tokio::test]
async fn l7_keys_that_are_no_row_ids_are_indexes_too() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let backend = db.get_database_backend();
    let is_sqlite = backend == DbBackend::Sqlite;
    for kind in if is_sqlite { &["", "WITHOUT ROWID"][..] } else { &[""] } {
        let sql = format!(
            "CREATE TABLE word (text varchar(9) PRIMARY KEY NOT NULL, rank integer NOT NULL, place integer NOT NULL UNIQUE) {kind}"
        );
        db.execute_unprepared(&sql).await.unwrap();
        let of = |sorts: &[Sort]| needed::<word::Entity>(sorts, &[], backend).unwrap();
        for sorts in [
            &[][..],
            &[Sort::desc(word::Column::Text)],
            &[Sort::asc(word::Column::Place), Sort::asc(word::Column::Rank)],
        ] {
            assert!(!is_lacking(&db, &of(sorts)).await, "{sorts:?}");
        }
        let by_rank = of(&[Sort::asc(word::Column::Rank)]);
        assert!(is_lacking(&db, &by_rank).await);
        // Without row ids, an index ends in the key.
        assert_eq!(serves(&db, &by_rank, "rank)").await, !kind.is_empty());
        assert!(serves(&db, &by_rank, "rank, text)").await);
        let other = if is_sqlite { "NOCASE" } else { "\"C\"" };
        assert!(!serves(&db, &by_rank, &format!("rank, text COLLATE {other})")).await, "it compares otherwise");
        db.execute_unprepared("DROP TABLE word").await.unwrap();
        assert!(!is_lacking(&db, &by_rank).await, "nothing is known of the table");
    }
}

/// A page of ten, at the beginning and in the middle, in both directions: the rows that each statement reads, by the number of
/// its branches.
async fn costs(db: &mut DatabaseConnection, order: &Order, parent: Option<visit::Column>) -> Vec<(f64, Vec<String>)> {
    let statements = Statements::record(db);
    let middle = visit::Entity::find_by_id(25_004).one(db).await.unwrap().unwrap();
    let cursor = Some(String::from(order.seal(&key(order, &middle)).unwrap()));
    let mut costs = Vec::new();
    for (first, after, last, before) in [
        (Some(10), None, None, None),
        (None, None, Some(10), None),
        (Some(10), cursor.clone(), None, None),
        (None, None, Some(10), cursor),
    ] {
        let page = Page::new(&Args { first, after, last, before, offset: None }, order, Limits::default()).unwrap();
        statements.take();
        match parent {
            Some(parent) => {
                fetch(&*db, Lists::per_parent(visit::Entity::find(), parent, [0, 1]), &page).await.unwrap();
            }
            None => assert_eq!(fetch(&*db, visit::Entity::find(), &page).await.unwrap().rows.len(), 10),
        }
        for statement in statements.take() {
            let branches = statement.sql.matches("UNION ALL").count() + 1;
            // The parents share those of PostgreSQL.
            let is_shared = parent.is_some() && statement.db_backend == DbBackend::Postgres;
            let branches = if is_shared { 2 * branches } else { branches };
            let plan = plan(db, statement.clone()).await;
            costs.push((read(db, statement).await / f64::from(u32::try_from(branches).unwrap()), plan));
        }
    }
    costs
}

/// Creates the index that each of these orders needs, beside those of the orders before it.
async fn advised(parent: Option<visit::Column>, orders: impl Fn([Nulls; 2]) -> Vec<(Vec<Sort>, &'static str)>) {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    let backend = db.get_database_backend();
    fill(&db, 50_000).await;
    if backend == DbBackend::Postgres {
        db.execute_unprepared("SET enable_incremental_sort = off").await.unwrap();
    }
    let [first, last] = [Nulls::First, Nulls::Last];
    // Where an index has its NULLs, ascending and descending.
    let native = if backend == DbBackend::Sqlite { [first, last] } else { [last, first] };
    let of_parent: Vec<Column> = parent.map(Column::from).into_iter().collect();
    for (sorts, columns) in orders(native) {
        let order = Order::of::<visit::Entity>(sorts.iter().cloned()).unwrap();
        let needed = needed::<visit::Entity>(&sorts, &of_parent, backend).unwrap();
        let statement = needed.to_string();
        let is_on = statement.ends_with(&format!("ON \"visit\" ({columns})"));
        assert!(statement.starts_with("CREATE INDEX ") && is_on, "{statement}");
        assert!(is_lacking(&db, &needed).await, "{statement}");
        let without = costs(&mut db, &order, parent).await;
        // By the key alone, the first rows of the table have enough of each parent.
        assert!(sorts.is_empty() || without.iter().any(|(cost, _)| *cost > 200.0), "{statement}: {without:#?}");
        db.execute_unprepared(&statement).await.unwrap();
        db.execute_unprepared("ANALYZE visit").await.unwrap();
        assert!(!is_lacking(&db, &needed).await, "{statement}");
        let with = costs(&mut db, &order, parent).await;
        // PostgreSQL may look for the rows of a frequent value in the primary key.
        assert!(with.iter().all(|(cost, _)| *cost < 100.0), "{statement}: {with:#?}");
    }
}

#[tokio::test]
async fn l7_with_the_index_that_it_needs_an_order_costs_the_size_of_the_page() {
    advised(None, |[of_asc, of_desc]| {
        vec![
            (vec![Sort::asc(Score)], r#""score", "id""#),
            (vec![Sort::desc(Score), Sort::asc(Id)], r#""score", "id" DESC"#),
            (vec![Sort::desc(Kind), Sort::asc(Score).nulls(of_asc)], r#""kind", "score" DESC, "id" DESC"#),
            (vec![Sort::asc(Day), Sort::desc(Score).nulls(of_desc)], r#""day", "score" DESC, "id" DESC"#),
        ]
    })
    .await;
}

#[tokio::test]
async fn l7_with_the_index_that_it_needs_a_nested_order_costs_the_size_of_the_page() {
    advised(Some(Kind), |[of_asc, _]| {
        vec![
            (vec![], r#""kind", "id""#),
            (vec![Sort::asc(Score)], r#""kind", "score", "id""#),
            (vec![Sort::desc(Score).nulls(of_asc), Sort::asc(Id)], r#""kind", "score", "id" DESC"#),
            (vec![Sort::desc(Day), Sort::asc(Id)], r#""kind", "day", "id" DESC"#),
        ]
    })
    .await;
}
