//! Another application takes the place of the one that is served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_graphql::Request;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ETAG, IF_NONE_MATCH};
use axum::http::{Request as HttpRequest, StatusCode};
use bookends_server::config::Bounds;
use bookends_server::http::Server;
use bookends_server::keyset::ReadRows as _;
use bookends_server::request::Trusted;
use bookends_server::{Api, App, Application, Declaring};
use sea_orm::DbBackend;
use serde_json::json;
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::support::counter::Client;
use crate::support::heard::Heard;
use crate::support::patience::until;
use crate::support::served::{Served, routes, writable};
use crate::support::station::tables::{reading, sensor};
use crate::support::station::{SMALL, Station};

const ADDED: &str = "subscription { readingCreated { node { value } } }";
const SENSORS: &str = "{ sensors { totalCount } }";
const REPAIRS: &str = "{ repairs { totalCount } }";
const ABOUT: &str = "{ __type(name: \"Sensor\") { description } }";

/// A station without repairs.
fn next() -> Application {
    let mut tables = Declaring::new("Query");
    tables.entity::<sensor::Entity>().describe("What measures.");
    tables.entity::<reading::Entity>();
    tables.create("Reading");
    tables.created("Reading");
    App::new("station", "2.0.0", tables).check().unwrap()
}

async fn replace(api: &Api) {
    let api = api.clone();
    tokio::task::spawn_blocking(move || api.replace(next(), Trusted::default())).await.unwrap();
}

#[tokio::test]
async fn requests_are_answered_by_the_application_that_was_served_when_they_came() {
    let station = Station::new(SMALL).await;
    assert_eq!(station.data(REPAIRS).await, json!({ "repairs": { "totalCount": SMALL.repairs } }));
    let before = station.api.execute(Request::new(REPAIRS));
    replace(&station.api).await;
    let before = serde_json::to_value(before.await).unwrap();
    assert_eq!(before["data"], json!({ "repairs": { "totalCount": SMALL.repairs } }), "{before}");
    assert_eq!(station.code(REPAIRS).await, "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(station.data(SENSORS).await, json!({ "sensors": { "totalCount": SMALL.sensors } }));
    assert_eq!(station.data(ABOUT).await["__type"]["description"], "What measures.");
}

#[tokio::test]
async fn no_request_fails_while_applications_take_turns() {
    let station = Station::new(SMALL).await;
    let done = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for _ in 0..4 {
        let (api, done) = (station.api.clone(), Arc::clone(&done));
        clients.spawn(async move {
            while !done.load(Ordering::Relaxed) {
                let answer = serde_json::to_value(api.execute(Request::new(SENSORS)).await).unwrap();
                assert_eq!(answer["data"]["sensors"]["totalCount"], SMALL.sensors, "{answer}");
            }
        });
    }
    for _ in 0..5 {
        replace(&station.api).await;
    }
    done.store(true, Ordering::Relaxed);
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
}

#[tokio::test]
async fn an_open_websocket_has_the_new_schema_in_its_next_operation() {
    let station = Station::new(SMALL).await;
    let server = Served::of(Server::new(station.api.clone(), writable(), Bounds::DEFAULT)).await;
    let mut client = Client::acknowledged(&server.address).await;
    client.subscribe("1", REPAIRS).await;
    assert_eq!(client.hear().await["payload"]["data"]["repairs"]["totalCount"], SMALL.repairs);
    assert_eq!(client.hear().await["type"], "complete");
    client.subscribe("events", ADDED).await;
    until(async || station.api.events().subscribers() == 1).await;

    replace(&station.api).await;
    let end = client.hear().await;
    assert_eq!((&end["type"], &end["id"]), (&json!("error"), &json!("events")), "{end}");
    assert_eq!(end["payload"][0]["extensions"]["code"], "SUBSCRIPTION_LAGGED");
    let message = "the schema has changed: subscribe again, then fetch the list";
    assert_eq!(end["payload"][0]["message"], message);
    client.subscribe("2", REPAIRS).await;
    let refused = client.hear().await;
    assert_eq!(refused["payload"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED", "{refused}");
    client.subscribe("3", ABOUT).await;
    assert_eq!(client.hear().await["payload"]["data"]["__type"]["description"], "What measures.");
    assert_eq!(client.hear().await["type"], "complete");
    client.subscribe("events", ADDED).await;
    until(async || station.api.events().subscribers() == 1).await;
    let sensor = first(&station).await;
    create(&station, &sensor).await;
    assert_eq!(client.hear().await["payload"]["data"]["readingCreated"]["node"]["value"], 4);
}

/// The id of a sensor.
async fn first(station: &Station) -> String {
    let data = station.data("{ sensors(first: 1) { nodes { id } } }").await;
    data["sensors"]["nodes"][0]["id"].as_str().unwrap().to_owned()
}

async fn create(station: &Station, sensor: &str) {
    let create = format!(
        "mutation {{ createReading(input: {{ sensorId: {sensor:?}, value: 4 }}) {{ readingEdge {{ cursor }} }} }}"
    );
    station.data(&create).await;
}

#[tokio::test]
async fn a_subscription_ends_and_the_next_one_hears_that_a_write_of_the_last_application_was_lost() {
    let station = Station::new(SMALL).await;
    let mut heard = Heard::of(&station.api, ADDED).await;
    let last = station.api.events();
    replace(&station.api).await;
    assert_eq!(heard.code().await, "SUBSCRIPTION_LAGGED");
    assert_eq!(heard.response().await, None);
    until(async || last.subscribers() == 0).await;

    let mut heard = Heard::of(&station.api, ADDED).await;
    if station.db.reader.backend() == DbBackend::Sqlite {
        // It began before the exchange, and is committed after it.
        let row = vec![uuid::Uuid::now_v7().into(), 3_i16.into(), uuid::Uuid::from_u128(1).into()];
        let event = last.event("ReadingCreated", row).unwrap();
        last.commit(async { Ok::<_, ()>(()) }, [event]).await.unwrap();
        assert_eq!(heard.code().await, "SUBSCRIPTION_LAGGED");
    } else {
        let sensor = first(&station).await;
        create(&station, &sensor).await;
        assert_eq!(heard.edge().await["node"]["value"], 4);
    }
}

async fn get(router: &Router, path: &str, known: &str) -> (StatusCode, String, String) {
    let request = HttpRequest::get(path).header(IF_NONE_MATCH, known).body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (status, etag) = (response.status(), response.headers()[ETAG].to_str().unwrap().to_owned());
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, etag, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn the_text_of_the_schema_and_the_page_follow() {
    let station = Station::new(SMALL).await;
    let router = routes(station.api.clone(), writable());
    let mut tags = Vec::new();
    for path in ["/schema.graphql", "/"] {
        let (status, tag, text) = get(&router, path, "\"none\"").await;
        assert_eq!(status, StatusCode::OK);
        assert!(text.contains("repairs"), "{path}");
        assert_eq!(get(&router, path, &tag).await.0, StatusCode::NOT_MODIFIED);
        tags.push((path, tag));
    }
    replace(&station.api).await;
    for (path, last) in tags {
        let (status, tag, text) = get(&router, path, &last).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(tag != last && !text.contains("repairs") && text.contains("sensors"), "{path}");
    }
}
