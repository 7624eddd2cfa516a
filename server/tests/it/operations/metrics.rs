//! `/metrics`, and its table in docs/operations.md.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Router;
use bookends_server::config::{Bounds, Limits};
use bookends_server::http::{Access, Server};
use bookends_server::metrics::{Gauges, Metrics};
use serde_json::json;
use testdb::TestDb;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use crate::support::counter::Client;
use crate::support::documents::same_but_advice;
use crate::support::patience::until;
use crate::support::served::{Served, get, post};
use crate::support::station::{self, SMALL, empty};

/// A server of a small station.
async fn served() -> (TestDb, Served) {
    let (test, db) = empty().await;
    station::fill(&db, SMALL).await.unwrap();
    let server = Server::new(station::api(db, Limits::DEFAULT), Access::Nobody, Bounds::DEFAULT);
    (test, Served::of(server).await)
}

async fn ask(served: &Served, query: &str) {
    let answer = served.ask(post(&json!({ "query": query }).to_string())).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// The integer samples, by name and labels.
async fn samples(served: &Served) -> BTreeMap<String, i64> {
    let answer = served.ask(get("/metrics")).await;
    let samples = answer.lines().filter(|line| line.starts_with("bookends_")).filter_map(|line| line.rsplit_once(' '));
    samples.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// Waits for a condition on the samples.
async fn until_samples(served: &Served, so: impl Fn(&BTreeMap<String, i64>) -> bool) {
    until(async || so(&samples(served).await)).await;
}

/// The growth of samples while something is done.
async fn growth(served: &Served, names: &[&str], done: impl Future<Output = ()>) -> Vec<i64> {
    let before = samples(served).await;
    done.await;
    let after = samples(served).await;
    let value = |samples: &BTreeMap<String, i64>, name: &str| samples.get(name).copied().unwrap_or_default();
    names.iter().map(|name| value(&after, name) - value(&before, name)).collect()
}

#[tokio::test]
async fn pages_are_counted_by_list_and_end() {
    let (test, served) = served().await;
    let names = [
        r#"bookends_pages_total{list="Query.sensors",end="front"}"#,
        r#"bookends_pages_total{list="Query.sensors",end="back"}"#,
        r#"bookends_pages_total{list="Query.readings",end="back"}"#,
        r#"bookends_pages_total{list="Sensor.readings",end="front"}"#,
        r#"bookends_statement_duration_seconds_count{pool="reader",outcome="ok"}"#,
    ];
    let asked = async {
        ask(&served, "{ sensors(first: 3) { nodes { readings(first: 2) { nodes { id } } } } }").await;
        ask(&served, "{ readings(last: 3) { pageInfo { hasNextPage } } }").await;
        // A count reads no page.
        ask(&served, "{ readings(last: 3) { totalCount } }").await;
    };
    // On PostgreSQL, one statement reads the sensors with their readings.
    let statements = if test.url.starts_with("sqlite") { 4 } else { 3 };
    assert_eq!(growth(&served, &names, asked).await, [1, 0, 1, 3, statements]);
}

#[tokio::test]
async fn errors_are_counted_by_code_on_every_transport() {
    let (_test, served) = served().await;
    let names = [
        r#"bookends_errors_total{code="PAGE_INVALID"}"#,
        r#"bookends_errors_total{code="GRAPHQL_PARSE_FAILED"}"#,
        r#"bookends_errors_total{code="BODY_MALFORMED"}"#,
        r#"bookends_errors_total{code="ID_INVALID"}"#,
        r#"bookends_operation_duration_seconds_count{type="query"}"#,
    ];
    let asked = async {
        ask(&served, "{ sensors(first: -1) { nodes { id } } repairs(first: -1) { nodes { id } } }").await;
        ask(&served, "{").await;
        // A rejected request is not timed.
        ask(&served, "{ nothing }").await;
        served.ask(post("?")).await;
        let mut client = Client::acknowledged(&served.address).await;
        client.subscribe("a", r#"{ node(id: "?") { id } }"#).await;
        assert_eq!(client.hear().await["payload"]["errors"].as_array().unwrap().len(), 1);
    };
    assert_eq!(growth(&served, &names, asked).await, [2, 1, 1, 1, 2]);
}

#[tokio::test]
async fn open_sockets_and_subscriptions_are_gauges() {
    let (_test, served) = served().await;
    let names = ["bookends_websockets", "bookends_subscriptions"];
    let mut client = None;
    let opened = async {
        let mut opened = Client::acknowledged(&served.address).await;
        for id in ["a", "b"] {
            opened.subscribe(id, "subscription { readingCreated { cursor } }").await;
        }
        client = Some(opened);
        until_samples(&served, |samples| samples["bookends_subscriptions"] == 2).await;
    };
    assert_eq!(growth(&served, &names, opened).await, [1, 2]);
    drop(client);
    until_samples(&served, |samples| samples["bookends_websockets"] == 0 && samples["bookends_subscriptions"] == 0)
        .await;
}

#[tokio::test]
async fn a_request_whose_client_disconnects_is_counted_as_dropped() {
    let (begun, metrics) = (Arc::new(Notify::new()), Metrics::default());
    let notice = begun.clone();
    let endless = async move || {
        notice.notify_one();
        std::future::pending::<()>().await;
    };
    let router = Router::new().route("/graphql", axum::routing::post(endless));
    let served = Served::of(Server::with_routes(router, Bounds::DEFAULT, &metrics)).await;
    let mut socket = served.connect().await;
    socket.write_all(post("{}").as_bytes()).await.unwrap();
    begun.notified().await;
    drop(socket);
    let dropped = r#"_count{route="/graphql",method="POST",status="dropped"} 1"#;
    let gauges = Gauges { pools: Vec::new(), operations_in_flight: 0, subscriptions: 0, websockets: 0, buffered: 0 };
    until(async || metrics.render(gauges.clone()).contains(dropped)).await;
}

/// Clients cannot add label values without limit.
#[tokio::test]
async fn labels_have_few_values() {
    let (_test, served) = served().await;
    for n in 0..20 {
        served.ask(format!("GET /{n} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
        served.ask(format!("M{n} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
        ask(&served, &format!("query Q{n} {{ a{n}: sensors(first: 1) {{ nodes {{ id }} }} }}")).await;
    }
    let samples = samples(&served).await;
    assert!(samples.len() < 200, "{samples:#?}");
    assert_eq!(samples[r#"bookends_request_duration_seconds_count{route="other",method="GET",status="404"}"#], 20);
}

#[tokio::test]
async fn the_metrics_are_those_of_the_documentation() {
    let (_test, db) = empty().await;
    station::fill(&db, SMALL).await.unwrap();
    // Those of a replica have its name.
    db.metrics.replica("db2:5432").healthy(true);
    let served = Served::of(Server::new(station::api(db, Limits::DEFAULT), Access::Nobody, Bounds::DEFAULT)).await;
    ask(&served, "{ sensors(first: -1) { nodes { id } } readings { nodes { id } } }").await;
    let answer = served.ask(get("/metrics")).await;
    assert!(
        answer.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        "{answer}"
    );
    assert!(answer.ends_with("# EOF\n"), "{answer}");

    let comments = |kind: &str| -> BTreeMap<String, String> {
        let comments = answer.lines().filter_map(|line| line.strip_prefix("# ")?.strip_prefix(kind)?.split_once(' '));
        comments.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    };
    let (types, helps) = (comments("TYPE "), comments("HELP "));
    let families = answer.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let rows = families.map(|family| {
        let labels: BTreeSet<&str> = answer
            .lines()
            .filter_map(|line| line.strip_prefix(family)?.split_once('{')?.1.split_once('}'))
            .flat_map(|(labels, _)| labels.split(',').filter_map(|label| label.split_once('=')))
            .map(|(label, _)| label)
            .filter(|label| *label != "le")
            .collect();
        let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
        let suffix = match types[family].as_str() {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        let (kind, help) = (&types[family], helps[family].trim_end_matches('.'));
        format!("| `{family}{suffix}` | {kind} | {} | {help}", labels.join(", "))
    });
    same_but_advice("docs/operations.md", "Metrics", &rows.collect::<Vec<_>>());
}
