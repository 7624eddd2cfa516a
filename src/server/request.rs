//! A request, from the text that came over HTTP: a body of JSON, or the parameters of a URL.

use async_graphql::{Request, ServerError, Variables};
use axum::extract::Query;
use axum::http::Uri;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::graphql::{Code, no_batches, refusal};

/// The parameters of a request (GraphQL over HTTP, section 5.1). Others are for whoever knows them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameters {
    query: Option<String>,
    operation_name: Option<String>,
    variables: Option<Map<String, Value>>,
    extensions: Option<Map<String, Value>>,
}

/// The same in a URL, where what is no text is JSON.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UrlParameters {
    query: Option<String>,
    operation_name: Option<String>,
    variables: Option<String>,
    extensions: Option<String>,
}

/// The request in a body.
///
/// # Errors
///
/// [`Code::BodyMalformed`] for what is not JSON, [`Code::RequestMalformed`] for JSON that is no request.
pub fn of_body(body: &[u8]) -> Result<Request, ServerError> {
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(no_batches());
    }
    let parameters: Parameters = serde_json::from_slice(body).map_err(|error| unreadable("the body", &error))?;
    parameters.try_into()
}

/// The request in the parameters of a URL.
///
/// # Errors
///
/// [`Code::BodyMalformed`] for variables or extensions that are not JSON, [`Code::RequestMalformed`] for what is no request.
pub fn of_url(url: &Uri) -> Result<Request, ServerError> {
    let Query(parameters) = Query::<UrlParameters>::try_from_uri(url)
        .map_err(|error| refusal(Code::RequestMalformed, error.body_text()))?;
    let map = |name: &str, text: Option<String>| {
        let text = text.filter(|text| !text.is_empty());
        let map = text.map(|text| serde_json::from_str(&text).map_err(|error| unreadable(name, &error)));
        map.transpose().map(Option::flatten)
    };
    let UrlParameters { query, operation_name, variables, extensions } = parameters;
    let (variables, extensions) = (map("`variables`", variables)?, map("`extensions`", extensions)?);
    Parameters { query, operation_name, variables, extensions }.try_into()
}

fn unreadable(what: &str, error: &serde_json::Error) -> ServerError {
    match error.classify() {
        Category::Data => refusal(Code::RequestMalformed, format!("{what} is not what a request has: {error}")),
        _ => refusal(Code::BodyMalformed, format!("{what} is not JSON: {error}")),
    }
}

impl TryFrom<Parameters> for Request {
    type Error = ServerError;

    fn try_from(parameters: Parameters) -> Result<Self, ServerError> {
        let Parameters { query, operation_name, variables, extensions } = parameters;
        let mut extensions = extensions.unwrap_or_default();
        extensions.retain(|_, value| !value.is_null());
        if query.is_none() && !extensions.contains_key("persistedQuery") {
            return Err(refusal(Code::RequestMalformed, "a request has a `query`"));
        }
        let mut request = Self::new(query.unwrap_or_default());
        request.operation_name = operation_name.filter(|name| !name.is_empty());
        request.variables = Variables::from_json(Value::Object(variables.unwrap_or_default()));
        let value = |(name, value): (String, Value)| Some((name, async_graphql::Value::from_json(value).ok()?));
        request.extensions.0 = extensions.into_iter().filter_map(value).collect();
        Ok(request)
    }
}
