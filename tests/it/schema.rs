//! The schema as text.

use bookends::shop::sdl;
use serde_json::json;

use crate::shop::{SMALL, Shop};

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
