//! Pages after an offset and around an object: their errors, and their work.

use bookends::config::{Limits, Plan};
use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

/// The id of the first object of this list.
async fn first_id(shop: &Shop, list: &str) -> String {
    let data = shop.data(&format!("{{ {list}(first: 1) {{ nodes {{ id }} }} }}")).await;
    data[list]["nodes"][0]["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn check_refused(answer: &Value, code: &str, text: &str) {
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], code, "{answer}");
    assert!(error["message"].as_str().unwrap().contains(text), "{answer}");
}

#[tokio::test]
async fn d2_arguments_that_contradict_each_other_are_refused_before_anything_is_read() {
    let shop = Shop::new(SMALL).await;
    let (rating, book) = (first_id(&shop, "ratings").await, first_id(&shop, "books").await);
    let end = shop.data("{ ratings(first: 1) { pageInfo { endCursor } } }").await;
    let cursor = end["ratings"]["pageInfo"]["endCursor"].as_str().unwrap();
    shop.statements.take();
    for (args, code, text) in [
        ("offset: -1".to_owned(), "PAGE_INVALID", "`offset` must be 0 to 1000000, not -1"),
        ("offset: 1000001".to_owned(), "PAGE_INVALID", "continue after a cursor"),
        (format!("offset: 1, after: \"{cursor}\""), "PAGE_INVALID", "not allowed with `after`"),
        (format!("offset: 0, last: 1, before: \"{cursor}\""), "PAGE_INVALID", "not allowed with `before`"),
        (format!("around: \"{rating}\", after: \"{cursor}\""), "PAGE_INVALID", "`after` is not allowed"),
        (format!("around: \"{rating}\", before: \"{cursor}\""), "PAGE_INVALID", "`before` is not allowed"),
        (format!("around: \"{rating}\", last: 1"), "PAGE_INVALID", "`last` is not allowed"),
        (format!("around: \"{rating}\", offset: 0"), "PAGE_INVALID", "`offset` is not allowed"),
        (format!("around: \"{rating}\", first: 0"), "PAGE_INVALID", "at least 1"),
        (format!("around: \"{rating}\", first: 101"), "PAGE_INVALID", "0 to 100"),
        (format!("around: \"{book}\""), "ID_INVALID", "expected an id of `Rating`"),
        ("around: \"\"".to_owned(), "ID_INVALID", "malformed"),
    ] {
        let answer = shop.execute(&format!("{{ ratings({args}) {{ nodes {{ id }} }} }}"), Value::Null).await;
        check_refused(&answer, code, text);
        assert_eq!(answer["data"], json!({ "ratings": null }), "{args}");
        assert_eq!(shop.statements.take().len(), 0, "{args}");
    }
    let empty =
        shop.data(&format!("{{ ratings(around: \"{rating}\", after: \"\", first: 1) {{ nodes {{ id }} }} }}")).await;
    assert_eq!(empty["ratings"]["nodes"][0]["id"], rating);
}

#[tokio::test]
async fn an_object_that_the_list_lacks_is_not_found() {
    let shop = Shop::new(SMALL).await;
    let around = |list: &str, id: &str| {
        format!("{{ {list}, around: \"{id}\") {{ nodes {{ id }} pageCursors {{ first {{ page }} }} }} }}")
    };
    let rating = first_id(&shop, "ratings").await;
    let filtered = around("ratings(first: 3, where: { rating: { in: [] } }", &rating);
    check_refused(&shop.execute(&filtered, Value::Null).await, "NOT_FOUND", "`around`");
    // Whatever is selected.
    for selected in ["totalCount", "__typename", "pageInfo { endCursor }"] {
        let query = format!("{{ ratings(where: {{ rating: {{ in: [] }} }}, around: \"{rating}\") {{ {selected} }} }}");
        check_refused(&shop.execute(&query, Value::Null).await, "NOT_FOUND", "`around`");
    }
    shop.data(&format!("mutation {{ deleteRating(input: {{ id: \"{rating}\" }}) {{ deletedId }} }}")).await;
    check_refused(&shop.execute(&around("ratings(first: 3", &rating), Value::Null).await, "NOT_FOUND", "`around`");
}

#[tokio::test]
async fn of_many_parents_only_the_one_of_the_object_has_a_page() {
    let shop = Shop::new(SMALL).await;
    let data = shop.data("{ ratings(first: 1) { nodes { id book { id } } } }").await;
    let (rating, book) = (&data["ratings"]["nodes"][0]["id"], &data["ratings"]["nodes"][0]["book"]["id"]);
    let answer = shop
        .execute(
            &format!(
                "{{ books(first: 50) {{ nodes {{ id ratings(first: 3, around: {rating}) {{ nodes {{ id }} }} }} }} }}"
            ),
            Value::Null,
        )
        .await;
    let books = answer["data"]["books"]["nodes"].as_array().unwrap();
    for found in books {
        let page = &found["ratings"]["nodes"];
        let has = page.as_array().is_some_and(|page| page.iter().any(|node| node["id"] == *rating));
        assert!(if found["id"] == *book { has } else { page.is_null() }, "{answer}");
    }
    assert_eq!(answer["errors"].as_array().unwrap().len(), books.len() - 1);
}

#[tokio::test]
async fn i1_an_offset_takes_one_statement_more_and_an_object_none() {
    let shop = Shop::new(SMALL).await;
    let rating = first_id(&shop, "ratings").await;
    for (query, statements) in [
        ("ratings(first: 5, offset: 7) { nodes { id book { name } } }".to_owned(), 2),
        ("ratings(last: 5, offset: 7, orderBy: { field: RATING }) { nodes { id } }".to_owned(), 2),
        (format!("ratings(first: 5, around: \"{rating}\") {{ nodes {{ id book {{ name }} }} }}"), 1),
        ("ratings(first: 5, offset: 0) { nodes { id } }".to_owned(), 1),
        ("books(first: 9) { nodes { ratings(first: 2, offset: 1) { nodes { id } } } }".to_owned(), 3),
        ("ratings(first: 2) { pageCursors { around { cursor } } }".to_owned(), 2),
        ("ratings(first: 2) { pageCursors { around { page } } }".to_owned(), 2),
        ("ratings(first: 2) { pageCursors { last { page } } }".to_owned(), 3),
        ("ratings(last: 2) { pageCursors { around { page } } }".to_owned(), 3),
    ] {
        shop.statements.take();
        shop.data(&format!("{{ {query} }}")).await;
        assert_eq!(shop.statements.take().len(), statements, "{query}");
    }
}

#[tokio::test]
async fn a_list_has_the_cap_that_the_server_is_given() {
    let limits = Limits { max_offset: 3, ..Limits::DEFAULT };
    let shop = Shop::within(Plan { books: 2, ratings: 40, orders: 0, rng_seed: 0 }, limits).await;
    shop.data("{ ratings(offset: 3) { nodes { id } } }").await;
    check_refused(
        &shop.execute("{ ratings(offset: 4) { nodes { id } } }", Value::Null).await,
        "PAGE_INVALID",
        "`offset` must be 0 to 3,",
    );
    let numbers = "pageCursors { around { page isCurrent } last { page } }";
    let near = shop.data(&format!("{{ ratings(first: 1, offset: 3) {{ {numbers} }} }}")).await;
    assert_eq!(near["ratings"]["pageCursors"]["around"][2], json!({ "page": 4, "isCurrent": true }));
    assert_eq!(near["ratings"]["pageCursors"]["last"]["page"], Value::Null);
}
