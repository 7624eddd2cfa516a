//! The schema of an application for async-graphql, whatever its root types are.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use async_graphql::futures_util::future::BoxFuture;
use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{
    Data, EmptyMutation, EmptySubscription, Executor, MergedObject, MergedSubscription, ObjectType, Request, Response,
    SDLExportOptions, Schema, SubscriptionType, ValidationMode,
};
use bookends_graphql::{Declaration, DeclaredMutation, DeclaredQuery, DeclaredSubscription, RowEvents, RowWriter};
use futures_util::FutureExt;

use crate::app::OwnCode;
use crate::db::Db;
use crate::error_code::ErrorCode;
use crate::events::Events;

/// Builds a schema with these data for its resolvers.
pub type Build = fn(&Arc<Declaration>, Option<Resolving>) -> AnySchema;

/// What resolvers use.
pub struct Resolving {
    pub db: Db,
    pub events: Events,
    pub rows: Arc<dyn RowWriter>,
}

/// A schema that executes what is not planned: mutations, subscriptions, resolvers and introspection. Cheap to clone.
#[derive(Clone)]
pub struct AnySchema(Arc<dyn Execute>);

trait Execute: Send + Sync {
    fn execute(&self, request: Request) -> BoxFuture<'_, Response>;
    fn stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response>;
    fn sdl(&self) -> String;
}

impl<Q, M, S> Execute for Schema<Q, M, S>
where
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
{
    fn execute(&self, request: Request) -> BoxFuture<'_, Response> {
        Self::execute(self, request).boxed()
    }

    fn stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        Executor::execute_stream(self, request, data)
    }

    fn sdl(&self) -> String {
        let options = SDLExportOptions::new()
            .sorted_fields()
            .sorted_arguments()
            .sorted_enum_items()
            .prefer_single_line_descriptions()
            .include_specified_by();
        self.sdl_with_options(options)
    }
}

thread_local! {
    /// The codes of the application whose schema is built: the types of async-graphql have no values to keep them in.
    static OWN_CODES: RefCell<Vec<OwnCode>> = const { RefCell::new(Vec::new()) };
}

/// Builds a schema whose `ErrorCode` has these codes, too.
pub fn with_codes(codes: &[OwnCode], build: impl FnOnce() -> AnySchema) -> AnySchema {
    OWN_CODES.set(codes.to_vec());
    let schema = build();
    OWN_CODES.take();
    schema
}

/// The codes of the application whose schema this thread builds.
pub fn own_codes() -> Vec<OwnCode> {
    OWN_CODES.with_borrow(Vec::clone)
}

/// Builds a schema of these root types.
pub fn build<Q, M, S>(declaration: &Arc<Declaration>, data: Option<Resolving>) -> AnySchema
where
    Q: ObjectType + Default + 'static,
    M: ObjectType + Default + 'static,
    S: SubscriptionType + Default + 'static,
{
    let schema = declaration.schema(Q::default(), M::default(), S::default()).register_output_type::<ErrorCode>();
    let schema = match data {
        Some(Resolving { db, events, rows }) => {
            let listens: Arc<dyn RowEvents> = Arc::new(events.clone());
            schema.data(db).data(events).data(listens).data(rows)
        }
        None => schema,
    };
    // The documents that it executes are valid.
    AnySchema(Arc::new(schema.validation_mode(ValidationMode::Fast).finish()))
}

/// The root of all queries.
#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

/// The root of all mutations. Each field is one transaction. If it fails, it is null. If its input is invalid, it returns one
/// error for each invalid field, and `extensions.field` names the field.
#[derive(Default, MergedObject)]
struct Mutation(DeclaredMutation);

/// The root of all subscriptions. The server sends events over a WebSocket at `/graphql` (protocol `graphql-transport-ws`),
/// or as an event stream (`Accept: text/event-stream`).
///
/// Each change is sent once, in the order of the commits, whichever server wrote it. After an outage of the database, the server
/// sends the missed objects in the order of their creation. If a subscription loses events, its client reads too slowly, or the schema
/// changes, it ends with the error `SUBSCRIPTION_LAGGED`. Then subscribe again first, and fetch the list after that.
#[derive(Default, MergedSubscription)]
struct Subscription(DeclaredSubscription);

/// Builds a schema of what is declared alone.
pub fn build_declared(declaration: &Arc<Declaration>, data: Option<Resolving>) -> AnySchema {
    let [_, writes, events] = declaration.root_fields().map(|fields| !fields.is_empty());
    match (writes, events) {
        (true, true) => build::<Query, Mutation, Subscription>(declaration, data),
        (true, false) => build::<Query, Mutation, EmptySubscription>(declaration, data),
        (false, true) => build::<Query, EmptyMutation, Subscription>(declaration, data),
        (false, false) => build::<Query, EmptyMutation, EmptySubscription>(declaration, data),
    }
}

impl AnySchema {
    /// The schema as text, without a description of its own, which the parser of the library does not accept.
    pub fn definitions(&self) -> String {
        self.0.sdl()
    }
}

impl Executor for AnySchema {
    async fn execute(&self, request: Request) -> Response {
        self.0.execute(request).await
    }

    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.0.stream(request, data)
    }
}

impl fmt::Debug for AnySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnySchema").finish_non_exhaustive()
    }
}
