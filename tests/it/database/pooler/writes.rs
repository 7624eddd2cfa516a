//! Mutations behind a pooler, and the sums that they change.

use serde_json::{Value, json};

use super::shop;
use crate::api::book_sums;
use crate::support::shop::{SMALL, Shop};

const RATE: &str = "mutation ($book: ID!, $rating: Int!) { rateBook(input: { bookId: $book, rating: $rating }) {
    ratingEdge { cursor node { id } } book { ratingCount averageRating }
} }";

async fn book(shop: &Shop) -> Value {
    shop.data("{ books(first: 1) { nodes { id ratingCount } } }").await["books"]["nodes"][0].clone()
}

#[tokio::test]
async fn writers_at_the_same_time_lose_nothing() {
    let Some((shop, _pooler)) = shop(SMALL).await else { return };
    let before = book(&shop).await;
    let write = async |writer: i32| {
        for turn in 0..10 {
            let rated = shop.execute(RATE, json!({ "book": before["id"], "rating": 1 + (writer + turn) % 5 })).await;
            assert_eq!(rated["errors"], Value::Null, "{rated}");
        }
    };
    futures_util::future::join_all((0..8).map(write)).await;
    let after = book(&shop).await;
    assert_eq!(after["ratingCount"].as_u64(), before["ratingCount"].as_u64().map(|count| count + 80));
    book_sums::check(&shop.db).await;
}
