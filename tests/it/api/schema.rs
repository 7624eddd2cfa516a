//! The schema as text.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{Request, StatusCode};
use bookends::config::Limits;
use bookends::request::Code;
use bookends::server::Access;
use bookends::shop::{Api, sdl};
use serde_json::json;
use tower::ServiceExt;

use crate::support::served::routes;
use crate::support::shop::{SMALL, Shop, empty};

/// The file is what clients generate code from: a change of the schema is a change of the file.
#[test]
fn the_schema_is_what_schema_graphql_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");
    let file = std::fs::read_to_string(path).unwrap();
    assert_eq!(file, sdl(), "run `cargo run -- schema > schema.graphql`");
}

#[test]
fn a_connections_have_the_shape_that_relay_expects() {
    let sdl = sdl();
    for line in [
        "edges: [RatingEdge!]!",
        "nodes: [Rating!]!",
        "pageInfo: PageInfo!",
        "totalCount: Int!",
        "cursor: String!",
        "node: Rating!",
        "hasPreviousPage: Boolean!",
        "hasNextPage: Boolean!",
        "startCursor: String\n",
        "endCursor: String\n",
        "interface Node {",
        "type Book implements Node {",
        "type Rating implements Node {",
        "node(",
        "first: Int",
        "after: String",
        "last: Int",
        "before: String",
    ] {
        assert!(sdl.contains(line), "{line}\n{sdl}");
    }
    assert!(!sdl.contains("first: Int ="), "A4: a default of `first` would break `last`");
}

/// Clients that throw on errors need no case for null.
#[tokio::test]
async fn a_list_is_marked_as_null_only_beside_an_error() {
    let sdl = sdl();
    let lists: Vec<&str> = sdl.lines().filter(|line| line.contains("): ") && line.contains("Connection")).collect();
    assert_eq!(lists.len(), 5);
    assert!(lists.iter().all(|list| list.ends_with("Connection @semanticNonNull")), "{lists:#?}");
    let definition = "\ndirective @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION\n";
    assert!(sdl.contains(definition), "{sdl}");

    let shop = Shop::new(SMALL).await;
    let query = "{ __schema { directives { name locations isRepeatable args { name defaultValue } } } }";
    let found = shop.data(query).await;
    let expected = json!({
        "name": "semanticNonNull",
        "locations": ["FIELD_DEFINITION"],
        "isRepeatable": false,
        "args": [{ "name": "levels", "defaultValue": "[0]" }],
    });
    assert!(found["__schema"]["directives"].as_array().unwrap().contains(&expected), "{found}");
}

#[tokio::test]
async fn the_text_says_what_introspection_says() {
    let shop = Shop::new(SMALL).await;
    let query = "{ guide: __schema { text: description } DateTime: __type(name: \"DateTime\") { specifiedByURL }
        Decimal: __type(name: \"Decimal\") { specifiedByURL } }";
    let data = shop.data(query).await;
    for scalar in ["DateTime", "Decimal"] {
        let url = data[scalar]["specifiedByURL"].as_str().unwrap();
        assert!(sdl().contains(&format!("scalar {scalar} @specifiedBy(url: \"{url}\")")), "{url}");
    }
    let guide = data["guide"]["text"].as_str().unwrap();
    assert!(sdl().contains(&format!("\"\"\"\n{guide}\n\"\"\"\nschema {{")), "{guide}");
}

#[test]
fn the_codes_of_errors_are_an_enum() {
    let sdl = sdl();
    let (_, values) = sdl.split_once("\nenum ErrorCode {\n").unwrap();
    let (values, _) = values.split_once("\n}\n").unwrap();
    let lines: Vec<&str> = values.lines().map(str::trim).collect();
    let found: BTreeMap<&str, String> = lines.chunks(2).map(|pair| (pair[1], pair[0].to_lowercase())).collect();
    let expected = Code::ALL.iter().map(|(_, code, text)| (*code, format!("\"{text}.\"").to_lowercase())).collect();
    assert_eq!(found, expected);
}

/// Each key alone names an object; a document with another number of keys, or a key that can be null, is refused.
#[tokio::test]
async fn j3_an_input_of_one_key_has_one() {
    let shop = Shop::new(SMALL).await;
    let query = "{ __type(name: \"BookBy\") { isOneOf inputFields { name type { kind name } } }
        __schema { queryType { fields { name args(includeDeprecated: true) { name isDeprecated } } } } }";
    let data = shop.data(query).await;
    assert_eq!(data["__type"]["isOneOf"], true);
    let field = |name: &str, ty: &str| json!({ "name": name, "type": { "kind": "SCALAR", "name": ty } });
    assert_eq!(data["__type"]["inputFields"], json!([field("id", "ID"), field("uuid", "String")]));
    let fields = data["__schema"]["queryType"]["fields"].as_array().unwrap();
    for name in ["book", "rating", "order"] {
        let field = fields.iter().find(|field| field["name"] == name).unwrap();
        let arg = |name: &str, is_deprecated: bool| json!({ "name": name, "isDeprecated": is_deprecated });
        assert_eq!(field["args"], json!([arg("by", false), arg("id", true), arg("uuid", true)]), "{name}");
    }

    let [book, ..] = shop.first_of_each().await;
    let (whole, part) =
        ("query($by: BookBy!) { book(by: $by) { id } }", "query($id: ID!) { book(by: { id: $id }) { id } }");
    for (query, variables) in [(whole, json!({ "by": { "id": book } })), (part, json!({ "id": book }))] {
        for _ in 0..2 {
            let answer = shop.execute(query, variables.clone()).await;
            assert_eq!(answer["data"]["book"]["id"], json!(book), "{answer}");
        }
    }
    let nullable = "query($id: ID) { book(by: { id: $id }) { id } }";
    let both = "query($id: ID!) { book(by: { id: $id, uuid: \"x\" }) { id } }";
    for (query, variables, code) in [
        (whole, json!({ "by": {} }), "BAD_USER_INPUT"),
        (whole, json!({ "by": { "id": null } }), "BAD_USER_INPUT"),
        (whole, json!({ "by": { "id": book, "uuid": null } }), "BAD_USER_INPUT"),
        (nullable, json!({ "id": book }), "GRAPHQL_VALIDATION_FAILED"),
        (both, json!({ "id": book }), "GRAPHQL_VALIDATION_FAILED"),
    ] {
        let answer = shop.execute(query, variables.clone()).await;
        assert!(answer["data"].is_null() && answer["errors"][0]["extensions"]["code"] == code, "{query}: {answer}");
    }
}

#[tokio::test]
async fn the_text_is_served_once_to_clients_that_keep_it() {
    let (_test, db) = empty().await;
    let server = routes(Api::new(db, Limits::DEFAULT), Access::Nobody);
    let ask = async |tag: &str| {
        let request = Request::get("/schema.graphql").header(IF_NONE_MATCH, tag).body(Body::empty()).unwrap();
        let (head, body) = server.clone().oneshot(request).await.unwrap().into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        (head.status, head.headers, String::from_utf8(body.to_vec()).unwrap())
    };
    let (status, headers, text) = ask("\"other\"").await;
    assert_eq!((status, text), (StatusCode::OK, sdl()));
    assert_eq!(headers[CONTENT_TYPE], "text/plain; charset=utf-8");
    let tag = headers[ETAG].to_str().unwrap();
    let (status, headers, text) = ask(tag).await;
    assert_eq!((status, text.as_str(), headers[ETAG].to_str().unwrap()), (StatusCode::NOT_MODIFIED, "", tag));
}

#[tokio::test]
async fn the_text_is_not_served_where_introspection_is_off() {
    let (_test, db) = empty().await;
    let limits = Limits { introspection: false, ..Limits::DEFAULT };
    let server = routes(Api::new(db, limits), Access::Nobody);
    let request = Request::get("/schema.graphql").body(Body::empty()).unwrap();
    assert_eq!(server.oneshot(request).await.unwrap().status(), StatusCode::NOT_FOUND);
}
