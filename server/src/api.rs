//! The API of an application: a request in, a response out.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};

use crate::app::Application;
use crate::config::Limits;
use crate::db::Db;
use crate::events::Events;
use crate::request::{Incoming, RequestContext, Trusted, no_batches};

mod serving;

pub(crate) use serving::Serving;

/// The schema of an application over a database, ready to execute. Another application can [take its place](Self::replace). Cheap to
/// clone.
#[derive(Clone)]
pub struct Api {
    slot: Arc<Slot>,
    db: Db,
    /// The context of requests that come without one.
    context: RequestContext,
}

/// Where the application is that is served.
struct Slot {
    current: RwLock<Arc<Serving>>,
    limits: Limits,
    /// Held while an application is replaced.
    replacing: Mutex<()>,
}

impl Api {
    pub(crate) fn new(application: Application, db: Db, limits: Limits, trusted: Trusted) -> Self {
        let serving = Serving::new(application, &db, limits, trusted, None);
        let slot = Slot { current: RwLock::new(Arc::new(serving)), limits, replacing: Mutex::new(()) };
        Self { slot: Arc::new(slot), db, context: RequestContext::default() }
    }

    /// Serves another application over the same database from now on, with these trusted documents: to new requests, and to new
    /// operations on WebSockets that are open. Requests that run are answered by the last application. Its subscriptions end with
    /// the error `SUBSCRIPTION_LAGGED`.
    ///
    /// What belongs to the program remains that of the first application: its name, its migrations, its routes and its commands.
    /// WebSockets that are open keep their viewers, so the viewers of both applications have one type.
    ///
    /// This takes as long as [`App::check`](crate::App::check), and is not for a thread that executes requests.
    pub fn replace(&self, application: Application, trusted: Trusted) {
        let _replacing = self.slot.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.serving();
        let next = Arc::new(Serving::new(application, &self.db, self.slot.limits, trusted, Some(&last)));
        // Before anyone subscribes to the next one: it hears of writes that the last one has begun.
        last.events.continue_as(&next.events);
        *self.slot.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        last.end();
    }

    /// The application that is served now, for one request.
    pub(crate) fn serving(&self) -> Arc<Serving> {
        Arc::clone(&self.slot.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The application.
    pub fn application(&self) -> Application {
        self.serving().application.clone()
    }

    /// The events of the database, for writers and subscribers.
    pub fn events(&self) -> Events {
        self.serving().events.clone()
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The schema as text, if clients may read it.
    pub fn sdl(&self) -> Option<String> {
        let serving = self.serving();
        serving.schema.may_introspect().then(|| serving.application.sdl())
    }

    /// The same, whose [`Executor`] executes requests in this context.
    #[must_use]
    pub fn within(self, context: RequestContext) -> Self {
        Self { context, ..self }
    }

    /// A request that came without a context, with these data.
    fn incoming(&self, request: Request, data: Option<Arc<Data>>) -> Incoming {
        Incoming::from(request).within(RequestContext { data, ..self.context.clone() })
    }

    /// Counts a request that was refused because of its token, which may have been guessed.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`](crate::request::Code::RateLimited) if its client has sent too many.
    pub(crate) fn count_invalid_token(&self, client: Option<IpAddr>) -> Result<(), ServerError> {
        self.serving().schema.count_invalid_token(client)
    }

    /// Executes a query or a mutation.
    pub fn execute(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        let serving = self.serving();
        async move { serving.execute(incoming).await }
    }

    /// Executes a query, and refuses a mutation.
    pub fn query(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        let serving = self.serving();
        async move { serving.query(incoming).await }
    }

    /// The responses to an operation, which can be of any kind.
    pub fn stream(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.serving().stream(incoming)
    }

    /// The responses to a request that asked for an event stream by GET. A mutation is refused.
    pub fn stream_by_get(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.serving().stream_by_get(incoming)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("application", &self.application().identity()).finish_non_exhaustive()
    }
}

/// Requests come from async-graphql alone: in the context of the API (see [`Api::within`]).
impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, self.incoming(request, None)).await
    }

    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        BatchResponse::Single(match batch {
            BatchRequest::Single(request) => Executor::execute(self, request).await,
            BatchRequest::Batch(_) => Response::from_errors(vec![no_batches()]),
        })
    }

    /// The responses to a subscription, until it ends or is dropped; the one response to any other operation. Resolvers find
    /// the data in their context.
    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.stream(self.incoming(request, data))
    }
}
