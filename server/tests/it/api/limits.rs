//! What a request may cost, and the code of every error.

use bookends_server::config::Limits;
use bookends_server::request::Code;
use serde_json::{Value, json};

use crate::support::station::{self, SMALL, Station};

#[tokio::test]
async fn a_refusal_names_the_cost_the_limit_and_the_setting() {
    let limits = Limits { max_page_size: 10, max_complexity: 310, max_depth: 8, ..Limits::DEFAULT };
    let station = Station::within(SMALL, limits).await;
    let message = async |query: &str| {
        let answer = station.execute(query, Value::Null).await;
        assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{answer}");
        assert!(answer["data"].as_object().is_none_or(|data| data.values().all(Value::is_null)), "{answer}");
        answer["errors"][0]["message"].as_str().unwrap().to_owned()
    };
    station.statements.take();
    // A statement, the list, ten times its `nodes` and their ids: 71.
    station.data("{ sensors(first: 10) { nodes { id } } }").await;
    station.statements.take();
    let costly = "{ sensors(first: 10) { nodes { readings(first: 10) { nodes { id } } } } }";
    let said = message(costly).await;
    assert!(said.contains("costs 321, above the maximum of 310") && said.contains("MAX_COMPLEXITY"), "{said}");
    assert_eq!(station.code(costly).await, "QUERY_TOO_COMPLEX");

    let deep = "{ readings(first: 1) { edges { node { sensor { readings(first: 1) { edges { node { sensor { id } } } } } } } } }";
    let said = message(deep).await;
    assert!(said.contains("9 levels deep, above the maximum of 8") && said.contains("MAX_DEPTH"), "{said}");
    assert_eq!(station.code(deep).await, "QUERY_TOO_DEEP");
    assert!(station.statements.take().is_empty(), "refused before anything is read");

    assert_eq!(message("{ sensors(first: 11) { __typename } }").await, "`first` must be 0 to 10, not 11");
    assert_eq!(station.data("{ sensors { nodes { id } } }").await["sensors"]["nodes"].as_array().unwrap().len(), 8);
    let ids = vec![format!("{:?}", station::unknown("Reading")); 11].join(", ");
    assert_eq!(
        message(&format!("{{ nodes(ids: [{ids}]) {{ __typename }} }}")).await,
        "`ids` must have at most 10 ids, not 11"
    );
}

#[tokio::test]
async fn variables_and_aliases_count() {
    let station = Station::new(SMALL).await;
    let query = "query($n: Int) { sensors(first: $n) { nodes { readings(first: $n) { nodes { sensor { repairs(first: $n) { nodes { id } } } } } } } }";
    let answer = station.execute(query, json!({ "n": 100 })).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "QUERY_TOO_COMPLEX");
    assert!(station.execute(query, json!({ "n": 5 })).await["errors"].is_null());

    let unknown = station::unknown("Reading");
    let alias = |n| format!("a{n}: node(id: {unknown:?}) {{ id }}");
    let aliases: Vec<String> = (0..1000).map(alias).collect();
    assert_eq!(station.code(&format!("{{ {} }}", aliases.join(" "))).await, "QUERY_TOO_COMPLEX");
    for field in ["totalCount", "approximateCount(upTo: 10000) { value }", "pageCursors { first { page } }"] {
        let fields: Vec<String> = (0..500).map(|n| format!("a{n}: {field}")).collect();
        let query = format!("{{ readings(first: 10, where: {{}}) {{ {} }} }}", fields.join(" "));
        assert_eq!(station.code(&query).await, "QUERY_TOO_COMPLEX", "{field}");
    }
    let nodes: Vec<String> = (0..400).map(|n| format!("a{n}: nodes(ids: $id) {{ id }}")).collect();
    let nodes = format!("query($id: [ID!]!) {{ {} }}", nodes.join(" "));
    let answer = station.execute(&nodes, json!({ "id": unknown })).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "QUERY_TOO_COMPLEX", "a value is a list of one");
    for size in ["-1", "2147483647", "-2147483648"] {
        assert_eq!(
            station.code(&format!("{{ sensors(first: {size}) {{ nodes {{ id }} }} }}")).await,
            "PAGE_INVALID",
            "{size}"
        );
    }
}

/// What multiplies itself is refused in no time, and nothing that is nested overflows the stack.
#[tokio::test]
async fn large_documents_get_an_answer() {
    let station = Station::new(SMALL).await;
    let doubling = |levels: usize| {
        let fragment = |n: usize| format!("fragment F{n} on Query {{ ...F{} ...F{} }} ", n + 1, n + 1);
        let fragments: Vec<String> = (0..levels).map(fragment).collect();
        let fragments = fragments.join("");
        format!("{{ ...F0 }} {fragments} fragment F{levels} on Query {{ __typename }}")
    };
    let chain = |length: usize| {
        let fragment = |n: usize| format!("fragment F{n} on Query {{ ...F{} }} ", n + 1);
        let fragments: String = (0..length).map(fragment).collect();
        format!("{{ ...F0 }} {fragments} fragment F{length} on Query {{ __typename }}")
    };
    let lists = |levels: usize| {
        format!(
            "{{ sensors(where: {{ year: {{ in: {}{} }} }}) {{ __typename }} }}",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    let objects = |levels: usize| {
        format!(
            "{{ sensors(where: {}{}) {{ __typename }} }}",
            "{ not: ".repeat(levels),
            "{}".to_owned() + &"}".repeat(levels)
        )
    };
    let fields = |levels: usize| format!("{{ {} {} }}", "a { ".repeat(levels), "} ".repeat(levels));
    let types = |levels: usize| format!("query($x: {}Int{}) {{ __typename }}", "[".repeat(levels), "]".repeat(levels));
    let operations = |number: usize| {
        let operations: Vec<String> = (0..number).map(|n| format!("query A{n} {{ ...F }}")).collect();
        format!("{} fragment F on Query {{ {} }}", operations.join(" "), "__typename ".repeat(4_000))
    };
    // Each pair is a conflict, at each level.
    let conflicts =
        |pairs: usize| format!("{{ {} {} {} }}", "... { ".repeat(28), "a: x a: y ".repeat(pairs), "} ".repeat(28));
    // A second definition of a name is never executed, and must not hide the first.
    let hidden = {
        let below = |n: usize| format!("{}...F{}{}", "... { ".repeat(120), n + 1, " }".repeat(120));
        let deep = (0..40).map(|n| format!("fragment F{n} on Query {{ {} }}", below(n)));
        let plain = (0..=40).map(|n| format!("fragment F{n} on Query {{ __typename }}"));
        format!("{{ ...F0 }} {}", deep.chain(plain).collect::<Vec<_>>().join(" "))
    };
    // Each operation has the values of its fragments.
    let values = |number: usize, declared: &str, fragment: String| {
        let operations: Vec<String> = (0..number).map(|n| format!("query Q{n}{declared} {{ ...F }}")).collect();
        format!("{} fragment F on Query {fragment}", operations.join(" "))
    };
    let many = |count: usize| format!("{{ sensors(where: {{ or: [{}] }}) {{ __typename }} }}", "$a ".repeat(count));
    for query in [
        hidden,
        values(2_000, "", format!("{{ node(id: ${}) {{ id }} }}", "n".repeat(1_000_000))),
        values(1_100, "", many(3_400)),
        values(560, "($a: SensorFilter)", many(3_400)),
        operations(20_000),
        conflicts(2_000),
        conflicts(20_000),
        format!("{{ __typename }} fragment F on Query {}", conflicts(20_000)),
        doubling(25),
        doubling(25).replace("on Query { __typename }", "on Query { ...Missing }"),
        doubling(25).replace("__typename", "... on Query { ...F0 }"),
        format!("{{ ...F }} fragment F on Query {{ {} }}", "...Missing ".repeat(60_000)),
        doubling(60),
        chain(50_000),
        "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }".into(),
        lists(380),
        lists(600),
        lists(1_000),
        lists(100_000),
        objects(1_000),
        objects(100_000),
        fields(1_000),
        fields(100_000),
        types(100_000),
        "{ __typename }".repeat(2),
        format!("{{ node(id: \"x\") {} {{ id }} }}", "@x ".repeat(10_000)),
        "{".into(),
        String::new(),
        "\u{0}".into(),
        "query A { __typename } query B { __typename }".into(),
        "mutation { x }".into(),
        "subscription { x }".into(),
        "query($x: Int!) { sensors(first: $x) { __typename } }".into(),
    ] {
        let answer = station.execute(&query, Value::Null).await;
        let start: String = query.chars().take(80).collect();
        assert!(answer["errors"].as_array().is_none_or(|errors| errors.len() <= 20), "{start}");
        for error in answer["errors"].as_array().unwrap_or_else(|| panic!("{start}: {answer}")) {
            let code = error["extensions"]["code"].as_str().unwrap_or_else(|| panic!("{start}: {answer}"));
            assert!(Code::ALL.iter().any(|(_, text, _)| *text == code), "{code}");
            assert_ne!(code, "INTERNAL", "{start}: {answer}");
        }
    }
}

/// A list is priced by its name.
#[test]
fn every_list_of_the_schema_has_a_price() {
    let sdl = station::application().sdl();
    let mut field = "";
    let mut lists = std::collections::BTreeSet::new();
    for line in sdl.lines() {
        if let Some(name) = line.strip_prefix('\t').and_then(|line| line.strip_suffix('(')) {
            field = name;
        }
        if line.contains("): ") && line.contains("Connection") {
            lists.insert(field);
        }
    }
    assert_eq!(lists.into_iter().collect::<Vec<_>>(), ["readings", "repairs", "sensors"]);
}

/// So is a mutation: it costs more than its fields.
#[tokio::test]
async fn every_mutation_of_the_schema_has_a_price() {
    let station = Station::within(SMALL, Limits { max_complexity: 100, ..Limits::DEFAULT }).await;
    let sdl = station::application().sdl();
    let (_, fields) = sdl.split_once("type Mutation {").unwrap();
    let (fields, _) = fields.split_once("\n}").unwrap();
    let names: Vec<&str> = fields.lines().filter_map(|line| line.strip_prefix('\t')?.strip_suffix('(')).collect();
    assert_eq!(names.len(), 9);
    for name in names {
        let input = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let mutation = format!("mutation($input: {input}!) {{ {name}(input: $input) {{ clientMutationId }} }}");
        assert_eq!(station.code(&mutation).await, "QUERY_TOO_COMPLEX", "{name}");
    }
}

/// What GraphiQL and every code generator ask first.
pub fn introspection() -> String {
    let of_type = "kind name ".to_owned() + &"ofType { kind name ".repeat(9) + &"} ".repeat(9);
    let value = format!("name description type {{ {of_type} }} defaultValue");
    format!(
        "{{ __schema {{ queryType {{ name }} directives {{ name args {{ {value} }} }} types {{ kind name description
            fields(includeDeprecated: true) {{ name description args {{ {value} }} type {{ {of_type} }} }}
            inputFields {{ {value} }} interfaces {{ {of_type} }} enumValues {{ name description }} possibleTypes {{ {of_type} }}
        }} }} }}"
    )
}

#[tokio::test]
async fn several_requests_in_one_are_refused() {
    let station = Station::new(SMALL).await;
    let request = || async_graphql::Request::new("{ sensors { totalCount } }");
    let batch = async_graphql::BatchRequest::Batch(vec![request(), request()]);
    let answer = serde_json::to_value(async_graphql::Executor::execute_batch(&station.api, batch).await).unwrap();
    assert_eq!(answer["errors"][0]["extensions"]["code"], "REQUEST_MALFORMED", "{answer}");
}
