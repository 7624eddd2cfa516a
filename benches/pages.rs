//! What a page costs, by the ways in which pages are read: `cargo bench --bench pages`.
//!
//! A million ratings, five values, pages of ten by `rating DESC, id DESC`: in ties of two hundred thousand, and by id.
//! On SQLite; with `TEST_DATABASE_URL`, on that PostgreSQL. Work is counted (see `testdb`), time is the median of
//! interleaved runs: on a busy machine only the ratios mean something.

use std::time::{Duration, Instant};

use ::entity::book;
use ::entity::book_rating::{Column, Entity};
use bookends_server::config::Settings;
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use keyset::bracket::bracket;
use keyset::{Args, Join, Key, Limits, Order, Page, Sort, StatementCache};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait, IdenStatic, ModelTrait,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Statement,
};
use testdb::{Statements, TestDb, work};

const PLAN: Plan = Plan { books: 100_000, ratings: 1_000_000, orders: 0, rng_seed: 0 };
const SIZE: u64 = 10;
const RUNS: usize = 9;
const BRACKET: &str = "**the bracket**";
/// The most work that a bracket may cause, in either database's units. What skips rows causes it by the hundred
/// thousand.
const MOST: u64 = 1_000;

/// A way to read a page beyond a place.
struct Way {
    name: &'static str,
    statement: Statement,
}

#[tokio::main]
async fn main() {
    let test = TestDb::new().await;
    let db = bookshop::connect(&Settings::new(&test.url)).await.expect("the test database");
    db.migrate().await.expect("a migrated database");
    seed::fill(&db, PLAN, Progress::Lines).await.expect("a filled database");
    let db = db.writer;
    if db.get_database_backend() == DbBackend::Postgres {
        // What autovacuum does minutes after a load.
        db.execute_unprepared("VACUUM book_rating").await.expect("a settled table");
    }

    let by_id = [Column::Id];
    let by_rating = [Column::Rating, Column::Id];
    for (columns, title) in [(&by_id[..], "by id"), (&by_rating[..], "by rating, id: in ties of 200,000")] {
        println!("\n{title}\n\n| page of ten | way | work | time | times the bracket |\n|---|---|---|---|---|");
        for depth in [0, 50_000, 500_000, 999_990] {
            compare(&db, columns, depth).await;
        }
        backward(&db, columns).await;
    }
    by_number(&db).await;
}

/// Page 5,000 with its books, by `rating DESC, id`: over joined rows, over rows, and over keys alone.
async fn by_number(db: &DatabaseConnection) {
    const SKIPPED: u32 = 49_990;

    println!(
        "\npage 5,000 with its books, by rating DESC, id\n\n| way | work | time | times the offset over keys |\n|---|---|---|---|"
    );
    let order = Order::of::<Entity>([Sort::desc(Column::Rating), Sort::asc(Column::Id)]).expect("an order");
    let page = Page::first(&order, u32::try_from(SIZE).expect("a size")).offset(SKIPPED).expect("a page");
    let book = Join::new::<book::Entity>("book_1", Column::BookId, book::Column::Id);
    let select = |rows: &str, skipped: &str| {
        format!(
            "SELECT r.*, b.name FROM {rows} AS r JOIN book AS b ON b.id = r.book_id
             ORDER BY r.rating DESC, r.id LIMIT {} {skipped}",
            SIZE + 1
        )
    };
    let rows = format!("(SELECT * FROM book_rating ORDER BY rating DESC, id LIMIT {} OFFSET {SKIPPED})", SIZE + 1);
    let ways = [
        ("`OFFSET` over joined rows", select("book_rating", &format!("OFFSET {SKIPPED}"))),
        ("`OFFSET` over rows, then the join", select(&rows, "")),
    ];
    let backend = db.get_database_backend();
    let mut times = vec![Vec::new(); 3];
    for _ in 0..RUNS {
        let start = Instant::now();
        let slice =
            keyset::fetch_rows(db, Entity::find(), &page, std::slice::from_ref(&book), &StatementCache::default())
                .await;
        times[0].push(start.elapsed());
        assert_eq!(slice.expect("a page").rows.len() as u64, SIZE);
        for ((_, sql), times) in ways.iter().zip(&mut times[1..]) {
            let start = Instant::now();
            let rows = db.query_all_raw(Statement::from_string(backend, sql.clone())).await.expect("a page");
            times.push(start.elapsed());
            assert_eq!(rows.len() as u64, SIZE + 1);
        }
    }
    let mut works = vec![offset_work(db, &page).await];
    for (_, sql) in &ways {
        works.push(work(db, Statement::from_string(backend, sql.clone())).await);
    }
    let names = ["**an offset over keys**", ways[0].0, ways[1].0];
    let medians = times.iter_mut().map(|times| {
        times.sort();
        times[RUNS / 2]
    });
    let medians: Vec<Duration> = medians.collect();
    for ((name, work), time) in names.iter().zip(works).zip(&medians) {
        println!("| {name} | {work} | {time:.1?} | {:.1} |", time.as_secs_f64() / medians[0].as_secs_f64());
    }
}

/// The work of the statements that read a page after an offset.
async fn offset_work(db: &DatabaseConnection, page: &Page) -> u64 {
    let mut recorded = db.clone();
    let statements = Statements::record(&mut recorded);
    keyset::fetch(&recorded, Entity::find(), page).await.expect("a page");
    let mut sum = 0;
    for statement in statements.take() {
        sum += work(db, statement).await;
    }
    sum
}

/// The last page of all, read from the back.
async fn backward(db: &DatabaseConnection, columns: &[Column]) {
    let order = Order::of::<Entity>(columns.iter().map(|column| Sort::desc(*column))).expect("an order");
    let args = Args { last: i64::try_from(SIZE).ok(), ..Args::default() };
    let page = Page::new(&args, &order, Limits::default()).expect("a page");
    let work =
        work(db, bracket(Entity::find().as_query(), &page, db.get_database_backend()).expect("a statement")).await;
    assert!(work <= MOST, "the last page costs {work}");
    println!("| last | {BRACKET} | {work} | | |");
}

async fn compare(db: &DatabaseConnection, columns: &[Column], depth: u64) {
    let ways = ways(db, columns, depth).await;
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..RUNS {
        for (way, times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            db.query_all_raw(way.statement.clone()).await.expect("a page");
            times.push(start.elapsed());
        }
    }
    let medians: Vec<Duration> = times
        .iter_mut()
        .map(|times| {
            times.sort();
            times[RUNS / 2]
        })
        .collect();
    for (way, time) in ways.iter().zip(&medians) {
        let work = work(db, way.statement.clone()).await;
        if way.name == BRACKET {
            assert!(work <= MOST, "a page after {depth} rows costs {work}");
        }
        let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
        println!("| after {depth} | {} | {work} | {time:.1?} | {ratio:.1} |", way.name);
    }
}

/// The ways to read the page after so many rows, the bracket first.
async fn ways(db: &DatabaseConnection, columns: &[Column], depth: u64) -> Vec<Way> {
    let backend = db.get_database_backend();
    let order = Order::of::<Entity>(columns.iter().map(|column| Sort::desc(*column))).expect("an order");
    let sorted = columns.iter().fold(Entity::find(), |query, column| query.order_by_desc(*column)).limit(SIZE + 1);
    #[expect(clippy::disallowed_methods, reason = "what this measures")]
    let skipped = QuerySelect::offset(sorted.clone(), depth);

    let mut args = Args { first: i64::try_from(SIZE).ok(), ..Args::default() };
    let mut ways = Vec::new();
    if depth > 0 {
        #[expect(clippy::disallowed_methods, reason = "how the place is found")]
        let anchor = QuerySelect::offset(sorted.clone(), depth - 1).one(db).await.expect("a row").expect("a row");
        let values = columns.iter().map(|column| anchor.get(*column)).collect();
        let key = Key::new(&order, values).expect("a key");
        args.after = Some(order.seal(&key).expect("a cursor").into());

        let rating = Column::Rating.into_expr();
        let id = Column::Id.into_expr();
        if columns.len() == 2 {
            let or = Condition::any()
                .add(Column::Rating.lt(anchor.rating))
                .add(Condition::all().add(Column::Rating.eq(anchor.rating)).add(Column::Id.lt(anchor.id)));
            let row = sea_orm::sea_query::Expr::tuple([rating, id]);
            let row = row.lt(sea_orm::sea_query::Expr::tuple([anchor.rating.into(), anchor.id.into()]));
            ways.push(Way {
                name: "`a < v OR (a = v AND b < w)`",
                statement: literal(sorted.clone().filter(or), backend),
            });
            ways.push(Way {
                name: "`(a, b) < (v, w)`, no flags",
                statement: literal(sorted.clone().filter(row), backend),
            });
        }
    }
    let page = Page::new(&args, &order, Limits::default()).expect("a page");
    let statement = bracket(Entity::find().as_query(), &page, backend).expect("a statement");
    ways.insert(0, Way { name: BRACKET, statement });
    ways.push(Way { name: "`OFFSET`", statement: literal(skipped, backend) });
    let sorts = columns.iter().map(|column| format!("{} DESC", column.as_str())).collect::<Vec<_>>().join(", ");
    let numbered = format!(
        "SELECT * FROM (SELECT id, rating, book_id, ROW_NUMBER() OVER (ORDER BY {sorts}) AS place FROM book_rating) AS r
         WHERE place > {depth} ORDER BY place LIMIT {}",
        SIZE + 1
    );
    ways.push(Way { name: "`ROW_NUMBER()`", statement: Statement::from_string(backend, numbered) });
    ways
}

/// With its values in the text: a bound LIMIT would cost these ways what the engine spares its own.
fn literal(query: Select<Entity>, backend: DbBackend) -> Statement {
    Statement::from_string(backend, query.build(backend).to_string())
}
