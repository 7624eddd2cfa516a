//! Partitions on other servers, by `postgres_fdw`.
#![cfg(unix)]

use bookshop::seed::Plan;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use serde_json::{Value, json};
use testdb::Cluster;

use super::layout::{is_postgres, run};
use crate::api::book_sums;
use crate::api::walks::{self, Sizes};
use crate::support::documents::read;
use crate::support::shop::Shop;

/// A shop whose older ratings are on two other servers.
struct Far {
    shop: Shop,
    servers: [Cluster; 2],
}

/// Counts the rows that a server sends.
const COUNTING: &str = "shared_preload_libraries=pg_stat_statements";

impl Far {
    /// `None` on SQLite, and where PostgreSQL's programs are not installed. The first rating that stays has this time, and
    /// the first one of the second server the other.
    async fn new(plan: Plan, starts: [&str; 2]) -> Option<Self> {
        let shop = Shop::new(plan).await;
        if !is_postgres(&shop.db) {
            return None;
        }
        let servers = [Cluster::start(&[COUNTING])?, Cluster::start(&[COUNTING])?];
        let mut sql = read("docs/partitions/foreign.sql");
        for (year, start) in ["2025-01-01Z", "2026-01-01Z"].into_iter().zip(starts) {
            assert!(sql.contains(year));
            sql = sql.replace(year, start);
        }
        for (number, server) in (1..).zip(&servers) {
            let far = connect(server).await;
            run(&far, &read("docs/partitions/foreign-remote.sql")).await;
            run(&far, "CREATE EXTENSION pg_stat_statements;").await;
            let url = server.url("");
            let port = url.split(['@', ':', '/']).find_map(|part| part.parse::<u16>().ok()).unwrap();
            let documented = format!("host 'past-{number}.example', port '5432'");
            assert!(sql.contains(&documented));
            sql = sql.replace(&documented, &format!("host 'localhost', port '{port}'"));
        }
        let db = shop.test.connect().await;
        run(&db, &read("docs/partitions/procedures.sql")).await;
        run(&db, &sql).await;
        // As the server does each minute.
        shop.db.statistics.read(&shop.db.reader).await.unwrap();
        assert_eq!(shop.db.statistics.current().placement(["book_rating"]), keyset::Placement::Foreign);
        Some(Self { shop, servers })
    }

    /// The rows that each server has sent since the last call.
    async fn sent(&self) -> Vec<i64> {
        let mut sent = Vec::new();
        for server in &self.servers {
            let far = connect(server).await;
            let sql = "SELECT coalesce(sum(rows), 0)::bigint FROM pg_stat_statements WHERE query LIKE 'FETCH%'";
            let row = far.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap().unwrap();
            sent.push(row.try_get_by_index(0).unwrap());
            far.execute_unprepared("SELECT pg_stat_statements_reset()").await.unwrap();
        }
        sent
    }
}

async fn connect(server: &Cluster) -> DatabaseConnection {
    Database::connect(server.url("sslmode=disable")).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_c2_lists_over_other_servers_are_walked_both_ways() {
    let Some(far) = Far::new(walks::PLAN, ["2022-01-01 00:20Z", "2022-01-01 00:40Z"]).await else { return };
    for server in &far.servers {
        let rows = connect(server).await;
        let sql = Statement::from_string(DbBackend::Postgres, "SELECT count(*) FROM book_rating");
        let rows: i64 = rows.query_one_raw(sql).await.unwrap().unwrap().try_get_by_index(0).unwrap();
        assert_eq!(rows, 20);
    }
    walks::check_ratings_and_orders(&far.shop, Sizes::Few).await;
    walks::check_lists_of_a_book(&far.shop, Sizes::Few).await;
    walks::check_nested(&far.shop).await;
    book_sums::check(&far.shop.db).await;
    let again = "CALL partitioning.prepare('book_rating', 'HASH (id)')";
    let refusal = far.shop.test.connect().await.execute_unprepared(again).await.unwrap_err();
    assert!(refusal.to_string().contains("book_rating has no primary key"), "{refusal}");
}

/// `fetch_size` rows for each branch of the bracket, at any depth.
#[tokio::test(flavor = "multi_thread")]
async fn other_servers_send_the_size_of_the_page() {
    let plan = Plan { books: 50, ratings: 12_000, orders: 0, rng_seed: 0 };
    let Some(far) = Far::new(plan, ["2022-01-03Z", "2022-01-06Z"]).await else { return };
    let by_id = "orderBy: { field: CREATED_AT }";
    let mixed = "orderBy: [{ field: RATING, direction: DESC }, { field: CREATED_AT, direction: ASC }]";
    let same = "orderBy: { field: RATING, direction: DESC }";
    for (order, branches) in [(by_id, 2), (mixed, 4), (same, 4)] {
        for offset in [100, 3_000, 6_000, 11_000] {
            let page =
                |args: &str| format!("{{ ratings({order}, {args}) {{ nodes {{ id }} pageInfo {{ endCursor }} }} }}");
            let cursor = far.shop.data(&page(&format!("first: 10, offset: {offset}"))).await;
            let cursor = &cursor["ratings"]["pageInfo"]["endCursor"];
            for args in [format!("first: 10, after: {cursor}"), format!("last: 10, before: {cursor}")] {
                far.sent().await;
                far.shop.data(&page(&args)).await;
                let sent = far.sent().await;
                assert!(sent.iter().all(|rows| *rows <= 25 * branches), "{order} {args}: {sent:?}");
            }
        }
    }
    // The edge before a new one is read as a page is.
    let book = far.shop.data("{ books(first: 1) { nodes { id } } }").await["books"]["nodes"][0]["id"].take();
    far.sent().await;
    let rate = format!("rateBook(input: {{ bookId: {book}, rating: 3, {same} }}) {{ previousEdgeCursor }}");
    let payload = far.shop.execute(&format!("mutation {{ {rate} }}"), Value::Null).await;
    assert!(payload["data"]["rateBook"]["previousEdgeCursor"].is_string(), "{payload}");
    let sent = far.sent().await;
    assert!(sent.iter().all(|rows| *rows <= 25 * 4), "{sent:?}");
}

/// Transition tables have no rows of other servers: so PostgreSQL refuses to write there.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_partition_of_today_is_written() {
    let Some(far) = Far::new(walks::PLAN, ["2022-01-01 00:20Z", "2022-01-01 00:40Z"]).await else { return };
    let shop = &far.shop;
    let [book, rating, _] = shop.first_of_each().await;
    let mutation = async |text: &str| shop.execute(&format!("mutation {{ {text} }}"), Value::Null).await;
    let rate = format!("rateBook(input: {{ bookId: {book:?}, rating: 5 }}) {{ ratingEdge {{ node {{ id }} }} }}");
    let new = mutation(&rate).await["data"]["rateBook"]["ratingEdge"]["node"]["id"].take();
    assert_eq!(shop.data("{ ratings(last: 1) { nodes { id } } }").await["ratings"]["nodes"], json!([{ "id": new }]));
    for (refused, text) in [
        (false, format!("deleteRating(input: {{ id: {new} }}) {{ deletedId }}")),
        (true, format!("deleteRating(input: {{ id: {rating:?} }}) {{ deletedId }}")),
        (true, format!("deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId }}")),
    ] {
        let answer = mutation(&text).await;
        assert_eq!(answer["errors"].is_array(), refused, "{text}: {answer}");
    }
    book_sums::check(&shop.db).await;
    assert_eq!(shop.count("ratings").await, 60);
}
