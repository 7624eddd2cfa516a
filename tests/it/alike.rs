//! The schema and a plan respond alike: the same bytes by the same statements. [`Shop::data`] and [`Shop::code`] compare both
//! for each query of the other tests.

use bookends::config::Plan;

use crate::graphql::REFUSED;
use crate::shop::{SMALL, Shop};
use crate::upgrade::corpus::{Walk, queries};

/// What a plan could show otherwise: names of types, aliases, merged fields, fragments, errors.
const FORMS: &[&str] = &[
    "{ books(first: 3) { __typename edges { __typename cursor node { __typename id name } }
        pageInfo { __typename hasPreviousPage hasNextPage startCursor endCursor } } }",
    "{ a: ratings(last: 2) { pageInfo { startCursor } nodes { book { name averageRating } } } ratings { totalCount } }",
    "{ orders { nodes { totalPrice createdAt } } orders { nodes { id } } }",
    "{ ratings(first: 0) { nodes { id } edges { cursor } } books { approximateCount(upTo: 3) { value relation } } }",
    "{ books(first: 2) { pageCursors { around { cursor page isCurrent } last { page } } nodes { ulid year } } }",
    "{ books { nodes { ratings(first: 1, after: \"?\") { nodes { id } } name } } }",
    "{ books(first: 101) { nodes { id } } ratings { nodes { rating } } }",
    "{ ...F books { ...B } } fragment F on Query { orders(first: 1) { nodes { ...N } } }
        fragment B on BookConnection { nodes { ...N ... on Book { orders(first: 1) { nodes { book { ulid } } } } } }
        fragment N on Node { id }",
];

#[tokio::test]
async fn d7_a_plan_responds_as_the_schema_does() {
    let shop = Shop::new(Plan { ratings: 60, orders: 40, ..SMALL }).await;
    for query in FORMS.iter().chain(REFUSED) {
        shop.compared(query).await;
    }
    for query in queries() {
        shop.data(&query).await;
    }
    for walk in Walk::all() {
        let first = shop.data(&walk.page("")).await;
        shop.data(&walk.page(&walk.cursor(&first))).await;
    }
}
