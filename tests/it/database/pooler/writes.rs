//! Mutations and subscriptions behind a pooler.

use bookends::config::Limits;
use bookends::db::Db;
use bookends::shop::Api;
use serde_json::{Value, json};

use super::{listening, shop, unprepared};
use crate::api::book_sums;
use crate::api::subscriptions::Heard;
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

/// Every character but NUL, which is refused as elsewhere.
#[tokio::test]
async fn a_title_is_stored_as_it_was_sent() {
    let Some((shop, _pooler)) = shop(SMALL).await else { return };
    let letters = (1..0x300).chain(0x1f600..0x1f610).filter_map(char::from_u32);
    let letters: Vec<char> = letters.filter(|letter| !letter.is_control() && !letter.is_whitespace()).collect();
    let names = letters.chunks(100).map(String::from_iter);
    let quoted = [r"\", r"\\'", "'; DROP TABLE book; --", "$1 $2 '$1'", "\"$1\"", "E'\\''"].map(str::to_owned);
    for name in names.chain(quoted) {
        let add = "mutation ($name: String!) { addBook(input: { name: $name, year: -44 }) { bookEdge { node { id name year } } } }";
        let added = shop.execute(add, json!({ "name": name })).await;
        let node = &added["data"]["addBook"]["bookEdge"]["node"];
        assert_eq!((&node["name"], &node["year"]), (&json!(name), &json!(-44)), "{added}");
        let find = "query ($name: String!) { books(where: { name: { eq: $name } }) { nodes { id } } }";
        let found = shop.execute(find, json!({ "name": name })).await;
        assert_eq!(found["data"]["books"]["nodes"][0]["id"], node["id"], "{found}");
    }
    let refused = shop.code(r#"{ books(where: { name: { eq: "a\u0000b" } }) { totalCount } }"#).await;
    assert_eq!(refused, "BAD_USER_INPUT");
}

#[tokio::test]
async fn a_refused_write_changes_nothing() {
    let Some((shop, _pooler)) = shop(SMALL).await else { return };
    let before = book(&shop).await;
    let delete = "mutation ($book: ID!) { deleteBook(input: { id: $book }) { deletedId } }";
    let refused = shop.execute(delete, json!({ "book": before["id"] })).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "IN_USE", "{refused}");
    assert_eq!(book(&shop).await, before);
}

#[tokio::test]
async fn subscribers_listen_past_the_pooler() {
    let Some((shop, pooler)) = shop(SMALL).await else { return };
    let book = book(&shop).await;
    let (without, with) = (unprepared(&pooler.url()), listening(&pooler.url(), &shop.test.url));
    let [without, with] = [Db::connect(&without).await.unwrap(), Db::connect(&with).await.unwrap()]
        .map(|db| Api::new(db, Limits::DEFAULT));
    let subscription = "subscription { ratingAdded { node { rating } } }";
    assert_eq!(Heard::soon(&without, subscription).code().await, "SUBSCRIPTIONS_DISABLED");
    let mut heard = Heard::of(&with, subscription).await;
    // A server that does not listen announces all the same.
    let rated = shop.execute(RATE, json!({ "book": book["id"], "rating": 4 })).await;
    assert_eq!(rated["errors"], Value::Null, "{rated}");
    assert_eq!(heard.edge().await["node"]["rating"], 4);
}
