//! The queries that GraphiQL opens with.

use std::path::Path;

use bookshop::FIRST_QUERY;
use serde_json::Value;

use crate::support::shop::{SMALL, Shop};

/// The variables are those of a file beside the query's.
fn opening(name: &str) -> (String, Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/queries").join(name);
    let variables = std::fs::read(file.with_extension("json"));
    let variables = variables.map_or(Value::Null, |json| serde_json::from_slice(&json).unwrap());
    (std::fs::read_to_string(file.with_extension("graphql")).unwrap(), variables)
}

#[tokio::test]
async fn the_queries_of_the_tabs_succeed() {
    let shop = Shop::new(SMALL).await;
    for name in ["ratings", "next_ratings", "books", "search", "rate_book"] {
        let (query, variables) = opening(name);
        let answer = shop.execute(&query, variables).await;
        assert_eq!(answer["errors"], Value::Null, "{name}: {answer}");
    }
}

#[tokio::test]
async fn the_second_tab_continues_after_the_first() {
    let shop = Shop::new(SMALL).await;
    let first = shop.data(FIRST_QUERY).await;
    assert_eq!(opening("next_ratings").1["after"], first["ratings"]["pageInfo"]["endCursor"]);
}
