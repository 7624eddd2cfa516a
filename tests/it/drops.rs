//! Requests that end before their statements do: no response has the data of another one, and no connection is lost.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use async_graphql::futures_util::FutureExt;
use async_graphql::futures_util::future::join_all;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use bookends::config::{Bounds, Plan, Seconds};
use bookends::server::{Access, Server};
use serde_json::{Value, json};
use tokio::time::timeout;
use tower::ServiceExt;

use crate::patience::until;
use crate::served::{router, routes};
use crate::shop::Shop;

/// The number of requests that end early.
const DROPS: usize = 1_000;

const PLAN: Plan = Plan { books: 20, ratings: 6_000, orders: 20, rng_seed: 0 };

/// A list that SQLite does not read in place: only a statement that leaves its thread can be dropped.
const SLOW: &str = "slow: ratings(where: { book: { averageRating: { gt: 0 } } }) { totalCount }";

/// What one request asks for, and what must be in its response: only ratings of its book.
fn request(book: &str) -> Request<Body> {
    let query = format!(
        "query($id: ID!) {{
        ratings(first: 5, where: {{ book: {{ id: {{ eq: $id }} }} }}) {{ nodes {{ id book {{ id ratingCount }} }} }}
        {SLOW}
        books(first: 1, where: {{ id: {{ eq: $id }} }}) {{
            nodes {{ id ratings(first: 3) {{ totalCount nodes {{ book {{ id }} }} }} }}
        }}
    }}"
    );
    let body = json!({ "query": query, "variables": { "id": book } }).to_string();
    let request = Request::post("/graphql").header("content-type", "application/json");
    request.body(Body::from(body)).unwrap()
}

fn is_of(data: &Value, book: &str) {
    let ratings = data["ratings"]["nodes"].as_array().unwrap();
    let found = &data["books"]["nodes"][0];
    let nested = found["ratings"]["nodes"].as_array().unwrap();
    let total = usize::try_from(found["ratings"]["totalCount"].as_u64().unwrap()).unwrap();
    assert_eq!((ratings.len(), nested.len()), (total.min(5), total.min(3)), "{data}");
    assert_eq!(found["id"], book, "{data}");
    assert!(ratings.iter().chain(nested).all(|rating| rating["book"]["id"] == book), "{data}");
    assert!(ratings.iter().all(|rating| rating["book"]["ratingCount"] == found["ratings"]["totalCount"]), "{data}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn j4_requests_that_end_early_leave_nothing_behind() {
    let shop = Arc::new(Shop::new(PLAN).await);
    let books = shop.data("{ books(first: 20) { nodes { id } } }").await["books"]["nodes"].take();
    let books: Vec<String> =
        books.as_array().unwrap().iter().map(|book| book["id"].as_str().unwrap().to_owned()).collect();
    let books = Arc::new(books);
    let plain = routes(shop.api.clone(), Access::Nobody);
    let hasty = Bounds { request_timeout: Seconds(Duration::from_millis(4)), ..Bounds::DEFAULT };
    let hasty = router(&Server::new(shop.api.clone(), Access::Nobody, hasty));
    let [ended_early, completed, panicked] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));

    let clients = (0..8).map(|client| {
        let (shop, books, plain, hasty) = (shop.clone(), books.clone(), plain.clone(), hasty.clone());
        let (ended_early, completed, panicked) = (ended_early.clone(), completed.clone(), panicked.clone());
        tokio::spawn(async move {
            while ended_early.load(Relaxed) < DROPS {
                let book = &books[fastrand::usize(..books.len())];
                let response = match client % 4 {
                    // It waits for its response.
                    0 => Some(plain.clone().oneshot(request(book)).await.unwrap()),
                    // The client is gone.
                    1 => {
                        let patience = Duration::from_micros(fastrand::u64(..20_000));
                        timeout(patience, plain.clone().oneshot(request(book))).await.ok().map(Result::unwrap)
                    }
                    // The time limit has passed.
                    2 => Some(hasty.clone().oneshot(request(book)).await.unwrap()),
                    // A panic, while a statement runs.
                    _ => {
                        let panics = async {
                            let mut query = pin!(shop.api.query(format!("{{ {SLOW} }}")));
                            if query.as_mut().now_or_never().is_none() {
                                // Without a message.
                                resume_unwind(Box::new("on purpose"));
                            }
                        };
                        if AssertUnwindSafe(panics).catch_unwind().await.is_ok() {
                            // On a busy machine the statement can end before it is polled.
                            continue;
                        }
                        panicked.fetch_add(1, Relaxed);
                        None
                    }
                };
                let Some(response) = response else {
                    ended_early.fetch_add(1, Relaxed);
                    continue;
                };
                let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
                let body: Value = serde_json::from_slice(&body).unwrap();
                if body["errors"].is_null() {
                    is_of(&body["data"], book);
                    completed.fetch_add(1, Relaxed);
                } else {
                    assert_eq!(body["errors"][0]["extensions"]["code"], "TIMEOUT", "{body}");
                    ended_early.fetch_add(1, Relaxed);
                }
            }
        })
    });
    for client in join_all(clients).await {
        client.unwrap();
    }
    assert!(completed.load(Relaxed) > 0 && panicked.load(Relaxed) > 0);

    // Every connection is free, and works.
    until(async || shop.db.reader.usage().used == 0).await;
    let all = join_all(books.iter().map(|book| plain.clone().oneshot(request(book)))).await;
    for (response, book) in all.into_iter().zip(books.iter()) {
        let body = to_bytes(response.unwrap().into_body(), usize::MAX).await.unwrap();
        is_of(&serde_json::from_slice::<Value>(&body).unwrap()["data"], book);
    }
    until(async || shop.db.reader.usage().used == 0).await;
}
