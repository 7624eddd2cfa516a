//! What a subscription keeps in memory is at most what is counted against the memory budget.
//!
//! A program of its own: no other test may allocate meanwhile.

use std::alloc::System;

use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Request, Response, Variables};
use bookends::config::{Limits, Settings};
use bookends::db::Db;
use bookends::request::{Admission, Incoming, Memory, Permission, RequestContext, Session};
use bookends::shop::Api;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use testdb::TestDb;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The number of subscriptions that are measured together.
const SUBSCRIPTIONS: usize = 20;

/// Begins subscriptions of one text, each with these variables, until each has shown an event and waits for the next.
async fn subscribe(
    api: &Api,
    context: &RequestContext,
    text: &str,
    variables: &Value,
) -> Vec<BoxStream<'static, Response>> {
    let mut streams = Vec::new();
    for _ in 0..SUBSCRIPTIONS {
        let request = Request::new(text).variables(Variables::from_json(variables.clone()));
        let mut stream = api.stream(Incoming::from(request).within(context.clone()));
        let before = api.events().subscribers();
        while api.events().subscribers() == before {
            tokio::select! {
                biased;
                response = stream.next() => panic!("{response:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
        streams.push(stream);
    }
    let book = write(api, r#"addBook(input: { name: "Dune", year: 1965 }) { bookEdge { node { id } } }"#).await;
    write(
        api,
        &format!(
            "rateBook(input: {{ bookId: {}, rating: 5 }}) {{ rating: __typename }}",
            book["addBook"]["bookEdge"]["node"]["id"]
        ),
    )
    .await;
    for stream in &mut streams {
        // Too large a filter is planned, too.
        assert!(stream.next().await.is_some());
    }
    streams
}

async fn write(api: &Api, field: &str) -> Value {
    let response = api.execute(Incoming::from(format!("mutation {{ {field} }}")).permitted(Permission::Granted)).await;
    assert!(response.errors.is_empty(), "{:?}", response.errors);
    response.data.into_json().unwrap()
}

#[tokio::test]
async fn a_subscription_keeps_no_more_than_is_counted() {
    let test = TestDb::new().await;
    let db = Db::connect(&Settings::new(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    let api = Api::new(db, Limits { max_complexity: usize::MAX, ..Limits::DEFAULT });
    let memory = Memory::new(1 << 30);
    let admission = Admission::new(100, std::time::Duration::from_mins(10));
    let session = Session { request_id: String::new(), admission, memory: memory.clone() };
    let context = RequestContext { session: Some(session), ..RequestContext::default() };

    let id = "AgAAAAAAAAAAAAAAAAAAAAc";
    let (small, none) = ("subscription { ratingAdded { cursor node { id rating book { id name } } } }", json!({}));
    let fields = |name: &str| (0..2_000).map(|n| format!("{name}{n}: id")).collect::<Vec<_>>().join(" ");
    let many = format!("subscription {{ ratingAdded {{ node {{ {} }} }} }}", fields("a"));
    let nested = format!(
        "subscription {{ ratingAdded {{ node {{ book {{ ratings(first: 1) {{ nodes {{ {} }} }} }} }} }} }}",
        fields("b")
    );
    let dense = format!("subscription {{ ratingAdded {{ node {{ {} }} }} }}", "id ".repeat(4_500));
    let filtered = "subscription($ids: [ID!]) { ratingAdded { node { book { ratings(where: { id: { in: $ids } }) { totalCount } } } } }";
    let values = format!(
        "subscription {{ ratingAdded {{ node {{ book {{ ratings(where: {{ rating: {{ in: [{}] }} }}) {{ totalCount }} }} }} }} }}",
        "1 ".repeat(6_000)
    );
    let commented = format!("subscription {{ ratingAdded {{ cursor }} }} # {}", "x".repeat(200_000));
    let objects = "subscription($where: RatingFilter) { ratingAdded { node { book { ratings(where: $where) { totalCount } } } } }";
    let filters = json!({ "where": { "or": vec![json!({ "rating": { "eq": 1 } }); 2_000] } });
    let cases = [
        ("small", small, none.clone()),
        ("many fields", &many, none.clone()),
        ("nested", &nested, none.clone()),
        ("dense", &dense, none.clone()),
        ("values", &values, none.clone()),
        ("a comment", &commented, none),
        ("objects", objects, filters),
        ("variables", filtered, json!({ "ids": vec![id; 400] })),
    ];
    for (name, text, variables) in cases {
        // The first ones also fill caches.
        drop(subscribe(&api, &context, text, &variables).await);
        let region = Region::new(ALLOCATOR);
        let streams = subscribe(&api, &context, text, &variables).await;
        let change = region.change();
        let kept = (change.bytes_allocated - change.bytes_deallocated) / SUBSCRIPTIONS;
        let counted = memory.in_use() / SUBSCRIPTIONS;
        println!("{name}: keeps {kept} bytes, counts {counted}");
        assert!(kept <= counted, "{name}: {kept} of {counted} bytes");
        drop(streams);
        assert_eq!(memory.in_use(), 0);
    }
}
