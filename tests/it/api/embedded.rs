//! The API in an axum application, behind the handlers of async-graphql-axum.

use async_graphql_axum::{GraphQL, GraphQLSubscription};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post_service;
use bookends::request::{Permission, RequestContext};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::ServiceExt;

use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::shop::{SMALL, Shop};

const ADD: &str = r#"mutation { addBook(input: { name: "Dune", year: 1965 }) { bookEdge { node { name } } } }"#;

/// An application with the API of a shop, whose requests may write if it says so.
fn application(shop: &Shop, permission: Permission) -> Router {
    let api = shop.api.clone().within(RequestContext { permission, ..RequestContext::default() });
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
    let shop = Shop::new(SMALL).await;
    let application = application(&shop, Permission::Granted);
    let requests = [
        json!({ "query": "{ ratings(first: 3, orderBy: [{ field: RATING }]) { edges { cursor node { book { name } } } } }" }),
        json!({
            "query": "query ($n: Int!) { books(first: $n) { totalCount nodes { ratings(last: 1) { nodes { id } } } } }",
            "variables": { "n": 2 }
        }),
        json!({ "query": "{ books(first: 1) { nodes { id } } __type(name: \"Book\") { fields { name } } }" }),
        json!({ "query": "{ books(first: 101) { nodes { id } } }" }),
        json!({ "query": "{ nothing }" }),
    ];
    for request in requests {
        let query = request["query"].as_str().unwrap();
        let expected: Value = serde_json::from_str(&shop.body(query, request["variables"].clone()).await).unwrap();
        assert_eq!(ask(&application, &request).await, expected, "{query}");
    }
    assert_eq!(
        ask(&application, &json!({ "query": ADD })).await["data"]["addBook"]["bookEdge"]["node"]["name"],
        "Dune"
    );
}

/// Clients name the operation, also where the document has one. Fields of the schema are resolved by async-graphql.
#[tokio::test]
async fn an_operation_is_executed_by_its_name() {
    let shop = Shop::new(SMALL).await;
    let application = application(&shop, Permission::Forbidden);
    let document = "query A { __schema { queryType { ...Name } } books { totalCount } } query B { __typename }
        fragment Name on __Type { name }";
    let request = json!({ "query": document, "operationName": "A" });
    let expected =
        json!({ "data": { "__schema": { "queryType": { "name": "Query" } }, "books": { "totalCount": 8 } } });
    assert_eq!(ask(&application, &request).await, expected);
    let request = json!({ "query": "query A { __type(name: \"Book\") { name } }", "operationName": "A" });
    assert_eq!(ask(&application, &request).await, json!({ "data": { "__type": { "name": "Book" } } }));
}

#[tokio::test]
async fn an_application_without_a_permission_writes_nothing() {
    let shop = Shop::new(SMALL).await;
    let answer = ask(&application(&shop, Permission::Forbidden), &json!({ "query": ADD })).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "FORBIDDEN", "{answer}");
    assert_eq!(shop.count("books").await, 8);
}

#[tokio::test]
async fn an_application_serves_subscriptions() {
    let shop = Shop::new(SMALL).await;
    let application = application(&shop, Permission::Granted);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(axum::serve(listener, application.clone()).into_future());
    let [book, ..] = shop.first_of_each().await;
    let mut client = Client::acknowledged(&address).await;
    client.subscribe("1", "subscription { ratingAdded { node { rating book { ratings { totalCount } } } } }").await;
    until(async || shop.api.events().subscribers() == 1).await;
    let rate = format!(
        "mutation {{ rateBook(input: {{ bookId: {book:?}, rating: 4 }}) {{ rating: ratingEdge {{ cursor }} }} }}"
    );
    assert_eq!(ask(&application, &json!({ "query": rate })).await["errors"], Value::Null);
    let event = client.hear().await;
    assert_eq!(event["payload"]["data"]["ratingAdded"]["node"]["rating"], 4, "{event}");
}
