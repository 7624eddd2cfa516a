//! Results, pinned: the same on both databases. And what we rely on async-graphql for.

use std::collections::BTreeMap;

use bookends::server::page::FIRST_QUERY;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::support::log::Log;
use crate::support::shop::{SMALL, Shop};

#[tokio::test]
async fn results_are_the_same_on_both_databases() {
    let shop = Shop::new(SMALL).await;
    insta::assert_json_snapshot!("first_query", shop.data(FIRST_QUERY).await);
    let mut queries = BTreeMap::new();
    for (name, query) in KINDS {
        queries.insert(*name, shop.data(query).await);
    }
    insta::assert_json_snapshot!("kinds", queries);
    let mut refused = BTreeMap::new();
    for query in REFUSED {
        refused.insert(*query, shop.execute(query, Value::Null).await);
    }
    insta::assert_json_snapshot!("refused", refused);
}

/// A query of each kind.
const KINDS: &[(&str, &str)] = &[
    (
        "a page with everything around it",
        "{ ratings(last: 3) {
            totalCount approximateCount { value relation } nodes { rating }
            edges { cursor node { __typename id rating createdAt book { __typename id name year createdAt ulid } } }
            pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
        } }",
    ),
    (
        "books by their mean, with their sums",
        "{ books(orderBy: [{ field: AVERAGE_RATING, direction: DESC }, { field: CREATED_AT }]) {
            edges { cursor node { name averageRating ratingCount totalRevenue orderCount } }
        } }",
    ),
    (
        "books without revenue first",
        "{ books(orderBy: { field: TOTAL_REVENUE, direction: DESC, nulls: FIRST }, first: 4) { nodes { name totalRevenue } } }",
    ),
    ("orders by price", "{ orders(orderBy: { field: TOTAL_PRICE }, first: 3) { edges { cursor node { totalPrice } } } }"),
    (
        "books with some of their ratings and orders",
        "{ books(first: 3) { nodes { name
            ratings(first: 2, orderBy: { field: RATING, direction: DESC }) {
                totalCount edges { cursor node { rating } } pageInfo { hasNextPage hasPreviousPage }
            }
            orders(last: 1) { totalCount nodes { totalPrice book { name } } pageInfo { hasNextPage hasPreviousPage } }
        } } }",
    ),
    (
        "a filter across a relation",
        "{ ratings(where: { rating: { gte: 4 }, book: { year: { gte: 1850 }, not: { name: { contains: \" and \" } } } }) {
            totalCount nodes { rating book { name year } }
        } }",
    ),
    ("a search", "{ books(search: \"the\") { totalCount edges { cursor node { name } } } }"),
    (
        "a search in another order",
        "{ books(search: \"the\", orderBy: [{ field: YEAR, direction: DESC }, { field: NAME }]) { nodes { name year } } }",
    ),
    (
        "numbered pages",
        "{ ratings(first: 5) { pageCursors {
            first { cursor page isCurrent } previous { page } around { cursor page isCurrent } next { page } last { cursor page }
        } } }",
    ),
    (
        "ratings as of an instant",
        "{ ratings(asOf: \"2022-01-01T00:03:00Z\") { totalCount nodes { createdAt } pageInfo { hasNextPage } } }",
    ),
    (
        "a book by its other names",
        "{ uuid: book(uuid: \"016f5e67-a0f5-7130-947c-4f8d4ed13aa0\") { id name }
           ulid: book(uuid: \"01DXF6F87NE4R98Z2FHN7D2EN0\") { id name }
           none: book(uuid: \"00000000-0000-0000-0000-000000000000\") { id } }",
    ),
    (
        "objects by one key",
        "{ uuid: book(by: { uuid: \"016f5e67-a0f5-7130-947c-4f8d4ed13aa0\" }) { name }
           id: book(by: { id: \"AQFvXmeg9XEwlHxPjU7ROqA\" }) { name }
           rating(by: { uuid: \"00000000-0000-0000-0000-000000000000\" }) { id }
           order(by: { uuid: \"00000000-0000-0000-0000-000000000000\" }) { id } }",
    ),
    (
        "the keys of each type",
        "{ books(first: 1) { nodes { uuid ulid } } ratings(first: 1) { nodes { uuid ulid } }
           orders(first: 1) { nodes { uuid ulid } } }",
    ),
];

/// What is refused, and how.
pub const REFUSED: &[&str] = &[
    "{ ratings(first: 1, last: 1) { nodes { id } } }",
    "{ ratings(first: 101) { nodes { id } } }",
    "{ ratings(after: \"?\") { nodes { id } } }",
    "{ node(id: \"?\") { id } }",
    "{ book { id } }",
    "{ book(by: {}) { id } }",
    "{ book(by: { id: null }) { id } }",
    "{ book(by: { id: \"x\", uuid: \"x\" }) { id } }",
    "{ book(by: { id: \"x\" }, id: \"x\") { id } }",
    "{ book(id: \"AgAAAAAAAAAAAAAAAAAAAAc\") { id } }",
    "{ book(uuid: \"?\") { id } }",
    "{ books(orderBy: [{ field: AVERAGE_RATING }, { field: NAME }]) { nodes { id } } }",
    "{ books(orderBy: { field: RELEVANCE }) { nodes { id } } }",
    "{ books(where: { year: { eq: \"x\" } }) { nodes { id } } }",
    "{ ratings(asOf: \"now\") { nodes { id } } }",
    "{ ratings { approximateCount(upTo: 10001) { value } } }",
    "{ ratings(",
    "{ reviews { id } }",
];

/// 7.1 to 7.2.1 of async-graphql return the keys in the order in which the resolvers complete.
#[tokio::test]
async fn keys_come_in_the_order_of_the_selection() {
    let shop = Shop::new(SMALL).await;
    let query = "{ slow: ratings(first: 9) { nodes { book { name } } } __typename b: node(id: \"AgAAAAAAAAAAAAAAAAAAAAc\") { id } }";
    let text = serde_json::to_string(&shop.api.execute(query).await.data).unwrap();
    let place = |key: &str| text.find(key).unwrap();
    assert!(place("\"slow\"") < place("\"__typename\"") && place("\"__typename\"") < place("\"b\""), "{text}");
}

/// The same versions drop a failed non-null key where the null must propagate, to the list that can be null and no
/// further.
#[tokio::test]
async fn a_failed_non_null_field_makes_its_list_null_and_no_other() {
    let shop = Shop::new(SMALL).await;
    shop.db.writer.execute_unprepared("ALTER TABLE book RENAME TO hidden").await.unwrap();
    // On PostgreSQL, a failed statement ends the snapshot: what follows fails too.
    let query = "{ orders(first: 0) { nodes { id } } ratings(first: 1) { nodes { id book { name } } } }";
    let answer = shop.execute(query, Value::Null).await;
    assert_eq!(answer["data"], json!({ "ratings": null, "orders": { "nodes": [] } }), "{answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);

    let answer = shop.execute("{ node(id: \"AQAAAAAAAAAAAAAAAAAAAAc\") { id } }", Value::Null).await;
    assert_eq!(answer["data"], json!({ "node": null }), "a nullable field is null beside its error: {answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
}

/// The client reads a fixed text and an id, under which the log has the database's own words.
#[tokio::test]
async fn internal_errors_are_logged() {
    let log = Log::default();
    let _guard = log.capture();

    let shop = Shop::new(SMALL).await;
    shop.db.writer.execute_unprepared("ALTER TABLE book_rating RENAME TO hidden").await.unwrap();
    let answer = shop.execute("{ ratings { nodes { id } pageInfo { hasNextPage } } }", Value::Null).await;
    let error = &answer["errors"][0];
    assert_eq!((&error["message"], &error["extensions"]["code"]), (&json!("internal error"), &json!("INTERNAL")));
    assert!(!answer.to_string().contains("book_rating"), "{answer}");
    let text = log.text();
    let id = error["extensions"]["errorId"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("ERROR")).collect();
    assert!(
        lines.len() == 1 && lines[0].contains(id) && lines[0].contains("book_rating"),
        "once, and all of it: {text}"
    );
}
