//! Queries whose answers two releases compare.

use serde_json::Value;

use crate::support::orders::{all, argument};

/// A list in one of its orders, seen from one end.
pub struct Walk {
    list: &'static str,
    order: String,
    forward: bool,
}

impl Walk {
    /// Every list in every offered order, from both ends.
    pub fn all() -> Vec<Self> {
        let mut walks = Vec::new();
        for list in ["books", "ratings", "orders"] {
            for order in all(list) {
                walks.extend([true, false].map(|forward| Self { list, order: argument(&order), forward }));
            }
        }
        walks
    }

    /// A page after this cursor.
    pub fn page(&self, cursor: &str) -> String {
        let (end, bound) = if self.forward { ("first", "after") } else { ("last", "before") };
        let (list, order) = (self.list, &self.order);
        format!(
            "{{ {list}({order} {end}: 7, {bound}: {cursor:?}) {{ edges {{ cursor node {{ id createdAt }} }}
            pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}"
        )
    }

    /// Where the next page begins.
    pub fn cursor(&self, data: &Value) -> String {
        let at = if self.forward { "endCursor" } else { "startCursor" };
        data[self.list]["pageInfo"][at].as_str().expect("a page with rows").to_owned()
    }
}

/// What else a list offers.
pub fn queries() -> Vec<String> {
    [
        "{ books { totalCount approximateCount { value relation } } ratings { totalCount } orders { totalCount } }",
        "{ books(first: 3, offset: 20) { edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage } } }",
        "{ books(where: { year: { gte: 1900 } }) { totalCount nodes { name year } } }",
        "{ ratings(where: { not: { rating: { in: [1, 2] } } }, last: 5) { totalCount nodes { rating book { name } } } }",
        r#"{ books(search: "the", first: 5) { totalCount edges { cursor node { name } } } }"#,
        r#"{ books(search: "s*", first: 5, orderBy: [{ field: CREATED_AT }]) { edges { cursor node { name } } } }"#,
        r#"{ ratings(search: "the", last: 5) { totalCount edges { cursor node { rating } } } }"#,
        "{ books(last: 9, orderBy: [{ field: AVERAGE_RATING }]) { nodes {
            id name year averageRating ratingCount totalRevenue orderCount ulid
            ratings(first: 3) { totalCount edges { cursor node { rating } } pageInfo { hasNextPage } }
            orders(last: 2, orderBy: [{ field: TOTAL_PRICE }]) { totalCount edges { cursor node { totalPrice } } } } } }",
    ]
    .map(str::to_owned)
    .into()
}

/// What a mutation changes: the ends of the lists, the counts, the search, and the object itself.
pub fn about(book: &str) -> Vec<String> {
    [
        "{ books(last: 3) { totalCount edges { cursor node { id name averageRating totalRevenue } } } }".to_owned(),
        "{ ratings(last: 3) { totalCount edges { cursor node { id rating } } } }".to_owned(),
        "{ orders(last: 3) { totalCount edges { cursor node { id totalPrice } } } }".to_owned(),
        r#"{ books(search: "zyzz*") { totalCount nodes { id name } } }"#.to_owned(),
        format!(
            "{{ node(id: {book:?}) {{ ... on Book {{ name year averageRating ratingCount totalRevenue orderCount
            ratings {{ nodes {{ id rating }} }} orders {{ nodes {{ id totalPrice }} }} }} }} }}"
        ),
    ]
    .into()
}
