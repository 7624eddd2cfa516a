//! What pages of `book_rating` cost in one layout of its partitions: `benches/partitions.sh` runs this for each.
//!
//! ```sh
//! cargo run --profile dist -p experiments --bin partitions -- postgres://user@host/database 'hash, 16'
//! ```
//!
//! Rows and buffers are counted, in the mean of some pages. Times are medians over many keys. Where partitions are foreign, the rows are
//! those that other servers send.

use std::time::{Duration, Instant};

use bookends_graphql::Reader;
use entity::book_rating::{Column, Entity};
use keyset::{Key, Limits, Lists, Order, Page, Placement, Sort, StatementCache, Statistics};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, EntityName as _, EntityTrait, Statement,
};
use testdb::{Statements, rows_read, work};
use uuid::Uuid;

type Error = Box<dyn std::error::Error>;

/// How many keys are timed, and how many of them are counted.
const KEYS: usize = 300;
const COUNTED: usize = 5;
/// How often a statement runs before it is timed: PostgreSQL then has decided between its plans.
const WARM: usize = 10;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(layout)) = (arguments.next(), arguments.next()) else {
        return Err("expected a URL and the name of the layout".into());
    };
    // As the server's own connections are, with and without the choice of a plan.
    let db = connect(&url, "auto").await?;
    let generic = connect(&url, "force_generic_plan").await?;
    let placement = Statistics::read(&db).await?.placement([Entity.table_name()]);
    for (name, statements) in pages(&db, placement).await? {
        let (mut rows, buffers) = counted(&db, &statements).await;
        if placement == Placement::Foreign {
            rows = sent(&db, &statements).await?;
        }
        let (locks, memory) = held(&url, &statements).await?;
        let [chosen, generic] = [time(&db, &statements).await?, time(&generic, &statements).await?];
        println!(
            "| {layout} | {name} | {rows} | {buffers} | {locks} | {memory} kB | {chosen:.2} ms | {generic:.2} ms |"
        );
    }
    Ok(())
}

async fn connect(url: &str, plans: &str) -> Result<DatabaseConnection, Error> {
    let plans = plans.to_owned();
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false).map_sqlx_postgres_opts(move |options| {
        options.options([("enable_incremental_sort", "off"), ("jit", "off"), ("plan_cache_mode", &plans)])
    });
    Ok(Database::connect(options).await?)
}

/// The statements of each kind of page, for keys all over the table.
async fn pages(db: &DatabaseConnection, placement: Placement) -> Result<Vec<(&'static str, Vec<Statement>)>, Error> {
    let [first, last] = [ends(db, "ASC").await?, ends(db, "DESC").await?];
    let by_id = Order::of::<Entity>([])?;
    let by_rating = Order::of::<Entity>([Sort::desc(Column::Rating), Sort::asc(Column::Id)])?;
    let same_way = Order::of::<Entity>([Sort::desc(Column::Rating), Sort::desc(Column::Id)])?;
    let mut recording = db.clone();
    let recorded = Statements::record(&mut recording);
    // As the server reads.
    let reader = Reader::new(recording).placed(move || placement);
    let (mut ids, mut ties, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..KEYS {
        let id = between(first, last, number);
        // Not in their order, as clients ask.
        let rating = i16::try_from(1 + number * 3 % 5)?;
        for (order, values, statements) in [
            (&by_id, vec![id.into()], &mut ids),
            (&by_rating, vec![rating.into(), id.into()], &mut ties),
            (&same_way, vec![rating.into(), id.into()], &mut rows),
        ] {
            let after = order.seal(&Key::new(order, values)?)?;
            let args = keyset::Args { first: Some(10), after: Some(after.into()), ..keyset::Args::default() };
            let page = Page::new(&args, order, Limits::default())?;
            keyset::fetch_rows(&reader, Entity::find(), &page, &[], &StatementCache::default()).await?;
            statements.extend(recorded.take());
        }
    }
    let mut pages = vec![
        ("10 by `id`", ids),
        ("10 by `rating DESC, id`", ties),
        ("5 of each of 50 books", nested(db, &by_id).await?),
    ];
    // Elsewhere, by a comparison of rows, which is not sent to other servers.
    if placement == Placement::Foreign {
        pages.push(("10 by `rating DESC, id DESC`", rows));
    }
    Ok(pages)
}

/// The first 5 ratings of 50 books, and of 50 others.
async fn nested(db: &DatabaseConnection, order: &Order) -> Result<Vec<Statement>, Error> {
    let mut db = db.clone();
    let books = db.query_all_raw(Statement::from_string(DbBackend::Postgres, "SELECT id FROM book")).await?;
    let books = books.iter().map(|row| row.try_get("", "id")).collect::<Result<Vec<Uuid>, _>>()?;
    let recorded = Statements::record(&mut db);
    let page = Page::first(order, 5);
    for books in books.chunks_exact(50).cycle().take(KEYS) {
        keyset::fetch(&db, Lists::per_parent(Entity::find(), Column::BookId, books.to_vec()), &page).await?;
    }
    Ok(recorded.take())
}

async fn ends(db: &DatabaseConnection, direction: &str) -> Result<Uuid, Error> {
    let sql = format!("SELECT id FROM book_rating ORDER BY id {direction} LIMIT 1");
    let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await?;
    Ok(row.ok_or("expected ratings")?.try_get("", "id")?)
}

/// A key at this place of the time between two others, no two of them near each other.
fn between(first: Uuid, last: Uuid, number: usize) -> Uuid {
    let place = (number * 131 % KEYS) as u128 * 2 + 1;
    let step = (last.as_u128() - first.as_u128()) / (2 * KEYS as u128);
    Uuid::from_u128(first.as_u128() + step * place)
}

/// The mean number of rows that the scans return, and of buffers that they read.
async fn counted(db: &DatabaseConnection, statements: &[Statement]) -> (u64, u64) {
    let (mut rows, mut buffers) = (0, 0);
    for statement in &statements[..COUNTED] {
        // First, the catalogue is read, too.
        rows += rows_read(db, statement.clone(), "book_rating").await;
        buffers += work(db, statement.clone()).await;
    }
    (rows / COUNTED as u64, buffers / COUNTED as u64)
}

/// The mean number of rows that the other databases of this server send.
async fn sent(db: &DatabaseConnection, statements: &[Statement]) -> Result<u64, Error> {
    let sent = "SELECT coalesce(sum(rows), 0)::bigint AS number FROM pg_stat_statements
        WHERE dbid <> (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE 'FETCH%'";
    let before = number(db, sent).await?;
    for statement in &statements[..COUNTED] {
        db.query_all_raw(statement.clone()).await?;
    }
    Ok(u64::try_from(number(db, sent).await? - before)? / COUNTED as u64)
}

/// The locks that a transaction with one page holds at its end, and the memory that its connection has taken, in kB.
async fn held(url: &str, statements: &[Statement]) -> Result<(i64, i64), Error> {
    let db = connect(url, "force_generic_plan").await?;
    let memory = "SELECT sum(total_bytes)::bigint / 1024 AS number FROM pg_backend_memory_contexts";
    let before = number(&db, memory).await?;
    db.execute_unprepared("BEGIN").await?;
    db.query_all_raw(statements[0].clone()).await?;
    let locks = "SELECT count(*) AS number FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'";
    let locks = number(&db, locks).await?;
    db.execute_unprepared("COMMIT").await?;
    Ok((locks, number(&db, memory).await? - before))
}

async fn number(db: &DatabaseConnection, sql: &str) -> Result<i64, Error> {
    let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await?;
    Ok(row.ok_or("expected a number")?.try_get("", "number")?)
}

/// The median time of a page, in milliseconds.
async fn time(db: &DatabaseConnection, statements: &[Statement]) -> Result<f64, Error> {
    let mut times = Vec::new();
    for (number, statement) in statements[..WARM].iter().chain(statements).enumerate() {
        let begun = Instant::now();
        db.query_all_raw(statement.clone()).await?;
        if number >= WARM {
            times.push(begun.elapsed());
        }
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1000.0)
}
