//! Writing, one request at a time.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

#[tokio::test]
async fn g1_results_are_the_same_on_both_databases() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = shop.first_of_each().await;
    let mut answers = BTreeMap::new();
    for (name, mutation) in [
        (
            "a: a book is added",
            "addBook(input: { name: \"  L\u{2019}e\u{301}te\u{301} \", year: -44, clientMutationId: \"x\" })
                { bookEdge { node { name year averageRating ratingCount } } clientMutationId }"
                .to_owned(),
        ),
        ("b: and found", "addBook(input: { name: \"Zyzzyva\", year: 1 }) { bookEdge { node { name } } }".into()),
        (
            "c: a book is rated",
            format!(
                "rateBook(input: {{ bookId: {book:?}, rating: 5, clientMutationId: \"\" }})
                {{ ratingEdge {{ node {{ rating book {{ name }} }} }} book {{ name averageRating ratingCount }} clientMutationId }}"
            ),
        ),
        (
            "d: a book is ordered",
            format!(
                "placeOrder(input: {{ bookId: {book:?}, totalPrice: \"99999999.990\" }})
                {{ orderEdge {{ node {{ totalPrice }} }} book {{ totalRevenue orderCount }} clientMutationId }}"
            ),
        ),
        (
            "e: a rating is changed",
            format!(
                "changeRating(input: {{ id: {rating:?}, rating: 1 }}) {{ rating {{ id rating }} book {{ averageRating }} }}"
            ),
        ),
        (
            "f: a title is changed",
            format!("updateBook(input: {{ id: {book:?}, name: \"New\" }}) {{ book {{ id name year }} }}"),
        ),
        (
            "g: nothing of a book is changed",
            format!("updateBook(input: {{ id: {book:?}, name: null }}) {{ book {{ name year }} }}"),
        ),
        (
            "h: a rating is deleted",
            format!("deleteRating(input: {{ id: {rating:?} }}) {{ deletedId book {{ averageRating ratingCount }} }}"),
        ),
        (
            "i: an order is cancelled",
            format!("cancelOrder(input: {{ id: {order:?} }}) {{ deletedId book {{ totalRevenue orderCount }} }}"),
        ),
        ("j: a book is in use", format!("deleteBook(input: {{ id: {book:?} }}) {{ deletedId }}")),
        (
            "k: a book is deleted with all that is of it",
            format!("deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId clientMutationId }}"),
        ),
        ("l: a book has been deleted", format!("deleteBook(input: {{ id: {book:?} }}) {{ deletedId }}")),
        ("m: nobody rates it", format!("rateBook(input: {{ bookId: {book:?}, rating: 1 }}) {{ book {{ id }} }}")),
        (
            "n: nobody orders it",
            format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: 1 }}) {{ book {{ id }} }}"),
        ),
        ("o: nobody changes it", format!("updateBook(input: {{ id: {book:?}, year: 1 }}) {{ book {{ id }} }}")),
        ("p: a rating is gone", format!("changeRating(input: {{ id: {rating:?}, rating: 1 }}) {{ book {{ id }} }}")),
        ("q: and stays so", format!("deleteRating(input: {{ id: {rating:?} }}) {{ deletedId }}")),
        ("r: an order is gone", format!("cancelOrder(input: {{ id: {order:?} }}) {{ deletedId }}")),
    ] {
        answers.insert(name, shop.execute(&format!("mutation {{ {mutation} }}"), Value::Null).await);
    }
    answers.insert("s: the search finds it", shop.data("{ books(search: \"zyzz*\") { nodes { name } } }").await);
    answers.insert("t: without its accents", shop.data("{ books(search: \"ete\") { nodes { name } } }").await);
    insta::assert_json_snapshot!("mutations", answers);
}

#[tokio::test]
async fn values_at_and_beyond_the_bounds() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let add = |name: String, year: i32| json!({ "name": name, "year": year });
    let mutation = "mutation($input: AddBookInput!) { addBook(input: $input) { bookEdge { node { name year } } } }";
    for (name, year) in [
        ("x".repeat(100), 9999),
        ("é".repeat(100), -9999),
        ("\u{1f4d6}".repeat(75), 0),
        // Composed, it is a hundred characters.
        ("e\u{301}".repeat(100), 0),
    ] {
        let answer = shop.execute(mutation, json!({ "input": add(name, year) })).await;
        assert!(answer["errors"].is_null(), "{answer}");
    }
    for (name, year, field) in [
        ("x".repeat(101), 0, "name"),
        ("\u{1f4d6}".repeat(76), 0, "name"),
        ("\u{1f4d6}".repeat(100_000), 0, "name"),
        (String::new(), 0, "name"),
        ("\u{2003}\n".into(), 0, "name"),
        ("a\u{0}b".into(), 0, "name"),
        ("a\nb".into(), 0, "name"),
        ("x".into(), i32::MIN, "year"),
    ] {
        let answer = shop.execute(mutation, json!({ "input": add(name, year) })).await;
        let errors = answer["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{answer}");
        assert_eq!(errors[0]["extensions"], json!({ "code": "BAD_USER_INPUT", "field": field }), "{answer}");
        assert_eq!(answer["data"], json!({ "addBook": null }));
    }
    for (price, taken) in [
        ("0", true),
        ("-0.00", true),
        ("99999999.99", true),
        ("1.500", true),
        ("100000000", false),
        ("-0.01", false),
        ("0.005", false),
    ] {
        let mutation = format!(
            "mutation {{ placeOrder(input: {{ bookId: {book:?}, totalPrice: {price:?} }}) {{ orderEdge {{ node {{ totalPrice }} }} }} }}"
        );
        assert_eq!(shop.execute(&mutation, Value::Null).await["errors"].is_null(), taken, "{price}");
    }
}

/// The payload shows the state that was committed, whatever others do meanwhile: nothing of it is read afterwards.
#[tokio::test]
async fn a_payload_reads_nothing_after_the_commit() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = shop.first_of_each().await;
    let fields = "name averageRating ratingCount totalRevenue orderCount";
    let sums = format!("book {{ {fields} }}");
    shop.statements.take();
    for mutation in [
        format!(
            "rateBook(input: {{ bookId: {book:?}, rating: 5 }}) {{ {sums} ratingEdge {{ cursor node {{ rating {sums} }} }} previousEdgeCursor }}"
        ),
        format!(
            "placeOrder(input: {{ bookId: {book:?}, totalPrice: 5 }}) {{ {sums} orderEdge {{ cursor node {{ {sums} }} }} }}"
        ),
        format!("changeRating(input: {{ id: {rating:?}, rating: 5 }}) {{ {sums} rating {{ rating {sums} }} }}"),
        format!("deleteRating(input: {{ id: {rating:?} }}) {{ {sums} }}"),
        format!("cancelOrder(input: {{ id: {order:?} }}) {{ {sums} }}"),
        format!("updateBook(input: {{ id: {book:?}, year: 5 }}) {{ {sums} }}"),
        format!("addBook(input: {{ name: \"x\", year: 5 }}) {{ bookEdge {{ node {{ {fields} }} }} }}"),
    ] {
        shop.data(&format!("mutation {{ {mutation} }}")).await;
        assert!(shop.statements.take().is_empty(), "{mutation}");
    }
}

/// Whatever else refers to a book keeps it.
#[tokio::test]
async fn a_book_that_something_else_refers_to_is_in_use() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let kind = if shop.db.writer.get_database_backend() == DbBackend::Sqlite { "BLOB" } else { "uuid" };
    let loans = format!("CREATE TABLE loan (book {kind} REFERENCES book (id)); INSERT INTO loan SELECT id FROM book;");
    shop.db.writer.execute_unprepared(&loans).await.unwrap();
    let delete = format!("mutation {{ deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId }} }}");
    assert_eq!(shop.code(&delete).await, "IN_USE");
    assert_eq!(shop.count("ratings").await, 25, "nothing of it was done");
}

/// One mutation after the other: the second one sees the first, and a failed one leaves the others as they are.
#[tokio::test]
async fn mutations_of_a_request_are_done_in_turn() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let answer = shop
        .execute(
            &format!(
                "mutation {{
                    a: deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId }}
                    b: rateBook(input: {{ bookId: {book:?}, rating: 1 }}) {{ clientMutationId }}
                    c: addBook(input: {{ name: \"x\", year: 0 }}) {{ bookEdge {{ node {{ name }} }} }}
                }}"
            ),
            Value::Null,
        )
        .await;
    let expected = json!({ "a": { "deletedId": book }, "b": null, "c": { "bookEdge": { "node": { "name": "x" } } } });
    assert_eq!(answer["data"], expected);
    assert_eq!(answer["errors"][0]["path"], json!(["b"]));
    assert_eq!(answer["errors"][0]["extensions"], json!({ "code": "NOT_FOUND", "field": "bookId" }));
}

/// What only the database can see is no fault of the server.
#[tokio::test]
async fn a_sum_that_the_database_cannot_hold_is_refused() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let full = "UPDATE book_stats SET revenue_cents = 9223372036854775807";
    shop.db.writer.execute_unprepared(full).await.unwrap();
    let order =
        format!("mutation {{ placeOrder(input: {{ bookId: {book:?}, totalPrice: 1 }}) {{ clientMutationId }} }}");
    assert_eq!(shop.code(&order).await, "OUT_OF_RANGE");
    assert_eq!(shop.data("{ orders { totalCount } }").await["orders"]["totalCount"], 10, "nothing was written");
}
