//! The schema as text.

use bookends::shop::sdl;

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
