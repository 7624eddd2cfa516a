//! The schema as text.

use bookshop::sdl;
use serde_json::json;

use crate::support::shop::{SMALL, Shop};

/// The file is what clients generate code from: a change of the schema is a change of the file.
#[test]
fn the_schema_is_what_schema_graphql_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");
    let file = std::fs::read_to_string(path).unwrap();
    assert_eq!(file, sdl(), "run `cargo run -- schema > schema.graphql`");
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
