//! Results, pinned: the same on both databases.

use std::collections::BTreeMap;

use bookshop::FIRST_QUERY;
use serde_json::Value;

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
