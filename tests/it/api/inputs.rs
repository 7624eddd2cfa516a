//! The defaults of inputs.

use serde_json::json;

use crate::support::shop::{SMALL, Shop};

/// What is absent in an input has its default, and is not null.
#[tokio::test]
async fn an_absent_variable_leaves_the_default() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let mutation = format!(
        "mutation($c: Boolean, $d: SortDirection) {{
            addBook(input: {{ name: \"x\", year: 1, orderBy: {{ field: NAME, direction: $d }} }}) {{ bookEdge {{ node {{ name }} }} }}
            deleteBook(input: {{ id: {book:?}, cascade: $c }}) {{ deletedId }}
        }}"
    );
    let answer = shop.execute(&mutation, json!({})).await;
    assert_eq!(answer["data"], json!({ "addBook": { "bookEdge": { "node": { "name": "x" } } }, "deleteBook": null }));
    assert_eq!(answer["errors"][0]["extensions"]["code"], "IN_USE", "{answer}");
}
