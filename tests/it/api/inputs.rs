//! What is looked at before any of a request is done: no mutation twice, and every input of its type.

use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

/// GraphQL merges two selections of a response key, and the library would do both.
#[tokio::test]
async fn no_mutation_is_executed_twice() {
    let shop = Shop::new(SMALL).await;
    let add = "addBook(input: { name: \"x\", year: 1 })";
    for mutation in [
        format!("mutation {{ {add} {{ clientMutationId }} {add} {{ bookEdge {{ cursor }} }} }}"),
        format!(
            "mutation {{ ...A ...B }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}
            fragment B on Mutation {{ ... on Mutation {{ {add} {{ bookEdge {{ cursor }} }} }} }}"
        ),
        format!("mutation {{ ...A ...A }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}"),
    ] {
        assert_eq!(shop.code(&mutation).await, "GRAPHQL_VALIDATION_FAILED", "{mutation}");
    }
    assert_eq!(shop.count("books").await, 8);
    shop.data(&format!(
        "mutation {{ ...A b: {add} {{ clientMutationId }} }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}"
    ))
    .await;
    assert_eq!(shop.count("books").await, 10);
}

/// An input that cannot be read stops the request before anything is done.
#[tokio::test]
async fn mutations_are_executed_only_if_all_inputs_are_valid() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let first = "a: addBook(input: { name: \"x\", year: 1 }) { clientMutationId }";
    for (second, fields) in [
        (format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: \"x\" }})"), &["totalPrice"][..]),
        (format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: \"1_000\" }})"), &["totalPrice"]),
        (format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: \"0.{}1\" }})", "0".repeat(40)), &["totalPrice"]),
        (format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: 1e400 }})"), &[]),
        (format!("rateBook(input: {{ bookId: {book:?}, rating: 3000000000 }})"), &["rating"]),
        ("addBook(input: { name: \"y\", year: $year })".into(), &["year"]),
        ("addBook(input: $input)".into(), &["name", "year"]),
        ("rateBook(input: { bookId: \"x\", rating: $year })".into(), &["rating"]),
    ] {
        // The defaults allow both in a position that cannot be null.
        let declared = if second.contains("$year") {
            "($year: Int = 1)"
        } else if second.contains("$input") {
            "($input: AddBookInput = { name: \"z\", year: 2 })"
        } else {
            ""
        };
        let mutation = format!("mutation{declared} {{ {first} {second} {{ clientMutationId }} }}");
        let variables = json!({ "input": { "name": 7, "year": 1.5 }, "year": null });
        let answer = shop.execute(&mutation, variables).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{second}: {answer}"));
        let found: Vec<&str> = errors.iter().filter_map(|error| error["extensions"]["field"].as_str()).collect();
        assert_eq!(found, fields, "{answer}");
        assert!(answer["data"].is_null());
    }
    assert_eq!(shop.count("books").await, 8);
}

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

/// However much is wrong, the answer is short.
#[tokio::test]
async fn the_number_of_errors_is_bounded() {
    let shop = Shop::new(SMALL).await;
    let many: serde_json::Map<String, Value> = (0..5000).map(|n| (format!("key{n}"), Value::Null)).collect();
    let mutations: Vec<String> =
        (0..40).map(|n| format!("m{n}: addBook(input: $input) {{ clientMutationId }}")).collect();
    for declared in ["AddBookInput!", "Nope"] {
        let mutation = format!("mutation($input: {declared}) {{ {} }}", mutations.join(" "));
        let answer = shop.execute(&mutation, json!({ "input": many })).await;
        assert!(answer.to_string().len() < 10_000 && answer["data"].is_null());
    }
}

/// The library does not see the default of a variable in `@skip` and `@include`.
#[tokio::test]
async fn a_mutation_skipped_by_default_is_not_executed() {
    let shop = Shop::new(SMALL).await;
    let add = "addBook(input: { name: \"x\", year: 1 })";
    for (default, directive) in [(true, "skip"), (false, "include")] {
        let mutation =
            format!("mutation($it: Boolean = {default}) {{ {add} @{directive}(if: $it) {{ clientMutationId }} }}");
        assert_eq!(shop.data(&mutation).await, json!({}));
        let asked = shop.execute(&mutation, json!({ "it": !default })).await;
        assert_eq!(asked["data"], json!({ "addBook": { "clientMutationId": null } }));
    }
    assert_eq!(shop.count("books").await, 10);
}
