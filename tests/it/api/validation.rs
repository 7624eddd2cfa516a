//! A document is validated as it was sent, completely, before anything of it is executed.

use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

/// The codes of the errors of a refused request.
async fn codes(shop: &Shop, query: &str, variables: Value) -> Vec<String> {
    let answer = shop.execute(query, variables).await;
    assert!(answer["data"].is_null(), "{query}: {answer}");
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
    errors.iter().map(|error| error["extensions"]["code"].as_str().unwrap().to_owned()).collect()
}

const INVALID: &str = "GRAPHQL_VALIDATION_FAILED";

#[tokio::test]
async fn j2_a_mutation_is_done_if_and_only_if_the_response_says_so() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let input = json!({ "bookId": book, "rating": 1 });
    let mutation = |declared: &str| {
        format!(
            "mutation M($i: RateBookInput!, $j: {declared}) {{ a: rateBook(input: $i) {{ clientMutationId }} \
             b: rateBook(input: $j) {{ clientMutationId }} }}"
        )
    };
    // By its type, a variable can be null where the argument cannot.
    assert_eq!(codes(&shop, &mutation("RateBookInput"), json!({ "i": input })).await, [INVALID]);
    for (declared, variables) in [
        ("RateBookInput!", json!({ "i": input })),
        ("RateBookInput!", json!({ "i": input, "j": null })),
        ("RateBookInput!", json!({ "i": input, "j": { "bookId": book } })),
        ("RateBookInput = { bookId: \"x\", rating: 1 }", json!({ "i": input, "j": null })),
    ] {
        assert_eq!(codes(&shop, &mutation(declared), variables).await, ["BAD_USER_INPUT"], "{declared}");
    }
    // A variable with a default can be null where nothing can be.
    for directive in ["@skip(if: $s)", "@include(if: $s)"] {
        for place in [
            format!("a: rateBook(input: $i) {directive} {{ clientMutationId }}"),
            format!("... {directive} {{ rateBook(input: $i) {{ clientMutationId }} }}"),
            format!("...F {directive}"),
        ] {
            let fragment = "fragment F on Mutation { rateBook(input: $i) { clientMutationId } }";
            let fragment = if place.starts_with("...F") { fragment } else { "" };
            let query = format!("mutation M($i: RateBookInput!, $s: Boolean = false) {{ {place} }} {fragment}");
            assert_eq!(codes(&shop, &query, json!({ "i": input, "s": null })).await, ["BAD_USER_INPUT"], "{query}");
        }
    }
    let unknown = mutation("RateBookInput!").replace("b: rateBook", "b: rateBok");
    assert_eq!(codes(&shop, &unknown, json!({ "i": input, "j": input })).await, [INVALID]);
    assert_eq!(shop.count("ratings").await, 25);

    let answer = shop.execute(&mutation("RateBookInput!"), json!({ "i": input, "j": input })).await;
    assert_eq!(answer["data"], json!({ "a": { "clientMutationId": null }, "b": { "clientMutationId": null } }));
    assert_eq!(shop.count("ratings").await, 27);
    // What fails on execution is null beside its error; what was done before it is told.
    let wrong = json!({ "bookId": "AQAAAAAAAAAAAAAAAAAAAAc", "rating": 1 });
    let answer = shop.execute(&mutation("RateBookInput!"), json!({ "i": input, "j": wrong })).await;
    assert_eq!(answer["data"], json!({ "a": { "clientMutationId": null }, "b": null }));
    assert_eq!(answer["errors"][0]["extensions"]["code"], "NOT_FOUND", "{answer}");
    assert_eq!(shop.count("ratings").await, 28);
}

#[tokio::test]
async fn j3_what_the_specification_refuses_is_refused() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    for query in [
        // A variable that is not declared, unknown fields and types: also where a variable is absent.
        "query B($y: Int) { books(where: { year: { gte: $typo } }) { totalCount } }",
        "query B($y: Int) { books(where: { year: { gte: $y, gtee: 1 } }) { totalCount } }",
        "query B($y: Int, $z: Nope) { books(where: { year: { gte: $y, lt: $z } }) { totalCount } }",
        "mutation M($c: Boolean) { deleteBook(input: { id: $typo, cascade: $c }) { deletedId } }",
        // Variables of another type than their position.
        "query($a: Float) { books(first: $a) { totalCount } }",
        "query($a: Int) { books(where: { year: { in: [$a] } }) { totalCount } }",
        "query($a: [Int]) { books(where: { year: { in: $a } }) { totalCount } }",
        "query($a: String) { books(where: { year: { eq: $a } }) { totalCount } }",
        "mutation($y: DeleteBookInput!) { deleteRating(input: $y) { deletedId } }",
        "query($a: String) { __typename @skip(if: $a) }",
        // Values, selections and directives.
        "{ books(orderBy: { field: \"NAME\" }) { totalCount } }",
        "{ books(where: { year: { eq: 1, eq: 2 } }) { totalCount } }",
        "query($w: BookFilter = { year: { eq: 1, eq: 2 } }) { books(where: $w) { totalCount } }",
        "{ __typename { x } }",
        "{ __typename(a: 1) }",
        "query($a: Int @nope) { books(first: $a) { totalCount } }",
        "query($a: Boolean = true @skip(if: true)) { __typename @skip(if: $a) }",
        "{ __typename @skip(if: true) @skip(if: false) }",
        "{ books(first: 1, first: 2) { totalCount } }",
        "{ books { totalCount } books(first: 1) { nodes { id } } }",
        "query($a: Int) { __typename }",
        "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
        "{ __typename } fragment F on Query { __typename }",
        "{ __typename } query B { __typename }",
        "{ node { id } }",
        "type T { a: Int } { __typename }",
        "{ nodes(ids: []) { id } ... { nodes(ids: [\"x\"]) { id } } }",
    ] {
        let found = codes(&shop, query, json!({ "y": { "id": book } })).await;
        assert!(found.iter().all(|code| code == INVALID), "{query}: {found:?}");
    }
    assert_eq!(shop.count("books").await, 8);
}

#[tokio::test]
async fn j3_what_the_specification_accepts_is_accepted() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    for (query, variables) in [
        ("query($b: Boolean!) { __typename @skip(if: $b) books(first: 0) { nodes { id } } }", json!({ "b": true })),
        ("query($id: ID !) { node(id: $id) { id } }", json!({ "id": book })),
        ("query($ids: [ ID ! ] !) { nodes(ids: $ids) { id } }", json!({ "ids": [book] })),
        ("query($y: Int) { books(where: { year: { gte: $y } }) { totalCount } }", json!({})),
        ("query($n: Int = 1) { books(first: $n) { totalCount } }", json!({ "n": null })),
        ("query($d: SortDirection = ASC) { books(orderBy: { field: NAME, direction: $d }) { totalCount } }", json!({})),
        ("{ books(search: \"\\uD83D\\uDE00 \\u{1F600}\") { totalCount } }", json!({})),
        ("{ books { totalCount } ...F ...F } fragment F on Query { books { totalCount } }", json!({})),
        ("{ a ,: books { totalCount } ..., F } fragment F on Query { __type(name: \"Book\") { isOneOf } }", json!({})),
        ("{ books(search: \"\"\"\n  a \\\"\"\" b\n\"\"\") { totalCount } }", json!({})),
        (
            "\"the books, \\\"é\\\"\" query B(\"a year\" $y: Int = 1, \"\"\"a\n search\"\"\" $s: String = \"x\" \"n\" $n: Int) {
                ,books(first: $n, search: $s, where: { year: { gte: $y } }) { ...F } } \"what of them\" fragment F on BookConnection { totalCount }",
            json!({ "n": 1 }),
        ),
    ] {
        let answer = shop.execute(query, variables).await;
        assert_eq!(answer["errors"], Value::Null, "{query}: {answer}");
    }
    let absent = shop.execute("query($y: Int) { books(where: { year: { gte: $y } }) { totalCount } }", json!({})).await;
    assert_eq!(absent["data"]["books"]["totalCount"], 8);
}

/// The cache changes nothing.
#[tokio::test]
async fn a_cached_document_has_the_same_answer() {
    let shop = Shop::new(SMALL).await;
    let query = "query($y: Int, $n: Int!) { books(first: $n, where: { year: { gte: $y } }) { totalCount } }";
    for _ in 0..3 {
        let none = shop.execute(query, json!({ "n": 1 })).await;
        assert_eq!(none["data"]["books"]["totalCount"], 8, "{none}");
        let some = shop.execute(query, json!({ "n": 1, "y": 3000 })).await;
        assert_eq!(some["data"]["books"]["totalCount"], 0, "{some}");
        assert_eq!(codes(&shop, query, json!({ "n": 1, "y": "3000" })).await, ["BAD_USER_INPUT"]);
        assert_eq!(codes(&shop, query, json!({})).await, ["BAD_USER_INPUT"]);
    }
}

/// Where the schema may be introspected.
#[tokio::test]
async fn a_refusal_suggests_similar_names() {
    let shop = Shop::new(SMALL).await;
    let of_variable = json!({ "w": { "yaer": { "eq": 1 } } });
    for (query, meant) in [
        ("{ rating_s { totalCount } }", Some("ratings")),
        ("{ books { totalcount } }", Some("totalCount")),
        ("{ books { nodes { averageRatings } } }", Some("averageRating")),
        ("{ node(id: \"x\") { idd } }", Some("id")),
        ("{ books(frist: 1) { totalCount } }", Some("first")),
        ("{ __typename @skp(if: true) }", Some("@skip")),
        ("{ __typename @skip(if: true, iff: true) }", Some("if")),
        ("{ ... on Querry { __typename } }", Some("Query")),
        ("fragment F on Quer { __typename } { ...F }", Some("Query")),
        ("query($w: BookFliter) { books(where: $w) { totalCount } }", Some("BookFilter")),
        ("{ books(where: { yaer: { eq: 1 } }) { totalCount } }", Some("year")),
        ("query($y: Int) { books(where: { yaer: { eq: $y } }) { totalCount } }", Some("year")),
        ("query($w: BookFilter) { books(where: $w) { totalCount } }", Some("year")),
        ("query($d: SortDirection) { books(orderBy: { field: NAEM, direction: $d }) { totalCount } }", Some("NAME")),
        ("{ reviews { id } }", None),
        ("query($w: Book) { books(where: $w) { totalCount } }", None),
    ] {
        let answer = shop.execute(query, of_variable.clone()).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{query}: {answer}"));
        let found = message.split_once(": did you mean `").map(|(_, end)| end.trim_end_matches("`?"));
        assert_eq!(found, meant, "{query}: {message}");
    }
}

#[tokio::test]
async fn a_request_names_one_operation_of_its_document() {
    let shop = Shop::new(SMALL).await;
    let two = "query A { a: __typename } query B { b: __typename }";
    for (query, name, message) in [
        (two, None, "expected an `operationName`: the document has 2 operations"),
        (two, Some("C"), "the document has no operation `C`"),
        ("{ __typename }", Some("A"), "the document has no operation `A`"),
    ] {
        let mut request = async_graphql::Request::new(query);
        request.operation_name = name.map(str::to_owned);
        let answer = serde_json::to_value(shop.api.execute(request).await).unwrap();
        assert_eq!(answer["errors"][0]["message"], message);
        assert_eq!(answer["errors"][0]["extensions"]["code"], INVALID);
    }
    let mut request = async_graphql::Request::new(two);
    request.operation_name = Some("B".into());
    let answer = serde_json::to_value(shop.api.execute(request).await).unwrap();
    assert_eq!(answer["data"], json!({ "b": "Query" }));
}

/// Each problem is told once, in words of GraphQL, with the place where it is.
#[tokio::test]
async fn a_refusal_has_a_message_and_a_location() {
    let shop = Shop::new(SMALL).await;
    for (query, message, (line, column)) in [
        ("{\n  books(", "expected an argument, found the end of the document", (2, 9)),
        ("", "expected an operation or a fragment, found the end of the document", (1, 1)),
        (
            "mutation { addBook(input: { name: \"x\", year year: 1 }) { clientMutationId } }",
            "unexpected `year`",
            (1, 45),
        ),
        ("{ books ) }", "expected `}`, found `)`", (1, 9)),
        ("}", "expected an operation or a fragment, found `}`", (1, 1)),
        ("books { id }", "expected an operation or a fragment, found `books`", (1, 1)),
        ("\"x\" { __typename }", "expected an operation or a fragment, found `\"x\"`", (1, 1)),
        ("query A books", "expected `{`, found `books`", (1, 9)),
        ("{ books { } }", "expected a field or a fragment, found `}`", (1, 11)),
        ("{ ... }", "expected the name of a fragment, `on` or `{` after `...`", (1, 3)),
        ("query($a Int) { a }", "expected a name, found `Int`", (1, 10)),
        ("query() { a }", "expected a variable, found `)`", (1, 7)),
        ("{ a(b: ) }", "expected a value, found `)`", (1, 8)),
        ("fragment F Query { a }", "expected `on` and a type, found `Query`", (1, 12)),
        // Positions after a description, and within its document, are those of the text.
        ("\"\"\"é,\n\"\"\" query {\n  books(", "expected an argument, found the end of the document", (3, 9)),
        ("\"é\" query { nope }", "type `Query` does not have a field `nope`: did you mean `node`?", (1, 13)),
        ("query($a: Nope) { __typename @skip(if: true) ...F } fragment F on Query { node(id: $a) { id } }", "", (1, 7)),
        ("{ é }", "", (1, 3)),
        ("{ ...A } fragment A on Query { ...A }", "`A` fragment cannot reference itself", (1, 10)),
        ("{ node { id } }", "the required argument `Query.node(id:)` is not provided", (1, 3)),
        ("{ books { nope } }", "type `BookConnection` does not have a field `nope`", (1, 11)),
        (
            "{ ... on Unheard { id } }",
            "type condition `Unheard` of inline fragment is not a type defined in the schema",
            (1, 10),
        ),
    ] {
        let answer = shop.execute(query, Value::Null).await;
        let error = &answer["errors"][0];
        assert_eq!(error["locations"], json!([{ "line": line, "column": column }]), "{query}: {answer}");
        if !message.is_empty() {
            assert_eq!(error["message"], message, "{query}: {answer}");
            assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{query}: {answer}");
        }
    }
    // What follows from an unknown type is not reported.
    for query in [
        "query($x: Nope) { books(first: $x) { totalCount } }",
        "query($x: Book) { books(first: $x) { totalCount } }",
        "query($x: [Nope!]!) { nodes(ids: $x) { id } }",
        "query($x: Nope) { books(where: { year: { gte: $x } }) { totalCount } }",
    ] {
        assert_eq!(codes(&shop, query, Value::Null).await, [INVALID], "{query}");
    }
    let other = "query($x: Nope, $y: String) { books(first: $x, last: $y) { totalCount } }";
    assert_eq!(codes(&shop, other, Value::Null).await, [INVALID; 2]);
    // In two operations, a fragment is still one place.
    let twice = "query A { ...F } query B { ...F } fragment F on Query { nope }";
    assert_eq!(codes(&shop, twice, Value::Null).await, [INVALID]);
    let many: Vec<String> = (0..100).map(|n| format!("nope{n}")).collect();
    assert_eq!(codes(&shop, &format!("{{ {} }}", many.join(" ")), Value::Null).await.len(), 20);
    let long = |name: usize| format!("{{ {0}(a: {1:?}) {{ {0} }} }}", "x".repeat(name), "y".repeat(10_000));
    assert_eq!(codes(&shop, &long(1_001), Value::Null).await, ["QUERY_TOO_COMPLEX"]);
    let answer = shop.execute(&long(1_000), Value::Null).await;
    assert!(answer.to_string().len() < 1_000, "{answer}");
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains(&format!("`{}…`", "x".repeat(100))), "{answer}");
}

#[tokio::test]
async fn a_document_has_a_maximum_of_tokens() {
    let shop = Shop::new(SMALL).await;
    let fields = |number: usize| format!("{{{}}}", "a,".repeat(number));
    let limits = bookends::config::Limits { max_tokens: 100, ..bookends::config::Limits::DEFAULT };
    let small = Shop::within(SMALL, limits).await;
    for (shop, fits, exceeds) in [(&shop, 7_000, 8_000), (&small, 40, 60)] {
        let message = format!(
            "the document has more than {} tokens (the setting MAX_TOKENS)",
            if fits == 40 { 100 } else { 15_000 }
        );
        let answer = shop.execute(&fields(exceeds), Value::Null).await;
        assert_eq!(answer["errors"][0]["message"], message, "{answer}");
        assert_eq!(answer["errors"][0]["extensions"]["code"], "QUERY_TOO_COMPLEX");
        let answer = shop.execute(&fields(fits), Value::Null).await;
        assert!(!answer.to_string().contains("MAX_TOKENS"), "{answer}");
    }
}

/// Values of the greatest depth are read and validated on the stack of a worker thread.
#[tokio::test(flavor = "multi_thread")]
async fn the_greatest_depth_fits_the_stack() {
    let shop = std::sync::Arc::new(Shop::new(SMALL).await);
    let filter = |levels: usize| {
        format!("{{ books(where: {}{{}}{}) {{ totalCount }} }}", "{ not: ".repeat(levels), "}".repeat(levels))
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
        let shop = shop.clone();
        let answer = tokio::spawn(async move { shop.execute(&query, Value::Null).await }).await.unwrap();
        assert_eq!(answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default(), code, "{answer}");
    }
}
