//! A document is validated as it was sent, completely, before anything of it is executed.

use serde_json::{Value, json};

use crate::support::station::{self, SMALL, Station};

/// The codes of the errors of a refused request.
async fn codes(station: &Station, query: &str, variables: Value) -> Vec<String> {
    let answer = station.execute(query, variables).await;
    assert!(answer["data"].is_null(), "{query}: {answer}");
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
    errors.iter().map(|error| error["extensions"]["code"].as_str().unwrap().to_owned()).collect()
}

const INVALID: &str = "GRAPHQL_VALIDATION_FAILED";

#[tokio::test]
async fn j2_a_mutation_is_done_if_and_only_if_the_response_says_so() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let input = json!({ "sensorId": sensor, "value": 1 });
    let mutation = |declared: &str| {
        format!(
            "mutation M($i: CreateReadingInput!, $j: {declared}) {{ a: createReading(input: $i) {{ clientMutationId }} \
             b: createReading(input: $j) {{ clientMutationId }} }}"
        )
    };
    // By its type, a variable can be null where the argument cannot.
    assert_eq!(codes(&station, &mutation("CreateReadingInput"), json!({ "i": input })).await, [INVALID]);
    for (declared, variables) in [
        ("CreateReadingInput!", json!({ "i": input })),
        ("CreateReadingInput!", json!({ "i": input, "j": null })),
        ("CreateReadingInput!", json!({ "i": input, "j": { "sensorId": sensor } })),
        ("CreateReadingInput = { sensorId: \"x\", value: 1 }", json!({ "i": input, "j": null })),
    ] {
        assert_eq!(codes(&station, &mutation(declared), variables).await, ["BAD_USER_INPUT"], "{declared}");
    }
    // A variable with a default can be null where nothing can be.
    for directive in ["@skip(if: $s)", "@include(if: $s)"] {
        for place in [
            format!("a: createReading(input: $i) {directive} {{ clientMutationId }}"),
            format!("... {directive} {{ createReading(input: $i) {{ clientMutationId }} }}"),
            format!("...F {directive}"),
        ] {
            let fragment = "fragment F on Mutation { createReading(input: $i) { clientMutationId } }";
            let fragment = if place.starts_with("...F") { fragment } else { "" };
            let query = format!("mutation M($i: CreateReadingInput!, $s: Boolean = false) {{ {place} }} {fragment}");
            assert_eq!(codes(&station, &query, json!({ "i": input, "s": null })).await, ["BAD_USER_INPUT"], "{query}");
        }
    }
    let unknown = mutation("CreateReadingInput!").replace("b: createReading", "b: createRaeding");
    assert_eq!(codes(&station, &unknown, json!({ "i": input, "j": input })).await, [INVALID]);
    assert_eq!(station.count("readings").await, 25);

    let answer = station.execute(&mutation("CreateReadingInput!"), json!({ "i": input, "j": input })).await;
    assert_eq!(answer["data"], json!({ "a": { "clientMutationId": null }, "b": { "clientMutationId": null } }));
    assert_eq!(station.count("readings").await, 27);
    // What fails on execution is null beside its error; what was done before it is told.
    let wrong = json!({ "sensorId": station::unknown("Sensor"), "value": 1 });
    let answer = station.execute(&mutation("CreateReadingInput!"), json!({ "i": input, "j": wrong })).await;
    assert_eq!(answer["data"], json!({ "a": { "clientMutationId": null }, "b": null }));
    assert_eq!(answer["errors"][0]["extensions"]["code"], "NOT_FOUND", "{answer}");
    assert_eq!(station.count("readings").await, 28);
}

#[tokio::test]
async fn j3_what_the_specification_refuses_is_refused() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    for query in [
        // A variable that is not declared, unknown fields and types: also where a variable is absent.
        "query B($y: Int) { sensors(where: { year: { gte: $typo } }) { totalCount } }",
        "query B($y: Int) { sensors(where: { year: { gte: $y, gtee: 1 } }) { totalCount } }",
        "query B($y: Int, $z: Nope) { sensors(where: { year: { gte: $y, lt: $z } }) { totalCount } }",
        "mutation M($c: Int) { updateSensor(input: { id: $typo, year: $c }) { clientMutationId } }",
        // Variables of another type than their position.
        "query($a: Float) { sensors(first: $a) { totalCount } }",
        "query($a: Int) { sensors(where: { year: { in: [$a] } }) { totalCount } }",
        "query($a: [Int]) { sensors(where: { year: { in: $a } }) { totalCount } }",
        "query($a: String) { sensors(where: { year: { eq: $a } }) { totalCount } }",
        "mutation($y: DeleteSensorInput!) { deleteReading(input: $y) { deletedId } }",
        "query($a: String) { __typename @skip(if: $a) }",
        // Values, selections and directives.
        "{ sensors(orderBy: { field: \"NAME\" }) { totalCount } }",
        "{ sensors(where: { year: { eq: 1, eq: 2 } }) { totalCount } }",
        "query($w: SensorFilter = { year: { eq: 1, eq: 2 } }) { sensors(where: $w) { totalCount } }",
        "{ __typename { x } }",
        "{ __typename(a: 1) }",
        "query($a: Int @nope) { sensors(first: $a) { totalCount } }",
        "query($a: Boolean = true @skip(if: true)) { __typename @skip(if: $a) }",
        "{ __typename @skip(if: true) @skip(if: false) }",
        "{ sensors(first: 1, first: 2) { totalCount } }",
        "{ sensors { totalCount } sensors(first: 1) { nodes { id } } }",
        "query($a: Int) { __typename }",
        "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
        "{ __typename } fragment F on Query { __typename }",
        "{ __typename } query B { __typename }",
        "{ node { id } }",
        "type T { a: Int } { __typename }",
        "{ nodes(ids: []) { id } ... { nodes(ids: [\"x\"]) { id } } }",
    ] {
        let found = codes(&station, query, json!({ "y": { "id": sensor } })).await;
        assert!(found.iter().all(|code| code == INVALID), "{query}: {found:?}");
    }
    assert_eq!(station.count("sensors").await, 8);
}

#[tokio::test]
async fn j3_what_the_specification_accepts_is_accepted() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    for (query, variables) in [
        ("query($b: Boolean!) { __typename @skip(if: $b) sensors(first: 0) { nodes { id } } }", json!({ "b": true })),
        ("query($id: ID !) { node(id: $id) { id } }", json!({ "id": sensor })),
        ("query($ids: [ ID ! ] !) { nodes(ids: $ids) { id } }", json!({ "ids": [sensor] })),
        ("query($y: Int) { sensors(where: { year: { gte: $y } }) { totalCount } }", json!({})),
        ("query($n: Int = 1) { sensors(first: $n) { totalCount } }", json!({ "n": null })),
        ("query($d: SortDirection = ASC) { sensors(orderBy: { field: NAME, direction: $d }) { totalCount } }", json!({})),
        ("{ sensors(where: { name: { eq: \"\\uD83D\\uDE00 \\u{1F600}\" } }) { totalCount } }", json!({})),
        ("{ sensors { totalCount } ...F ...F } fragment F on Query { sensors { totalCount } }", json!({})),
        ("{ a ,: sensors { totalCount } ..., F } fragment F on Query { __type(name: \"Sensor\") { isOneOf } }", json!({})),
        ("{ sensors(where: { name: { eq: \"\"\"\n  a \\\"\"\" b\n\"\"\" } }) { totalCount } }", json!({})),
        (
            "\"the sensors, \\\"é\\\"\" query B(\"a year\" $y: Int = 1, \"\"\"a\n name\"\"\" $s: String = \"x\" \"n\" $n: Int) {
                ,sensors(first: $n, where: { year: { gte: $y }, name: { ne: $s } }) { ...F } } \"what of them\" fragment F on SensorConnection { totalCount }",
            json!({ "n": 1 }),
        ),
    ] {
        let answer = station.execute(query, variables).await;
        assert_eq!(answer["errors"], Value::Null, "{query}: {answer}");
    }
    let absent =
        station.execute("query($y: Int) { sensors(where: { year: { gte: $y } }) { totalCount } }", json!({})).await;
    assert_eq!(absent["data"]["sensors"]["totalCount"], 8);
}

/// The cache changes nothing.
#[tokio::test]
async fn a_cached_document_has_the_same_answer() {
    let station = Station::new(SMALL).await;
    let query = "query($y: Int, $n: Int!) { sensors(first: $n, where: { year: { gte: $y } }) { totalCount } }";
    for _ in 0..3 {
        let none = station.execute(query, json!({ "n": 1 })).await;
        assert_eq!(none["data"]["sensors"]["totalCount"], 8, "{none}");
        let some = station.execute(query, json!({ "n": 1, "y": 3000 })).await;
        assert_eq!(some["data"]["sensors"]["totalCount"], 0, "{some}");
        assert_eq!(codes(&station, query, json!({ "n": 1, "y": "3000" })).await, ["BAD_USER_INPUT"]);
        assert_eq!(codes(&station, query, json!({})).await, ["BAD_USER_INPUT"]);
    }
}

/// Where the schema may be introspected.
#[tokio::test]
async fn a_refusal_suggests_similar_names() {
    let station = Station::new(SMALL).await;
    let of_variable = json!({ "w": { "yaer": { "eq": 1 } } });
    for (query, meant) in [
        ("{ reading_s { totalCount } }", Some("readings")),
        ("{ sensors { totalcount } }", Some("totalCount")),
        ("{ sensors { nodes { createdAtt } } }", Some("createdAt")),
        ("{ node(id: \"x\") { idd } }", Some("id")),
        ("{ sensors(frist: 1) { totalCount } }", Some("first")),
        ("{ __typename @skp(if: true) }", Some("@skip")),
        ("{ __typename @skip(if: true, iff: true) }", Some("if")),
        ("{ ... on Querry { __typename } }", Some("Query")),
        ("fragment F on Quer { __typename } { ...F }", Some("Query")),
        ("query($w: SensorFliter) { sensors(where: $w) { totalCount } }", Some("SensorFilter")),
        ("{ sensors(where: { yaer: { eq: 1 } }) { totalCount } }", Some("year")),
        ("query($y: Int) { sensors(where: { yaer: { eq: $y } }) { totalCount } }", Some("year")),
        ("query($w: SensorFilter) { sensors(where: $w) { totalCount } }", Some("year")),
        ("query($d: SortDirection) { sensors(orderBy: { field: NAEM, direction: $d }) { totalCount } }", Some("NAME")),
        ("{ reviews { id } }", None),
        ("query($w: Sensor) { sensors(where: $w) { totalCount } }", None),
    ] {
        let answer = station.execute(query, of_variable.clone()).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{query}: {answer}"));
        let found = message.split_once(": did you mean `").map(|(_, end)| end.trim_end_matches("`?"));
        assert_eq!(found, meant, "{query}: {message}");
    }
}

#[tokio::test]
async fn a_request_names_one_operation_of_its_document() {
    let station = Station::new(SMALL).await;
    let two = "query A { a: __typename } query B { b: __typename }";
    for (query, name, message) in [
        (two, None, "expected an `operationName`: the document has 2 operations"),
        (two, Some("C"), "the document has no operation `C`"),
        ("{ __typename }", Some("A"), "the document has no operation `A`"),
    ] {
        let mut request = async_graphql::Request::new(query);
        request.operation_name = name.map(str::to_owned);
        let answer = serde_json::to_value(station.api.execute(request).await).unwrap();
        assert_eq!(answer["errors"][0]["message"], message);
        assert_eq!(answer["errors"][0]["extensions"]["code"], INVALID);
    }
    let mut request = async_graphql::Request::new(two);
    request.operation_name = Some("B".into());
    let answer = serde_json::to_value(station.api.execute(request).await).unwrap();
    assert_eq!(answer["data"], json!({ "b": "Query" }));
}

/// Each problem is told once, in words of GraphQL, with the place where it is.
#[tokio::test]
async fn a_refusal_has_a_message_and_a_location() {
    let station = Station::new(SMALL).await;
    for (query, message, (line, column)) in [
        ("{\n  sensors(", "expected an argument, found the end of the document", (2, 11)),
        ("", "expected an operation or a fragment, found the end of the document", (1, 1)),
        (
            "mutation { createSensor(input: { name: \"x\", year year: 1 }) { clientMutationId } }",
            "unexpected `year`",
            (1, 50),
        ),
        ("{ sensors ) }", "expected `}`, found `)`", (1, 11)),
        ("}", "expected an operation or a fragment, found `}`", (1, 1)),
        ("sensors { id }", "expected an operation or a fragment, found `sensors`", (1, 1)),
        ("\"x\" { __typename }", "expected an operation or a fragment, found `\"x\"`", (1, 1)),
        ("query A sensors", "expected `{`, found `sensors`", (1, 9)),
        ("{ sensors { } }", "expected a field or a fragment, found `}`", (1, 13)),
        ("{ ... }", "expected the name of a fragment, `on` or `{` after `...`", (1, 3)),
        ("query($a Int) { a }", "expected a name, found `Int`", (1, 10)),
        ("query() { a }", "expected a variable, found `)`", (1, 7)),
        ("{ a(b: ) }", "expected a value, found `)`", (1, 8)),
        ("fragment F Query { a }", "expected `on` and a type, found `Query`", (1, 12)),
        // Positions after a description, and within its document, are those of the text.
        ("\"\"\"é,\n\"\"\" query {\n  sensors(", "expected an argument, found the end of the document", (3, 11)),
        ("\"é\" query { nope }", "type `Query` does not have a field `nope`: did you mean `node`?", (1, 13)),
        ("query($a: Nope) { __typename @skip(if: true) ...F } fragment F on Query { node(id: $a) { id } }", "", (1, 7)),
        ("{ é }", "", (1, 3)),
        ("{ ...A } fragment A on Query { ...A }", "`A` fragment cannot reference itself", (1, 10)),
        ("{ node { id } }", "the required argument `Query.node(id:)` is not provided", (1, 3)),
        ("{ sensors { nope } }", "type `SensorConnection` does not have a field `nope`", (1, 13)),
        (
            "{ ... on Unheard { id } }",
            "type condition `Unheard` of inline fragment is not a type defined in the schema",
            (1, 10),
        ),
    ] {
        let answer = station.execute(query, Value::Null).await;
        let error = &answer["errors"][0];
        assert_eq!(error["locations"], json!([{ "line": line, "column": column }]), "{query}: {answer}");
        if !message.is_empty() {
            assert_eq!(error["message"], message, "{query}: {answer}");
            assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{query}: {answer}");
        }
    }
    // What follows from an unknown type is not reported.
    for query in [
        "query($x: Nope) { sensors(first: $x) { totalCount } }",
        "query($x: Sensor) { sensors(first: $x) { totalCount } }",
        "query($x: [Nope!]!) { nodes(ids: $x) { id } }",
        "query($x: Nope) { sensors(where: { year: { gte: $x } }) { totalCount } }",
    ] {
        assert_eq!(codes(&station, query, Value::Null).await, [INVALID], "{query}");
    }
    let other = "query($x: Nope, $y: String) { sensors(first: $x, last: $y) { totalCount } }";
    assert_eq!(codes(&station, other, Value::Null).await, [INVALID; 2]);
    // In two operations, a fragment is still one place.
    let twice = "query A { ...F } query B { ...F } fragment F on Query { nope }";
    assert_eq!(codes(&station, twice, Value::Null).await, [INVALID]);
    let many: Vec<String> = (0..100).map(|n| format!("nope{n}")).collect();
    assert_eq!(codes(&station, &format!("{{ {} }}", many.join(" ")), Value::Null).await.len(), 20);
    let long = |name: usize| format!("{{ {0}(a: {1:?}) {{ {0} }} }}", "x".repeat(name), "y".repeat(10_000));
    assert_eq!(codes(&station, &long(1_001), Value::Null).await, ["QUERY_TOO_COMPLEX"]);
    let answer = station.execute(&long(1_000), Value::Null).await;
    assert!(answer.to_string().len() < 1_000, "{answer}");
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains(&format!("`{}…`", "x".repeat(100))), "{answer}");
}

#[tokio::test]
async fn a_document_has_a_maximum_of_tokens() {
    let station = Station::new(SMALL).await;
    let fields = |number: usize| format!("{{{}}}", "a,".repeat(number));
    let limits = bookends_server::config::Limits { max_tokens: 100, ..bookends_server::config::Limits::DEFAULT };
    let small = Station::within(SMALL, limits).await;
    for (station, fits, exceeds) in [(&station, 7_000, 8_000), (&small, 40, 60)] {
        let message = format!(
            "the document has more than {} tokens (the setting MAX_TOKENS)",
            if fits == 40 { 100 } else { 15_000 }
        );
        let answer = station.execute(&fields(exceeds), Value::Null).await;
        assert_eq!(answer["errors"][0]["message"], message, "{answer}");
        assert_eq!(answer["errors"][0]["extensions"]["code"], "QUERY_TOO_COMPLEX");
        let answer = station.execute(&fields(fits), Value::Null).await;
        assert!(!answer.to_string().contains("MAX_TOKENS"), "{answer}");
    }
}

/// Values of the greatest depth are read and validated on the stack of a worker thread.
#[tokio::test(flavor = "multi_thread")]
async fn the_greatest_depth_fits_the_stack() {
    let station = std::sync::Arc::new(Station::new(SMALL).await);
    let filter = |levels: usize| {
        format!("{{ sensors(where: {}{{}}{}) {{ totalCount }} }}", "{ not: ".repeat(levels), "}".repeat(levels))
    };
    let list = |levels: usize| format!("query($a: {}Int{}) {{ __typename }}", "[".repeat(levels), "]".repeat(levels));
    let fields = |levels: usize| format!("{{ {} __typename {} }}", "... {".repeat(levels), "}".repeat(levels));
    for (query, code) in [
        (filter(120), "FILTER_TOO_LARGE"),
        (filter(200), "QUERY_TOO_DEEP"),
        (list(120), INVALID),
        (list(200), "QUERY_TOO_DEEP"),
        (fields(31), ""),
        (fields(32), "QUERY_TOO_DEEP"),
        (fields(200), "QUERY_TOO_DEEP"),
    ] {
        let station = station.clone();
        let answer = tokio::spawn(async move { station.execute(&query, Value::Null).await }).await.unwrap();
        assert_eq!(answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default(), code, "{answer}");
    }
}
