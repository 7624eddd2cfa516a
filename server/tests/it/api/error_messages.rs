//! The messages of errors: none repeats a long name or a long value.

use async_graphql::{Request, Variables};
use axum::body::Body;
use axum::http;
use bookends_server::http::Access;
use serde_json::{Value, json};

use crate::support::served::{routes, send};
use crate::support::station::{SMALL, Station, permitted};

/// As long as a name can be.
fn long() -> String {
    "n".repeat(1000)
}

/// Checks the messages of a refused or failed request: none repeats more than 100 characters of a name.
#[track_caller]
fn check(answer: &Value, what: &str) {
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{what}: {answer}"));
    let what: String = what.chars().take(60).collect();
    assert!(!errors.is_empty(), "{what}");
    for error in errors {
        let (message, field) = (error["message"].as_str().unwrap(), error["extensions"]["field"].as_str());
        assert!(!message.contains(&"n".repeat(101)), "{what}: {message}");
        assert!(message.chars().count() <= 1001 && field.is_none_or(|field| field.len() <= 103), "{what}: {error}");
    }
}

#[tokio::test]
async fn no_message_repeats_a_long_name() {
    let (station, n) = (Station::new(SMALL).await, long());
    let [sensor, ..] = station.first_of_each().await;
    let create = format!("createReading(input: {{ sensorId: {sensor:?}, value: 1 }}) {{ clientMutationId }}");
    for query in [
        // Where names stand in a document.
        format!("{{ {n} }}"),
        format!("{{ sensors {{ {n} }} }}"),
        format!("{{ sensors({n}: 1) {{ totalCount }} }}"),
        format!("{{ sensors(where: {{ {n}: 1 }}) {{ totalCount }} }}"),
        format!("{{ sensors(orderBy: {{ field: {n} }}) {{ totalCount }} }}"),
        format!("{{ sensors(first: ${n}) {{ totalCount }} }}"),
        format!("query(${n}: Int) {{ __typename }}"),
        format!("query(${n}: Int, ${n}: Int) {{ sensors(first: ${n}) {{ totalCount }} }}"),
        format!("query(${n}: Float) {{ sensors(first: ${n}) {{ totalCount }} }}"),
        format!("query(${n}: Int!) {{ sensors(first: ${n}) {{ totalCount }} }}"),
        format!("query($a: {n}) {{ sensors(first: $a) {{ totalCount }} }}"),
        format!("query(${n}: Boolean = null) {{ __typename @skip(if: ${n}) }}"),
        format!("query {n} {{ __typename }} query {n} {{ __typename }}"),
        format!("{{ ...{n} }}"),
        format!("{{ ...{n} }} fragment {n} on Query {{ ...{n} }}"),
        format!("{{ __typename }} fragment {n} on Query {{ __typename }}"),
        format!("{{ ... on {n} {{ __typename }} }}"),
        format!("{{ __typename @{n} }}"),
        format!("{{ __typename @skip({n}: true) }}"),
        format!("{{ {n}: sensors {{ totalCount }} {n}: readings {{ totalCount }} }}"),
        format!("{{ {n}: sensors(first: 1) {{ totalCount }} {n}: sensors(first: 2) {{ totalCount }} }}"),
        format!(
            "{{ {n}: sensors(where: {{ or: [] }}) {{ totalCount }} {n}: sensors(where: {{ or: [{{}}] }}) {{ totalCount }} }}"
        ),
        format!("mutation {{ {n}: {create} {n}: {create} }}"),
        format!("{{ __typename(a {n} : 1) }}"),
        format!("{{ a {n}$ }}"),
        format!("{n} {{ a }}"),
        format!("type {n} {{ a: Int }} {{ __typename }}"),
        // Values, which are arguments.
        format!("{{ sensors(first: \"{n}\") {{ totalCount }} }}"),
        format!("{{ sensors(first: 1{}) {{ totalCount }} }}", "0".repeat(1000)),
        format!("{{ sensors(after: \"{n}\") {{ nodes {{ id }} }} }}"),
        format!("{{ sensors(asOf: \"{n}\") {{ nodes {{ id }} }} }}"),
        format!("{{ node(id: \"{n}\") {{ id }} }}"),
        format!("{{ nodes(ids: [\"{n}\"]) {{ id }} }}"),
        format!("{{ sensor(id: \"{n}\") {{ id }} }}"),
        format!("{{ sensors(where: {{ createdAt: {{ eq: \"{n}\" }} }}) {{ totalCount }} }}"),
        format!("mutation {{ createRepair(input: {{ sensorId: {sensor:?}, cost: \"{n}\" }}) {{ clientMutationId }} }}"),
        format!("mutation {{ createReading(input: {{ sensorId: \"{n}\", value: 1 }}) {{ clientMutationId }} }}"),
        format!("mutation {{ createSensor(input: {{ name: \"{n}\", year: 99999 }}) {{ clientMutationId }} }}"),
    ] {
        check(&station.execute(&query, Value::Null).await, &query);
    }
}

#[tokio::test]
async fn no_message_about_variables_repeats_a_long_name() {
    let (station, n) = (Station::new(SMALL).await, long());
    for (declared, value) in [
        ("Int", json!(n)),
        ("Int!", Value::Null),
        ("SensorFilter", json!({ n.as_str(): 1 })),
        ("SensorFilter", json!({ "year": { n.as_str(): 1 } })),
        ("SensorFilter", json!({ "name": n })),
        ("[SensorSort!]", json!([{ "field": n }])),
        ("[SensorSort!]", json!([n])),
        ("DateTime", json!(n)),
        ("ID", json!({ n.as_str(): 1 })),
    ] {
        let argument = match declared.trim_matches(['[', ']', '!']) {
            "Int" => "sensors(first: $v) { totalCount }",
            "SensorFilter" => "sensors(where: $v) { totalCount }",
            "SensorSort" => "sensors(orderBy: $v) { nodes { id } }",
            "DateTime" => "sensors(asOf: $v) { nodes { id } }",
            _ => "sensor(id: $v) { id }",
        };
        let query = format!("query($v: {declared}) {{ {argument} }}");
        check(&station.execute(&query, json!({ "v": value })).await, &query);
        let query = query.replace("$v", &format!("${n}"));
        check(&station.execute(&query, json!({ n.as_str(): value })).await, &format!("long: {declared}"));
    }
    // A name of any length, which is no name of GraphQL.
    for name in [n.clone(), n.repeat(100), "n n".repeat(10_000), "!".repeat(10_000)] {
        let mut request = Request::new("query A { __typename } query B { __typename }");
        request.operation_name = Some(name);
        check(&serde_json::to_value(station.api.execute(permitted(request)).await).unwrap(), "operation");
    }
    let request = Request::new("query($a: Int!) { sensors(first: $a) { totalCount } }");
    let variables = Variables::from_json(json!({ "a": n.repeat(100) }));
    check(&serde_json::to_value(station.api.execute(request.variables(variables)).await).unwrap(), "variable");
}

/// Bodies and URLs that are no requests are quoted, too.
#[tokio::test]
async fn no_message_about_a_body_or_a_url_repeats_a_long_value() {
    let (station, n) = (Station::new(SMALL).await, long());
    let answer = async |request: http::Request<Body>| -> Value {
        let (_, answer) = send(routes(station.api.clone(), Access::Nobody), request).await;
        serde_json::from_str(&answer).unwrap()
    };
    for body in [
        json!(n),
        json!({ "query": { n.as_str(): 1 } }),
        json!({ "query": "{ a }", "variables": n }),
        json!({ "query": "{ a }", "variables": n.repeat(100) }),
        json!({ "query": "{ a }", "variables": "a ".repeat(10_000) }),
        json!({ "query": "{ a }", "extensions": n }),
        json!({ "query": "{ a }", "extensions": { "persistedQuery": { "version": 1, "sha256Hash": n } } }),
        json!({ "documentId": n }),
    ] {
        let request = http::Request::post("/graphql").header("Content-Type", "application/json");
        check(&answer(request.body(body.to_string().into()).unwrap()).await, &body.to_string());
    }
    for parameters in [
        format!("query=%7Ba%7D&variables=%22{n}%22"),
        format!("query=%7Ba%7D&extensions=%22{n}%22"),
        format!("query=%7Ba%7D&query={n}"),
        format!("{n}={n}"),
        format!("documentId={n}"),
    ] {
        let request = http::Request::get(format!("/graphql?{parameters}")).body(Body::empty()).unwrap();
        check(&answer(request).await, &parameters);
    }
}
