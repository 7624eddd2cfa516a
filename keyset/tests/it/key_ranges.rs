//! Rows in ranges of their keys.

use chrono::{DateTime, TimeDelta, Utc};
use keyset::{KeyRanges, Statistics, created_at};
use sea_orm::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, DbBackend, QueryOrder, QuerySelect, QueryTrait, Schema, Statement};
use testdb::{TestDb, work};

mod event {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "event")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        #[sea_orm(indexed)]
        pub number: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

use event::Column::{Id, Number};

const ROWS: i32 = 20_000;

/// Two events in every second millisecond.
fn time(number: i32) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(i64::from(number / 2 * 2)).unwrap()
}

async fn create(test: &TestDb) -> DatabaseConnection {
    let db = test.connect().await;
    let table = Schema::new(db.get_database_backend()).create_table_from_entity(event::Entity);
    db.execute(&table).await.unwrap();
    for start in (0..ROWS).step_by(1000) {
        let row = |number: i32| {
            let millis = u64::try_from(time(number).timestamp_millis()).unwrap();
            let id = uuid::Builder::from_unix_timestamp_millis(millis, &[u8::from(number % 2 > 0); 10]).into_uuid();
            event::ActiveModel { id: sea_orm::Set(id), number: sea_orm::Set(number) }
        };
        event::Entity::insert_many((start..start + 1000).map(row)).exec(&db).await.unwrap();
    }
    let analyze = if db.get_database_backend() == DbBackend::Postgres { "VACUUM ANALYZE" } else { "ANALYZE" };
    db.execute_unprepared(analyze).await.unwrap();
    db
}

/// The ranges of these instants, as alternatives where the table has partitions on other servers.
fn at(instants: &[DateTime<Utc>]) -> KeyRanges {
    KeyRanges::new(Id, instants.iter().copied().map(created_at))
}

fn spread(number: i32) -> Vec<DateTime<Utc>> {
    (0..number).map(|n| time(n * (ROWS / number))).collect()
}

async fn numbers(db: &DatabaseConnection, condition: impl Into<Condition>) -> Vec<i32> {
    let rows = event::Entity::find().filter(condition.into()).order_by_asc(Number);
    rows.select_only().column(Number).into_tuple().all(db).await.unwrap()
}

#[tokio::test]
async fn ranges_have_the_rows_of_their_alternatives() {
    let test = TestDb::new().await;
    let db = create(&test).await;
    let backend = db.get_database_backend();
    let between = time(4) + TimeDelta::nanoseconds(1);
    let ancient = DateTime::from_timestamp_millis(-5).unwrap();
    for (instants, expected) in [
        (vec![], vec![]),
        (vec![time(8)], vec![8, 9]),
        (vec![time(8), time(2)], vec![2, 3, 8, 9]),
        (vec![time(8), time(8), between, ancient, time(ROWS)], vec![8, 9]),
        (vec![between, ancient], vec![]),
        (vec![DateTime::<Utc>::MAX_UTC, time(0)], vec![0, 1]),
    ] {
        for alternatives in [false, true] {
            let condition = at(&instants).condition(backend, alternatives);
            assert_eq!(numbers(&db, condition.clone()).await, expected, "{instants:?}");
            let others = Expr::from(condition).is_not(Expr::custom_keyword("TRUE"));
            let others = numbers(&db, Condition::all().add(others).add(Number.lt(10))).await;
            assert_eq!(others, (0..10).filter(|number| !expected.contains(number)).collect::<Vec<_>>());
        }
    }
    let both = at(&[time(2), time(6)]).or(at(&[time(4)])).unwrap();
    assert_eq!(numbers(&db, both.condition(backend, false)).await, (2..8).collect::<Vec<_>>());
    assert!(both.or(KeyRanges::new(Number, [])).is_none());
}

#[tokio::test]
async fn ranges_have_one_text_for_any_number() {
    for backend in [DbBackend::Postgres, DbBackend::Sqlite] {
        let text = |number| {
            let query = event::Entity::find().filter(at(&spread(number)).condition(backend, false));
            query.build(backend).sql
        };
        assert_eq!(text(2), text(490));
    }
}

/// Each range is a descent, under any order and in a count.
#[tokio::test]
async fn i3_ranges_read_the_rows_in_them() {
    let test = TestDb::new().await;
    let db = create(&test).await;
    let backend = db.get_database_backend();
    // A descent, and the rows that it finds, twice.
    let each = if backend == DbBackend::Sqlite { 80 } else { 20 };
    for number in [2, 30, 490] {
        let ranges = at(&spread(number)).condition(backend, false);
        let rows = || event::Entity::find().filter(ranges.clone());
        let first = |query: Select<event::Entity>| -> Statement { query.limit(11).build(backend) };
        for statement in [
            first(rows().order_by_asc(Id)),
            first(rows().order_by_desc(Id)),
            first(rows().order_by_asc(Number)),
            first(rows().filter(Number.gt(10)).order_by_asc(Number)),
            rows().select_only().column_as(Id.count(), "count").build(backend),
        ] {
            let work = work(&db, statement.clone()).await;
            let most = each * u64::try_from(number + 2).unwrap();
            assert!(work <= most, "{number}: {work}, not {most}: {}", statement.sql);
        }
    }
}

#[tokio::test]
async fn statistics_say_how_many_rows_were_created_by_an_instant() {
    let test = TestDb::new().await;
    let db = create(&test).await;
    let statistics = Statistics::read(&db).await.unwrap();
    let by = |instant| statistics.created_by(Id, instant);
    let rows = u64::try_from(ROWS).unwrap();
    assert_eq!(by(DateTime::from_timestamp_millis(-5).unwrap()), Some(0));
    assert_eq!([by(time(ROWS)), by(DateTime::<Utc>::MAX_UTC)], [Some(rows); 2]);
    let half = by(time(ROWS / 2)).unwrap();
    assert!(half.abs_diff(rows / 2) < 10, "{half}");
    assert_eq!(statistics.created_by(Number, time(0)), None);
}
