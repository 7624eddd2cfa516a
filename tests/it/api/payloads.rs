//! Payloads of mutations: they are read in the transaction of the write, before its commit.

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

/// Rates a book, and selects lists in the payload.
fn rate(book: &str, lists: &str) -> String {
    format!(
        "mutation {{ rateBook(input: {{ bookId: {book:?}, rating: 5 }}) {{
            ratingEdge {{ node {{ id book {{ ratingCount }} }} }} book {{ ratingCount {lists} }}
        }} }}"
    )
}

#[tokio::test]
async fn j2_a_payload_shows_its_own_commit_in_all_of_its_parts() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let lists = "ratings(last: 1) { totalCount nodes { id book { ratingCount } } pageInfo { hasNextPage } }";
    for _ in 0..3 {
        let answer = shop.execute(&rate(&book, lists), Value::Null).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        let done = &answer["data"]["rateBook"];
        let (edge, of_book) = (&done["ratingEdge"]["node"], &done["book"]);
        assert_eq!(of_book["ratings"]["nodes"][0]["id"], edge["id"], "{answer}");
        for count in [
            &of_book["ratingCount"],
            &of_book["ratings"]["totalCount"],
            &edge["book"]["ratingCount"],
            &of_book["ratings"]["nodes"][0]["book"]["ratingCount"],
        ] {
            assert_eq!(count, &of_book["ratingCount"], "{answer}");
        }
    }
}

#[tokio::test]
async fn j2_a_write_whose_payload_cannot_be_read_has_not_happened() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let before = shop.count("ratings").await;
    shop.db.writer.execute_unprepared("ALTER TABLE book_order RENAME TO hidden").await.unwrap();
    let answer = shop.execute(&rate(&book, "orders { nodes { id } }"), Value::Null).await;
    assert_eq!(answer["data"], json!({ "rateBook": null }), "{answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["errors"][0]["extensions"]["code"], "INTERNAL", "{answer}");
    assert_eq!(shop.count("ratings").await, before);
    // The connection is as good as before.
    assert_eq!(shop.execute(&rate(&book, ""), Value::Null).await["errors"], Value::Null);
}

#[tokio::test]
async fn j2_a_wrong_argument_in_a_payload_makes_a_list_null_and_stops_no_write() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let before = shop.count("ratings").await;
    let answer = shop.execute(&rate(&book, "orders(after: \"?\") { nodes { id } }"), Value::Null).await;
    assert_eq!(answer["data"]["rateBook"]["book"]["orders"], Value::Null, "{answer}");
    assert_eq!(answer["errors"][0]["path"], json!(["rateBook", "book", "orders"]), "{answer}");
    assert_eq!(answer["errors"][0]["extensions"]["code"], "CURSOR_INVALID", "{answer}");
    assert_eq!(shop.count("ratings").await.as_u64(), before.as_u64().map(|before| before + 1));
}
