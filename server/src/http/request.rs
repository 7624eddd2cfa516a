//! Requests, from a body of JSON, from the parameters of a URL, and from a message on a WebSocket.
//!
//! Bodies are read as a [`Request`] of the library. It reports neither the member that is wrong nor a `query` that is missing,
//! and it rejects the `query: null` that Relay sends with a persisted query. [`Parameters`] reads those bodies, and
//! requests from URLs and WebSockets: for URLs, async-graphql expects `operation_name` instead of `operationName`.
//!
//! A request without a `query` can have the id of a document: as `documentId` (GraphQL over HTTP, appendix A), or as
//! `doc_id` or `id`, which Relay's network layers send. Where there is a `query`, ids are ignored.

use async_graphql::{Request, ServerError, Variables};
use axum::body::Bytes;
use axum::extract::Query;
use axum::http::Uri;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::request::{Code, Cpu, Incoming, is_long, no_batches, refusal};

/// The parameters of a request (GraphQL over HTTP, section 5.1). Unknown ones are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameters {
    query: Option<String>,
    document_id: Option<String>,
    #[serde(rename = "doc_id")]
    doc_id: Option<Value>,
    id: Option<Value>,
    operation_name: Option<String>,
    variables: Option<Map<String, Value>>,
    extensions: Option<Map<String, Value>>,
}

/// The same in a URL: variables and extensions are JSON in text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UrlParameters {
    query: Option<String>,
    document_id: Option<String>,
    #[serde(rename = "doc_id")]
    doc_id: Option<String>,
    id: Option<String>,
    operation_name: Option<String>,
    variables: Option<String>,
    extensions: Option<String>,
}

/// The request in a body of JSON.
///
/// # Errors
///
/// [`Code::BodyMalformed`] if the body is not JSON, [`Code::RequestMalformed`] if the JSON is not a request.
pub async fn read_body(body: Bytes, cpu: &Cpu) -> Result<Incoming, ServerError> {
    if is_long(body.len()) {
        // On the heap: otherwise each request would have room for it.
        let read = Box::pin(cpu.run(move || read(body))).await;
        return read.map(|incoming| Incoming { is_long: true, ..incoming });
    }
    read(body)
}

fn read(body: Bytes) -> Result<Incoming, ServerError> {
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(no_batches());
    }
    match serde_json::from_slice::<Request>(&body) {
        Ok(request) if !request.query.is_empty() => Ok(normalised(request).into()),
        _ => serde_json::from_slice::<Parameters>(&body).map_err(|error| unreadable("the body", &error))?.try_into(),
    }
}

/// Whether the parameters of a URL say what to execute.
pub fn is_in(url: &Uri) -> bool {
    Query::<UrlParameters>::try_from_uri(url).map_or(true, |Query(it)| {
        [it.query, it.document_id, it.doc_id, it.id, it.extensions].iter().any(Option::is_some)
    })
}

/// The request in the parameters of a URL.
///
/// # Errors
///
/// [`Code::BodyMalformed`] if the variables or the extensions are not JSON, [`Code::RequestMalformed`] if the parameters
/// are not a request.
pub fn read_url(url: &Uri) -> Result<Incoming, ServerError> {
    let Query(parameters) = Query::<UrlParameters>::try_from_uri(url)
        .map_err(|error| refusal(Code::RequestMalformed, error.body_text()))?;
    let map = |name: &str, text: Option<String>| {
        let text = text.filter(|text| !text.is_empty());
        let map = text.map(|text| serde_json::from_str(&text).map_err(|error| unreadable(name, &error)));
        map.transpose().map(Option::flatten)
    };
    let UrlParameters { query, document_id, doc_id, id, operation_name, variables, extensions } = parameters;
    let (variables, extensions) = (map("`variables`", variables)?, map("`extensions`", extensions)?);
    let (doc_id, id) = (doc_id.map(Value::String), id.map(Value::String));
    Parameters { query, document_id, doc_id, id, operation_name, variables, extensions }.try_into()
}

fn unreadable(what: &str, error: &serde_json::Error) -> ServerError {
    match error.classify() {
        Category::Data => refusal(Code::RequestMalformed, format!("{what}: expected a GraphQL request: {error}")),
        _ => refusal(Code::BodyMalformed, format!("{what}: expected JSON: {error}")),
    }
}

/// A request in which an empty name and an extension that is `null` count as absent.
fn normalised(mut request: Request) -> Request {
    request.operation_name = request.operation_name.filter(|name| !name.is_empty());
    request.extensions.retain(|_, value| *value != async_graphql::Value::Null);
    request
}

impl TryFrom<Parameters> for Incoming {
    type Error = ServerError;

    fn try_from(parameters: Parameters) -> Result<Self, ServerError> {
        let Parameters { query, document_id, doc_id, id, operation_name, variables, extensions } = parameters;
        // Members of these names that are no text count as unknown.
        let text = |value: Value| if let Value::String(text) = value { Some(text) } else { None };
        let id = document_id.or_else(|| doc_id.and_then(text)).or_else(|| id.and_then(text));
        let id = id.filter(|id| !id.is_empty());
        let mut request = Request::new(query.as_deref().unwrap_or_default());
        request.operation_name = operation_name;
        request.variables = Variables::from_json(Value::Object(variables.unwrap_or_default()));
        let value = |(name, value): (String, Value)| Some((name, async_graphql::Value::from_json(value).ok()?));
        request.extensions.0 = extensions.unwrap_or_default().into_iter().filter_map(value).collect();
        let request = normalised(request);
        if query.is_none() && id.is_none() && !request.extensions.contains_key("persistedQuery") {
            return Err(refusal(Code::RequestMalformed, "expected a `query`, or the id of a document"));
        }
        Ok(Self { document_id: id, ..request.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_text(body: &'static str) -> Result<Request, Option<Code>> {
        let read = read_body(Bytes::from_static(body.as_bytes()), &Cpu::default()).await;
        read.map(|incoming| incoming.request).map_err(|error| Code::of(&error))
    }

    #[tokio::test]
    async fn a_body_is_read_with_all_its_members() {
        let body = r#"{"query":"{a}","operationName":"A","variables":{"n":1.5,"m":18446744073709551615},"extensions":{"x":[]},"y":1}"#;
        let request = read_text(body).await.unwrap();
        assert_eq!((request.query.as_str(), request.operation_name.as_deref()), ("{a}", Some("A")));
        assert_eq!(request.variables.to_string(), "{m: 18446744073709551615, n: 1.5}");
        assert_eq!(request.extensions.len(), 1);
    }

    #[tokio::test]
    async fn null_and_empty_members_count_as_absent() {
        let body = r#"{"query":"{a}","operationName":"","variables":null,"extensions":{"x":null}}"#;
        for body in [body, r#"{"query":"{a}","extensions":null}"#] {
            let request = read_text(body).await.unwrap();
            assert!(request.operation_name.is_none() && request.variables.is_empty() && request.extensions.is_empty());
        }
    }

    /// As Relay sends one.
    #[tokio::test]
    async fn a_persisted_query_has_no_text() {
        let persisted = r#""extensions":{"persistedQuery":{"version":1}}"#;
        for body in [format!("{{{persisted}}}"), format!(r#"{{"query":null,{persisted}}}"#)] {
            let request = read_body(body.into(), &Cpu::default()).await.unwrap().request;
            assert!(request.query.is_empty() && request.extensions.contains_key("persistedQuery"));
        }
    }

    #[tokio::test]
    async fn another_body_is_rejected_with_the_member_that_is_wrong() {
        for body in ["", "{", "[", "x", "\u{feff}{}"] {
            let expected = if body == "[" { Code::RequestMalformed } else { Code::BodyMalformed };
            assert_eq!(read_text(body).await.err(), Some(Some(expected)), "{body}");
        }
        for body in ["{}", r#"{"query":null}"#, "1", r#"[{"query":"{a}"}]"#, r#"{"query":"{a}","extensions":0}"#] {
            assert_eq!(read_text(body).await.err(), Some(Some(Code::RequestMalformed)), "{body}");
        }
        assert!(read_text(r#"{"query":""}"#).await.unwrap().query.is_empty());
        let error =
            read_body(Bytes::from_static(br#"{"query":"{a}","variables":[1]}"#), &Cpu::default()).await.unwrap_err();
        assert!(error.message.contains("invalid type: sequence, expected a map at line 1"), "{}", error.message);
    }
}
