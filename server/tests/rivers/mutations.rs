//! Declared mutations: they create, change and delete rows, and show them.

use serde_json::{Value, json};

use crate::app::Served;

const CREATE_RIVER: &str = "mutation ($input: CreateRiverInput!) {
    createRiver(input: $input) {
        riverEdge { cursor node { id rowId name length flow } } previousEdgeCursor clientMutationId
    }
}";
const CREATE_CITY: &str = "mutation ($input: CreateCityInput!) {
    createCity(input: $input) { cityEdge { node { id name people isOpen river { name } } } }
}";
const RIVERS: &str = "{ rivers(orderBy: { field: LENGTH }) { totalCount edges { cursor node { name } } } }";

async fn river(served: &Served, name: &str, length: i32) -> Value {
    let input = json!({ "input": { "name": name, "length": length, "orderBy": [{ "field": "LENGTH" }] } });
    served.data(CREATE_RIVER, input).await["createRiver"].take()
}

fn id(payload: &Value) -> Value {
    payload["riverEdge"]["node"]["id"].clone()
}

#[tokio::test]
async fn g2_a_created_edge_is_that_of_the_list() {
    let served = Served::new().await;
    let [nile, elbe, rhine] = [("Nile", 6650), ("Elbe", 1094), ("Rhine", 1233)];
    let mut payloads = Vec::new();
    for (name, length) in [nile, elbe, rhine] {
        payloads.push(river(&served, name, length).await);
    }
    let data = served.data(RIVERS, Value::Null).await;
    let edges = data["rivers"]["edges"].as_array().unwrap();
    let names: Vec<_> = edges.iter().map(|edge| &edge["node"]["name"]).collect();
    assert_eq!(names, ["Elbe", "Rhine", "Nile"]);
    // In the order of their creation: first, first, second.
    assert_eq!(payloads[0]["previousEdgeCursor"], Value::Null);
    assert_eq!(payloads[1]["previousEdgeCursor"], Value::Null);
    assert_eq!(payloads[2]["previousEdgeCursor"], edges[0]["cursor"]);
    for (payload, place) in payloads.iter().zip([2, 0, 1]) {
        assert_eq!(payload["riverEdge"]["cursor"], edges[place]["cursor"]);
    }
    assert_eq!(payloads[2]["riverEdge"]["node"]["flow"], Value::Null);
}

#[tokio::test]
async fn g1_an_object_is_changed_and_deleted() {
    let served = Served::new().await;
    let nile = id(&river(&served, "Nile", 6650).await);
    let update = "mutation ($input: UpdateRiverInput!) {
        updateRiver(input: $input) { river { id name length flow } clientMutationId }
    }";
    let input = json!({ "input": { "id": nile, "flow": "2830.50", "clientMutationId": "a" } });
    let changed = served.data(update, input).await;
    let river = json!({ "id": nile, "name": "Nile", "length": 6650, "flow": "2830.50" });
    assert_eq!(changed, json!({ "updateRiver": { "river": river, "clientMutationId": "a" } }));
    let unchanged = served.data(update, json!({ "input": { "id": nile } })).await;
    assert_eq!(unchanged["updateRiver"]["river"], river);
    let null = served.data(update, json!({ "input": { "id": nile, "flow": null } })).await;
    assert_eq!(null["updateRiver"]["river"]["flow"], Value::Null);

    let delete = "mutation ($input: DeleteRiverInput!) { deleteRiver(input: $input) { deletedId } }";
    let deleted = served.data(delete, json!({ "input": { "id": nile } })).await;
    assert_eq!(deleted["deleteRiver"]["deletedId"], nile);
    assert_eq!(served.data(RIVERS, Value::Null).await["rivers"]["totalCount"], 0);
    for (query, input) in [(delete, json!({ "id": nile })), (update, json!({ "id": nile, "length": 1 }))] {
        let errors = served.errors(query, json!({ "input": input })).await;
        assert_eq!(errors, [json!(["NOT_FOUND", "id", "no river has this id"])]);
    }
}

#[tokio::test]
async fn keys_are_made_or_given() {
    let served = Served::new().await;
    let rhine = id(&river(&served, "Rhine", 1233).await);
    let basel = served.data(CREATE_CITY, json!({ "input": { "riverId": rhine, "name": "Basel" } })).await;
    let city = &basel["createCity"]["cityEdge"]["node"];
    // A column with a default is optional, and so is one that can be null.
    assert_eq!(
        (&city["isOpen"], &city["people"], &city["river"]["name"]),
        (&json!(true), &Value::Null, &json!("Rhine"))
    );
    let create = "mutation ($input: CreateBridgeInput!) {
        createBridge(input: $input) { bridgeEdge { node { id name opened city { name } } } }
    }";
    let input = json!({ "cityId": city["id"], "name": "Mittlere", "opened": "1905-11-11" });
    let bridge = served.data(create, json!({ "input": input })).await;
    let node = &bridge["createBridge"]["bridgeEdge"]["node"];
    assert_eq!((&node["opened"], &node["city"]["name"]), (&json!("1905-11-11"), &json!("Basel")));
    let found =
        served.data("query ($id: ID!) { node(id: $id) { ... on Bridge { name } } }", json!({ "id": node["id"] })).await;
    assert_eq!(found["node"]["name"], "Mittlere");
    let again = served.errors(create, json!({ "input": input })).await;
    assert!(again.iter().all(|error| error[0] == "ALREADY_EXISTS"), "{again:?}");
}

#[tokio::test]
async fn all_errors_of_an_input_name_their_fields() {
    let served = Served::new().await;
    let rhine = id(&river(&served, "Rhine", 1233).await);
    let found = "mutation ($input: FoundCityInput!) { foundCity(input: $input) { clientMutationId } }";
    let input =
        json!({ "input": { "riverId": "x", "name": "a\0b", "people": "-1", "orderBy": [{ "field": "NAME" }] } });
    let errors = served.errors(found, input).await;
    let fields: Vec<_> = errors.iter().map(|error| (error[0].as_str().unwrap(), error[1].as_str().unwrap())).collect();
    assert_eq!(fields, [("ID_INVALID", "riverId"), ("BAD_USER_INPUT", "name"), ("BAD_USER_INPUT", "people")]);
    assert_eq!(errors[2][2], "expected a number of people that is not negative");
    for (input, code, field) in [
        (json!({ "name": "A river whose name is long", "length": 1 }), "BAD_USER_INPUT", "name"),
        (json!({ "name": "Elbe", "length": 40_000 }), "BAD_USER_INPUT", "length"),
        (json!({ "name": "Elbe", "length": 1, "flow": "1.005" }), "BAD_USER_INPUT", "flow"),
        (json!({ "name": "Elbe", "length": 1, "flow": "12345.00" }), "BAD_USER_INPUT", "flow"),
        (json!({ "name": "Rhine", "length": 1 }), "ALREADY_EXISTS", "name"),
    ] {
        let errors = served.errors(CREATE_RIVER, json!({ "input": input })).await;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0][0].as_str(), errors[0][1].as_str()), (Some(code), Some(field)), "{errors:?}");
    }
    let checked = served.errors(CREATE_RIVER, json!({ "input": { "name": "Elbe", "length": -1 } })).await;
    assert_eq!(checked[0][0], "OUT_OF_RANGE", "the constraint of the table: {checked:?}");

    let basel = json!({ "input": { "riverId": rhine, "name": "Basel" } });
    served.data(CREATE_CITY, basel.clone()).await;
    let twice = served.errors(CREATE_CITY, basel).await;
    let fields: Vec<_> = twice.iter().map(|error| (error[0].clone(), error[1].clone())).collect();
    assert_eq!(fields, [(json!("ALREADY_EXISTS"), json!("riverId")), (json!("ALREADY_EXISTS"), json!("name"))]);
}

#[tokio::test]
async fn a_reference_to_nothing_names_its_field() {
    let served = Served::new().await;
    let elbe = id(&river(&served, "Elbe", 1094).await);
    let delete = "mutation ($input: DeleteRiverInput!) { deleteRiver(input: $input) { deletedId } }";
    served.data(delete, json!({ "input": { "id": elbe } })).await;
    let missing = served.errors(CREATE_CITY, json!({ "input": { "riverId": elbe, "name": "Hamburg" } })).await;
    assert_eq!(missing, [json!(["NOT_FOUND", "riverId", "no object has this id"])]);

    let rhine = id(&river(&served, "Rhine", 1233).await);
    served.data(CREATE_CITY, json!({ "input": { "riverId": rhine, "name": "Basel" } })).await;
    let used = served.errors(delete, json!({ "input": { "id": rhine } })).await;
    assert_eq!(used[0][0], "IN_USE", "{used:?}");

    let bonn = json!({ "input": { "riverId": rhine, "name": "Bonn" } });
    let city = served
        .data(
            "mutation ($input: CreateCityInput!) { made: createCity(input: $input) { cityEdge { node { id } } } }",
            bonn,
        )
        .await;
    let city = &city["made"]["cityEdge"]["node"]["id"];
    let create = "mutation ($input: CreateBridgeInput!) { createBridge(input: $input) { clientMutationId } }";
    let year =
        served.errors(create, json!({ "input": { "cityId": city, "name": "Old", "opened": "0000-01-01" } })).await;
    assert_eq!(year, [json!(["BAD_USER_INPUT", "opened", "expected a year between 1 and 9999"])]);
    served.data(create, json!({ "input": { "cityId": city, "name": "Old", "opened": "1898-12-17" } })).await;
    let delete = "mutation ($input: DeleteCityInput!) { deleteCity(input: $input) { deletedId } }";
    let restricted = served.errors(delete, json!({ "input": { "id": city } })).await;
    assert_eq!(restricted[0][0], "IN_USE", "{restricted:?}");
    assert_eq!(served.data(RIVERS, Value::Null).await["rivers"]["totalCount"], 1);
}

#[tokio::test]
async fn a_parent_is_locked_and_returned_with_the_place_in_its_list() {
    let served = Served::new().await;
    let rhine = id(&river(&served, "Rhine", 1233).await);
    let mut cities = Vec::new();
    for name in ["Basel", "Bonn"] {
        let city = served.data(CREATE_CITY, json!({ "input": { "riverId": rhine, "name": name } })).await;
        cities.push(city["createCity"]["cityEdge"]["node"]["id"].clone());
    }
    let mutation = "mutation ($input: BuildBridgeInput!) { buildBridge(input: $input) {
        bridgeEdge { cursor node { id } } previousEdgeCursor previousEdgeCursorOfCity city { name bridges { totalCount } }
    } }";
    let mut built = Vec::new();
    for (city, name) in [(0, "b"), (1, "c"), (0, "d")] {
        let input = json!({ "cityId": cities[city], "name": name, "opened": "1999-01-01",
            "orderBy": [{ "field": "NAME" }] });
        built.push(served.data(mutation, json!({ "input": input })).await["buildBridge"].take());
    }
    assert_eq!(built[2]["previousEdgeCursor"], built[1]["bridgeEdge"]["cursor"]);
    assert_eq!(built[2]["previousEdgeCursorOfCity"], built[0]["bridgeEdge"]["cursor"]);
    assert_eq!(built[2]["city"], json!({ "name": "Basel", "bridges": { "totalCount": 2 } }));
    assert_eq!(built[1]["previousEdgeCursorOfCity"], Value::Null);

    let bridge = &built[0]["bridgeEdge"]["node"]["id"];
    let renew =
        "mutation ($input: RenewBridgeInput!) { renewBridge(input: $input) { bridge { opened } city { name } } }";
    let renewed = served.data(renew, json!({ "input": { "id": bridge, "opened": null } })).await;
    assert_eq!(renewed["renewBridge"], json!({ "bridge": { "opened": null }, "city": { "name": "Basel" } }));
    let tear = "mutation ($input: TearDownBridgeInput!) {
        tearDownBridge(input: $input) { deletedId city { bridges { totalCount } } }
    }";
    let torn = served.data(tear, json!({ "input": { "id": bridge } })).await;
    assert_eq!(torn["tearDownBridge"], json!({ "deletedId": bridge, "city": { "bridges": { "totalCount": 1 } } }));
    for (query, field) in [(tear, "id"), (renew, "id")] {
        let gone = served.errors(query, json!({ "input": { "id": bridge } })).await;
        assert_eq!(gone, [json!(["NOT_FOUND", field, "no bridge has this id"])]);
    }
    served.data(tear, json!({ "input": { "id": built[1]["bridgeEdge"]["node"]["id"] } })).await;
    let delete = "mutation ($id: ID!) { deleteCity(input: { id: $id }) { deletedId } }";
    served.data(delete, json!({ "id": cities[1] })).await;
    let nowhere = json!({ "cityId": cities[1], "name": "e", "opened": "1999-01-01" });
    let nowhere = served.errors(mutation, json!({ "input": nowhere })).await;
    assert_eq!(nowhere, [json!(["NOT_FOUND", "cityId", "no city has this id"])]);
}

#[tokio::test]
async fn nobody_writes_without_a_permission() {
    let served = Served::new().await;
    let request = async_graphql::Request::new("mutation { deleteRiver(input: { id: \"x\" }) { deletedId } }");
    let response = serde_json::to_value(served.api.execute(request).await).unwrap();
    assert_eq!(response["errors"][0]["extensions"]["code"], "FORBIDDEN", "{response}");
}
