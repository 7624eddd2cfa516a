//! A response whose connection is lost between its statements: it is read once more, as a whole.

use bookends::config::Limits;
use bookends::db::Db;
use sea_orm::sqlx::ConnectOptions;
use serde_json::json;
use testdb::TestDb;

use super::postgres;
use super::proxy::Proxy;
use crate::support::shop::{SMALL, Shop, settings};

/// Two statements each. A plan executes the first one, once its document is known; the schema executes the others, and
/// reads once what a fragment selects twice.
const QUERIES: [&str; 3] = [
    "query($id: ID!) {
        books(where: { id: { eq: $id } }) { nodes { ratingCount ratings(last: 2) { nodes { id } pageInfo { endCursor } } } }
    }",
    "query($id: ID!) { book(id: $id) { ratingCount ratings(last: 2) { nodes { id } pageInfo { endCursor } } } }",
    "query($id: ID!) { ...Book ... { ...Book } __typename }
        fragment Book on Query { book(id: $id) { ratingCount ratings(last: 2) { nodes { id } } } }",
];

#[tokio::test]
async fn j1_a_response_that_loses_its_connection_is_read_again_as_a_whole() {
    let shop = Shop::new(SMALL).await;
    if shop.test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&shop.test.url)).await;
    let db = Db::connect(&settings(proxy.options.to_url_lossy().as_str())).await.unwrap();
    let [book, ..] = shop.first_of_each().await;
    // Its own database is not used.
    let cut = Shop::over(db, Limits::DEFAULT, TestDb::new().await);
    let rate = format!("mutation {{ rateBook(input: {{ bookId: {book:?}, rating: 5 }}) {{ clientMutationId }} }}");
    for query in QUERIES {
        // Its document is new, then known.
        for _ in 0..2 {
            let before = shop.body(query, json!({ "id": book })).await;
            cut.statements.take();
            let held = proxy.cut_after(1);
            let write = async {
                let connection = held.await.unwrap();
                shop.data(&rate).await;
                drop(connection);
            };
            let (body, ()) = tokio::join!(cut.body(query, json!({ "id": book })), write);
            // The first statement of the first attempt saw the book without the new rating.
            let after = shop.body(query, json!({ "id": book })).await;
            assert_ne!(after, before);
            assert_eq!(body, after, "{query}");
            assert_eq!(cut.statements.take().len(), 2 + 2, "{query}");
        }
    }
}
