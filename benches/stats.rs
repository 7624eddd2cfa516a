//! What the sums of the books and the counters cost those who write: `cargo bench --bench stats`.
//!
//! Single inserts of ratings, each a transaction, by eight writers: spread over a thousand books, and all of one book,
//! without the trigger that keeps `book_stats`, with it as it was before the counters, and with it and the counters, too. On
//! SQLite; with `TEST_DATABASE_URL`, on that PostgreSQL.
//! On a busy machine only the ratios mean something; the runs are interleaved.

use std::time::Instant;

use ::entity::{book, book_rating};
use bookends_server::config::Settings;
use bookends_server::db::Db;
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use migration::{Migrator, MigratorTrait};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbBackend, EntityTrait, Set, Statement};
use testdb::TestDb;
use uuid::Uuid;

const PLAN: Plan = Plan { books: 1_000, ratings: 100_000, orders: 100_000, rng_seed: 0 };
const WRITERS: usize = 8;
/// The inserts of each writer in a run.
const INSERTS: usize = 250;
const RUNS: usize = 5;

#[tokio::main]
async fn main() {
    let test = TestDb::new().await;
    let settings = Settings::new(&test.url);
    let db = bookshop::connect(&settings).await.expect("the test database");
    let ways = ways(&db).await;
    seed::fill(&db, PLAN, Progress::Lines).await.expect("a filled database");
    let books: Vec<Uuid> =
        book::Entity::find().all(&db.writer).await.expect("books").into_iter().map(|book| book.id).collect();

    let mut times = [[0.0; 2]; 3];
    for _ in 0..RUNS {
        for (way, times) in ways.iter().zip(&mut times) {
            db.writer.execute_unprepared(way).await.expect("a trigger of ours");
            times[0] += insert(&db, &books).await;
            times[1] += insert(&db, &books[..1]).await;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let inserts = (RUNS * WRITERS * INSERTS) as f64;
    println!("\n| inserts a second | of 1,000 books | of one book |\n|---|---|---|");
    for (name, [many, one]) in ["nothing kept", "the sums", "the sums and the counters"].iter().zip(times) {
        println!("| {name} | {:.0} | {:.0} |", inserts / many, inserts / one);
    }
    let [nothing, sums, both] = times;
    println!("| ratio of the sums | {:.2} | {:.2} |", nothing[0] / sums[0], nothing[1] / sums[1]);
    println!("| ratio of the counters | {:.2} | {:.2} |", sums[0] / both[0], sums[1] / both[1]);
}

/// A migrated database, and the texts that change what it keeps, each from the one before: nothing, the sums, the sums and
/// the counters. PostgreSQL keeps both in one function, which has another text without the counters. SQLite cannot disable a
/// trigger: there they are dropped and made again.
async fn ways(db: &Db) -> [String; 3] {
    db.migrate().await.expect("a migrated database");
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        let trigger =
            async |name: &str| text(db, &format!("SELECT sql FROM sqlite_schema WHERE name = '{name}'")).await;
        let drop = "DROP TRIGGER book_rating_added; DROP TRIGGER book_rating_counted_in";
        return [drop.to_owned(), trigger("book_rating_added").await, trigger("book_rating_counted_in").await];
    }
    let function = "SELECT pg_get_functiondef('book_rating_added'::regproc)";
    let both = text(db, function).await;
    let changes = Migrator::migrations();
    let counts = changes.iter().position(|change| change.name() == "m20261123_000001_counts").expect("the counters");
    db.migrate_down(u32::try_from(changes.len() - counts).expect("a few")).await.expect("no counters");
    let sums = text(db, function).await;
    db.migrate().await.expect("a migrated database");
    [
        "ALTER TABLE book_rating DISABLE TRIGGER added".to_owned(),
        format!("{sums}; ALTER TABLE book_rating ENABLE TRIGGER added"),
        both,
    ]
}

async fn text(db: &Db, sql: &str) -> String {
    let row = db.writer.query_one_raw(Statement::from_string(db.writer.get_database_backend(), sql)).await;
    row.expect("a definition").expect("a definition").try_get_by_index(0).expect("a text")
}

/// The seconds that all writers take together.
async fn insert(db: &Db, books: &[Uuid]) -> f64 {
    let start = Instant::now();
    let writers = (0..WRITERS).map(|writer| {
        let (db, books) = (db.clone(), books.to_vec());
        tokio::spawn(async move {
            for number in 0..INSERTS {
                // No two writers at the same book, unless there is but one.
                let book_id = books[(number * WRITERS + writer) % books.len()];
                let rating = book_rating::ActiveModel { rating: Set(4), book_id: Set(book_id), ..Default::default() };
                rating.insert(&db.writer).await.expect("a rating");
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.expect("a writer ends");
    }
    start.elapsed().as_secs_f64()
}
