//! The time that the engine adds to the database's own: `cargo bench -p keyset --bench engine`.
//!
//! A page of twenty out of 100,000 rows in SQLite, in the middle of a tie. Times are medians of interleaved rounds. On
//! a busy machine only their ratios are meaningful.

use std::hint::black_box;
use std::time::{Duration, Instant};

use keyset::bracket::bracket;
use keyset::{Key, Order, Page, Sort, fetch};
use sea_orm::prelude::*;
use sea_orm::{DatabaseConnection, DbBackend, QueryTrait, Statement};
use testdb::TestDb;

mod city {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub people: Option<i64>,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

use city::{Column, Entity};

const ROUNDS: usize = 201;

async fn create(db: &DatabaseConnection) {
    for sql in [
        "CREATE TABLE city (id BLOB NOT NULL PRIMARY KEY, people INTEGER, name TEXT NOT NULL) WITHOUT ROWID",
        "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100000)
         INSERT INTO city SELECT CAST(printf('%016d', n) AS BLOB), n % 5, printf('city of the number %d', n) FROM t",
        "CREATE INDEX city_by_people ON city (people, id)",
    ] {
        db.execute_unprepared(sql).await.expect("a table of cities");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    assert_eq!(db.get_database_backend(), DbBackend::Sqlite, "this measures SQLite: unset TEST_DATABASE_URL");
    create(&db).await;

    let order = Order::of::<Entity>([Sort::desc(Column::People)]).expect("an order");
    let key = Key::new(&order, vec![3_i64.into(), Uuid::from_bytes(*b"0000000000050000").into()]).expect("a key");
    let page = Page::first(&order, 20).after(key).expect("a key of the order");
    let query = Entity::find();
    let statement = bracket(query.as_query(), &page, DbBackend::Sqlite).expect("a statement");

    let one = Statement::from_string(DbBackend::Sqlite, "SELECT 1");
    let mut times: [(&str, Vec<Duration>); 4] = [
        ("build a bracket", Vec::new()),
        ("run it, as a statement", Vec::new()),
        ("fetch: build, run, read, cut", Vec::new()),
        ("`SELECT 1`: the round trip to the database", Vec::new()),
    ];
    for _ in 0..ROUNDS {
        times[0].1.push(each(|| bracket(query.as_query(), &page, DbBackend::Sqlite)));
        let start = Instant::now();
        let rows = db.query_all_raw(statement.clone()).await.expect("rows");
        times[1].1.push(start.elapsed());
        assert_eq!(rows.len(), 22);
        let start = Instant::now();
        let slice = fetch(&db, query.clone(), &page).await.expect("a slice");
        times[2].1.push(start.elapsed());
        let start = Instant::now();
        db.query_all_raw(one.clone()).await.expect("a row");
        times[3].1.push(start.elapsed());
        assert!(slice.rows.len() == 20 && slice.has_previous && slice.has_next);
    }

    let medians = times.map(|(name, mut times)| {
        times.sort();
        (name, times[ROUNDS / 2])
    });
    let (_, run) = medians[1];
    println!("| what | time | of the statement's |\n|---|---|---|");
    for (name, time) in medians {
        println!("| {name} | {time:.1?} | {:.1} % |", 100.0 * time.as_secs_f64() / run.as_secs_f64());
    }
}

/// The mean time of a hundred calls.
fn each<T>(call: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..100 {
        black_box(call());
    }
    start.elapsed() / 100
}
