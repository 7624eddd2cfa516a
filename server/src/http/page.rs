//! GraphiQL: at `/`, and at `/graphql` for a browser that opens it. It sends no requests to other hosts.
//!
//! npm builds `web/graphiql` into `server/graphiql`, which is committed. The program contains it.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::VARY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde_json::{Value, json};

use super::bundle;
use crate::Api;
use crate::app::Application;

pub use super::bundle::Bundle;

/// The built page, whose HTML has places for what differs between applications.
static GRAPHIQL: LazyLock<Bundle> = LazyLock::new(|| Bundle::new(include!(concat!(env!("OUT_DIR"), "/graphiql.rs"))));

/// Only resources of this server. `'self'` in `connect-src` includes the WebSocket.
///
/// GraphiQL's editor needs `'unsafe-inline'` for styles: its theme is a `<style>`, and it positions lines by `style`
/// attributes. Its workers are files of the bundle. Its small images are data in its styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    worker-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What differs between the pages of applications.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The tabs that it opens with.
    pub tabs: Vec<Tab>,
    /// Labels and paths of other pages.
    pub links: Vec<(&'static str, &'static str)>,
}

/// A tab of GraphiQL. The query of the first one runs when the page opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    query: String,
    variables: Option<&'static str>,
    trigger: Option<(&'static str, &'static str)>,
}

impl Tab {
    /// A tab with this document.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), variables: None, trigger: None }
    }

    /// With these variables, as JSON.
    #[must_use]
    pub fn variables(self, variables: &'static str) -> Self {
        Self { variables: Some(variables), ..self }
    }

    /// For a subscription: below its response is a button with this label, which sends this mutation.
    #[must_use]
    pub fn trigger(self, label: &'static str, mutation: &'static str) -> Self {
        Self { trigger: Some((label, mutation)), ..self }
    }

    fn json(&self) -> Value {
        let trigger = self.trigger.map(|(label, mutation)| json!({ "label": label, "mutation": mutation }));
        json!({ "query": self.query, "variables": self.variables, "trigger": trigger })
    }
}

/// The page of an application.
pub fn of(application: &Application) -> Bundle {
    let Page { tabs, links } = application.page();
    let examples: Vec<Tab>;
    let tabs = if tabs.is_empty() {
        examples = application.declaration().examples().into_iter().map(Tab::new).collect();
        &examples
    } else {
        tabs
    };
    let tabs: Vec<Value> = tabs.iter().map(Tab::json).collect();
    let links = links.iter().map(|(label, path)| format!("<a href=\".{}\">{}</a>\n        ", text(path), text(label)));
    // No text ends the element that it is in.
    let tabs = json!(tabs).to_string().replace('<', "\\u003c");
    GRAPHIQL.with_index(|html| {
        html.replace("{{name}}", &text(application.identity().name))
            .replace("{{about}}", &text(&application.app().about))
            .replace("{{links}}", links.collect::<String>().trim_end())
            .replace("{{tabs}}", &tabs)
    })
}

/// A text in HTML.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The page of this bundle at `/`, and its assets.
pub fn routes(bundle: &Bundle) -> Router {
    bundle::routes(bundle, "/", POLICY)
}

/// The page of the application that is served at `/`, and its assets.
pub(super) fn routes_of(api: Api) -> Router {
    bundle::routes_of(move || api.serving().page().clone(), "/", POLICY)
}

/// The page in place of a response of the API.
pub fn respond_in_place_of_api(bundle: &Bundle, request: &HeaderMap) -> Response {
    let mut response = bundle::page(bundle, POLICY, request);
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}
