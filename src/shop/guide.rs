//! The description of the schema: a guide for those who open its documentation. The library has a text of its own in its place.

use std::fmt;
use std::sync::Arc;

use async_graphql::futures_util::StreamExt;
use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{Data, Executor, Request, Response, Value};

/// What the schema is for, and how to begin.
pub const GUIDE: &str = "\
The API of a book shop: books, their ratings and their orders.

- **Lists** are Relay connections: `books`, `ratings`, `orders`, and the lists of each book. Page forward with `first` and \
`after`, or backward with `last` and `before`. Without `where`, `asOf` and `search`, a page costs the same at any depth. \
`hasPreviousPage` and `hasNextPage` are exact.
- **Sort and filter** a list: `orderBy: { field: RATING, direction: DESC }`, `where: { rating: { gte: 4 } }`. A cursor is \
valid only in the sort order that it was created for.
- **Search and jump**: `search` finds books by their titles. `around` returns the page with a given object. `offset` returns \
a page by its position.
- **Counts** are computed only if selected. `totalCount` is exact, `approximateCount` is bounded.
- **Objects** have global ids: `node(id:)` returns the object with an id.
- **Mutations** require the write token: `Authorization: Bearer …`. A mutation that adds an object returns the new edge, and \
the cursor of the edge before it.
- **Subscriptions**: `ratingAdded` and `orderPlaced` send new edges over a WebSocket (`graphql-transport-ws`) or as an event \
stream (`Accept: text/event-stream`).
- **Errors** have a code in `extensions.code`. `ErrorCode` lists all codes.";

/// What the library says in its place.
const BOILERPLATE: &str = "A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and \
    directives on the server, as well as the entry points for query, mutation, and subscription operations.";

/// The text of a schema, with its description.
pub fn describe(sdl: &str) -> String {
    sdl.replacen("\nschema {", &format!("\n\"\"\"\n{GUIDE}\n\"\"\"\nschema {{"), 1)
}

/// A schema whose introspection has the description.
#[derive(Clone)]
pub struct Guided<E>(pub E);

impl<E: Executor> Executor for Guided<E> {
    async fn execute(&self, request: Request) -> Response {
        guided(self.0.execute(request).await)
    }

    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.0.execute_stream(request, data).map(guided).boxed()
    }
}

impl<E> fmt::Debug for Guided<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guided").finish_non_exhaustive()
    }
}

/// Under whatever names `__schema { description }` was selected.
fn guided(mut response: Response) -> Response {
    if let Value::Object(data) = &mut response.data {
        let objects = data.values_mut().filter_map(|field| if let Value::Object(it) = field { Some(it) } else { None });
        for text in objects.flat_map(|object| object.values_mut()) {
            if matches!(text, Value::String(text) if text == BOILERPLATE) {
                *text = Value::String(GUIDE.to_owned());
            }
        }
    }
    response
}
