//! Subscriptions: what happens to objects.

use std::sync::Arc;

use async_graphql::context::QueryEnv;
use async_graphql::futures_util::future::ready;
use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Context, SchemaEnv};
use bookends_graphql::{Chooses, ContextExt, Declaration, EventRow, Model, Reader, RowEvents, RowObject, WriteKind};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use keyset::Models;

use crate::db::Failure;
use crate::events::{Events, Heard, Lagged, SubscribeError};
use crate::request::{Code, Error, RequestContext, Result, database};

/// The rows of the declared events of this name, from now on, for a subscription that an application writes: of created and changed
/// objects. The budget of the client pays for each.
///
/// # Errors
///
/// [`Code::SubscriptionsDisabled`], [`Code::ReadOnly`] and [`Code::Unavailable`] if the database cannot be listened to; `INTERNAL`
/// if no such event is declared, or if it tells of deleted objects, which have no row. [`Code::SubscriptionLagged`] ends the stream.
pub async fn rows<T: RowObject>(
    context: &Context<'_>,
    event: &str,
    is_wanted: impl Fn(&Model<T>) -> bool + Send + 'static,
) -> Result<BoxStream<'static, Result<Model<T>>>> {
    if context.data_unchecked::<Events>().of(event).is_some_and(|(kind, _)| kind == WriteKind::Delete) {
        return Err(Error::internal(&SubscribeError::NoRows(event.to_owned())));
    }
    let model = |row: &EventRow| Models::<T::Entity>::of_values(row.iter().cloned());
    let chooses = move |row: &EventRow| model(row).is_ok_and(|row| is_wanted(&row));
    let rows = subscribe(context, event, Box::new(chooses)).await?;
    Ok(rows.map(move |row| model(&row?).map_err(database)).boxed())
}

async fn subscribe(
    context: &Context<'_>,
    event: &str,
    chooses: Chooses,
) -> Result<BoxStream<'static, Result<EventRow>>> {
    let events: &Events = context.data_unchecked();
    let role = context.data_opt().and_then(|context: &RequestContext| context.role.as_ref());
    if role.is_some() && events.of(event).is_some_and(|(kind, _)| kind == WriteKind::Delete) {
        // Its rows are gone: the database cannot say any more who may see them.
        let message = "with DATABASE_ROLE_CLAIM, nobody can subscribe to deletions";
        return Err(Error::client(Code::Forbidden, message));
    }
    let rows = events.rows(event).await.map_err(silent)?;
    let views = events.of(event).and_then(|of| Views::of(of, event, role.map(|_| events), context));
    let pace = context.data_opt().map(|context: &RequestContext| context.pace.clone()).unwrap_or_default();
    let is_chosen = {
        let kind = views.as_ref().map(|views| views.kind);
        move |Heard { row, before }: &Heard| match (kind, before) {
            // A row that came into view is where it is now, and one that went out of view is where it was.
            (Some(WriteKind::Create), Some(_)) => chooses(row),
            (Some(WriteKind::Delete), Some(before)) => chooses(before),
            (_, before) => chooses(row) || before.as_ref().is_some_and(&chooses),
        }
    };
    let chosen = rows.filter(move |heard| ready(heard.as_ref().map_or(true, &is_chosen)));
    let views = views.map(Arc::new);
    let shown = chosen.filter_map(move |heard| {
        let views = views.clone();
        async move {
            let lagged = |lagged: Lagged| Error::client(Code::SubscriptionLagged, lagged.to_string());
            match (heard, views) {
                (Ok(heard), Some(views)) => views.show(heard).await.transpose(),
                (heard, _) => Some(heard.map(|heard| heard.row).map_err(lagged)),
            }
        }
    });
    let paid = shown.then(move |row| {
        let pace = pace.clone();
        async move {
            let row = row?;
            pace.pay().await;
            Ok(row)
        }
    });
    Ok(paid.boxed())
}

/// What a subscriber may hear of objects that have a rule, or whose table has.
struct Views {
    declaration: Arc<Declaration>,
    kind: WriteKind,
    object: String,
    event: String,
    /// Where the database says what the role of the subscriber sees.
    of_role: Option<Events>,
    reader: Reader,
    data: (QueryEnv, SchemaEnv),
}

impl Views {
    fn of(
        (kind, object): (WriteKind, &str),
        event: &str,
        of_role: Option<&Events>,
        context: &Context<'_>,
    ) -> Option<Self> {
        if of_role.is_none() && !context.declaration().has_rule(object) {
            return None;
        }
        Some(Self {
            declaration: Arc::clone(context.declaration()),
            kind,
            object: object.to_owned(),
            event: event.to_owned(),
            of_role: of_role.cloned(),
            reader: context.reader().clone(),
            data: (context.query_env.clone(), context.schema_env.clone()),
        })
    }

    /// The row of an event, if it shows.
    async fn show(&self, Heard { row, before }: Heard) -> Result<Option<EventRow>> {
        let Self { declaration, kind, object, event, of_role, reader, data } = self;
        let of_object = (*kind, object.as_str());
        if !declaration.tells(of_object, &row, before.as_ref(), reader, data).await.map_err(database)? {
            return Ok(None);
        }
        let Some(events) = of_role else { return Ok(Some(row)) };
        // The database says what the role sees: nothing, or the row as it is now.
        let Some(seen) = events.seen(event, &row, reader).await.map_err(database)? else { return Ok(None) };
        if seen == row {
            return Ok(Some(row));
        }
        let shows = declaration.tells(of_object, &seen, before.as_ref(), reader, data).await.map_err(database)?;
        Ok(Some(seen).filter(|_| shows))
    }
}

impl RowEvents for Events {
    fn subscribe<'a>(
        &'a self,
        context: &'a Context<'_>,
        event: &'a str,
        chooses: Chooses,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<EventRow>>>> {
        subscribe(context, event, chooses).boxed()
    }
}

/// The error of a database that is not listened to.
fn silent(error: SubscribeError) -> Error {
    match error {
        SubscribeError::Unknown(_) | SubscribeError::NoRows(_) => Error::internal(&error),
        SubscribeError::NoListener => Error::client(Code::SubscriptionsDisabled, error.to_string()),
        SubscribeError::Database(cause) if Failure::of(&cause) == Failure::ReadOnly => Error::client(
            Code::ReadOnly,
            "the database of this server is read-only, and sends no events: subscribe to a server that can write",
        ),
        SubscribeError::Database(cause) => database(cause),
    }
}
