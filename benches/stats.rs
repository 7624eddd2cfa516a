//! What the sums of the books and the counters cost those who write: `cargo bench --bench stats`.
//!
//! Single inserts of ratings, each a transaction, by eight writers: spread over a thousand books, and all of one book,
//! without triggers, with those that keep `book_stats`, and with those of the counters, too. On SQLite; with
//! `TEST_DATABASE_URL`, on that PostgreSQL.
//! On a busy machine only the ratios mean something; the runs are interleaved.

use std::time::Instant;

use ::entity::{book, book_rating};
use bookends::config::{Plan, Settings};
use bookends::db::Db;
use bookends::seed::{self, Progress};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbBackend, EntityTrait, QueryResult, Set, Statement};
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
    let db = Db::connect(&settings).await.expect("the test database");
    db.migrate().await.expect("a migrated database");
    seed::fill(&db, PLAN, Progress::for_stdout()).await.expect("a filled database");
    let books: Vec<Uuid> =
        book::Entity::find().all(&db.writer).await.expect("books").into_iter().map(|book| book.id).collect();

    let triggers = Triggers::read(&db).await;
    let mut times = [[0.0; 2]; 3];
    for _ in 0..RUNS {
        for (kept, times) in KEPT.iter().zip(&mut times) {
            triggers.keep(&db, kept).await;
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

/// What is kept in a run: the triggers with these beginnings of their names, on each database.
const KEPT: [&[&str]; 3] =
    [&[], &["added", "book_rating_added"], &["added", "book_rating_added", "counted", "book_rating_counted"]];

/// The triggers of the ratings, with their definitions on SQLite.
struct Triggers(Vec<(String, String)>);

impl Triggers {
    async fn read(db: &Db) -> Self {
        let backend = db.writer.get_database_backend();
        let sql = if backend == DbBackend::Postgres {
            "SELECT tgname::text, '' FROM pg_trigger WHERE tgrelid = 'book_rating'::regclass AND NOT tgisinternal"
        } else {
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'book_rating'"
        };
        let rows = db.writer.query_all_raw(Statement::from_string(backend, sql)).await.expect("triggers");
        let text = |row: &QueryResult, column| row.try_get_by_index(column).expect("a text");
        Self(rows.iter().map(|row| (text(row, 0), text(row, 1))).collect())
    }

    /// Turns some of them on, and the others off. SQLite cannot: there they are dropped and made again.
    async fn keep(&self, db: &Db, kept: &[&str]) {
        for (name, definition) in &self.0 {
            let is_kept = kept.iter().any(|beginning| name.starts_with(beginning));
            let sql = match (db.writer.get_database_backend(), is_kept) {
                (DbBackend::Postgres, true) => format!("ALTER TABLE book_rating ENABLE TRIGGER {name}"),
                (DbBackend::Postgres, false) => format!("ALTER TABLE book_rating DISABLE TRIGGER {name}"),
                (_, true) => format!("DROP TRIGGER IF EXISTS {name}; {definition}"),
                (_, false) => format!("DROP TRIGGER IF EXISTS {name}"),
            };
            db.writer.execute_unprepared(&sql).await.expect("a trigger of ours");
        }
    }
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
