//! What a subscription keeps in memory is at most what is counted against the memory budget.
//!
//! A program of its own: no other test may allocate meanwhile.

use std::alloc::System;

use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Request, Response, Variables};
use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use bookends_server::request::{Admission, Incoming, Memory, Permission, RequestContext, Session};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use testdb::TestDb;

#[path = "../examples/station/main.rs"]
#[expect(dead_code, reason = "it has a function `main`")]
mod app;

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
    let sensor =
        write(api, r#"createSensor(input: { name: "Dune", year: 1965 }) { sensorEdge { node { id } } }"#).await;
    write(
        api,
        &format!(
            "createReading(input: {{ sensorId: {}, value: 5 }}) {{ __typename }}",
            sensor["createSensor"]["sensorEdge"]["node"]["id"]
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
    let application = app::app().check().unwrap();
    let db = application.connect(&Settings::new(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    let api = application.api(db, Limits { max_complexity: usize::MAX, ..Limits::DEFAULT });
    let memory = Memory::new(1 << 30);
    let admission = Admission::new(100, std::time::Duration::from_mins(10));
    let session = Session { request_id: String::new(), admission, memory: memory.clone() };
    let context = RequestContext { session: Some(session), ..RequestContext::default() };

    let id = "jlUgAZt22qgBcluASxL0pGXuYw";
    let (small, none) = ("subscription { readingCreated { cursor node { id value sensor { id name } } } }", json!({}));
    let fields = |name: &str| (0..2_000).map(|n| format!("{name}{n}: id")).collect::<Vec<_>>().join(" ");
    let many = format!("subscription {{ readingCreated {{ node {{ {} }} }} }}", fields("a"));
    let nested = format!(
        "subscription {{ readingCreated {{ node {{ sensor {{ readings(first: 1) {{ nodes {{ {} }} }} }} }} }} }}",
        fields("b")
    );
    let dense = format!("subscription {{ readingCreated {{ node {{ {} }} }} }}", "id ".repeat(4_500));
    let filtered = "subscription($ids: [ID!]) { readingCreated { node { sensor { readings(where: { id: { in: $ids } }) { totalCount } } } } }";
    let values = format!(
        "subscription {{ readingCreated {{ node {{ sensor {{ readings(where: {{ value: {{ in: [{}] }} }}) {{ totalCount }} }} }} }} }}",
        "1 ".repeat(6_000)
    );
    let commented = format!("subscription {{ readingCreated {{ cursor }} }} # {}", "x".repeat(200_000));
    let objects = "subscription($where: ReadingFilter) { readingCreated { node { sensor { readings(where: $where) { totalCount } } } } }";
    let filters = json!({ "where": { "or": vec![json!({ "value": { "eq": 1 } }); 2_000] } });
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
