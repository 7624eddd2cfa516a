//! What the sums of the books cost those who write: `cargo bench --bench stats`.
//!
//! Single inserts of ratings, each a transaction, by eight writers: spread over a thousand books, and all of one book,
//! with the triggers that keep `book_stats` and without them. On SQLite; with `TEST_DATABASE_URL`, on that PostgreSQL.
//! On a busy machine only the ratios mean something; the runs are interleaved.

use std::time::Instant;

use ::entity::{book, book_rating};
use bookends::config::{Plan, Settings};
use bookends::db::Db;
use bookends::seed::{self, Progress};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbBackend, EntityTrait, Set};
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

    let mut times = [[0.0; 2]; 2];
    for _ in 0..RUNS {
        for (with, times) in [true, false].into_iter().zip(&mut times) {
            triggers(&db, with).await;
            times[0] += insert(&db, &books).await;
            times[1] += insert(&db, &books[..1]).await;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let inserts = (RUNS * WRITERS * INSERTS) as f64;
    println!("\n| inserts a second | of 1,000 books | of one book |\n|---|---|---|");
    println!("| without the sums | {:.0} | {:.0} |", inserts / times[1][0], inserts / times[1][1]);
    println!("| with them | {:.0} | {:.0} |", inserts / times[0][0], inserts / times[0][1]);
    println!("| ratio | {:.2} | {:.2} |", times[1][0] / times[0][0], times[1][1] / times[0][1]);
}

/// Turns the triggers of the ratings on or off.
async fn triggers(db: &Db, on: bool) {
    if db.writer.get_database_backend() == DbBackend::Postgres {
        let word = if on { "ENABLE" } else { "DISABLE" };
        let sql = format!("ALTER TABLE book_rating {word} TRIGGER USER");
        db.writer.execute_unprepared(&sql).await.expect("a table of ours");
    } else {
        // SQLite cannot turn one off: it is dropped, and made again as the change of the schema made it.
        let sql = if on {
            "CREATE TRIGGER IF NOT EXISTS book_rating_added AFTER INSERT ON book_rating BEGIN
                UPDATE book_stats SET rating_count = rating_count + 1, rating_sum = rating_sum + NEW.rating
                WHERE book_id = NEW.book_id;
             END"
        } else {
            "DROP TRIGGER book_rating_added"
        };
        db.writer.execute_unprepared(sql).await.expect("a trigger of ours");
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
