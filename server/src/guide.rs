//! The description of the schema: a guide for those who open its documentation. The library has a text of its own in its place.

use std::fmt;
use std::sync::Arc;

use async_graphql::futures_util::StreamExt;
use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{Data, Executor, Request, Response, Value};

/// What the library says in its place.
const BOILERPLATE: &str = "A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and \
    directives on the server, as well as the entry points for query, mutation, and subscription operations.";

/// The text of a schema, with its description.
pub fn describe(guide: &str, sdl: &str) -> String {
    sdl.replacen("\nschema {", &format!("\n\"\"\"\n{guide}\n\"\"\"\nschema {{"), 1)
}

/// A schema whose introspection has the description.
#[derive(Clone)]
pub struct Guided<E> {
    /// The description.
    pub guide: Arc<str>,
    /// The schema.
    pub schema: E,
}

impl<E: Executor> Executor for Guided<E> {
    async fn execute(&self, request: Request) -> Response {
        guided(&self.guide, self.schema.execute(request).await)
    }

    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let guide = Arc::clone(&self.guide);
        self.schema.execute_stream(request, data).map(move |response| guided(&guide, response)).boxed()
    }
}

impl<E> fmt::Debug for Guided<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guided").finish_non_exhaustive()
    }
}

/// Under whatever names `__schema { description }` was selected.
fn guided(guide: &str, mut response: Response) -> Response {
    if let Value::Object(data) = &mut response.data {
        let objects = data.values_mut().filter_map(|field| if let Value::Object(it) = field { Some(it) } else { None });
        for text in objects.flat_map(|object| object.values_mut()) {
            if matches!(text, Value::String(text) if text == BOILERPLATE) {
                *text = Value::String(guide.to_owned());
            }
        }
    }
    response
}
