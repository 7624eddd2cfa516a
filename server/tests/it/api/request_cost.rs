//! The cost of a request: in its response, in the manual, and that of introspection.

use async_graphql::futures_util::StreamExt;
use async_graphql::{Executor, Request, Value as GraphQLValue};
use axum::body::Body;
use axum::http;
use bookends_server::config::{Bounds, Limits};
use bookends_server::http::websocket::PROTOCOL;
use bookends_server::http::{Access, Server};
use serde_json::{Value, json};

use crate::api::limits::introspection;
use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::served::{Served, TOKEN, routes, send, writable};
use crate::support::station::{SMALL, Station};

/// Costs 71: a statement, the list, ten times its `nodes` and their ids.
const PAGE: &str = "{ sensors(first: 10) { nodes { id } } }";

/// The response to a request by POST with this header.
async fn post(station: &Station, header: (&str, &str), body: Value) -> Value {
    let request = http::Request::post("/graphql").header("Content-Type", "application/json");
    let request = request.header("Authorization", format!("Bearer {TOKEN}")).header(header.0, header.1);
    let request = request.body(Body::from(body.to_string())).unwrap();
    serde_json::from_str(&send(routes(station.api.clone(), writable()), request).await.1).unwrap()
}

const REPORT: (&str, &str) = ("GraphQL-Cost", "report");

fn cost(requested: usize, maximum: usize) -> Value {
    json!({ "cost": { "requested": requested, "maximum": maximum } })
}

/// The cost of a query, which need not succeed.
async fn requested(station: &Station, query: &str) -> usize {
    let answer = post(station, REPORT, json!({ "query": query })).await;
    let requested = answer["extensions"]["cost"]["requested"].as_u64().unwrap_or_else(|| panic!("{query}: {answer}"));
    usize::try_from(requested).unwrap()
}

#[tokio::test]
async fn a_response_has_the_cost_if_the_request_asks_for_it() {
    let station = Station::new(SMALL).await;
    let plain = post(&station, ("Accept", "*/*"), json!({ "query": PAGE })).await;
    assert_eq!(plain["data"]["sensors"]["nodes"].as_array().unwrap().len(), 8);
    // First it is executed by the schema, then by its plan.
    for _ in 0..2 {
        let answer = post(&station, REPORT, json!({ "query": PAGE })).await;
        assert_eq!((&answer["data"], &answer["extensions"]), (&plain["data"], &cost(71, 50_000)));
    }
    let extension = json!({ "query": PAGE, "extensions": { "cost": "report" } });
    assert_eq!(post(&station, ("Accept", "*/*"), extension).await["extensions"], cost(71, 50_000));
    let by_get = http::Request::get("/graphql?query=%7B__typename%7D").header(REPORT.0, REPORT.1);
    let (_, answer) = send(routes(station.api.clone(), Access::Nobody), by_get.body(Body::empty()).unwrap()).await;
    assert_eq!(answer, r#"{"data":{"__typename":"Query"},"extensions":{"cost":{"requested":1,"maximum":50000}}}"#);
    // Errors in fields are beside it.
    let answer = post(&station, REPORT, json!({ "query": "{ sensors(first: 101) { __typename } }" })).await;
    assert_eq!(
        (&answer["errors"][0]["extensions"]["code"], &answer["extensions"]),
        (&json!("PAGE_INVALID"), &cost(152, 50_000))
    );

    for (header, extension) in [(("Accept", "*/*"), "1"), (("GraphQL-Cost", "1"), "Report"), (("GraphQL-Cost", ""), "")]
    {
        let answer = post(&station, header, json!({ "query": PAGE, "extensions": { "cost": extension } })).await;
        assert_eq!(answer, plain, "{header:?} {extension}");
    }
    // What is not valid has no cost.
    let answer = post(&station, REPORT, json!({ "query": "{ reviews }" })).await;
    assert!(answer.get("extensions").is_none() && answer.get("data").is_none(), "{answer}");
}

/// A price that no variable changes is kept with its document.
#[tokio::test]
async fn a_known_document_has_the_price_of_each_request() {
    let station = Station::new(SMALL).await;
    let id = station.api.execute("{ sensors(first: 1) { nodes { id } } }").await.data.into_json().unwrap();
    let id = &id["sensors"]["nodes"][0]["id"];
    let variables = [
        ("query($n: Int) { sensors(first: $n) { nodes { id } } }", json!({ "n": 10 }), json!({ "n": 1 })),
        (
            "query($n: Int) { sensors(where: {}) { approximateCount(upTo: $n) { value } } }",
            json!({ "n": 1000 }),
            json!({ "n": 10 }),
        ),
        ("query($n: [ID!]!) { nodes(ids: $n) { id } }", json!({ "n": [id, id] }), json!({ "n": [id] })),
        (
            "query($n: String!) { __type(name: $n) { fields { name } } }",
            json!({ "n": "Sensor" }),
            json!({ "n": "Int" }),
        ),
    ];
    for (query, much, little) in variables {
        let mut costs = Vec::new();
        for variables in [&much, &little, &much, &little] {
            let answer = post(&station, REPORT, json!({ "query": query, "variables": variables })).await;
            costs.push(answer["extensions"]["cost"]["requested"].as_u64().unwrap_or_else(|| panic!("{answer}")));
        }
        assert!(costs[0] > costs[1] && costs[..2] == costs[2..], "{query}: {costs:?}");
    }
}

#[tokio::test]
async fn a_refused_request_has_its_cost_too() {
    let station = Station::within(SMALL, Limits { max_complexity: 70, ..Limits::DEFAULT }).await;
    let answer = post(&station, REPORT, json!({ "query": PAGE })).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "QUERY_TOO_COMPLEX");
    assert_eq!((&answer["extensions"], answer.get("data")), (&cost(71, 70), None));
    let query = "query($n: Int!, $c: String) { sensors(first: $n, after: $c) { __typename } }";
    for (variables, code, requested) in
        [(json!({ "n": 1, "c": 1 }), "BAD_USER_INPUT", 52), (json!({ "n": 100 }), "QUERY_TOO_COMPLEX", 151)]
    {
        let answer = post(&station, REPORT, json!({ "query": query, "variables": variables })).await;
        let found = (&answer["errors"][0]["extensions"]["code"], &answer["extensions"]);
        assert_eq!(found, (&json!(code), &cost(requested, 70)), "{variables}");
    }
    let plain = post(&station, ("Accept", "*/*"), json!({ "query": PAGE })).await;
    assert!(plain.get("extensions").is_none(), "{plain}");
}

#[tokio::test]
async fn over_a_websocket_an_operation_asks_in_its_extensions() {
    let station = Station::new(SMALL).await;
    let server = Served::of(Server::new(station.api.clone(), Access::Nobody, Bounds::DEFAULT)).await;
    let client = Client::open_with(&server.address, Some(PROTOCOL), &[REPORT]).await.unwrap();
    let mut client = client.opened(json!({})).await;
    let wanted = json!({ "cost": "report" });
    for (extensions, reported) in [(wanted, cost(71, 50_000)), (json!({}), Value::Null), (Value::Null, Value::Null)] {
        let payload = json!({ "query": PAGE, "extensions": extensions });
        client.say(json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
        let next = client.hear().await;
        assert_eq!((&next["type"], &next["payload"]["extensions"]), (&json!("next"), &reported), "{extensions}");
        assert_eq!(client.hear().await["type"], "complete");
    }
}

#[tokio::test]
async fn the_first_event_of_a_subscription_has_its_cost() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let mut request = Request::new("subscription { readingCreated { cursor } }");
    request.extensions.insert("cost".into(), GraphQLValue::from("report"));
    let mut events = Executor::execute_stream(&station.api, request, None);
    let create =
        format!("mutation {{ createReading(input: {{ sensorId: {sensor:?}, value: 5 }}) {{ clientMutationId }} }}");
    let write = async {
        until(async || station.api.events().subscribers() > 0).await;
        station.data(&create).await;
        station.data(&create).await;
    };
    let hear = async {
        for reported in [cost(2, 50_000), Value::Null] {
            let event = serde_json::to_value(events.next().await.unwrap()).unwrap();
            assert_eq!((&event["errors"], &event["extensions"]), (&Value::Null, &reported), "{event}");
        }
    };
    tokio::join!(hear, write);
}

/// The table of the manual says how these come about.
#[tokio::test]
async fn a_field_costs_what_the_manual_says() {
    let station = Station::new(SMALL).await;
    for (query, expected) in [
        ("{ __typename }", 1),
        ("{ ... { __typename } }", 2),
        ("{ sensor(id: \"x\") { name } }", 2 + 50),
        ("{ nodes(ids: [\"a\", \"b\"]) { id } }", 1 + 150 + 2),
        ("{ readings(first: 30) { nodes { value } } }", 1 + 50 + 30 * 2),
        ("{ readings { nodes { sensor { name } } } }", 1 + 2 * 50 + 20 * 3),
        ("{ readings(first: 0) { totalCount approximateCount { value } } }", 1 + 50 + 1 + 1_000 + 2 + 50 + 100),
        ("{ readings(first: 0, where: {}) { totalCount } }", 1 + 50 + 1 + 1_000),
        ("{ readings(first: 0, where: {}) { approximateCount { value } } }", 1 + 50 + 2 + 50 + 100),
        ("{ readings(first: 0, where: {}) { approximateCount(upTo: 500) { value } } }", 1 + 50 + 2 + 50 + 50),
        ("{ readings(first: 10) { pageCursors { first { page } } } }", 1 + 50 + 10 * 3 + 1_050 + 7 * 10),
        ("{ readings(first: 10) { pageCursors { next { cursor } } } }", 1 + 50 + 10 * 3 + 50 + 7 * 10),
        ("{ readings(first: 10, around: \"x\") { nodes { id } } }", 1 + 50 + 10 * 3),
        ("{ readings(first: 0, offset: 5000) { nodes { id } } }", 1 + 2 * 50 + 25 + 2),
        (
            "{ sensors(first: 10) { nodes { readings(first: 0, offset: 200) { nodes { id } } } } }",
            1 + 3 * 50 + 10 * (1 + 1 + 2 + 1),
        ),
        ("mutation { deleteSensor(input: { id: \"x\" }) { deletedId } }", 2 + 200),
        ("{ __type(name: \"Nope\") { name } }", 1),
        ("{ __type(name: \"Sensor\") { name kind } }", 3),
        ("{ __schema { queryType { name } subscriptionType { name } } }", 5),
    ] {
        assert_eq!(requested(&station, query).await, expected, "{query}");
    }
}

/// A key is written for each object: 1 kB of query would have 10 MB of response.
#[tokio::test]
async fn a_long_response_key_costs_for_every_64_characters() {
    let station = Station::new(SMALL).await;
    let (short, long) = ("k".repeat(64), "k".repeat(65));
    let plain = requested(&station, PAGE).await;
    let named = |list: &str, nodes: &str, id: &str| {
        format!("{{ {list}: sensors(first: 10) {{ {nodes}: nodes {{ {id}: id }} }} }}")
    };
    assert_eq!(requested(&station, &named(&short, &short, &short)).await, plain);
    // Once more for each object: 10 ids; 10 nodes with their ids; and the list with both.
    assert_eq!(requested(&station, &named("a", "b", &long)).await, plain + 10);
    assert_eq!(requested(&station, &named("a", &long, "b")).await, plain + 20);
    assert_eq!(requested(&station, &named(&long, "a", "b")).await, plain + 21);
    // Wherever it is: in a fragment, without an alias, and in introspection.
    let spread = format!("{{ sensors(first: 10) {{ nodes {{ ...F }} }} }} fragment F on Sensor {{ {long}: id }}");
    let short_spread = spread.replace(&long, &short);
    assert_eq!(requested(&station, &spread).await, requested(&station, &short_spread).await + 10);
    let types = |key: &str| format!("{{ __schema {{ types {{ {key}: name }} }} }}");
    let introspected = requested(&station, &types(&short)).await;
    assert_eq!(requested(&station, &types(&long)).await - introspected, introspected - 2);

    let nested = |key: &str| {
        format!("{{ sensors(first: 100) {{ nodes {{ readings(first: 100) {{ nodes {{ {key}: value }} }} }} }} }}")
    };
    assert_eq!(station.code(&nested(&"k".repeat(1_000))).await, "QUERY_TOO_COMPLEX");
    station.data(&nested(&short)).await;
    // What is admitted is bounded by its cost.
    let key = "k".repeat(1_000);
    let answer = station.body(&named("a", "b", &key), Value::Null).await;
    let cost = requested(&station, &named("a", "b", &key)).await;
    assert!(answer.len() <= 128 * cost, "{} bytes for {cost}", answer.len());
}

/// The number of members of all objects.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(|value| 1 + members(value)).sum(),
        Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

#[tokio::test]
async fn introspection_costs_what_it_returns() {
    let station = Station::new(SMALL).await;
    let all = introspection();
    let kinds = "{ __schema { types { name kind interfaces { name } possibleTypes { name } } } }";
    let inputs = "{ __type(name: \"SensorFilter\") { inputFields { name type { name ofType { name } } } } }";
    let nested = "{ __type(name: \"Sensor\") { fields { name type { ofType { fields { name args { name } } } } } } }";
    for query in [&all, kinds, inputs, nested] {
        let answer = post(&station, REPORT, json!({ "query": query })).await;
        assert!(answer.get("errors").is_none(), "{answer}");
        let (returned, asked) = (members(&answer["data"]), requested(&station, query).await);
        // The library and the validator differ in what they know of directives and of introspection itself.
        assert!(asked.abs_diff(returned) * 20 <= returned, "{query} returns {returned} fields and costs {asked}");
    }
    // Far below the maximum; and many of them are above it.
    let asked = requested(&station, &all).await;
    assert!((2_000..12_500).contains(&asked), "{asked}");
    let aliases = |count: usize| {
        let selection = all.trim().trim_start_matches('{').trim_end_matches('}');
        let fields: Vec<String> = (0..count).map(|n| format!("a{n}: {selection}")).collect();
        format!("{{ {} }}", fields.join(" "))
    };
    assert_eq!(requested(&station, &aliases(2)).await, 2 * asked);
    assert_eq!(station.code(&aliases(50_000 / asked + 1)).await, "QUERY_TOO_COMPLEX");
    // A fragment counts for each object, and the count ends above the maximum.
    let spread = |count: usize| {
        let fields: Vec<String> = (0..count).map(|n| format!("a{n}: fields {{ ...F }}")).collect();
        format!("{{ __schema {{ types {{ {} }} }} }} fragment F on __Field {{ type {{ name }} }}", fields.join(" "))
    };
    assert!(requested(&station, &spread(1)).await < 5_000);
    assert_eq!(requested(&station, &spread(200)).await, 50_001);
    assert_eq!(station.code(&spread(200)).await, "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn the_whole_schema_is_introspected_however_large_it_is() {
    let station = Station::within(SMALL, Limits { max_complexity: 80, ..Limits::DEFAULT }).await;
    let all = introspection();
    let asked = requested(&station, &all).await;
    assert!(asked > 2_000, "{asked}");
    assert!(station.data(&all).await["__schema"]["types"].is_array());
    // Several at a time take turns.
    let answers = async_graphql::futures_util::future::join_all((0..4).map(|_| station.data(&all))).await;
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    // Once, and beside fields that cost no more than the maximum.
    let field = all.trim().trim_start_matches('{').trim_end_matches('}').to_owned();
    assert_eq!(station.code(&format!("{{ a: {field} b: {field} }}")).await, "QUERY_TOO_COMPLEX");
    assert!(station.data(&format!("{{ __typename {field} }}")).await["__schema"].is_object());
    assert_eq!(station.code(&format!("{{ sensors {{ nodes {{ name }} }} {field} }}")).await, "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn introspection_can_be_disabled() {
    let station = Station::within(SMALL, Limits { introspection: false, ..Limits::DEFAULT }).await;
    for query in [
        &introspection(),
        "{ a: __schema { queryType { name } } }",
        "{ __typename __type(name: \"Sensor\") { name } }",
        "{ ...F } fragment F on Query { ... { __schema { __typename } } }",
        "query A { __typename } query B { __schema { __typename } }",
    ] {
        assert_eq!(station.code(query).await, "INTROSPECTION_DISABLED", "{query}");
        let answer = post(&station, ("Accept", "*/*"), json!({ "query": query })).await;
        let place = &answer["errors"][0]["locations"][0];
        assert!(answer.get("data").is_none() && place["line"].is_u64(), "{answer}");
    }
    assert_eq!(station.data("{ __typename sensors(first: 1) { __typename } }").await["__typename"], "Query");
    // Messages suggest no names.
    for (query, hidden) in [
        ("{ sensrs { totalCount } }", "sensors"),
        ("{ sensors(firs: 1) { totalCount } }", "first"),
        ("{ sensors { totalCoun } }", "totalCount"),
        ("{ sensors(where: { yea: { eq: 1 } }) { totalCount } }", "year"),
        ("query($y: Int) { sensors(where: { yea: { eq: $y } }) { totalCount } }", "year"),
        ("query($w: SensorFilte) { sensors(where: $w) { totalCount } }", "SensorFilter"),
        ("{ ... on Quer { __typename } }", "Query"),
    ] {
        let answer = station.execute(query, Value::Null).await;
        let messages: Vec<&str> =
            answer["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
        assert!(!messages.is_empty() && messages.iter().all(|message| !message.contains(hidden)), "{messages:?}");
    }
}
