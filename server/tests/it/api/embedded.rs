//! The API in an axum application, behind the handlers of async-graphql-axum.

use async_graphql_axum::{GraphQL, GraphQLSubscription};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post_service;
use bookends_server::request::{Permission, RequestContext};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::ServiceExt;

use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::station::{SMALL, Station};

const ADD: &str = r#"mutation { createSensor(input: { name: "Dune", year: 1965 }) { sensorEdge { node { name } } } }"#;

/// An application with the API of a station, whose requests may write if it says so.
fn application(station: &Station, permission: Permission) -> Router {
    let api = station.api.clone().within(RequestContext { permission, ..RequestContext::default() });
    let routes = post_service(GraphQL::new(api.clone())).get_service(GraphQLSubscription::new(api));
    Router::new().route("/graphql", routes)
}

async fn ask(application: &Router, body: &Value) -> Value {
    let request = Request::post("/graphql").header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body.to_string())).unwrap();
    let response = application.clone().oneshot(request).await.unwrap();
    let mut answer: Value = serde_json::from_slice(&to_bytes(response.into_body(), usize::MAX).await.unwrap()).unwrap();
    // The handler writes `data: null` where a request was not executed. By the specification, there is no `data` then.
    answer.as_object_mut().unwrap().retain(|name, value| name != "data" || !value.is_null());
    answer
}

#[tokio::test]
async fn an_application_responds_as_the_server_does() {
    let station = Station::new(SMALL).await;
    let application = application(&station, Permission::Granted);
    let requests = [
        json!({ "query": "{ readings(first: 3, orderBy: [{ field: VALUE }]) { edges { cursor node { sensor { name } } } } }" }),
        json!({
            "query": "query ($n: Int!) { sensors(first: $n) { totalCount nodes { readings(last: 1) { nodes { id } } } } }",
            "variables": { "n": 2 }
        }),
        json!({ "query": "{ sensors(first: 1) { nodes { id } } __type(name: \"Sensor\") { fields { name } } }" }),
        json!({ "query": "{ sensors(first: 101) { nodes { id } } }" }),
        json!({ "query": "{ nothing }" }),
    ];
    for request in requests {
        let query = request["query"].as_str().unwrap();
        let expected: Value = serde_json::from_str(&station.body(query, request["variables"].clone()).await).unwrap();
        assert_eq!(ask(&application, &request).await, expected, "{query}");
    }
    assert_eq!(
        ask(&application, &json!({ "query": ADD })).await["data"]["createSensor"]["sensorEdge"]["node"]["name"],
        "Dune"
    );
}

/// Clients name the operation, also where the document has one. Fields of the schema are resolved by async-graphql.
#[tokio::test]
async fn an_operation_is_executed_by_its_name() {
    let station = Station::new(SMALL).await;
    let application = application(&station, Permission::Forbidden);
    let document = "query A { __schema { queryType { ...Name } } sensors { totalCount } } query B { __typename }
        fragment Name on __Type { name }";
    let request = json!({ "query": document, "operationName": "A" });
    let expected =
        json!({ "data": { "__schema": { "queryType": { "name": "Query" } }, "sensors": { "totalCount": 8 } } });
    assert_eq!(ask(&application, &request).await, expected);
    let request = json!({ "query": "query A { __type(name: \"Sensor\") { name } }", "operationName": "A" });
    assert_eq!(ask(&application, &request).await, json!({ "data": { "__type": { "name": "Sensor" } } }));
}

#[tokio::test]
async fn an_application_without_a_permission_writes_nothing() {
    let station = Station::new(SMALL).await;
    let answer = ask(&application(&station, Permission::Forbidden), &json!({ "query": ADD })).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "FORBIDDEN", "{answer}");
    assert_eq!(station.count("sensors").await, 8);
}

#[tokio::test]
async fn an_application_serves_subscriptions() {
    let station = Station::new(SMALL).await;
    let application = application(&station, Permission::Granted);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(axum::serve(listener, application.clone()).into_future());
    let [sensor, ..] = station.first_of_each().await;
    let mut client = Client::acknowledged(&address).await;
    client
        .subscribe("1", "subscription { readingCreated { node { value sensor { readings { totalCount } } } } }")
        .await;
    until(async || station.api.events().subscribers() == 1).await;
    let create = format!(
        "mutation {{ createReading(input: {{ sensorId: {sensor:?}, value: 4 }}) {{ reading: readingEdge {{ cursor }} }} }}"
    );
    assert_eq!(ask(&application, &json!({ "query": create })).await["errors"], Value::Null);
    let event = client.hear().await;
    assert_eq!(event["payload"]["data"]["readingCreated"]["node"]["value"], 4, "{event}");
}
