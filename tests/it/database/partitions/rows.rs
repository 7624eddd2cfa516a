//! Tables, rows, counts and sums after the move into partitions.

use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use keyset::Statistics;
use migration::{Migrator, MigratorTrait};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use serde_json::{Value, json};

use super::layout::{ALL, is_postgres, run};
use crate::api::book_sums;
use crate::support::documents::read;
use crate::support::shop::{SMALL, Shop, down, empty, settings};

const MANY: Plan = Plan { books: 60, ratings: 2_000, orders: 2_000, rng_seed: 0 };

/// One number.
pub async fn number(db: &impl ConnectionTrait, sql: &str) -> i64 {
    let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

/// What the catalogue says of both tables: constraints, triggers, indexes, privileges and comments.
pub async fn definitions(db: &DatabaseConnection) -> Vec<String> {
    let sql = "
        SELECT relname || ': ' || text FROM pg_class JOIN (
            SELECT conrelid AS of, conname || ' ' || pg_get_constraintdef(oid) AS text FROM pg_constraint
            UNION ALL SELECT tgrelid, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT indrelid, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') || indisvalid FROM pg_index
            UNION ALL SELECT attrelid, attname || ' ' || attnotnull || ' ' || format_type(atttypid, atttypmod)
                || coalesce(pg_get_expr(adbin, adrelid), '')
            FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0
            UNION ALL SELECT attrelid, attname || ' ' || attacl::text FROM pg_attribute
            UNION ALL SELECT oid, relacl::text FROM pg_class
            UNION ALL SELECT objoid, description FROM pg_description WHERE classoid = 'pg_class'::regclass AND objsubid = 0
        ) AS part ON part.of = pg_class.oid
        WHERE relnamespace = current_schema()::regnamespace AND relname IN ('book_rating', 'book_order') AND text IS NOT NULL
        ORDER BY 1";
    let rows = db.query_all_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

#[tokio::test]
async fn partitioned_tables_have_all_that_the_plain_ones_had() {
    for layout in ALL {
        let shop = Shop::new(SMALL).await;
        if !is_postgres(&shop.db) {
            return;
        }
        let db = shop.test.connect().await;
        let own = "GRANT SELECT, INSERT ON book_rating TO PUBLIC; GRANT ALL ON book_order TO pg_monitor;
            GRANT UPDATE ON book_order TO pg_signal_backend WITH GRANT OPTION;
            GRANT SELECT (id, rating), UPDATE (rating) ON book_rating TO pg_monitor WITH GRANT OPTION;
            GRANT REFERENCES (id) ON book_rating TO PUBLIC; COMMENT ON TABLE book_order IS 'sold'";
        db.execute_unprepared(own).await.unwrap();
        let before = definitions(&db).await;
        assert!(before.len() > 30, "{before:#?}");
        for own in ["pg_monitor=arwdDxt/", "pg_signal_backend=w*/", "pg_monitor=r*w*/", "=x/", ": sold"] {
            assert!(before.iter().any(|text| text.contains(own)), "{own}: {before:#?}");
        }
        layout.apply(&db, ["2025-01-01Z", "2026-01-01Z", "2027-01-01Z"]).await;
        assert_eq!(definitions(&db).await, before, "{layout:?}");
        assert_eq!(number(&db, "SELECT count(*) FROM pg_class WHERE relkind = 'p'").await, 2);
    }
}

#[tokio::test]
async fn counts_and_sums_are_exact_after_random_writes_to_partitions() {
    for layout in ALL {
        let Some(shop) = layout.shop(Plan { books: 30, ratings: 300, orders: 300, rng_seed: 0 }).await else { return };
        book_sums::check(&shop.db).await;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..100 {
            book_sums::write(&shop.db, &mut random).await;
        }
        check(&shop).await;
        shop.db.writer.execute_unprepared("TRUNCATE book_rating").await.unwrap();
        check(&shop).await;
        assert_eq!(shop.count("ratings").await, 0);
    }
}

/// The sums of each book, and the counts of both tables.
pub async fn check(shop: &Shop) {
    book_sums::check(&shop.db).await;
    for (list, table) in [("ratings", "book_rating"), ("orders", "book_order")] {
        let rows = number(&shop.db.writer, &format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(shop.count(list).await, rows, "{table}");
    }
}

#[tokio::test]
async fn g1_mutations_write_partitions() {
    for layout in ALL {
        let Some(shop) = layout.shop(SMALL).await else { return };
        let [book, ..] = shop.first_of_each().await;
        let change = async |mutation: &str| {
            let answer = shop.execute(&format!("mutation {{ {mutation} }}"), Value::Null).await;
            assert_eq!(answer["errors"], Value::Null, "{answer}");
            answer["data"].clone()
        };
        let edge = "{ ratingEdge { cursor node { id rating } } book { ratingCount } }";
        let rated = change(&format!("rateBook(input: {{ bookId: {book:?}, rating: 5 }}) {edge}")).await;
        let page = shop.data("{ ratings(last: 1) { edges { cursor node { id rating } } } }").await;
        assert_eq!(page["ratings"]["edges"][0], rated["rateBook"]["ratingEdge"]);
        let rating = &rated["rateBook"]["ratingEdge"]["node"]["id"];
        assert_eq!(shop.data(&format!("{{ node(id: {rating}) {{ id }} }}")).await["node"]["id"], *rating);
        let books = shop.count("books").await.as_u64().unwrap();
        change(&format!("deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ clientMutationId }}")).await;
        assert_eq!(shop.count("books").await, json!(books - 1));
        assert_eq!(shop.data(&format!("{{ node(id: {rating}) {{ id }} }}")).await["node"], Value::Null);
        check(&shop).await;
    }
}

#[tokio::test]
async fn empty_partitions_are_seeded() {
    for layout in ALL {
        let (test, db) = empty().await;
        if !is_postgres(&db) {
            return;
        }
        let own = test.connect().await;
        layout.apply(&own, ["2022-01-01 00:15Z", "2022-01-01 00:30Z", "2027-01-01Z"]).await;
        let before = definitions(&own).await;
        seed::fill(&db, SMALL, Progress::Lines).await.unwrap();
        assert_eq!(definitions(&own).await, before, "{layout:?}");
        book_sums::check(&db).await;
        assert_eq!(number(&own, "SELECT count(*) FROM book_rating").await, 25);
    }
}

/// The server starts on it, is ready, and later changes of the schema find their tables.
#[tokio::test]
async fn changes_of_the_schema_go_down_and_up_on_partitions() {
    for layout in ALL {
        let Some(shop) = layout.shop(SMALL).await else { return };
        let db = bookshop::connect(&settings(&shop.test.url)).await.unwrap();
        db.migrate().await.unwrap();
        assert_eq!(Migrator::get_pending_migrations(&db.writer).await.unwrap().len(), 0);
        assert_eq!(
            bookends_server::db::Probe::new(
                db.reader.clone(),
                db.storage.clone(),
                db.replicas.clone(),
                bookshop::application().migrations().clone()
            )
            .ready()
            .await,
            Ok(None)
        );
        let own = shop.test.connect().await;
        run(&own, &read("docs/partitions/drop.sql")).await;
        let before = definitions(&own).await;
        down(&db, "m20261121_000002_orders").await;
        db.migrate().await.unwrap();
        assert_eq!(definitions(&own).await, before, "{layout:?}");
        check(&shop).await;
    }
}

/// Filters and approximate counts are estimated by the partitions: nothing analyses the whole.
#[tokio::test]
async fn partitions_have_the_statistics_of_one_table() {
    for layout in ALL {
        let Some(shop) = layout.shop(MANY).await else { return };
        let statistics = Statistics::read(&shop.db.reader).await.unwrap();
        assert_eq!(statistics.rows("book_rating"), 2_000);
        let rating = statistics.indexed(entity::book_rating::Column::Rating).unwrap();
        let most = "SELECT max(ratings) FROM (SELECT count(*) AS ratings FROM book_rating GROUP BY rating) AS counted";
        let most = u64::try_from(number(&shop.db.writer, most).await).unwrap();
        assert!(rating.per_value.abs_diff(most) <= 1 && rating.range == 666, "{rating:?}, {most}");
        let count = "{ ratings(where: { rating: { gte: 2 } }) { approximateCount(upTo: 10) { value relation } } }";
        let about = shop.data(count).await["ratings"]["approximateCount"].take();
        assert_eq!(about["relation"], "ESTIMATE");
        assert!((1_200..=2_000).contains(&about["value"].as_u64().unwrap()), "{about}");
    }
}
