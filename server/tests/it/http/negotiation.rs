//! GraphQL over HTTP: methods, media types, status codes (conformance list, H).

use async_graphql::Variables;
use axum::body::Body;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use bookends_server::config::Limits;
use bookends_server::http::Access;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use crate::support::served::{TOKEN, routes, writable};
use crate::support::station::{self, SMALL, Station};

const GRAPHQL: &str = "application/graphql-response+json";
const JSON: &str = "application/json";

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn code(&self) -> &str {
        self.body["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
    }
}

async fn send(station: &Station, request: Request<Body>) -> Answer {
    send_to(station, writable(), request).await
}

async fn send_to(station: &Station, access: Access, request: Request<Body>) -> Answer {
    let response = routes(station.api.clone(), access).oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    Answer { status: head.status, headers: head.headers, body: serde_json::from_slice(&body).unwrap_or_default() }
}

async fn post(station: &Station, accept: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post("/graphql").header(CONTENT_TYPE, JSON).header("Host", "localhost");
    send(station, request.header(ACCEPT, accept).body(body.into()).unwrap()).await
}

async fn ask(station: &Station, accept: &str, body: Value) -> Answer {
    post(station, accept, body.to_string()).await
}

/// Bytes in hexadecimal digits, each behind a mark.
pub fn hex(bytes: &[u8], mark: &str) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{mark}{byte:02x}")).collect();
    bytes.concat()
}

/// A URL with these parameters.
pub fn url(parameters: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name}={}", hex(value.as_bytes(), "%"))).collect();
    format!("/graphql?{}", pairs.join("&"))
}

async fn get(station: &Station, accept: &str, parameters: &[(&str, &str)]) -> Answer {
    send(station, Request::get(url(parameters)).header(ACCEPT, accept).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn h1_a_response_has_the_preferred_media_type() {
    let station = Station::new(SMALL).await;
    for (accept, media) in [(GRAPHQL, GRAPHQL), (JSON, JSON), ("*/*", JSON)] {
        let answer = ask(&station, accept, json!({ "query": "{ __typename }" })).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.headers[CONTENT_TYPE], format!("{media}; charset=utf-8"));
        assert_eq!(answer.headers[VARY], "accept");
        assert_eq!(answer.body, json!({ "data": { "__typename": "Query" } }));
    }
    let answer = ask(&station, "text/html", json!({ "query": "{ __typename }" })).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE"));
}

/// Without replicas, too, a position must be one; then it is ignored.
#[tokio::test]
async fn a_position_is_checked_and_not_needed_without_replicas() {
    let station = Station::new(SMALL).await;
    let add = "mutation { createSensor(input: { name: \"A\", year: 1 }) { clientMutationId } }";
    for query in ["{ sensors(first: 1) { totalCount } }", add] {
        let at = |position| {
            let request = Request::post("/graphql").header(CONTENT_TYPE, JSON).header("GraphQL-Position", position);
            let request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
            send(&station, request.body(json!({ "query": query }).to_string().into()).unwrap())
        };
        let answer = at("FFFFFFFF/FFFFFFFF/FFFFFFFF").await;
        assert_eq!((answer.status, &answer.body["errors"]), (StatusCode::OK, &Value::Null));
        assert!(!answer.headers.contains_key("GraphQL-Position"));
        assert_eq!(at("0/0/").await.code(), "POSITION_MALFORMED");
    }
}

/// A rejected request has no data; a request that fails in part has.
#[tokio::test]
async fn h2_h3_a_rejection_has_a_status_and_no_data() {
    let station = Station::new(SMALL).await;
    let two = "query A { __typename } query B { __typename }";
    let (unprocessable, bad) = (StatusCode::UNPROCESSABLE_ENTITY, StatusCode::BAD_REQUEST);
    for (body, status, code) in [
        (json!({ "query": "{" }), bad, "GRAPHQL_PARSE_FAILED"),
        (json!({ "query": "" }), bad, "GRAPHQL_PARSE_FAILED"),
        (json!({ "query": "{ reviews { id } }" }), unprocessable, "GRAPHQL_VALIDATION_FAILED"),
        (json!({ "query": two }), unprocessable, "GRAPHQL_VALIDATION_FAILED"),
        (json!({ "query": two, "operationName": "C" }), unprocessable, "GRAPHQL_VALIDATION_FAILED"),
        (json!({ "query": "query($id: ID!) { node(id: $id) { id } }" }), unprocessable, "BAD_USER_INPUT"),
        (
            json!({ "query": "query($id: ID!) { node(id: $id) { id } }", "variables": { "id": null } }),
            unprocessable,
            "BAD_USER_INPUT",
        ),
        (
            json!({ "query": "query($n: Int) { sensors(first: $n) { totalCount } }", "variables": { "n": "1" } }),
            unprocessable,
            "BAD_USER_INPUT",
        ),
        (json!({ "query": "subscription { readingCreated { cursor } }" }), unprocessable, "WEBSOCKET_REQUIRED"),
    ] {
        let answer = ask(&station, GRAPHQL, body.clone()).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{body} {}", answer.body);
        assert!(answer.body.get("data").is_none(), "{body}");
        // An older client gets 200, also without data.
        let answer = ask(&station, JSON, body.clone()).await;
        assert_eq!((answer.status, answer.code()), (StatusCode::OK, code), "{body}");
        assert!(answer.body.get("data").is_none(), "{body}");
    }
    for body in ["", "{", "{\"query\": \"{ __typename }\"", "x", "\u{feff}{}", "{\"query\": \"\\ud800\"}"] {
        for accept in [GRAPHQL, JSON] {
            let answer = post(&station, accept, body).await;
            assert_eq!((answer.status, answer.code()), (bad, "BODY_MALFORMED"), "{body}");
        }
    }
    for body in [
        json!({}),
        json!(1),
        json!(null),
        json!([]),
        json!([{ "query": "{ __typename }" }]),
        json!({ "query": 1 }),
        json!({ "query": ["{ __typename }"] }),
        json!({ "query": "{ __typename }", "operationName": {} }),
        json!({ "query": "{ __typename }", "variables": [] }),
        json!({ "query": "{ __typename }", "variables": "{}" }),
        json!({ "query": "{ __typename }", "extensions": 0 }),
    ] {
        let answer = ask(&station, JSON, body.clone()).await;
        assert_eq!((answer.status, answer.code()), (unprocessable, "REQUEST_MALFORMED"), "{body}");
    }
    let partly = "{ readings(first: 101) { nodes { id } } __typename }";
    let answer = ask(
        &station,
        GRAPHQL,
        json!({ "query": partly, "variables": null, "extensions": null, "operationName": null }),
    )
    .await;
    assert_eq!((answer.status.as_u16(), answer.code()), (294, "PAGE_INVALID"));
    assert_eq!(answer.body["data"], json!({ "readings": null, "__typename": "Query" }));
}

/// "Partial success", also if the data are null; an older client cannot know it.
#[tokio::test]
async fn h2_data_with_errors_have_the_status_294() {
    let station = Station::new(SMALL).await;
    for query in ["{ readings(first: -1) { nodes { id } } }", "{ nodes(ids: [\"x\"]) { id } }"] {
        for (accept, status) in [(GRAPHQL, 294), (JSON, 200), ("*/*", 200)] {
            for answer in [
                ask(&station, accept, json!({ "query": query })).await,
                get(&station, accept, &[("query", query)]).await,
            ] {
                let has_both = answer.body.get("data").is_some() && answer.body.get("errors").is_some();
                assert!(has_both && answer.status.as_u16() == status, "{accept}: {} {}", answer.status, answer.body);
            }
        }
    }
}

/// By POST and GET, as a WebSocket, and in the metrics.
#[tokio::test]
async fn a_slash_at_the_end_of_the_url_changes_nothing() {
    let station = Station::new(SMALL).await;
    let expected = json!({ "data": { "__typename": "Query" } });
    let body = json!({ "query": "{ __typename }" }).to_string();
    let post = Request::post("/graphql/").header(CONTENT_TYPE, JSON).body(body.into()).unwrap();
    let get = Request::get(url(&[("query", "{ __typename }")]).replacen('?', "/?", 1));
    for request in [post, get.body(Body::empty()).unwrap()] {
        let answer = send(&station, request).await;
        assert_eq!((answer.status, answer.body), (StatusCode::OK, expected.clone()));
    }
    let upgrade = Request::get("/graphql/").header("Connection", "upgrade").header("Upgrade", "websocket");
    let upgrade = upgrade.header("Sec-WebSocket-Version", "12").header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    let answer = send(&station, upgrade.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.code(), "HANDSHAKE_MALFORMED", "{}", answer.body);

    let metrics = Request::get("/metrics").body(Body::empty()).unwrap();
    let response = routes(station.api.clone(), Access::Nobody).oneshot(metrics).await.unwrap();
    let metrics = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let metrics = String::from_utf8(metrics.to_vec()).unwrap();
    for method in ["POST", "GET"] {
        let sample = format!(r#"_count{{route="/graphql",method="{method}",status="200"}} 1"#);
        assert!(metrics.contains(&sample), "{sample} {metrics}");
    }
    assert!(!metrics.contains("/graphql/") && !metrics.contains(r#"route="other""#), "{metrics}");
}

#[tokio::test]
async fn h4_get_only_reads() {
    let station = Station::new(SMALL).await;
    let query = "query A { __typename } query B($n: Int) { sensors(first: $n) { nodes { year } } }";
    let parameters = [("query", query), ("operationName", "B"), ("variables", "{ \"n\": 1 }"), ("extensions", "{}")];
    let answer = get(&station, GRAPHQL, &parameters).await;
    assert_eq!((answer.status, answer.body["data"]["sensors"]["nodes"].as_array().unwrap().len()), (StatusCode::OK, 1));
    let answer = get(&station, JSON, &[("query", "{ __typename }"), ("operationName", ""), ("variables", "")]).await;
    assert_eq!(answer.status, StatusCode::OK);

    let add = "mutation { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }";
    let wrong = "mutation($n: Int!) { createSensor(input: { name: \"x\", year: $n }) { clientMutationId } }";
    assert_eq!(get(&station, GRAPHQL, &[("query", wrong)]).await.status, StatusCode::METHOD_NOT_ALLOWED);
    for accept in [GRAPHQL, JSON] {
        let answer = get(&station, accept, &[("query", add), ("variables", "null"), ("extensions", "null")]).await;
        assert_eq!((answer.status, answer.code()), (StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"));
        assert!(answer.headers[ALLOW].to_str().unwrap().contains("POST"));
    }
    assert_eq!(station.data("{ sensors { totalCount } }").await["sensors"]["totalCount"], 8, "nothing was written");

    for (parameters, status) in [
        (&[][..], StatusCode::UNPROCESSABLE_ENTITY),
        (&[("query", "{ __typename }"), ("query", "{ __typename }")], StatusCode::UNPROCESSABLE_ENTITY),
        (&[("query", "{ __typename }"), ("variables", "[]")], StatusCode::UNPROCESSABLE_ENTITY),
        (&[("query", "{ __typename }"), ("variables", "{")], StatusCode::BAD_REQUEST),
        (&[("query", "{")], StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(get(&station, GRAPHQL, parameters).await.status, status, "{parameters:?}");
    }
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let request = Request::builder().method(method.clone()).uri("/graphql").body(Body::empty()).unwrap();
        let answer = send(&station, request).await;
        assert_eq!((answer.status, answer.code()), (StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"), "{method}");
    }
}

/// A mutation without the permission is refused as a whole: 401 with a challenge (RFC 6750), or 403 where no token helps.
#[tokio::test]
async fn h3_a_mutation_without_permission_has_a_status_and_no_data() {
    const MISSING: &str = r#"Bearer realm="bookends""#;
    const WRONG: &str = r#"Bearer realm="bookends", error="invalid_token""#;
    let station = Station::new(SMALL).await;
    let add = json!({ "query": "mutation { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }" });
    for (access, token, status, challenge) in [
        (writable(), None, StatusCode::UNAUTHORIZED, Some(MISSING)),
        (writable(), Some("Basic c2VzYW1l"), StatusCode::UNAUTHORIZED, Some(MISSING)),
        (writable(), Some("Bearer open"), StatusCode::UNAUTHORIZED, Some(WRONG)),
        (Access::Nobody, Some("Bearer open-sesame-please"), StatusCode::FORBIDDEN, None),
    ] {
        let code = if challenge.is_some() { "UNAUTHENTICATED" } else { "FORBIDDEN" };
        for (accept, status, challenge) in [(GRAPHQL, status, challenge), (JSON, StatusCode::OK, None)] {
            let mut request = Request::post("/graphql").header(CONTENT_TYPE, JSON).header(ACCEPT, accept);
            if let Some(token) = token {
                request = request.header(AUTHORIZATION, token);
            }
            let answer = send_to(&station, access.clone(), request.body(add.to_string().into()).unwrap()).await;
            let found = answer.headers.get(WWW_AUTHENTICATE).map(|challenge| challenge.to_str().unwrap());
            assert_eq!((answer.status, answer.code(), found), (status, code, challenge), "{token:?} {accept}");
            assert!(answer.body.get("data").is_none(), "{}", answer.body);
        }
    }
    assert_eq!(station.count("sensors").await, 8, "nothing was written");
}

#[tokio::test]
async fn h5_another_media_type_is_rejected() {
    let station = Station::new(SMALL).await;
    let request = Request::post("/graphql").header(CONTENT_TYPE, "text/plain").body("{}".into()).unwrap();
    let answer = send(&station, request).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::UNSUPPORTED_MEDIA_TYPE, "MEDIA_TYPE_UNSUPPORTED"));
    assert!(!answer.headers.contains_key(ACCEPT_ENCODING), "the encoding is not the reason");
}

#[tokio::test]
async fn h5_a_compressed_body_is_rejected() {
    let station = Station::new(SMALL).await;
    let request = |encoding: &str| {
        let request = Request::post("/graphql").header(CONTENT_TYPE, "application/json");
        request.header(CONTENT_ENCODING, encoding).body(r#"{"query":"{ __typename }"}"#.into()).unwrap()
    };
    for encoding in ["gzip", "br", "zstd", "deflate", "identity, gzip", "x"] {
        let answer = send(&station, request(encoding)).await;
        assert_eq!((answer.status, answer.code()), (StatusCode::UNSUPPORTED_MEDIA_TYPE, "MEDIA_TYPE_UNSUPPORTED"));
        let message = answer.body["errors"][0]["message"].as_str().unwrap();
        assert_eq!(message, "the body must be uncompressed, without `Content-Encoding`");
        assert_eq!(answer.headers[ACCEPT_ENCODING], "identity");
    }
    assert_eq!(send(&station, request("Identity")).await.status, StatusCode::OK);
}

/// Apollo's automatic persisted queries: first by the hash, then once with the text, then by the hash.
#[tokio::test]
async fn a_query_is_cached_by_its_hash() {
    let station = Station::new(SMALL).await;
    let text = "query Q($n: Int!) { sensors(first: $n) { nodes { year } } }";
    let hash = hex(&Sha256::digest(text.as_bytes()), "");
    let extensions = json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } });
    let by_hash = json!({ "extensions": extensions, "variables": { "n": 2 } });
    for (accept, status) in [(GRAPHQL, StatusCode::NOT_FOUND), (JSON, StatusCode::OK)] {
        let answer = ask(&station, accept, by_hash.clone()).await;
        assert_eq!((answer.status, answer.code()), (status, "PERSISTED_QUERY_NOT_FOUND"));
        assert_eq!(answer.body["errors"][0]["message"], "PersistedQueryNotFound", "clients compare this text");
    }
    // A rejected query is not cached.
    let refused = json!({ "query": text, "extensions": extensions });
    assert_eq!(ask(&station, GRAPHQL, refused).await.code(), "BAD_USER_INPUT");
    assert_eq!(ask(&station, GRAPHQL, by_hash.clone()).await.code(), "PERSISTED_QUERY_NOT_FOUND");

    let with_text = json!({ "query": text, "extensions": extensions, "variables": { "n": 1 } });
    assert_eq!(ask(&station, GRAPHQL, with_text).await.body["data"]["sensors"]["nodes"].as_array().unwrap().len(), 1);
    let answer = ask(&station, GRAPHQL, by_hash).await;
    assert_eq!(answer.body["data"]["sensors"]["nodes"].as_array().unwrap().len(), 2);
    let parameters = [("extensions", extensions.to_string()), ("variables", "{\"n\":3}".to_owned())];
    let parameters: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = get(&station, GRAPHQL, &parameters).await;
    assert_eq!(answer.body["data"]["sensors"]["nodes"].as_array().unwrap().len(), 3, "also by GET");
    // Variables are checked each time.
    let wrong = json!({ "extensions": extensions, "variables": { "n": "x" } });
    assert_eq!(ask(&station, GRAPHQL, wrong).await.code(), "BAD_USER_INPUT");

    let other = json!({ "query": "{ __typename }", "extensions": extensions });
    let answer = ask(&station, GRAPHQL, other).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::BAD_REQUEST, "PERSISTED_QUERY_MISMATCH"));
    for malformed in
        [json!(1), json!({}), json!({ "version": 2, "sha256Hash": hash }), json!({ "version": 1, "sha256Hash": "é" })]
    {
        let answer = ask(&station, GRAPHQL, json!({ "extensions": { "persistedQuery": malformed } })).await;
        assert_eq!(answer.code(), "REQUEST_MALFORMED", "{malformed}");
    }
}

/// A query with absent variables, in arguments and in inputs, is cached, too.
#[tokio::test]
async fn a_query_is_cached_whatever_its_variables() {
    let station = Station::new(SMALL).await;
    let text = "query($n: Int, $c: String, $y: Int) { sensors(first: $n, after: $c, where: { year: { gte: $y } }) { totalCount } }";
    let extensions =
        json!({ "persistedQuery": { "version": 1, "sha256Hash": hex(&Sha256::digest(text.as_bytes()), "") } });
    let all = json!({ "data": { "sensors": { "totalCount": 8 } } });
    assert_eq!(ask(&station, GRAPHQL, json!({ "query": text, "extensions": extensions })).await.body, all);
    assert_eq!(ask(&station, GRAPHQL, json!({ "extensions": extensions })).await.body, all);
    let none = json!({ "extensions": extensions, "variables": { "y": 9999 } });
    for _ in 0..2 {
        assert_eq!(ask(&station, GRAPHQL, none.clone()).await.body["data"]["sensors"]["totalCount"], 0);
        assert_eq!(ask(&station, GRAPHQL, json!({ "extensions": extensions })).await.body, all);
    }
}

/// A cached query gives the same response as a new one, whatever its variables.
#[tokio::test]
async fn a_cached_query_gives_the_same_response() {
    let station = Station::new(SMALL).await;
    let by_name = |declared: &str| {
        format!(
            "query({declared}) {{ sensors(first: 1, orderBy: [{{ field: NAME, direction: $d }}]) {{ nodes {{ name }} }} }}"
        )
    };
    let included = "query($b: Boolean) { sensors(first: 1) { nodes { id year @include(if: $b) } } }";
    let cases = [
        ("{ sensors(first: 2) { nodes { name readings(first: 1) { nodes { value } } } } }".to_owned(), vec![json!({})]),
        ("{ readings(first: 1, last: 1) { nodes { id } } }".into(), vec![json!({})]),
        ("{ readings(asOf: \"now\") { nodes { id } } }".into(), vec![json!({})]),
        ("{ reviews { id } }".into(), vec![json!({})]),
        ("query A { __typename } query B { __typename }".into(), vec![json!({})]),
        (
            by_name("$d: SortDirection"),
            vec![json!({ "d": "DESC" }), json!({}), json!({ "d": null }), json!({ "d": "x" })],
        ),
        (by_name("$d: SortDirection = DESC"), vec![json!({}), json!({ "d": "ASC" }), json!({ "d": null })]),
        (included.into(), vec![json!({ "b": true }), json!({ "b": false })]),
        (
            "query($y: Int) { sensors(where: { year: { in: [$y, 1870] } }) { totalCount } }".into(),
            vec![json!({ "y": 1 }), json!({ "y": null }), json!({})],
        ),
        (
            "query($n: Int, $c: String) { readings(first: $n, after: $c) { nodes { id } } }".into(),
            vec![json!({ "n": 2 }), json!({}), json!({ "n": null, "c": "" }), json!({ "n": -1 })],
        ),
    ];
    for (query, variables) in cases {
        // Each of them first, on a server with an empty cache.
        for first in &variables {
            let api = station::api(station.db.clone(), Limits::DEFAULT);
            let execute = async |variables: &Value| {
                let request = async_graphql::Request::new(&query).variables(Variables::from_json(variables.clone()));
                serde_json::to_value(api.execute(request).await).unwrap()
            };
            let fresh = execute(first).await;
            for other in &variables {
                execute(other).await;
            }
            assert_eq!(execute(first).await, fresh, "{query} {first}");
        }
    }
}
