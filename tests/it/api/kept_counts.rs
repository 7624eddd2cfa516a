//! The kept numbers of books, ratings and orders against the rows that they stand for.

use bookends_server::db::Db;
use bookshop::seed::Plan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, IsolationLevel, Statement,
    TransactionTrait,
};
use serde_json::json;
use testdb::work;

use crate::support::shop::{SMALL, Shop, down};

const TABLES: [&str; 3] = ["book", "book_rating", "book_order"];

async fn integer(db: &impl ConnectionTrait, sql: &str) -> Result<i64, DbErr> {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?.unwrap();
    row.try_get_by_index(0)
}

async fn check(db: &impl ConnectionTrait) {
    compare(db).await.unwrap();
}

/// Compares each counter with its rows, in one statement.
async fn compare(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    for table in TABLES {
        let sql = format!(
            "SELECT CAST((SELECT coalesce(sum(rows), 0) FROM {table}_count) AS bigint) - (SELECT count(*) FROM {table})"
        );
        assert_eq!(integer(db, &sql).await?, 0, "{table}");
    }
    Ok(())
}

fn is_postgres(db: &Db) -> bool {
    db.writer.get_database_backend() == DbBackend::Postgres
}

/// Whether a transaction is only in the way of another one, or of a foreign key. Those that change several rows can wait for
/// each other in a circle, but never for a counter. The statement that names a counter also adds to the sums: what waits
/// for these is `ON CONFLICT`, in functions of its own.
fn is_refused(error: &DbErr) -> bool {
    let text = format!("{error:?}");
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let sums = ["ExecCheckTupleVisible", "ExecOnConflictUpdate", "read/write dependencies", "relation \\\"book_stats"];
    assert!(!has(&TABLES.map(|table| format!("{table}_count")).each_ref().map(String::as_str)) || has(&sums), "{text}");
    has(&["could not serialize", "deadlock", "foreign key", "FOREIGN KEY"])
}

/// A random statement. On SQLite, a replacement also removes what it replaces.
fn statement(random: &mut ChaCha8Rng, backend: DbBackend) -> String {
    let mut below = |end: u32| random.next_u32() % end;
    let (table, value) =
        [("book_rating", "1 + abs(random()) % 5"), ("book_order", "abs(random()) % 100")][below(2) as usize];
    let (column, number) = (if table == "book_rating" { "rating" } else { "total_price" }, below(4));
    let postgres = backend == DbBackend::Postgres;
    let value = if postgres { "1 + floor(random() * 5)" } else { value };
    let some = format!("SELECT id FROM {table} ORDER BY random() LIMIT {number}");
    let added = format!("INSERT INTO {table} ({column}, book_id) SELECT {value}, id FROM book ORDER BY random()");
    match below(8) {
        0 | 1 => format!("{added} LIMIT {number}"),
        2 => format!("DELETE FROM {table} WHERE id IN ({some})"),
        3 => format!("UPDATE {table} SET {column} = 5 - {column} + 0 * {number} WHERE {column} BETWEEN 1 AND 4"),
        // Some of them are there, and are left or changed.
        4 => format!(
            "INSERT INTO {table} (id, {column}, book_id) SELECT id, 2, book_id FROM {table} WHERE id IN ({some})
             ON CONFLICT (id) DO {}",
            if number % 2 == 0 { "NOTHING".to_owned() } else { format!("UPDATE SET {column} = 3") }
        ),
        5 if postgres => format!(
            "MERGE INTO {table} AS t USING (SELECT id FROM book ORDER BY random() LIMIT 5) AS b ON t.book_id = b.id
             WHEN MATCHED AND t.{column} = 1 THEN DELETE
             WHEN MATCHED THEN UPDATE SET {column} = 1
             WHEN NOT MATCHED THEN INSERT ({column}, book_id) VALUES (2, b.id)"
        ),
        5 => format!(
            "REPLACE INTO {table} (id, {column}, book_id) SELECT id, 4, book_id FROM {table} WHERE id IN ({some})"
        ),
        6 => "INSERT INTO book (name, year) VALUES ('new', 2000)".to_owned(),
        _ => "DELETE FROM book WHERE id NOT IN (SELECT book_id FROM book_rating UNION SELECT book_id FROM book_order)"
            .to_owned(),
    }
}

/// A transaction of random statements, some of them in savepoints that are rolled back. Inside of it, too, the counters
/// equal the rows that it sees.
async fn write(db: &DatabaseConnection, level: Option<IsolationLevel>, random: &mut ChaCha8Rng) -> Result<(), DbErr> {
    let transaction = db.begin_with_config(level, None).await?;
    for _ in 0..=random.next_u32() % 4 {
        let savepoint = transaction.begin().await?;
        savepoint.execute_unprepared(&statement(random, db.get_database_backend())).await?;
        compare(&savepoint).await?;
        end(savepoint, !random.next_u32().is_multiple_of(3)).await?;
        compare(&transaction).await?;
    }
    end(transaction, !random.next_u32().is_multiple_of(4)).await
}

async fn end(transaction: DatabaseTransaction, is_kept: bool) -> Result<(), DbErr> {
    if is_kept { transaction.commit().await } else { transaction.rollback().await }
}

const LEVELS: [Option<IsolationLevel>; 3] =
    [None, Some(IsolationLevel::RepeatableRead), Some(IsolationLevel::Serializable)];

fn levels(db: &Db) -> &'static [Option<IsolationLevel>] {
    if is_postgres(db) { &LEVELS } else { &LEVELS[..1] }
}

#[tokio::test]
async fn counters_are_exact_after_a_seed_and_in_random_transactions() {
    let shop = Shop::new(Plan { books: 20, ratings: 100, orders: 100, rng_seed: 0 }).await;
    check(&shop.db.writer).await;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for round in 0..60 {
        let levels = levels(&shop.db);
        match write(&shop.db.writer, levels[round % levels.len()], &mut random).await {
            Err(error) if !is_refused(&error) => panic!("{error}"),
            _ => check(&shop.db.writer).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counters_are_exact_under_concurrent_writers_of_every_isolation() {
    let shop = Shop::new(Plan { books: 40, ratings: 100, orders: 100, rng_seed: 0 }).await;
    let writers: Vec<_> = (0..6)
        .map(|seed| {
            let db = shop.db.clone();
            tokio::spawn(async move {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                for round in 0..10 {
                    let level = levels(&db)[(round + usize::try_from(seed).unwrap()) % levels(&db).len()];
                    if let Err(error) = write(&db.writer, level, &mut random).await {
                        assert!(is_refused(&error), "{error}");
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
        check(&shop.db.writer).await;
    }
}

#[tokio::test]
async fn counters_are_exact_for_rows_that_were_there_before() {
    let shop = Shop::new(SMALL).await;
    down(&shop.db, "m20261123_000001_counts").await;
    assert!(shop.db.writer.execute_unprepared("SELECT rows FROM book_count").await.is_err());
    shop.db.migrate().await.unwrap();
    check(&shop.db.writer).await;
    assert_eq!((shop.count("books").await, shop.count("ratings").await), (json!(8), json!(25)));
}

/// Whatever adds or removes rows.
#[tokio::test]
async fn counters_are_exact_whatever_writes() {
    let shop = Shop::new(SMALL).await;
    let mut statements = vec![
        "INSERT INTO book_rating (rating, book_id) SELECT 1, id FROM book WHERE year > 9000",
        "DELETE FROM book_rating WHERE rating > 9",
        "UPDATE book_order SET total_price = 1",
    ];
    if is_postgres(&shop.db) {
        statements.extend([
            // A cascade.
            "ALTER TABLE book_rating DROP CONSTRAINT IF EXISTS book_rating_book_id_fkey;
             ALTER TABLE book_rating ADD CONSTRAINT owned FOREIGN KEY (book_id) REFERENCES book (id) ON DELETE CASCADE;
             DELETE FROM book_order; DELETE FROM book WHERE id IN (SELECT id FROM book LIMIT 2)",
            // Under a search path that finds nothing.
            "SET search_path = ''; INSERT INTO public.book (name, year) VALUES ('y', 1); RESET search_path",
            "WITH gone AS (DELETE FROM book_rating WHERE rating > 3 RETURNING *) INSERT INTO book_rating SELECT * FROM gone",
            "TRUNCATE book_rating",
            "INSERT INTO book_rating (rating, book_id) SELECT 1, id FROM book",
            "BEGIN; TRUNCATE book CASCADE; INSERT INTO book (name, year) VALUES ('y', 1); ROLLBACK",
            "INSERT INTO book_rating (rating, book_id) SELECT 1, id FROM book",
            "TRUNCATE book CASCADE",
        ]);
    } else {
        statements.extend([
            "INSERT OR IGNORE INTO book_rating (id, rating, book_id) SELECT id, 1, book_id FROM book_rating",
            "INSERT OR REPLACE INTO book_rating (id, rating, book_id) SELECT id, 1, book_id FROM book_rating",
            "UPDATE OR REPLACE book_rating SET id = (SELECT min(id) FROM book_rating)
             WHERE id = (SELECT max(id) FROM book_rating)",
            "DELETE FROM book_rating",
        ]);
    }
    for sql in statements {
        shop.db.writer.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        check(&shop.db.writer).await;
    }
}

/// A transaction that has written stays open. Others write meanwhile, at every isolation, and wait for nothing: a second
/// one on the same connections, with its foreign keys, its counters and its removal of old rows.
#[tokio::test]
async fn a_writer_waits_for_no_open_transaction() {
    let shop = Shop::new(SMALL).await;
    if !is_postgres(&shop.db) {
        return;
    }
    let writer = &shop.db.writer;
    let add = |book: i32| {
        format!("INSERT INTO book_rating (rating, book_id) SELECT 1, id FROM book ORDER BY id OFFSET {book} LIMIT 1")
    };
    // Most rows of the counter are old: whichever of these transactions adds them up holds them.
    writer
        .execute_unprepared("INSERT INTO book_rating_count (rows) SELECT 0 FROM generate_series(1, 300)")
        .await
        .unwrap();
    let mut open = Vec::new();
    for book in 0..6 {
        let level = LEVELS[usize::try_from(book).unwrap() % LEVELS.len()];
        let transaction = shop.test.connect().await.begin_with_config(level, None).await.unwrap();
        transaction.execute_unprepared("SET LOCAL lock_timeout = '1ms'").await.unwrap();
        for _ in 0..50 {
            transaction.execute_unprepared(&add(book)).await.unwrap();
        }
        check(&transaction).await;
        open.push(transaction);
    }
    for (number, transaction) in open.into_iter().enumerate() {
        end(transaction, number % 2 == 0).await.unwrap();
        check(writer).await;
    }
}

/// Transactions at the other levels leave rows behind. One in a hundred statements adds them up.
#[tokio::test]
async fn the_number_of_counter_rows_is_bounded() {
    let shop = Shop::new(SMALL).await;
    if !is_postgres(&shop.db) {
        return;
    }
    let transaction = shop.db.writer.begin().await.unwrap();
    let left = "INSERT INTO book_order_count (rows) SELECT 0 FROM generate_series(1, 300)";
    transaction.execute_unprepared(left).await.unwrap();
    let rows = "SELECT count(*) FROM book_order_count";
    while integer(&transaction, rows).await.unwrap() >= 300 {
        let add = "INSERT INTO book_order (total_price, book_id) SELECT 1, id FROM book LIMIT 1";
        transaction.execute_unprepared(add).await.unwrap();
    }
    // Those that are newer than the newest but 128, their sum, and that of this transaction.
    assert_eq!(integer(&transaction, rows).await, Ok(128 + 1));
    check(&transaction).await;
    transaction.commit().await.unwrap();
    check(&shop.db.writer).await;
}

/// What a truncation removes for all snapshots, it removes from the counter.
#[tokio::test]
async fn a_truncation_empties_the_counter_for_every_snapshot() {
    let shop = Shop::new(SMALL).await;
    if !is_postgres(&shop.db) {
        return;
    }
    let writer = &shop.db.writer;
    let transaction = writer.begin_with_config(LEVELS[1], None).await.unwrap();
    assert_eq!(integer(&transaction, "SELECT count(*) FROM book").await, Ok(8));
    let add = "INSERT INTO book (name, year) VALUES ('new', 1)";
    writer.execute_unprepared(add).await.unwrap();
    transaction.execute_unprepared("TRUNCATE book CASCADE").await.unwrap();
    check(&transaction).await;
    transaction.execute_unprepared(add).await.unwrap();
    check(&transaction).await;
    transaction.commit().await.unwrap();
    check(writer).await;
    assert_eq!(shop.count("books").await, 1);
}

/// It removes the ratings of books that its snapshot does not show, too, and could not change their sums.
#[tokio::test]
async fn a_truncation_of_ratings_alone_needs_read_committed() {
    let shop = Shop::new(SMALL).await;
    if !is_postgres(&shop.db) {
        return;
    }
    let writer = &shop.db.writer;
    for level in &LEVELS[1..] {
        let transaction = writer.begin_with_config(*level, None).await.unwrap();
        assert_eq!(integer(&transaction, "SELECT count(*) FROM book").await, Ok(8));
        let add = "WITH added AS (INSERT INTO book (name, year) VALUES ('new', 1) RETURNING id)
                   INSERT INTO book_rating (rating, book_id) SELECT 5, id FROM added";
        writer.execute_unprepared(add).await.unwrap();
        let refused = transaction.execute_unprepared("TRUNCATE book_rating").await.unwrap_err().to_string();
        assert!(refused.contains("READ COMMITTED"), "{refused}");
        transaction.rollback().await.unwrap();
        check(writer).await;
        writer
            .execute_unprepared("DELETE FROM book_rating WHERE book_id IN (SELECT id FROM book WHERE name = 'new')")
            .await
            .unwrap();
        writer.execute_unprepared("DELETE FROM book WHERE name = 'new'").await.unwrap();
    }
    writer.execute_unprepared("TRUNCATE book_rating").await.unwrap();
    check(writer).await;
    crate::api::book_sums::check(&shop.db).await;
}

/// The rows of a list do not matter for its count, without a filter.
#[tokio::test]
async fn a_count_reads_as_much_of_a_large_table() {
    let mut found = Vec::new();
    for ratings in [100, 20_000] {
        let shop = Shop::new(Plan { books: 50, ratings, orders: 100, rng_seed: 0 }).await;
        let db = shop.test.connect().await;
        let mut reads = Vec::new();
        for query in [
            "{ ratings(first: 0) { totalCount } }",
            "{ ratings(orderBy: { field: RATING }, after: null, where: null) { approximateCount(upTo: 1) { value } } }",
            "{ books(first: 50) { nodes { ratings { totalCount } } } }",
        ] {
            shop.statements.take();
            shop.data(query).await;
            let statement = shop.statements.take().pop().unwrap();
            // A cold catalogue is not counted.
            work(&db, statement.clone()).await;
            reads.push(work(&db, statement).await);
        }
        found.push(reads);
    }
    let close = found[0].iter().zip(&found[1]).all(|(small, large)| *large <= small + small / 4 + 4);
    assert!(close, "{found:?}");
}

#[tokio::test]
async fn a_count_without_a_filter_is_that_of_the_objects() {
    let shop = Shop::new(Plan { books: 30, ratings: 300, orders: 100, rng_seed: 3 }).await;
    let counts = "totalCount approximateCount(upTo: 2) { value relation }";
    let kept = shop
        .data(&format!(
            "{{ ratings {{ {counts} }} books(first: 30) {{ {counts} nodes {{ ratingCount orderCount
                ratings(last: 1) {{ {counts} }} orders(first: 1, where: null) {{ {counts} }} }} }} }}"
        ))
        .await;
    let exact = |count: &serde_json::Value| json!({ "totalCount": count, "approximateCount": { "value": count, "relation": "EXACT" } });
    assert_eq!(kept["ratings"], exact(&json!(300)));
    assert_eq!(kept["books"]["approximateCount"], json!({ "value": 30, "relation": "EXACT" }));
    for book in kept["books"]["nodes"].as_array().unwrap() {
        assert_eq!((&book["ratings"], &book["orders"]), (&exact(&book["ratingCount"]), &exact(&book["orderCount"])));
    }
    // As of an instant, and under a filter, rows are counted.
    let filtered = shop
        .data(
            "{ old: ratings(asOf: \"2022-01-01T00:09:59Z\") { totalCount }
               some: books(where: { ratingCount: { gte: 0 } }) { totalCount }
               found: books(search: \"the\", where: null) { totalCount nodes { id } } }",
        )
        .await;
    assert_eq!((&filtered["old"]["totalCount"], &filtered["some"]["totalCount"]), (&json!(10), &json!(30)));
    assert!(filtered["found"]["totalCount"].as_u64().unwrap() < 30, "{filtered}");
    // The bound is checked in any case.
    assert_eq!(shop.code("{ ratings { approximateCount(upTo: -1) { value } } }").await, "BAD_USER_INPUT");
}

/// Two counts of one list are one statement.
#[tokio::test]
async fn kept_counts_are_read_once() {
    let shop = Shop::new(SMALL).await;
    shop.statements.take();
    let fields: Vec<String> = (0..50).map(|n| format!("a{n}: approximateCount(upTo: {n}) {{ value }}")).collect();
    shop.data(&format!("{{ ratings {{ totalCount {} }} }}", fields.join(" "))).await;
    assert_eq!(shop.statements.take().len(), 1);
}

/// Beyond its bound, a filtered count is an estimate where statistics tell, and says so.
#[tokio::test]
async fn a_filtered_count_is_estimated_by_statistics() {
    let shop = Shop::new(Plan { books: 50, ratings: 1_000, orders: 100, rng_seed: 0 }).await;
    let ask = async |filter: &str| {
        let count = format!("{{ ratings(where: {filter}) {{ approximateCount(upTo: 10) {{ value relation }} }} }}");
        shop.data(&count).await["ratings"]["approximateCount"].take()
    };
    let likely = ask("{ rating: { in: [1, 2, 3, 4] } }").await;
    assert_eq!(likely["relation"], "ESTIMATE");
    assert!((400..=1_000).contains(&likely["value"].as_u64().unwrap()), "{likely}");
    let third = ask("{ createdAt: { gte: \"2022-01-01T00:00:00Z\" } }").await;
    assert_eq!(third["relation"], "ESTIMATE");
    if is_postgres(&shop.db) {
        return;
    }
    // Each of five values, as if they were equally frequent; and a range.
    assert_eq!((&likely["value"], &third["value"]), (&json!(800), &json!(333)));
    let unknown = ask("{ book: { name: { contains: \"e\" } } }").await;
    assert_eq!(unknown, json!({ "value": 11, "relation": "AT_LEAST" }));
    // The mean of all parents that have some.
    let nested = "{ books(first: 50) { nodes { ratings(where: { rating: { gte: 1 } }) {
        totalCount approximateCount(upTo: 10) { value relation } } } } }";
    for book in shop.data(nested).await["books"]["nodes"].as_array().unwrap() {
        let (exact, about) = (&book["ratings"]["totalCount"], &book["ratings"]["approximateCount"]);
        if exact.as_u64().unwrap() <= 10 {
            assert_eq!((&about["value"], &about["relation"]), (exact, &json!("EXACT")));
        } else {
            assert_eq!(about["relation"], "ESTIMATE");
            assert!((20..=30).contains(&about["value"].as_u64().unwrap()), "{about}");
        }
    }
    shop.db.writer.execute_unprepared("DROP TABLE sqlite_stat1").await.unwrap_or_else(|_| panic!("statistics"));
    assert_eq!(ask("{ rating: { gte: 1 } }").await["relation"], "AT_LEAST");
}
