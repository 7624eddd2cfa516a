//! The rows read are bounded by the page at any depth, with ties of ten thousands, mixed directions and NULLs.

use keyset::bracket::bracket;
use keyset::{Args, Direction, Key, Limits, Lists, Nulls, Order, Page, Sort, fetch};
use sea_orm::prelude::*;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{DatabaseConnection, DbBackend, QueryOrder, QueryTrait, Statement};
use testdb::{Statements, TestDb, plan, work};

pub mod visit {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "visit")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub kind: i32,
        pub score: Option<i32>,
        pub day: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

use visit::Column::{Day, Id, Kind, Score};

const ROWS: i64 = 200_000;
const SIZE: u32 = 10;

const ASC: Direction = Direction::Asc;
const DESC: Direction = Direction::Desc;

/// Four kinds of equal size; scores in five values, and a fifth NULLs; 73 days.
pub async fn fill(db: &DatabaseConnection, rows: i64) {
    let numbers = if db.get_database_backend() == DbBackend::Postgres {
        format!("SELECT n FROM generate_series(1, {rows}) AS n")
    } else {
        format!("WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < {rows}) SELECT n FROM t")
    };
    for statement in [
        "CREATE TABLE visit (id integer PRIMARY KEY, kind integer NOT NULL, score integer, day integer NOT NULL)",
        &format!(
            "INSERT INTO visit SELECT n, n * 7 % 4, CASE WHEN n % 5 > 0 THEN n * 3 % 25 / 5 END, n * 31 % 73
             FROM ({numbers}) AS numbers"
        ),
        "ANALYZE visit",
    ] {
        db.execute_unprepared(statement).await.unwrap();
    }
}

async fn create(db: &DatabaseConnection) {
    fill(db, ROWS).await;
    let down = match db.get_database_backend() {
        DbBackend::Postgres => "CREATE INDEX visit_kind_score_down ON visit (kind, score DESC NULLS LAST, id DESC)",
        _ => "SELECT 1",
    };
    for statement in [
        "CREATE INDEX visit_kind ON visit (kind, id)",
        "CREATE INDEX visit_score ON visit (score, id)",
        "CREATE INDEX visit_kind_score ON visit (kind, score, id)",
        "CREATE INDEX visit_kind_down ON visit (kind DESC, id)",
        "CREATE INDEX visit_score_kind_down ON visit (score, kind DESC, day, id)",
        "CREATE INDEX visit_doubled ON visit ((score * 2), id)",
        "CREATE INDEX visit_kind_doubled ON visit (kind, (score * 2), id)",
        down,
        "ANALYZE visit",
    ] {
        db.execute_unprepared(statement).await.unwrap();
    }
}

/// The orders that those indexes hold.
fn orders(backend: DbBackend) -> Vec<Order> {
    let mut lists =
        vec![vec![], vec![(Id, DESC, Nulls::Last)], vec![(Kind, ASC, Nulls::Last)], vec![(Kind, DESC, Nulls::Last)]];
    lists.push(vec![(Kind, DESC, Nulls::Last), (Id, ASC, Nulls::Last)]);
    lists.push(vec![(Kind, ASC, Nulls::Last), (Id, DESC, Nulls::Last)]);
    for direction in [ASC, DESC] {
        // For the first sort, and after a pinned prefix, every placement of NULLs is served by the same index.
        for nulls in [Nulls::First, Nulls::Last] {
            lists.push(vec![(Score, direction, nulls)]);
            let kind = if direction == ASC { DESC } else { ASC };
            lists.push(vec![(Score, direction, nulls), (Kind, kind, Nulls::Last), (Day, direction, Nulls::Last)]);
        }
        // Elsewhere the index decides: in PostgreSQL NULLs are the largest values, in SQLite the smallest.
        let large = (direction == ASC) == (backend == DbBackend::Postgres);
        lists.push(vec![
            (Kind, direction, Nulls::Last),
            (Score, direction, if large { Nulls::Last } else { Nulls::First }),
        ]);
    }
    let sort = |(column, direction, nulls)| Sort::column(column, direction).nulls(nulls);
    let mut orders: Vec<Vec<Sort>> = lists.into_iter().map(|list| list.into_iter().map(sort).collect()).collect();
    // By an expression, with an index on it.
    let doubled = || Sort::expression("doubled", Score.into_expr().mul(Expr::cust("2")), keyset::Kind::Int);
    for nulls in [Nulls::First, Nulls::Last] {
        orders.push(vec![doubled().nulls(nulls)]);
        orders.push(vec![doubled().direction(DESC).nulls(nulls)]);
    }
    let native = if backend == DbBackend::Postgres { Nulls::Last } else { Nulls::First };
    orders.push(vec![Sort::asc(Kind), doubled().nulls(native)]);
    if backend == DbBackend::Postgres {
        // With an explicit placement in the index, NULLs can be at the other end after another sort.
        orders.push(vec![Sort::asc(Kind), Sort::desc(Score).nulls(Nulls::Last)]);
    }
    orders.into_iter().map(|sorts| Order::of::<visit::Entity>(sorts).unwrap()).collect()
}

/// The key of a row.
pub fn key(order: &Order, row: &visit::Model) -> Key {
    let value = |sort: &Sort| match sort.name() {
        "visit.id" => row.id.into(),
        "visit.kind" => row.kind.into(),
        "visit.score" => row.score.into(),
        "(doubled)" => row.score.map(|score| score * 2).into(),
        _ => Value::from(row.day),
    };
    Key::new(order, order.sorts().iter().map(value).collect()).unwrap()
}

#[tokio::test]
async fn i3_the_rows_read_are_bounded_by_the_page() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    let backend = db.get_database_backend();
    // In the middle of a tie, at its borders, among the NULLs, at both ends of the table.
    let ids = [1, 5, 6, 7, 50_000, 99_999, 100_000, 100_001, 199_995, 200_000];
    let anchors = visit::Entity::find().filter(Id.is_in(ids)).all(&db).await.unwrap();
    assert_eq!(anchors.len(), ids.len());
    for order in orders(backend) {
        let cursors = anchors.iter().map(|row| Some(String::from(order.seal(&key(&order, row)).unwrap())));
        let mut bounds: Vec<(Option<String>, Option<String>)> = vec![(None, None)];
        let cursors: Vec<_> = cursors.collect();
        bounds.extend(cursors.iter().map(|cursor| (cursor.clone(), None)));
        bounds.extend(cursors.iter().map(|cursor| (None, cursor.clone())));
        bounds.push((cursors[4].clone(), cursors[5].clone()));
        for (after, before) in bounds {
            for (first, last) in [(Some(SIZE.into()), None), (None, Some(SIZE.into()))] {
                let args = Args { first, after: after.clone(), last, before: before.clone(), offset: None };
                check(&db, &order, args).await;
            }
        }
    }
}

async fn check(db: &DatabaseConnection, order: &Order, args: Args) {
    let page = Page::new(&args, order, Limits::default()).unwrap();
    let statement = bracket(visit::Entity::find().as_query(), &page, db.get_database_backend()).unwrap();
    let ranges = u32::try_from(statement.sql.matches("UNION ALL").count() + 1).unwrap();
    bounded(db, statement, 4 * (SIZE + 2) * ranges, &format!("{order} {args:?}")).await;
}

/// Amid a tie, where both ranges on each side of the key have rows. PostgreSQL merges the branches.
#[tokio::test]
async fn i3_one_witness_is_read_and_no_more_of_the_farthest_range_than_the_page_needs() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    let backend = db.get_database_backend();
    let row = visit::Entity::find().filter(Kind.eq(1)).filter(Id.gt(100_000)).order_by_asc(Id).one(&db).await;
    let row = row.unwrap().unwrap();
    let order = Order::of::<visit::Entity>([Sort::asc(Kind), Sort::desc(Id)]).unwrap();
    let page = Page::first(&order, SIZE).after(key(&order, &row)).unwrap();
    let of = |query: Select<visit::Entity>| bracket(query.as_query(), &page, backend).unwrap();

    let statement = of(visit::Entity::find());
    assert_eq!(statement.sql.matches("UNION ALL").count(), 3, "two ranges on each side: {}", statement.sql);
    let rows = db.query_all_raw(statement.clone()).await.unwrap();
    let segments: Vec<i32> = rows.iter().map(|row| row.try_get("", "keyset_segment").unwrap()).collect();
    assert_eq!(segments, [vec![0], vec![1; 11]].concat());
    if backend == DbBackend::Postgres {
        bounded(&db, statement, 1 + (SIZE + 1) + 1, &order.to_string()).await;
    }
    // The ranges before the tie are read for a witness only where the tie has none: here they have no such row.
    bounded(&db, of(visit::Entity::find().filter(Kind.ne(0))), 4 * (SIZE + 2) * 4, &order.to_string()).await;
}

/// No statement of a page after 100,000 rows reads more than their keys, in the index, and nothing is sorted.
#[tokio::test]
async fn i3_an_offset_reads_the_keys_that_it_skips() {
    const SKIPPED: u32 = 100_000;

    let test = TestDb::new().await;
    let mut db = test.connect().await;
    create(&db).await;
    let statements = Statements::record(&mut db);
    for order in orders(db.get_database_backend()) {
        for (first, last) in [(Some(SIZE.into()), None), (None, Some(SIZE.into()))] {
            let args = Args { first, last, offset: Some(SKIPPED.into()), ..Args::default() };
            let page = Page::new(&args, &order, Limits::default()).unwrap();
            statements.take();
            let slice = fetch(&db, visit::Entity::find(), &page).await.unwrap();
            assert!(slice.rows.len() == 10 && slice.has_previous && slice.has_next);
            // A key on its way through SQLite takes fewer than ten instructions, a quarter of those of a row.
            let most = if db.get_database_backend() == DbBackend::Sqlite { SKIPPED / 4 } else { SKIPPED };
            for statement in statements.take() {
                bounded(&db, statement, most + 1000, &format!("{order} {args:?}")).await;
            }
        }
    }
}

/// Fails if a statement reads more rows than `most`.
async fn bounded(db: &DatabaseConnection, statement: Statement, most: u32, case: &str) {
    let read = read(db, statement.clone()).await;
    assert!(read <= f64::from(most), "{case}: {read} rows, not {most}: {:#?}", plan(db, statement).await);
}

/// The number of rows that a statement reads. On SQLite a row takes some thirty instructions on its way through the branches and
/// the sort: 40 of them are counted as one.
pub async fn read(db: &DatabaseConnection, statement: Statement) -> f64 {
    if db.get_database_backend() == DbBackend::Sqlite {
        return f64::from(u32::try_from(work(db, statement).await).unwrap()) / 40.0;
    }
    plan(db, statement).await.iter().filter(|line| line.contains(" visit")).map(|line| rows(line)).sum()
}

/// The rows that a node of a plan read, including those that a filter removed.
fn rows(line: &str) -> f64 {
    let counts = line.split_once(" read ").unwrap().1.split_once(" removed ").unwrap();
    counts.0.parse::<f64>().unwrap() + counts.1.parse::<f64>().unwrap()
}

/// The pages of many parents cost parents × page, however many children there are: here 50,000 each.
#[tokio::test]
async fn i3_the_children_of_many_parents_cost_a_page_each() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    create(&db).await;
    let statements = Statements::record(&mut db);
    let order = Order::of::<visit::Entity>([Sort::desc(Score)]).unwrap();
    let page = Page::new(&Args { first: Some(SIZE.into()), ..Args::default() }, &order, Limits::default()).unwrap();
    let slices = fetch(&db, Lists::per_parent(visit::Entity::find(), Kind, 0..4), &page).await.unwrap();
    assert!(slices.iter().all(|slice| slice.rows.len() == 10 && slice.has_next && !slice.has_previous));
    let [statement] = statements.take().try_into().unwrap();
    // Values, then NULLs: two ranges for each of four parents.
    bounded(&db, statement, 4 * (SIZE + 2) * 8, "four parents").await;

    let last = slices[1].rows.last().unwrap();
    let after = Some(order.seal(&last.key).unwrap().into());
    let page =
        Page::new(&Args { first: Some(SIZE.into()), after, ..Args::default() }, &order, Limits::default()).unwrap();
    statements.take();
    let slices = fetch(&db, Lists::per_parent(visit::Entity::find(), Kind, 0..4), &page).await.unwrap();
    assert!(slices.iter().all(|slice| slice.rows.len() == 10 && slice.has_next && slice.has_previous));
    let [statement] = statements.take().try_into().unwrap();
    bounded(&db, statement, 4 * (SIZE + 2) * 20, "four parents after a row").await;
}

/// Half of the rows have one kind, and all of them lie in the first half of the table. A page begins at the last of
/// them. The planner expects the kind to be frequent there, and must not scan the rest of the table.
#[tokio::test]
async fn i3_a_value_that_has_become_rare_costs_no_more() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    create(&db).await;
    db.execute_unprepared("UPDATE visit SET kind = CASE WHEN id <= 100000 THEN 1 ELSE 0 END").await.unwrap();
    db.execute_unprepared(if test.url.starts_with("sqlite") { "ANALYZE visit" } else { "VACUUM ANALYZE visit" })
        .await
        .unwrap();
    let order = Order::of::<visit::Entity>([Sort::desc(Kind), Sort::asc(Id)]).unwrap();
    let key = Key::new(&order, vec![1.into(), 99_995.into()]).unwrap();
    let args = Args { first: Some(SIZE.into()), after: Some(order.seal(&key).unwrap().into()), ..Args::default() };
    check(&db, &order, args).await;
}
