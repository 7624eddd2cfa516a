//! Different documents of 1 MB.

use serde_json::json;

use super::siege::Siege;
use super::repeat::{MARK, Requests, repeat};
use crate::http::post;

pub const CONNECTIONS: usize = 24;

/// A little less than the largest body.
pub const LARGE: usize = 1_000_000;

pub async fn documents(siege: Siege) {
    // Each has the mark, so that none is known to the server.
    let marked = format!("a{MARK}: __typename");
    let repeated = |part: &str| part.repeat(LARGE / part.len() - 1);
    let numbered = |part: fn(usize) -> String| {
        let parts: Vec<String> = (0..LARGE / part(100_000).len()).map(part).collect();
        parts.join(" ")
    };
    // Documents that just fit: 4,990 fields with long names, and 14,000 tokens.
    let fields: Vec<String> = (0..4_990).map(|field| format!("b{field:0>180}: __typename")).collect();
    let conflicts = r#"c: books(search: "x") { n: totalCount } "#.repeat(1_700);
    let texts = [
        format!("{{ {marked} {} }}", numbered(|field| format!("b{field}: __typename"))),
        format!("{{ {marked} {} }}", fields.join(" ")),
        format!("{{ {marked} {conflicts} }}"),
        format!("{{ {marked} {}", repeated("{ a")),
        format!("{{ {marked} books(after: {}", repeated("[")),
        format!("{{ {marked} books(search: \"{}\") {{ totalCount }} }}", repeated("x")),
        format!("# {}\n{{ {marked} }}", repeated("x")),
        format!("{{ {marked} }} {}", repeated("# x\n")),
        format!("{{ {marked} }} {}", repeated(",")),
        format!("query({}) {{ {marked} }}", numbered(|variable| format!("$v{variable}: Int"))),
        format!("{{ {marked} }} {}", numbered(|fragment| format!("fragment f{fragment} on Book {{ id }}"))),
        format!("{{ {marked} {} }}", repeated("...f ")),
        format!("{{ a{MARK}: __typename {} }}", repeated("@include(if: true) ")),
        format!("{MARK} {}", repeated("}")),
    ];
    let bodies = texts.map(|text| post("", json!({ "query": text }).to_string().as_bytes()));
    repeat(siege, CONNECTIONS, Requests::new(bodies)).await;
}
