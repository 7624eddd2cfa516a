//! The move into partitions: it misses no write, can be made again, and refuses what would lose rows.

use bookshop::seed::Plan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sea_orm::{ConnectionTrait, DatabaseConnection};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::layout::{Layout, is_postgres, run};
use super::rows::{check, definitions, number};
use crate::api::book_sums;
use crate::api::walks;
use crate::support::documents::read;
use crate::support::shop::{SMALL, Shop};

const COPY: &str = "CALL partitioning.copy('book_rating', 3);";
const SWAP: &str = "CALL partitioning.swap('book_rating');";

/// A shop whose ratings can be copied to an empty table with partitions, from a plain table or from other partitions.
/// `None` on SQLite.
async fn prepared(plan: Plan, source: Option<Layout>) -> Option<(Shop, DatabaseConnection)> {
    let shop = match source {
        Some(layout) => layout.shop(plan).await?,
        None => Shop::new(plan).await,
    };
    if !is_postgres(&shop.db) {
        return None;
    }
    let db = shop.test.connect().await;
    let before = if source.is_some() { "docs/partitions/drop.sql" } else { "docs/partitions/procedures.sql" };
    run(&db, &read(before)).await;
    let prepare = "CALL partitioning.prepare('book_rating', 'HASH (id)');
        CALL partitioning.add_hash('book_rating', 4);";
    run(&db, prepare).await;
    Some((shop, db))
}

/// Both kinds of tables that can be moved.
const SOURCES: [Option<Layout>; 2] = [None, Some(Layout::Range)];

/// What a statement says that must fail.
#[track_caller]
fn refusal(db: &DatabaseConnection, sql: &str) -> impl Future<Output = String> {
    let caller = std::panic::Location::caller();
    async move {
        match db.execute_unprepared(sql).await {
            Ok(_) => panic!("{sql} succeeded at {caller}"),
            Err(error) => error.to_string(),
        }
    }
}

/// Writers go on while the rows are copied.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_copy_misses_no_write() {
    for source in SOURCES {
        let plan = Plan { books: 20, ratings: 200, orders: 20, rng_seed: 0 };
        let Some((shop, db)) = prepared(plan, source).await else { return };
        let cancelled = CancellationToken::new();
        let writers: Vec<_> = (0..3)
            .map(|seed| {
                let (db, cancelled) = (shop.db.clone(), cancelled.clone());
                tokio::spawn(async move {
                    let (mut random, mut writes) = (ChaCha8Rng::seed_from_u64(seed), 0);
                    while !cancelled.is_cancelled() {
                        book_sums::write(&db, &mut random).await;
                        writes += 1;
                    }
                    writes
                })
            })
            .collect();
        run(&db, COPY).await;
        cancelled.cancel();
        for writer in writers {
            assert!(writer.await.unwrap() > 0);
        }
        let differ = "SELECT count(*) FROM book_rating AS a FULL JOIN partitioning.book_rating AS b
            USING (id, rating, book_id) WHERE a.id IS NULL OR b.id IS NULL";
        assert_eq!(number(&db, differ).await, 0, "{source:?}");
        run(&db, SWAP).await;
        check(&shop).await;
    }
}

#[tokio::test]
async fn a_truncation_is_repeated() {
    for source in SOURCES {
        let Some((shop, db)) = prepared(SMALL, source).await else { return };
        run(&db, COPY).await;
        let copied = "SELECT count(*) FROM partitioning.book_rating";
        assert_eq!(number(&db, copied).await, 25);
        run(&db, "TRUNCATE book_rating;").await;
        assert_eq!(number(&db, copied).await, 0, "{source:?}");
        run(&db, SWAP).await;
        check(&shop).await;
    }
}

/// A full disk, a time limit and a lost connection leave the triggers, and a part of the rows.
#[tokio::test]
async fn an_interrupted_copy_replaces_no_table() {
    let Some((shop, db)) = prepared(SMALL, None).await else { return };
    let full = "DO $$ BEGIN EXECUTE format('ALTER TABLE partitioning.book_rating ADD CONSTRAINT room CHECK (id < %L)
        NOT VALID', (SELECT id FROM book_rating ORDER BY id OFFSET 10 LIMIT 1)); END $$;";
    let room = "ALTER TABLE partitioning.book_rating DROP CONSTRAINT room;";
    run(&db, full).await;
    refusal(&db, COPY).await;
    assert_eq!(number(&db, "SELECT count(*) FROM partitioning.book_rating").await, 9);
    let refused = "partitioning.book_rating is not a complete copy";
    assert!(refusal(&db, SWAP).await.contains(refused));
    assert_eq!(number(&db, "SELECT count(*) FROM book_rating").await, 25);
    run(&db, room).await;
    run(&db, COPY).await;
    // A copy that was complete begins again.
    run(&db, full).await;
    refusal(&db, COPY).await;
    assert!(refusal(&db, SWAP).await.contains(refused));
    run(&db, room).await;
    run(&db, COPY).await;
    run(&db, SWAP).await;
    check(&shop).await;
    assert_eq!(number(&db, "SELECT count(*) FROM book_rating").await, 25);
}

/// Without the triggers, rows that were copied have old values, and a second copy would keep them.
#[tokio::test]
async fn rows_that_no_trigger_kept_current_are_not_completed() {
    let Some((shop, db)) = prepared(SMALL, None).await else { return };
    run(&db, COPY).await;
    run(&db, "DROP TRIGGER partitioning_rows ON book_rating;\nDROP TRIGGER partitioning_all ON book_rating;").await;
    run(&db, "DELETE FROM book_rating WHERE rating = 3;").await;
    let rows = number(&db, "SELECT count(*) FROM book_rating").await;
    assert!(rows < 25);
    refusal(&db, SWAP).await;
    assert!(refusal(&db, COPY).await.contains("has rows that no trigger kept current"));
    run(&db, "TRUNCATE partitioning.book_rating;").await;
    run(&db, COPY).await;
    run(&db, SWAP).await;
    check(&shop).await;
    assert_eq!(number(&db, "SELECT count(*) FROM book_rating").await, rows);
}

/// Also if both layouts have a partition of the same name, as ranges do.
#[tokio::test]
async fn partitions_are_moved_into_others() {
    use Layout::{Hash, Range};
    for (from, to) in [(Hash, Range), (Range, Hash), (Range, Range)] {
        let Some(shop) = from.shop(walks::PLAN).await else { return };
        let db = shop.test.connect().await;
        let before = definitions(&db).await;
        run(&db, &read("docs/partitions/drop.sql")).await;
        // The last one of the former ranges has rows, and is split.
        to.again(&db, ["2022-01-01 00:10Z", "2022-01-01 00:35Z", "2022-01-01 00:50Z"]).await;
        assert_eq!(definitions(&db).await, before, "{from:?} to {to:?}");
        for schema in ["public", "unpartitioned"] {
            for table in ["book_rating", "book_order"] {
                let tables = format!(
                    "SELECT count(*) FROM pg_partition_tree('{schema}.{table}') JOIN pg_class ON oid = relid
                    WHERE relnamespace = '{schema}'::regnamespace"
                );
                assert_eq!(number(&db, &tables).await, 5, "{from:?} to {to:?}: {schema}.{table}");
            }
        }
        let left = "SELECT count(*) FROM pg_class WHERE relnamespace = 'partitioning'::regnamespace";
        assert_eq!(number(&db, left).await, 0);
        walks::check_nested(&shop).await;
        // What it replaced is in nobody's way.
        let [book, ..] = shop.first_of_each().await;
        let delete = format!("mutation {{ deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId }} }}");
        assert_eq!(shop.execute(&delete, json!({})).await["data"]["deleteBook"]["deletedId"], json!(book));
        check(&shop).await;
    }
}

#[tokio::test]
async fn the_table_of_an_earlier_move_is_not_replaced() {
    let Some(shop) = Layout::Hash.shop(SMALL).await else { return };
    let db = shop.test.connect().await;
    let again = "CALL partitioning.prepare('book_rating', 'HASH (id)');
        CALL partitioning.add_hash('book_rating', 2);";
    run(&db, again).await;
    run(&db, COPY).await;
    assert!(refusal(&db, SWAP).await.contains("already exists in schema \"unpartitioned\""));
    check(&shop).await;
    run(&db, &read("docs/partitions/drop.sql")).await;
    run(&db, SWAP).await;
    check(&shop).await;
    assert_eq!(number(&db, "SELECT count(*) FROM pg_partition_tree('book_rating')").await, 3);
}

/// Inserts a rating of this time.
async fn insert_at(db: &DatabaseConnection, time: &str) {
    let sql = format!(
        "INSERT INTO book_rating (id, rating, book_id)
         SELECT overlay(partitioning.key_at('{time}')::text PLACING '7000-8000' FROM 15 FOR 9)::uuid, 3, id FROM book LIMIT 1"
    );
    db.execute_unprepared(&sql).await.unwrap();
}

#[tokio::test]
async fn the_next_range_takes_the_rows_of_its_time() {
    let Some(shop) = Layout::Range.shop(SMALL).await else { return };
    let db = shop.test.connect().await;
    run(&db, &read("docs/partitions/next.sql")).await;
    for (time, partition) in
        [("2027-12-31 23:59:59.999Z", "book_rating_2027_01_01"), ("2028-01-01Z", "book_rating_2028_01_01")]
    {
        insert_at(&db, time).await;
        assert_eq!(number(&db, &format!("SELECT count(*) FROM {partition}")).await, 1, "{partition}");
    }
    check(&shop).await;
}

/// PostgreSQL would compare each row with the new end, while everyone waits.
#[tokio::test]
async fn a_range_with_rows_keeps_its_end() {
    let Some(shop) = Layout::Range.shop(SMALL).await else { return };
    let db = shop.test.connect().await;
    // Also a row that would stay where it is.
    insert_at(&db, "2027-12-31Z").await;
    let next = read("docs/partitions/next.sql");
    let next = next.lines().find(|line| line.contains("'book_rating'")).unwrap();
    assert!(refusal(&db, next).await.contains("book_rating_2027_01_01 has rows"));
    let partitions = "SELECT count(*) FROM pg_partition_tree('book_rating')";
    assert_eq!(number(&db, partitions).await, 5);
    run(&db, "DELETE FROM book_rating WHERE id >= partitioning.key_at('2027-01-01Z');").await;
    run(&db, next).await;
    assert_eq!(number(&db, partitions).await, 6);
    check(&shop).await;
}
