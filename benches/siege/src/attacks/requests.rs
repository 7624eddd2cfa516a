//! Small requests, repeated.

use serde_json::json;

use super::siege::Siege;
use super::repeat::{Requests, repeat};
use crate::http::post;

const CONNECTIONS: usize = 64;

/// 24 kB of filters that no index serves.
pub async fn filters(siege: Siege) {
    let alternative =
        |number| format!(r#"{{ book: {{ name: {{ contains: "{number}" }}, averageRating: {{ gt: 4.5 }} }} }}"#);
    let list = |alias: usize| {
        let alternatives: Vec<String> = (0..9).map(|number| alternative(9 * alias + number)).collect();
        format!("a{alias}: ratings(where: {{ or: [{}] }}) {{ totalCount }}", alternatives.join(", "))
    };
    let lists: Vec<String> = (0..44).map(list).collect();
    let body = json!({ "query": format!("{{ {} }}", lists.join(" ")) });
    repeat(siege, CONNECTIONS, Requests::new([post("", body.to_string().as_bytes())])).await;
}

/// Ratings for a hundred books, with the write token.
pub async fn writes(siege: Siege) {
    let ratings: Vec<Vec<u8>> = (0..500).map(|number| siege.shop.rate(number)).collect();
    repeat(siege, CONNECTIONS, Requests::new(ratings)).await;
}

/// The whole schema, as GraphiQL asks for it.
pub async fn introspection(siege: Siege) {
    const QUERY: &str = "query IntrospectionQuery {
      __schema {
        queryType { name } mutationType { name } subscriptionType { name }
        types { ...FullType }
        directives { name description locations args(includeDeprecated: true) { ...InputValue } }
      }
    }
    fragment FullType on __Type {
      kind name description specifiedByURL
      fields(includeDeprecated: true) {
        name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
      }
      inputFields(includeDeprecated: true) { ...InputValue }
      interfaces { ...TypeRef }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...TypeRef }
    }
    fragment InputValue on __InputValue {
      name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
    }
    fragment TypeRef on __Type {
      kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
    }";
    let body = json!({ "query": QUERY });
    repeat(siege, CONNECTIONS, Requests::new([post("", body.to_string().as_bytes())])).await;
}
