//! Results, pinned: the same on both databases. And what we rely on async-graphql for.

use bookends::server::FIRST_QUERY;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::shop::{SMALL, Shop};

#[tokio::test]
async fn results_are_the_same_on_both_databases() {
    let shop = Shop::new(SMALL).await;
    insta::assert_json_snapshot!("first_query", shop.data(FIRST_QUERY).await);
    let everything = "{ ratings(last: 3) {
        totalCount
        nodes { rating }
        edges { cursor node { __typename id rating createdAt book { __typename id name year createdAt } } }
        pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
    } }";
    insta::assert_json_snapshot!("everything", shop.data(everything).await);
    let refused = json!({
        "both ends": shop.execute("{ ratings(first: 1, last: 1) { nodes { id } } }", Value::Null).await,
        "too many": shop.execute("{ ratings(first: 101) { nodes { id } } }", Value::Null).await,
        "cursor": shop.execute("{ ratings(after: \"?\") { nodes { id } } }", Value::Null).await,
        "id": shop.execute("{ node(id: \"?\") { id } }", Value::Null).await,
    });
    insta::assert_json_snapshot!("refused", refused);
}

/// 7.1 to 7.2.1 of async-graphql return the keys in the order in which the resolvers complete.
#[tokio::test]
async fn keys_come_in_the_order_of_the_selection() {
    let shop = Shop::new(SMALL).await;
    let query = "{ slow: ratings(first: 9) { nodes { book { name } } } __typename b: node(id: \"AgAAAAAAAAAAAAAAAAAAAAc\") { id } }";
    let text = serde_json::to_string(&shop.schema.execute(query).await.data).unwrap();
    let place = |key: &str| text.find(key).unwrap();
    assert!(place("\"slow\"") < place("\"__typename\"") && place("\"__typename\"") < place("\"b\""), "{text}");
}

/// The same versions drop a failed non-null key where the null must propagate. And the database's own words stay in
/// the log.
#[tokio::test]
async fn a_failed_non_null_field_makes_its_parent_null() {
    let shop = Shop::new(SMALL).await;
    shop.db.writer.execute_unprepared("ALTER TABLE book RENAME TO hidden").await.unwrap();
    let answer = shop.execute("{ ratings(first: 1) { nodes { id book { name } } } }", Value::Null).await;
    assert_eq!(answer["data"], Value::Null, "{answer}");
    let error = &answer["errors"][0];
    assert_eq!(error["message"], "internal error");
    assert_eq!(error["extensions"]["code"], "INTERNAL");
    assert_eq!(error["extensions"]["errorId"].as_str().unwrap().len(), 36);

    let answer = shop.execute("{ node(id: \"AQAAAAAAAAAAAAAAAAAAAAc\") { id } }", Value::Null).await;
    assert_eq!(answer["data"], json!({ "node": null }), "a nullable field is null beside its error: {answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
}
