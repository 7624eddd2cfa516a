//! `node`.

use serde_json::{Value, json};

use crate::shop::{SMALL, Shop};

#[tokio::test]
async fn f2_an_id_refetches_the_same_object() {
    let shop = Shop::new(SMALL).await;
    let ratings =
        shop.data("{ ratings(first: 3) { nodes { id rating createdAt book { id name year createdAt } } } }").await;
    for rating in ratings["ratings"]["nodes"].as_array().unwrap() {
        let query = format!(
            "{{ node(id: {}) {{ id ... on Rating {{ rating createdAt book {{ id name year createdAt }} }} }} }}",
            rating["id"]
        );
        assert_eq!(shop.data(&query).await["node"], *rating);

        let book = &rating["book"];
        let query = format!("{{ node(id: {}) {{ __typename id ... on Book {{ name year createdAt }} }} }}", book["id"]);
        let mut expected = book.clone();
        expected["__typename"] = json!("Book");
        assert_eq!(shop.data(&query).await["node"], expected);
    }
}

#[tokio::test]
async fn f3_unknown_is_null_and_malformed_an_error() {
    let shop = Shop::new(SMALL).await;
    let unknown = shop.data("{ node(id: \"AgAAAAAAAAAAAAAAAAAAAAc\") { id } }").await;
    assert_eq!(unknown["node"], Value::Null);
    for id in ["", "7", "AgAAAAAAAAAAAAAAAAAAAAd", "CQAAAAAAAAAAAAAAAAAAAAc"] {
        assert_eq!(shop.code(&format!("{{ node(id: \"{id}\") {{ id }} }}")).await, "ID_INVALID", "{id}");
    }
}
