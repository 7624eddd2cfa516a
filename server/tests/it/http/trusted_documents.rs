//! Trusted documents: by their ids, and without others.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::station::{self, SMALL, Station};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use bookends_server::Api;
use bookends_server::config::{Bounds, Documents, Limits};
use bookends_server::http::{Access, Server};
use bookends_server::request::{Trusted, TrustedError};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testdb::TestDb;
use tower::ServiceExt;

use crate::http::negotiation::{hex, url};
use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::program::{Program, fails};
use crate::support::served::{Served, TOKEN, routes, send, writable};
use crate::support::wire::{ask, post};

const YEARS: &str = "query Years($n: Int!) { sensors(first: $n) { nodes { year } } }";
const ADD: &str = "mutation Add { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }";
const NEW: &str = "subscription New { readingCreated { cursor } }";
/// As Relay's compiler names a document by default, by MD5.
const MD5: &str = "346168a54bd3cf2d789a56b4102b7913";

fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()), "")
}

/// A file, for as long as it is kept.
struct File(PathBuf);

impl File {
    pub fn new(text: impl AsRef<[u8]>) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("bookends_documents_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    /// The file with the documents of these tests.
    fn known() -> Self {
        let years = sha256(YEARS);
        Self::new(json!({ MD5: YEARS, years.as_str(): YEARS, "add/1": ADD, "new": NEW }).to_string())
    }

    fn read(&self, documents_only: bool, limits: Limits) -> Result<Trusted, TrustedError> {
        station::application().trusted(&Documents { documents_only, ..self.settings() }, limits)
    }

    fn settings(&self) -> Documents {
        Documents { documents: Some(self.0.clone()), ..Documents::default() }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The API of a station that trusts the documents of these tests.
fn api(station: &Station, documents_only: bool) -> Api {
    station::application().api_with(
        station.db.clone(),
        Limits::DEFAULT,
        File::known().read(documents_only, Limits::DEFAULT).unwrap(),
    )
}

/// The status and the response to a request by POST.
async fn by_post(api: &Api, body: &Value) -> (StatusCode, Value) {
    let request = Request::post("/graphql").header("Content-Type", "application/json").header("Host", "localhost");
    let request = request.header("Authorization", format!("Bearer {TOKEN}"));
    let request = request.header("Accept", "application/graphql-response+json").body(body.to_string().into()).unwrap();
    let (status, answer) = send(routes(api.clone(), writable()), request).await;
    (status, serde_json::from_str(&answer).unwrap())
}

async fn by_get(api: &Api, parameters: &[(&str, &str)]) -> (StatusCode, Value) {
    let request = Request::get(url(parameters)).header("Accept", "application/graphql-response+json");
    let (status, answer) = send(routes(api.clone(), Access::Nobody), request.body(Body::empty()).unwrap()).await;
    (status, serde_json::from_str(&answer).unwrap())
}

fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}

fn apollo(hash: &str) -> Value {
    json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } })
}

/// Every way to name the query for years, by its parameters.
fn ways() -> Vec<Value> {
    let hash = sha256(YEARS);
    vec![
        json!({ "documentId": MD5 }),
        json!({ "documentId": hash }),
        json!({ "documentId": format!("sha256:{hash}") }),
        json!({ "documentId": MD5, "query": "" }),
        json!({ "doc_id": MD5 }),
        json!({ "doc_id": MD5, "query": null }),
        json!({ "id": MD5, "query": null, "operationName": "Years" }),
        json!({ "query": null, "extensions": apollo(&hash) }),
        json!({ "extensions": apollo(MD5) }),
        json!({ "query": YEARS }),
        json!({ "query": YEARS, "extensions": apollo(&hash) }),
        json!({ "query": YEARS, "extensions": apollo(MD5), "id": 7, "doc_id": "nope" }),
    ]
}

#[tokio::test]
async fn a_document_is_named_by_its_id() {
    let station = Station::new(SMALL).await;
    for documents_only in [false, true] {
        let api = api(&station, documents_only);
        for mut body in ways() {
            for n in [2, 3] {
                body["variables"] = json!({ "n": n });
                let (status, answer) = by_post(&api, &body).await;
                assert_eq!(answer["data"]["sensors"]["nodes"].as_array().map(Vec::len), Some(n), "{body} {answer}");
                assert_eq!(status, StatusCode::OK);
            }
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let members = body.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
            let parameters: Vec<(String, String)> = members.map(|(name, value)| (name.clone(), text(value))).collect();
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let (_, answer) = by_get(&api, &parameters).await;
            assert_eq!(answer["data"]["sensors"]["nodes"].as_array().map(Vec::len), Some(3), "{parameters:?} {answer}");
        }
        // It is checked like any other.
        let wrong = json!({ "documentId": MD5, "variables": { "n": "x" } });
        assert_eq!(code(&by_post(&api, &wrong).await.1), "BAD_USER_INPUT");
        let (status, answer) = by_get(&api, &[("documentId", "add/1")]).await;
        assert_eq!((status, code(&answer)), (StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"));
        assert_eq!(code(&by_post(&api, &json!({ "documentId": "new" })).await.1), "WEBSOCKET_REQUIRED");
        assert_eq!(by_post(&api, &json!({ "documentId": "add/1" })).await.1["errors"], Value::Null);
    }
    assert_eq!(station.count("sensors").await, 8 + 2);
}

#[tokio::test]
async fn an_unknown_id_or_another_text_is_refused() {
    let station = Station::new(SMALL).await;
    let other = sha256("{ __typename }");
    for documents_only in [false, true] {
        let api = api(&station, documents_only);
        for body in [
            json!({ "documentId": "nope" }),
            json!({ "documentId": format!("sha256:{other}") }),
            json!({ "documentId": format!("x-own:{MD5}") }),
            json!({ "doc_id": "nope" }),
            json!({ "id": "nope" }),
            json!({ "extensions": apollo(&other) }),
        ] {
            let (status, answer) = by_post(&api, &body).await;
            assert_eq!((status, code(&answer)), (StatusCode::NOT_FOUND, "PERSISTED_QUERY_NOT_FOUND"), "{body}");
            assert_eq!(answer["errors"][0]["message"], "PersistedQueryNotFound", "clients compare this text");
        }
        for body in [
            json!({ "query": YEARS, "extensions": apollo(&other) }),
            json!({ "query": "{ __typename }", "extensions": apollo(MD5) }),
        ] {
            assert_eq!(code(&by_post(&api, &body).await.1), "PERSISTED_QUERY_MISMATCH", "{body}");
        }
        for body in [
            json!({ "documentId": 1 }),
            json!({ "documentId": "" }),
            json!({ "doc_id": 1 }),
            json!({ "id": null, "query": null }),
        ] {
            assert_eq!(code(&by_post(&api, &body).await.1), "REQUEST_MALFORMED", "{body}");
        }
        // It can be a name that is not in the file any more.
        let unknown = json!({ "extensions": apollo("nope") });
        assert_eq!(code(&by_post(&api, &unknown).await.1), "PERSISTED_QUERY_NOT_FOUND");
    }
}

/// Also where the text cannot be parsed.
#[tokio::test]
async fn with_documents_only_no_other_text_is_read() {
    let station = Station::new(SMALL).await;
    let (only, open) = (api(&station, true), api(&station, false));
    let introspection = "{ __schema { queryType { name } } }";
    for query in ["{ __typename }", "{", "", introspection, &format!("{YEARS} ")] {
        for _ in 0..2 {
            let (status, answer) = by_post(&only, &json!({ "query": query })).await;
            assert_eq!((status, code(&answer)), (StatusCode::FORBIDDEN, "DOCUMENT_NOT_TRUSTED"), "{query}");
        }
        let (status, answer) = by_get(&only, &[("query", query)]).await;
        assert_eq!((status, code(&answer)), (StatusCode::FORBIDDEN, "DOCUMENT_NOT_TRUSTED"), "{query}");
        // Apollo's clients send the text that was not found with its hash.
        let with_hash = json!({ "query": query, "extensions": apollo(&sha256(query)) });
        if !query.is_empty() {
            assert_eq!(code(&by_post(&only, &with_hash).await.1), "DOCUMENT_NOT_TRUSTED", "{query}");
        }
    }
    let (status, answer) = by_post(&open, &json!({ "query": "{ __typename }" })).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({ "data": { "__typename": "Query" } })));
    assert_eq!(code(&by_post(&open, &json!({ "query": "{" })).await.1), "GRAPHQL_PARSE_FAILED");
}

#[tokio::test]
async fn a_websocket_has_the_same_documents() {
    let station = Station::new(SMALL).await;
    let api = api(&station, true);
    let server = Served::of(Server::new(api.clone(), Access::Nobody, Bounds::DEFAULT)).await;
    let mut client = Client::acknowledged(&server.address).await;
    for mut payload in ways() {
        payload["variables"] = json!({ "n": 2 });
        client.say(json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
        let next = client.hear().await;
        assert_eq!(next["payload"]["data"]["sensors"]["nodes"].as_array().map(Vec::len), Some(2), "{payload} {next}");
        assert_eq!(client.hear().await["type"], "complete");
    }
    for (payload, refused) in [
        (json!({ "query": "{ __typename }" }), "DOCUMENT_NOT_TRUSTED"),
        (json!({ "query": "{" }), "DOCUMENT_NOT_TRUSTED"),
        (json!({ "query": "subscription { readingCreated { cursor } }" }), "DOCUMENT_NOT_TRUSTED"),
        (json!({ "documentId": "nope" }), "PERSISTED_QUERY_NOT_FOUND"),
    ] {
        client.say(json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
        let error = client.hear().await;
        assert_eq!((&error["type"], &error["payload"][0]["extensions"]["code"]), (&json!("error"), &json!(refused)));
    }
    client.say(json!({ "type": "subscribe", "id": "s", "payload": { "documentId": "new" } })).await;
    until(async || api.events().subscribers() > 0).await;
}

/// A hash names the text that was executed before, where others than the trusted ones are.
#[tokio::test]
async fn a_cached_document_is_named_by_its_hash() {
    let station = Station::new(SMALL).await;
    let by_hash = json!({ "documentId": format!("sha256:{}", sha256("{ __typename }")) });
    assert_eq!(code(&by_post(&station.api, &by_hash).await.1), "PERSISTED_QUERY_NOT_FOUND");
    by_post(&station.api, &json!({ "query": "{ __typename }" })).await;
    assert_eq!(by_post(&station.api, &by_hash).await.1, json!({ "data": { "__typename": "Query" } }));
}

#[test]
fn a_file_that_cannot_be_trusted_is_refused_in_one_line() {
    let (open, close) = ("{ sensor { readings(first: 1) { nodes ".repeat(6), "} } } ".repeat(6));
    let deep = format!("{{ readings(first: 1) {{ nodes {open} {{ id }} {close} }} }}");
    let costly = "{ readings(first: 100) { nodes { sensor { readings(first: 100) { nodes { id sensor { id } value createdAt } } } } } }";
    let long = "n".repeat(1000);
    for (text, expected) in [
        (String::new(), "not a JSON object of texts by their ids: EOF"),
        ("[]".into(), "expected an object of texts"),
        (r#"{ "a": 1 }"#.into(), "expected a string at line 1"),
        (
            r#"{ "a": "{ __typename }", "b": "{ __typename }", "a": "{ __typename }" }"#.into(),
            "the id `a` occurs twice",
        ),
        (json!({ "a": "{ __typename }", "b": "{" }).to_string(), "document `b` in "),
        (json!({ "b\n": "{ reviews\n }" }).to_string(), "document `b ` in "),
        (json!({ "b": "{ reviews }" }).to_string(), "`reviews`"),
        (json!({ "b": "" }).to_string(), "document `b` in "),
        (json!({ "b": deep }).to_string(), "levels deep"),
        (json!({ "b": costly }).to_string(), "MAX_COMPLEXITY"),
        (json!({ long.as_str(): "{" }).to_string(), "document `nnn"),
        (" ".repeat((8 << 20) + 1), "more than 8388608 bytes"),
    ] {
        let start: String = text.chars().take(80).collect();
        let error = File::new(&text).read(false, Limits::DEFAULT).unwrap_err().to_string();
        assert!(error.contains(expected) && error.lines().count() == 1 && error.len() < 600, "{start}: {error}");
    }
    let disabled = Limits { introspection: false, ..Limits::DEFAULT };
    let introspection = File::new(json!({ "b": "{ __schema { queryType { name } } }" }).to_string());
    assert!(introspection.read(false, disabled).unwrap_err().to_string().contains("INTROSPECTION"));
    introspection.read(true, Limits::DEFAULT).unwrap();
    // The cost of these depends on their variables.
    let costly = costly.replacen('{', "query($n: Int = 100) {", 1).replace("first: 100", "first: $n");
    File::new(json!({ "b": costly }).to_string()).read(false, Limits::DEFAULT).unwrap();
    File::new("{}").read(true, Limits::DEFAULT).unwrap();
}

#[tokio::test]
async fn the_program_reads_the_file_before_it_starts() {
    let test = TestDb::new().await;
    let (file, broken) = (File::known(), File::new(json!({ "b": "{ reviews }" }).to_string()));
    fails(station::program(&test.url).env("DOCUMENTS", &broken.0), "the document `b` in ");
    fails(
        station::program(&test.url).env("DOCUMENTS", "/no/such/file"),
        "cannot read the documents in /no/such/file: ",
    );
    for arguments in [&["--documents-only"][..], &["--documents-only=true"], &["serve", "--documents-only"]] {
        let output = station::program(&test.url).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("--documents <FILE>"), "{arguments:?}: {said}");
    }

    let mut command = station::program(&test.url);
    let program = Program::start(command.arg("--documents").arg(&file.0).args(["--documents-only"]));
    let address = program.address();
    let answer = ask(&address, post(&json!({ "documentId": MD5, "variables": { "n": 1 } }).to_string()));
    assert!(answer.body.starts_with(r#"{"data":{"sensors":"#), "{}", answer.body);
    let answer = ask(&address, post(r#"{"query":"{ __typename }"}"#));
    assert!(answer.body.contains("DOCUMENT_NOT_TRUSTED"), "{}", answer.body);
    program.end();

    let mut command = station::program(&test.url);
    command.env("DOCUMENTS", &file.0).env("DOCUMENTS_ONLY", "false").args(["--introspection", "false"]);
    let program = Program::start(&mut command);
    let address = program.address();
    assert!(ask(&address, post(r#"{"query":"{ __typename }"}"#)).body.contains("Query"));
    let answer = ask(&address, post(r#"{"query":"{ __schema { queryType { name } } }"}"#));
    assert!(answer.body.contains("INTROSPECTION_DISABLED"), "{}", answer.body);
}

/// Who may read only trusted documents may not read the schema.
#[tokio::test]
async fn with_documents_only_the_schema_is_not_served() {
    let station = Station::new(SMALL).await;
    for (documents_only, status) in [(false, StatusCode::OK), (true, StatusCode::NOT_FOUND)] {
        let request = Request::get("/schema.graphql").body(Body::empty()).unwrap();
        assert_eq!(send(routes(api(&station, documents_only), Access::Nobody), request).await.0, status);
    }
}

/// An API, the parameters of a request, and one of its headers.
type Asked<'a> = (&'a Api, &'a [(&'a str, &'a str)], (&'a str, &'a str));

/// Only successful queries for trusted documents, by GET, where the server is told for how long.
#[tokio::test]
async fn caches_may_keep_responses_to_trusted_documents() {
    let station = Station::new(SMALL).await;
    let file = File::known();
    let cached = station::application()
        .trusted(&Documents { documents_max_age: Some(60), ..file.settings() }, Limits::DEFAULT)
        .unwrap();
    let api = station::application().api_with(station.db.clone(), Limits::DEFAULT, cached);
    let ask = async |api: &Api, parameters: &[(&str, &str)], header: (&str, &str)| {
        let request = Request::get(url(parameters)).header("Accept", "application/json").header(header.0, header.1);
        let service = routes(api.clone(), Access::Nobody);
        let Ok(response) = service.oneshot(request.body(Body::empty()).unwrap()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let header = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        (status, header("cache-control").unwrap(), header("etag"), body)
    };
    let (none, years) = (("x-none", ""), [("documentId", MD5), ("variables", r#"{"n":2}"#)]);
    let (status, caching, etag, body) = ask(&api, &years, none).await;
    assert_eq!((status, caching.as_str(), body.is_empty()), (StatusCode::OK, "public, max-age=60", false));
    let etag = etag.expect("an entity tag");
    for tags in [etag.clone(), format!("\"x\", W/{etag}")] {
        let (status, caching, again, body) = ask(&api, &years, ("If-None-Match", &tags)).await;
        assert_eq!((status, caching.as_str(), body.is_empty()), (StatusCode::NOT_MODIFIED, "public, max-age=60", true));
        assert_eq!(again, Some(etag.clone()));
    }
    // Other variables, and another list.
    let (_, _, other, _) = ask(&api, &[("documentId", MD5), ("variables", r#"{"n":3}"#)], none).await;
    assert_ne!(other, Some(etag.clone()));
    let input = json!({ "input": { "name": "A new one", "year": 2026 } });
    let add = "mutation ($input: CreateSensorInput!) { createSensor(input: $input) { clientMutationId } }";
    assert_eq!(station.execute(add, input).await["errors"], Value::Null);
    let all = [("documentId", MD5), ("variables", r#"{"n":9}"#)];
    let (status, ..) = ask(&api, &all, ("If-None-Match", &etag)).await;
    assert_eq!(status, StatusCode::OK);

    let never: [Asked<'_>; 5] = [
        (&api, &[("documentId", MD5)], none),
        (&api, &[("query", "{ __typename }")], none),
        (&api, &[("documentId", "nope")], none),
        (&api, &years, ("GraphQL-Cost", "report")),
        (
            &station::application().api_with(
                station.db.clone(),
                Limits::DEFAULT,
                file.read(true, Limits::DEFAULT).unwrap(),
            ),
            &years,
            none,
        ),
    ];
    for (api, parameters, header) in never {
        let (_, caching, etag, _) = ask(api, parameters, header).await;
        assert_eq!((caching.as_str(), etag), ("no-store", None), "{parameters:?}");
    }
    // POST, too.
    let answer = Served::of(Server::new(api, Access::Nobody, Bounds::DEFAULT)).await;
    let body = json!({ "documentId": MD5, "variables": { "n": 2 } }).to_string();
    assert!(answer.ask(post(&body)).await.contains("cache-control: no-store\r\n"));
}
