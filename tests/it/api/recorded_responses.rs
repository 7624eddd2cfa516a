//! A snapshot of a write, as the team of an application takes it: what is new in each run is redacted.

use serde_json::json;

use crate::support::shop::{SMALL, Shop};

// docs:start mutation
#[tokio::test]
async fn a_new_rating_and_its_place() {
    let shop = Shop::new(SMALL).await;
    let books = shop.data("{ books(first: 1) { nodes { id } } }").await;
    let mutation = "mutation ($id: ID!) { rateBook(input: { bookId: $id, rating: 5 }) {
        ratingEdge { cursor node { id rating createdAt book { name } } }
    } }";
    let rated = shop.execute(mutation, json!({ "id": books["books"]["nodes"][0]["id"] })).await;
    insta::assert_json_snapshot!(rated, { ".**.cursor" => "[cursor]", ".**.id" => "[id]", ".**.createdAt" => "[time]" });
}
// docs:end
