//! What is looked at before any of a request is done: no mutation twice, and every input of its type.

use serde_json::{Value, json};

use crate::support::station::{SMALL, Station};

/// GraphQL merges two selections of a response key, and the library would do both.
#[tokio::test]
async fn no_mutation_is_executed_twice() {
    let station = Station::new(SMALL).await;
    let add = "createSensor(input: { name: \"x\", year: 1 })";
    for mutation in [
        format!("mutation {{ {add} {{ clientMutationId }} {add} {{ sensorEdge {{ cursor }} }} }}"),
        format!(
            "mutation {{ ...A ...B }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}
            fragment B on Mutation {{ ... on Mutation {{ {add} {{ sensorEdge {{ cursor }} }} }} }}"
        ),
        format!("mutation {{ ...A ...A }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}"),
    ] {
        assert_eq!(station.code(&mutation).await, "GRAPHQL_VALIDATION_FAILED", "{mutation}");
    }
    assert_eq!(station.count("sensors").await, 8);
    station.data(&format!(
        "mutation {{ ...A b: {add} {{ clientMutationId }} }} fragment A on Mutation {{ {add} {{ clientMutationId }} }}"
    ))
    .await;
    assert_eq!(station.count("sensors").await, 10);
}

/// An input that cannot be read stops the request before anything is done.
#[tokio::test]
async fn mutations_are_executed_only_if_all_inputs_are_valid() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let first = "a: createSensor(input: { name: \"x\", year: 1 }) { clientMutationId }";
    for (second, fields) in [
        (format!("createRepair(input: {{ sensorId: {sensor:?}, cost: \"x\" }})"), &["cost"][..]),
        (format!("createRepair(input: {{ sensorId: {sensor:?}, cost: \"1_000\" }})"), &["cost"]),
        (format!("createRepair(input: {{ sensorId: {sensor:?}, cost: \"0.{}1\" }})", "0".repeat(40)), &["cost"]),
        (format!("createRepair(input: {{ sensorId: {sensor:?}, cost: 1e400 }})"), &[]),
        (format!("createReading(input: {{ sensorId: {sensor:?}, value: 3000000000 }})"), &["value"]),
        ("createSensor(input: { name: \"y\", year: $year })".into(), &["year"]),
        ("createSensor(input: $input)".into(), &["name", "year"]),
        ("createReading(input: { sensorId: \"x\", value: $year })".into(), &["value"]),
    ] {
        // The defaults allow both in a position that cannot be null.
        let declared = if second.contains("$year") {
            "($year: Int = 1)"
        } else if second.contains("$input") {
            "($input: CreateSensorInput = { name: \"z\", year: 2 })"
        } else {
            ""
        };
        let mutation = format!("mutation{declared} {{ {first} {second} {{ clientMutationId }} }}");
        let variables = json!({ "input": { "name": 7, "year": 1.5 }, "year": null });
        let answer = station.execute(&mutation, variables).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{second}: {answer}"));
        let found: Vec<&str> = errors.iter().filter_map(|error| error["extensions"]["field"].as_str()).collect();
        assert_eq!(found, fields, "{answer}");
        assert!(answer["data"].is_null());
    }
    assert_eq!(station.count("sensors").await, 8);
}

/// However much is wrong, the answer is short.
#[tokio::test]
async fn the_number_of_errors_is_bounded() {
    let station = Station::new(SMALL).await;
    let many: serde_json::Map<String, Value> = (0..5000).map(|n| (format!("key{n}"), Value::Null)).collect();
    let mutations: Vec<String> =
        (0..40).map(|n| format!("m{n}: createSensor(input: $input) {{ clientMutationId }}")).collect();
    for declared in ["CreateSensorInput!", "Nope"] {
        let mutation = format!("mutation($input: {declared}) {{ {} }}", mutations.join(" "));
        let answer = station.execute(&mutation, json!({ "input": many })).await;
        assert!(answer.to_string().len() < 10_000 && answer["data"].is_null());
    }
}

/// The library does not see the default of a variable in `@skip` and `@include`.
#[tokio::test]
async fn a_mutation_skipped_by_default_is_not_executed() {
    let station = Station::new(SMALL).await;
    let add = "createSensor(input: { name: \"x\", year: 1 })";
    for (default, directive) in [(true, "skip"), (false, "include")] {
        let mutation =
            format!("mutation($it: Boolean = {default}) {{ {add} @{directive}(if: $it) {{ clientMutationId }} }}");
        assert_eq!(station.data(&mutation).await, json!({}));
        let asked = station.execute(&mutation, json!({ "it": !default })).await;
        assert_eq!(asked["data"], json!({ "createSensor": { "clientMutationId": null } }));
    }
    assert_eq!(station.count("sensors").await, 10);
}
