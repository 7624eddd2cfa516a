//! Writing, one request at a time.

use std::collections::BTreeMap;
use std::time::Duration;

use bookends::config::Limits;
use bookends::db::Db;
use bookends::graphql::Api;
use sea_orm::{ConnectionTrait, DbBackend, SqliteTransactionMode, TransactionOptions, TransactionTrait};
use serde_json::{Value, json};
use testdb::{Statements, TestDb};

use crate::shop::{SMALL, Shop, settings};

/// The global ids of the first book, the first rating and the first order.
async fn first_of_each(shop: &Shop) -> [String; 3] {
    let page = "(first: 1) { nodes { id } }";
    let data = shop.data(&format!("{{ books{page} ratings{page} orders{page} }}")).await;
    ["books", "ratings", "orders"].map(|list| data[list]["nodes"][0]["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn g1_results_are_the_same_on_both_databases() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = first_of_each(&shop).await;
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
    let [book, ..] = first_of_each(&shop).await;
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

/// The rows of a list.
async fn count(shop: &Shop, list: &str) -> Value {
    shop.data(&format!("{{ {list} {{ totalCount }} }}")).await[list]["totalCount"].take()
}

/// GraphQL merges two selections of a response key, and the library would do both.
#[tokio::test]
async fn nothing_is_done_twice() {
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
    assert_eq!(count(&shop, "books").await, 8);
    shop.data(&format!(
        "mutation {{ ...A b: {add} {{ clientMutationId }} }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}"
    ))
    .await;
    assert_eq!(count(&shop, "books").await, 10);
}

/// An input that cannot be read stops the request before anything is done.
#[tokio::test]
async fn of_several_mutations_all_can_be_read_or_none_is_done() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = first_of_each(&shop).await;
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
        let mutation = format!(
            "mutation($year: Int, $input: AddBookInput = {{ name: \"z\", year: 2 }}) {{ {first} {second} {{ clientMutationId }} }}"
        );
        let variables = json!({ "input": { "name": 7, "year": 1.5 } });
        let variables = if second.contains("$input") { variables } else { json!({}) };
        let answer = shop.execute(&mutation, variables).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{second}: {answer}"));
        let found: Vec<&str> = errors.iter().filter_map(|error| error["extensions"]["field"].as_str()).collect();
        assert_eq!(found, fields, "{answer}");
        assert!(answer["data"].is_null());
    }
    assert_eq!(count(&shop, "books").await, 8);
}

/// What is absent in an input has its default, and is not null.
#[tokio::test]
async fn an_absent_variable_leaves_the_default() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = first_of_each(&shop).await;
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
async fn errors_are_told_up_to_a_bound() {
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
async fn a_mutation_that_is_skipped_by_default_is_not_done() {
    let shop = Shop::new(SMALL).await;
    let add = "addBook(input: { name: \"x\", year: 1 })";
    for (default, directive) in [(true, "skip"), (false, "include")] {
        let mutation =
            format!("mutation($it: Boolean = {default}) {{ {add} @{directive}(if: $it) {{ clientMutationId }} }}");
        assert_eq!(shop.data(&mutation).await, json!({}));
        let asked = shop.execute(&mutation, json!({ "it": !default })).await;
        assert_eq!(asked["data"], json!({ "addBook": { "clientMutationId": null } }));
    }
    assert_eq!(count(&shop, "books").await, 10);
}

/// The payload shows the state that was committed, whatever others do meanwhile: nothing of it is read afterwards.
#[tokio::test]
async fn a_payload_reads_nothing_after_the_commit() {
    let shop = Shop::new(SMALL).await;
    let [book, rating, order] = first_of_each(&shop).await;
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
    let [book, ..] = first_of_each(&shop).await;
    let kind = if shop.db.writer.get_database_backend() == DbBackend::Sqlite { "BLOB" } else { "uuid" };
    let loans = format!("CREATE TABLE loan (book {kind} REFERENCES book (id)); INSERT INTO loan SELECT id FROM book;");
    shop.db.writer.execute_unprepared(&loans).await.unwrap();
    let delete = format!("mutation {{ deleteBook(input: {{ id: {book:?}, cascade: true }}) {{ deletedId }} }}");
    assert_eq!(shop.code(&delete).await, "IN_USE");
    assert_eq!(count(&shop, "ratings").await, 25, "nothing of it was done");
}

/// One mutation after the other: the second one sees the first, and a failed one leaves the others as they are.
#[tokio::test]
async fn mutations_of_a_request_are_done_in_turn() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = first_of_each(&shop).await;
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
    let [book, ..] = first_of_each(&shop).await;
    let full = "UPDATE book_stats SET revenue_cents = 9223372036854775807";
    shop.db.writer.execute_unprepared(full).await.unwrap();
    let order =
        format!("mutation {{ placeOrder(input: {{ bookId: {book:?}, totalPrice: 1 }}) {{ clientMutationId }} }}");
    assert_eq!(shop.code(&order).await, "OUT_OF_RANGE");
    assert_eq!(shop.data("{ orders { totalCount } }").await["orders"]["totalCount"], 10, "nothing was written");
}

/// Another server on the same database. On SQLite it does not wait before it tries again.
async fn impatient(shop: &Shop) -> Shop {
    let mut db = Db::connect(&settings(&shop.test.url)).await.unwrap();
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        db.writer.execute_unprepared("PRAGMA busy_timeout = 0").await.unwrap();
    }
    let statements = Statements::record(&mut db.reader);
    Shop { api: Api::new(db.clone(), Limits::DEFAULT), db, statements, test: TestDb::new().await }
}

/// Holds what every write needs.
async fn hold(shop: &Shop) -> sea_orm::DatabaseTransaction {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let held = shop.db.writer.begin_with_options(options).await.unwrap();
    held.execute_unprepared("UPDATE book SET year = year").await.unwrap();
    held
}

#[tokio::test]
async fn a_write_that_others_stay_in_the_way_of_is_a_conflict() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = first_of_each(&shop).await;
    let held = hold(&shop).await;
    // Others wait for their turn behind the first.
    let other = impatient(&shop).await;
    let update = format!("mutation {{ updateBook(input: {{ id: {book:?}, year: 7 }}) {{ book {{ year }} }} }}");
    let codes = tokio::join!(other.code(&update), other.code(&update), other.code(&update));
    assert_eq!(codes, ("CONFLICT".into(), "CONFLICT".into(), "CONFLICT".into()));
    held.rollback().await.unwrap();
    assert_eq!(other.data(&update).await["updateBook"]["book"]["year"], 7, "nothing is left of the tries");
}

#[tokio::test]
async fn a_write_that_others_were_in_the_way_of_is_tried_again() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = first_of_each(&shop).await;
    let held = hold(&shop).await;
    let other = impatient(&shop).await;
    let update = format!("mutation {{ updateBook(input: {{ id: {book:?}, year: 7 }}) {{ book {{ year }} }} }}");
    // One try waits for the lock no longer than five seconds, or not at all: what succeeds after that was tried again.
    let is_sqlite = shop.db.writer.get_database_backend() == DbBackend::Sqlite;
    let leaving = async {
        tokio::time::sleep(Duration::from_millis(if is_sqlite { 300 } else { 6000 })).await;
        held.rollback().await.unwrap();
    };
    let (data, ()) = tokio::join!(other.data(&update), leaving);
    assert_eq!(data["updateBook"]["book"]["year"], 7);
}
