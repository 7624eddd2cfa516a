//! One response shows one state of the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bookends::config::Plan;
use serde_json::{Value, json};

use crate::shop::Shop;

/// The number of responses that are compared.
const RESPONSES: usize = 10_000;

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

/// Rates a book and deletes the rating again, until it is told to stop. Counts its writes.
async fn write(shop: &Shop, book: &str, ended: &AtomicBool, writes: &AtomicUsize) {
    let rate = "mutation($id: ID!) { rateBook(input: { bookId: $id, rating: 5 }) { ratingEdge { node { id } } } }";
    let delete = "mutation($id: ID!) { deleteRating(input: { id: $id }) { deletedId } }";
    while !ended.load(Ordering::Relaxed) {
        let rated = shop.execute(rate, json!({ "id": book })).await;
        let rating = &rated["data"]["rateBook"]["ratingEdge"]["node"]["id"];
        writes.fetch_add(1, Ordering::Relaxed);
        shop.execute(delete, json!({ "id": rating })).await;
        writes.fetch_add(1, Ordering::Relaxed);
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
    let (ended, writes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let task = tokio::spawn({
        let (shop, book, ended, writes) = (shop.clone(), book.clone(), ended.clone(), writes.clone());
        async move { write(&shop, &book, &ended, &writes).await }
    });
    for _ in 0..RESPONSES / 2 {
        check(&shop.execute(QUERY, json!({ "id": book })).await);
        check(&shop.execute(LISTS, json!({ "id": book })).await);
    }
    ended.store(true, Ordering::Relaxed);
    task.await.unwrap();
    assert!(writes.load(Ordering::Relaxed) > 20, "the writer wrote meanwhile");
}
