//! The tables that docs/scaling/citus.sql distributes, on the cluster of the coordinator in `TEST_CITUS_URL`.

use bookends_server::config::Limits;
use bookshop::seed::Plan;
use keyset::Placement;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, JsonValue, Statement};
use serde_json::{Value, json};
use testdb::TestDb;

use super::partitions::layout::run;
use crate::api::book_sums;
use crate::api::walks::{self, Sizes};
use crate::support::application;
use crate::support::documents::read;
use crate::support::shop::{Shop, fill, settings};

/// A shop over distributed tables; `None` without a cluster.
async fn distributed(plan: Plan) -> Option<Shop> {
    let test = TestDb::distributed().await?;
    let db = application().connect(&settings(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    fill(&db, plan).await.unwrap();
    run(&test.connect().await, &read("docs/scaling/citus.sql")).await;
    // As the server does each minute.
    db.statistics.read(&db.reader).await.unwrap();
    assert_eq!(db.statistics.current().placement(["book_rating"]), Placement::Distributed);
    assert!(db.statistics.current().rows("book_rating") > 0);
    Some(Shop::over(db, Limits::DEFAULT, test))
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_c2_distributed_lists_are_walked_both_ways() {
    let Some(shop) = distributed(walks::PLAN).await else { return };
    walks::check_ratings_and_orders(&shop, Sizes::Few).await;
    walks::check_lists_of_a_book(&shop, Sizes::Few).await;
    walks::check_nested(&shop).await;
    book_sums::check(&shop.db).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_keep_the_sums_and_the_references_of_distributed_rows() {
    let Some(shop) = distributed(walks::PLAN).await else { return };
    let counts = async || {
        let data = shop.data("{ books { totalCount } ratings { totalCount } orders { totalCount } }").await;
        ["books", "ratings", "orders"].map(|list| data[list]["totalCount"].as_i64().unwrap())
    };
    assert_eq!(counts().await, [16, 60, 40]);
    let write = async |field: String, pointer: &str| -> Value {
        let response = shop.execute(&format!("mutation {{ written: {field} }}"), Value::Null).await;
        assert_eq!(response["errors"], Value::Null, "{field}");
        response["data"]["written"].pointer(pointer).unwrap().clone()
    };
    let added = r#"addBook(input: { name: "Here and there", year: 2026 }) { bookEdge { node { id } } }"#;
    let book = write(added.into(), "/bookEdge/node/id").await;
    let rated = |stars| format!("rateBook(input: {{ bookId: {book}, rating: {stars} }})");
    let rating = write(format!("{} {{ ratingEdge {{ node {{ id }} }} }}", rated(2)), "/ratingEdge/node/id").await;
    let average = format!("{} {{ ratingEdge {{ node {{ book {{ averageRating }} }} }} }}", rated(5));
    assert_eq!(write(average, "/ratingEdge/node/book/averageRating").await, json!(3.5));
    let ordered =
        format!(r#"placeOrder(input: {{ bookId: {book}, totalPrice: "4.50" }}) {{ orderEdge {{ node {{ id }} }} }}"#);
    let order = write(ordered, "/orderEdge/node/id").await;
    write(format!("changeRating(input: {{ id: {rating}, rating: 4 }}) {{ rating {{ rating }} }}"), "/rating").await;
    book_sums::check(&shop.db).await;
    assert_eq!(counts().await, [17, 62, 41]);
    let code = shop.code(&format!("mutation {{ deleteBook(input: {{ id: {book} }}) {{ deletedId }} }}")).await;
    assert_eq!(code, "IN_USE");
    write(format!("deleteRating(input: {{ id: {rating} }}) {{ deletedId }}"), "/deletedId").await;
    write(format!("cancelOrder(input: {{ id: {order} }}) {{ deletedId }}"), "/deletedId").await;
    write(format!("deleteBook(input: {{ id: {book}, cascade: true }}) {{ deletedId }}"), "/deletedId").await;
    book_sums::check(&shop.db).await;
    assert_eq!(counts().await, [16, 60, 40]);
}

/// Where a statement ran: the shards that were asked, and the rows that all scans of a table have read.
#[derive(Debug, Default)]
struct Work {
    tasks: Vec<u64>,
    rows: u64,
}

impl Work {
    fn add(&mut self, plan: &JsonValue, table: &str) {
        match plan {
            JsonValue::Array(items) => items.iter().for_each(|item| self.add(item, table)),
            JsonValue::Object(node) => {
                let number = |name: &str| node.get(name).and_then(JsonValue::as_u64).unwrap_or_default();
                let of_table = |name: &str| name.rsplit_once('_').is_some_and(|(of, _)| of == table);
                self.tasks.extend(node.get("Task Count").and_then(JsonValue::as_u64));
                if node.get("Relation Name").and_then(JsonValue::as_str).is_some_and(of_table) {
                    let read = number("Actual Rows") + number("Rows Removed by Filter");
                    self.rows += read * number("Actual Loops");
                }
                node.values().for_each(|value| self.add(value, table));
            }
            _ => {}
        }
    }
}

async fn work(db: &DatabaseConnection, statement: Statement, table: &str) -> Work {
    let sql = format!("EXPLAIN (ANALYZE, FORMAT JSON) {}", statement.sql);
    let explained = db.query_one_raw(Statement { sql, ..statement }).await.unwrap().unwrap();
    let mut work = Work::default();
    work.add(&explained.try_get_by_index(0).unwrap(), table);
    work
}

#[tokio::test(flavor = "multi_thread")]
async fn each_shard_reads_a_page_and_one_shard_the_list_of_a_book() {
    let plan = Plan { books: 40, ratings: 20_000, orders: 0, rng_seed: 0 };
    let Some(shop) = distributed(plan).await else { return };
    let db = shop.test.connect().await;
    run(&db, "ANALYZE; SET citus.explain_all_tasks = on;").await;
    let page = "{ edges { cursor node { id rating } } pageInfo { endCursor hasNextPage hasPreviousPage } }";
    for (order, ranges) in [("CREATED_AT", 2), ("RATING", 2)] {
        for offset in [100, 10_000, 19_000] {
            let list = |args: String| format!("{{ ratings(orderBy: {{ field: {order} }}, first: 10, {args}) {page} }}");
            let cursor = shop.data(&list(format!("offset: {offset}"))).await;
            let cursor = &cursor["ratings"]["pageInfo"]["endCursor"];
            shop.statements.take();
            shop.data(&list(format!("after: {cursor}"))).await;
            let [statement] = <[Statement; 1]>::try_from(shop.statements.take()).unwrap();
            assert_eq!(statement.db_backend, DbBackend::Postgres);
            let work = work(&db, statement, "book_rating").await;
            assert!(work.tasks.contains(&4) && work.rows > 0, "{work:?}");
            assert!(work.rows <= ranges * 4 * 11, "{order} after {offset}: {work:?}");
        }
    }
    shop.statements.take();
    shop.data(&format!("{{ books(first: 5) {{ nodes {{ ratings(first: 10) {page} }} }} }}")).await;
    let statements = shop.statements.take();
    let of_books: Vec<Statement> =
        statements.into_iter().filter(|statement| statement.sql.contains(r#"FROM "book_rating""#)).collect();
    assert_eq!(of_books.len(), 5);
    for statement in of_books {
        let work = work(&db, statement, "book_rating").await;
        assert_eq!((work.tasks.as_slice(), work.rows), (&[1][..], 11));
    }
}
