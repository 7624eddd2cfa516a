//! Short documents with variables of 1 MB.

use serde_json::{Value, json};

use super::siege::Siege;
use super::documents::{CONNECTIONS, LARGE};
use super::repeat::{Requests, repeat};
use crate::http::post;

pub async fn variables(siege: Siege) {
    let ids: Vec<&String> = siege.shop.books.iter().cycle().take(LARGE / 28).collect();
    let nodes = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let ratings = "query($where: RatingFilter) { ratings(where: $where) { totalCount } }";
    let twenty: Vec<String> =
        (0..20).map(|alias| format!("a{alias}: ratings(where: $where) {{ totalCount }}")).collect();
    let twenty = format!("query($where: RatingFilter) {{ {} }}", twenty.join(" "));
    let many = |part: Value| {
        let count = LARGE / (part.to_string().len() + 1);
        Value::from(vec![part; count])
    };
    let nested =
        |depth: usize| (0..depth).fold(json!({ "rating": { "eq": 1 } }), |filter, _| json!({ "and": [filter] }));
    let object: serde_json::Map<String, Value> =
        (0..LARGE / 20).map(|key| (format!("key{key:09}"), key.into())).collect();
    let bodies = [
        json!({ "query": nodes, "variables": { "ids": ids } }),
        json!({ "query": nodes, "variables": { "ids": many(json!("x")) } }),
        json!({ "query": ratings, "variables": { "where": { "rating": { "in": many(json!(1)) } } } }),
        json!({ "query": ratings, "variables": { "where": { "or": many(json!({ "rating": { "eq": 1 } })) } } }),
        json!({ "query": twenty, "variables": { "where": { "or": many(json!({ "rating": { "eq": 1 } })) } } }),
        json!({ "query": ratings, "variables": { "where": { "and": many(json!({})) } } }),
        json!({ "query": ratings, "variables": { "where": { "or": many(nested(30)) } } }),
        json!({ "query": ratings, "variables": { "where": { "createdAt": { "in": many(json!("2022-01-01T00:00:00Z")) } } } }),
        json!({ "query": ratings, "variables": { "where": object } }),
        json!({ "query": ratings, "variables": { "unknown": object } }),
        json!({ "query": ratings, "variables": { "where": { "book": { "name": { "contains": "x".repeat(LARGE) } } } } }),
        json!({ "query": "{ __typename }", "extensions": { "unknown": many(json!([[]])) } }),
    ];
    let mut requests: Vec<Vec<u8>> = bodies.iter().map(|body| post("", body.to_string().as_bytes())).collect();
    // Deeper than this program can write.
    let deep = format!(r#"{{"query":"{{ __typename }}","variables":{{"x":{}"#, "[".repeat(LARGE));
    requests.push(post("", deep.as_bytes()));
    repeat(siege, CONNECTIONS, Requests::new(requests)).await;
}
