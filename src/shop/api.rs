//! The API of the shop: a request in, a response out.

use std::sync::Arc;

use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response};

use super::{Schema, check_schema, sdl};
use crate::config::Limits;
use crate::db::Db;
use crate::events::Events;
use crate::request::{self, Incoming, RequestContext, Trusted};

/// The schema over a database, ready to execute. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    schema: request::CheckedSchema<Schema>,
    db: Db,
    events: Events,
}

impl Api {
    /// The API over a database, within these limits.
    pub fn new(db: Db, limits: Limits) -> Self {
        Self::with(db, limits, Trusted::default())
    }

    /// The same, with trusted documents.
    pub fn with(db: Db, limits: Limits, trusted: Trusted) -> Self {
        let events = Events::new(&db);
        Self { schema: check_schema(&db, &events, limits, trusted), db, events }
    }

    /// The events of the database, for writers and subscribers.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The schema as text, if clients may read it.
    pub fn sdl(&self) -> Option<String> {
        self.schema.may_introspect().then(sdl)
    }

    /// The same, whose [`Executor`] executes requests in this context.
    #[must_use]
    pub fn within(self, context: RequestContext) -> Self {
        Self { schema: self.schema.within(context), ..self }
    }

    /// Executes a query or a mutation.
    pub fn execute(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        self.schema.execute(incoming)
    }

    /// Executes a query, and refuses a mutation.
    pub fn query(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        self.schema.query(incoming)
    }

    /// The responses to an operation, which can be of any kind.
    pub fn stream(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.schema.stream(incoming)
    }

    /// The responses to a request that asked for an event stream by GET. A mutation is refused.
    pub fn stream_by_get(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.schema.stream_by_get(incoming)
    }
}

impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Executor::execute(&self.schema, request).await
    }

    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        self.schema.execute_batch(batch).await
    }

    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.schema.execute_stream(request, data)
    }
}
