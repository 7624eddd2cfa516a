//! One response shows one state of the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bookshop::seed::Plan;
use serde_json::{Value, json};

use crate::support::shop::Shop;

/// The number of responses that are compared.
const RESPONSES: usize = 2_000;

/// How often a response must show another state than the one before.
const CHANGES: usize = 200;

const PLAN: Plan = Plan { books: 2, ratings: 40, orders: 2, rng_seed: 0 };

/// One list in several ways: its count twice, its pages from both ends, the sums of its book, the nested list.
const QUERY: &str = "query($id: ID!) {
    front: ratings(where: { book: { id: { eq: $id } } }, first: 100) { totalCount nodes { id book { ratingCount } } }
    back: ratings(where: { book: { id: { eq: $id } } }, last: 1) { totalCount pageInfo { endCursor } }
    skipped: ratings(where: { book: { id: { eq: $id } } }, last: 1, offset: 2) {
        nodes { id } pageInfo { hasNextPage } pageCursors { last { page } }
    }
    book(id: $id) { ratingCount ratings(first: 100) { totalCount nodes { id } pageInfo { endCursor hasNextPage } } }
}";

/// Rates a book and deletes the rating again, until it is told to stop.
async fn write(shop: &Shop, book: &str, ended: &AtomicBool) {
    let rate = "mutation($id: ID!) { rateBook(input: { bookId: $id, rating: 5 }) { ratingEdge { node { id } } } }";
    let delete = "mutation($id: ID!) { deleteRating(input: { id: $id }) { deletedId } }";
    while !ended.load(Ordering::Relaxed) {
        let rated = shop.execute(rate, json!({ "id": book })).await;
        let rating = &rated["data"]["rateBook"]["ratingEdge"]["node"]["id"];
        let deleted = shop.execute(delete, json!({ "id": rating })).await;
        assert_eq!((&rated["errors"], &deleted["errors"]), (&Value::Null, &Value::Null), "{rated} {deleted}");
    }
}

/// The same of lists alone: it is executed by its plan, and the other one by the schema.
const LISTS: &str = "query($id: ID!) {
    front: ratings(where: { book: { id: { eq: $id } } }, first: 100) { totalCount nodes { id book { ratingCount } } }
    back: ratings(where: { book: { id: { eq: $id } } }, last: 1) { totalCount pageInfo { endCursor } }
    skipped: ratings(where: { book: { id: { eq: $id } } }, last: 1, offset: 2) {
        nodes { id } pageInfo { hasNextPage } pageCursors { last { page } }
    }
    books(where: { id: { eq: $id } }) { nodes {
        ratingCount ratings(first: 100) { totalCount nodes { id } pageInfo { endCursor hasNextPage } }
    } }
}";

#[track_caller]
fn check(response: &Value) {
    assert_eq!(response["errors"], Value::Null, "{response}");
    let data = &response["data"];
    let book = if data["book"].is_null() { &data["books"]["nodes"][0] } else { &data["book"] };
    let (front, back) = (&data["front"], &data["back"]);
    let count = &book["ratingCount"];
    let ids = |list: &Value| -> Vec<String> {
        list["nodes"].as_array().unwrap().iter().map(|node| node["id"].to_string()).collect()
    };
    assert_eq!(&front["totalCount"], count, "{response}");
    assert_eq!(&back["totalCount"], count, "{response}");
    assert_eq!(&book["ratings"]["totalCount"], count, "{response}");
    assert_eq!(ids(front).len(), count.as_u64().map(|count| usize::try_from(count).unwrap()).unwrap(), "{response}");
    assert_eq!(ids(front), ids(&book["ratings"]), "{response}");
    assert!(front["nodes"].as_array().unwrap().iter().all(|node| node["book"]["ratingCount"] == *count), "{response}");
    assert_eq!(back["pageInfo"]["endCursor"], book["ratings"]["pageInfo"]["endCursor"], "{response}");
    // Its key, its page and its numbers are three statements. Pages of one have the number of their rating.
    let skipped = &data["skipped"];
    assert_eq!(ids(skipped), ids(front)[ids(front).len() - 3..][..1], "{response}");
    assert_eq!(&skipped["pageCursors"]["last"]["page"], count, "{response}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn j1_every_part_of_a_response_shows_one_state_of_the_database() {
    let shop = Arc::new(Shop::new(PLAN).await);
    let [book, ..] = shop.first_of_each().await;
    let ended = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn({
        let (shop, book, ended) = (shop.clone(), book.clone(), ended.clone());
        async move { write(&shop, &book, &ended).await }
    });
    let (mut responses, mut changes, mut before) = (0, 0, Value::Null);
    while responses < RESPONSES || changes < CHANGES {
        assert!(!task.is_finished(), "the writer failed");
        for query in [QUERY, LISTS] {
            let mut response = shop.execute(query, json!({ "id": book })).await;
            check(&response);
            let state = response["data"]["front"].take();
            changes += usize::from(state != before);
            (before, responses) = (state, responses + 1);
        }
    }
    ended.store(true, Ordering::Relaxed);
    task.await.unwrap();
}

/// Adds a book with ratings and deletes it with them, until it is told to stop.
async fn delete(shop: &Shop, ended: &AtomicBool) {
    let write = async |mutation: String| {
        let mut answer = shop.execute(&format!("mutation {{ {mutation} }}"), Value::Null).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        answer["data"].take()
    };
    while !ended.load(Ordering::Relaxed) {
        let added = write("addBook(input: { name: \"x\", year: 1 }) { bookEdge { node { id } } }".into()).await;
        let book = &added["addBook"]["bookEdge"]["node"]["id"];
        for rating in 1..=3 {
            write(format!("rateBook(input: {{ bookId: {book}, rating: {rating} }}) {{ clientMutationId }}")).await;
        }
        write(format!("deleteBook(input: {{ id: {book}, cascade: true }}) {{ deletedId }}")).await;
    }
}

/// What a query shows refers to what it shows: neither half of a deletion is seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn j1_no_query_meets_a_book_that_was_deleted() {
    let shop = Arc::new(Shop::new(PLAN).await);
    let ended = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn({
        let (shop, ended) = (shop.clone(), ended.clone());
        async move { delete(&shop, &ended).await }
    });
    let newest = "ratings(last: 3) { nodes { book { id ratingCount } } }
        books(last: 1) { nodes { id ratingCount ratings { totalCount nodes { book { id ratingCount } } } } }";
    // Executed by its plan, and by the schema.
    let queries = [format!("{{ {newest} }}"), format!("{{ {newest} __typename }}")];
    let (mut changes, mut before) = (0, Value::Null);
    while changes < CHANGES {
        assert!(!task.is_finished(), "the writer failed");
        for query in &queries {
            let mut response = shop.execute(query, Value::Null).await;
            assert_eq!(response["errors"], Value::Null, "{response}");
            let book = response["data"]["books"]["nodes"][0].take();
            let ratings = book["ratings"]["nodes"].as_array().unwrap();
            assert_eq!(book["ratingCount"], book["ratings"]["totalCount"], "{book}");
            assert_eq!(ratings.len() as u64, book["ratingCount"].as_u64().unwrap().min(20), "{book}");
            let newest = response["data"]["ratings"]["nodes"].as_array().unwrap();
            for rating in newest.iter().chain(ratings).filter(|rating| rating["book"]["id"] == book["id"]) {
                assert_eq!(rating["book"]["ratingCount"], book["ratingCount"], "{book} {response}");
            }
            changes += usize::from(book != before);
            before = book;
        }
    }
    ended.store(true, Ordering::Relaxed);
    task.await.unwrap();
}
