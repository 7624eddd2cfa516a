//! The root fields for subscriptions.

use async_graphql::futures_util::future::ready;
use async_graphql::futures_util::stream::{Stream, StreamExt};
use async_graphql::{Context, ID};
use bookends_graphql::{Edge, Model, RowObject, SortBy};

use super::book::Book;
use super::declaration;
use super::key::key_of;
use super::order::BookOrder;
use super::rating::Rating;
use crate::db::Failure;
use crate::events::{Event, Events, Lagged, SubscribeError};
use crate::request::{Code, Error, RequestContext, Result, database};

pub struct Subscription;

/// The root of all subscriptions. The server sends events over a WebSocket at `/graphql` (protocol `graphql-transport-ws`),
/// or as an event stream (`Accept: text/event-stream`).
///
/// Each committed object is sent once, in the order of the commits, whichever server wrote it. After an outage of the
/// database, the server sends the missed objects in the order of their creation. If a subscription loses events, or its client
/// reads too slowly, it ends with the error `SUBSCRIPTION_LAGGED`. Then subscribe again first, and fetch the list after that.
#[async_graphql::Subscription]
impl Subscription {
    /// Each new rating, as an edge of `ratings`.
    async fn rating_added(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Sends only ratings of the book with this global id.")] book_id: Option<ID>,
        #[graphql(desc = "Sets the sort order of the cursors, as in the list. By default, the oldest is first.")]
        order_by: Option<Vec<SortBy<Rating>>>,
    ) -> Result<impl Stream<Item = Result<Edge<Rating>>> + use<>> {
        added(context, book_id, order_by).await
    }

    /// Each new order, as an edge of `orders`.
    async fn order_placed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Sends only orders of the book with this global id.")] book_id: Option<ID>,
        #[graphql(desc = "Sets the sort order of the cursors, as in the list. By default, the oldest is first.")]
        order_by: Option<Vec<SortBy<BookOrder>>>,
    ) -> Result<impl Stream<Item = Result<Edge<BookOrder>>> + use<>> {
        added(context, book_id, order_by).await
    }
}

/// An object whose creation is an event.
trait Added: RowObject {
    /// The row of an event, if it is about such an object.
    fn row(event: Event) -> Option<Model<Self>>;
}

impl Added for Rating {
    fn row(event: Event) -> Option<Model<Self>> {
        if let Event::RatingAdded(rating) = event { Some(rating) } else { None }
    }
}

impl Added for BookOrder {
    fn row(event: Event) -> Option<Model<Self>> {
        if let Event::OrderPlaced(order) = event { Some(order) } else { None }
    }
}

async fn added<T: Added + 'static>(
    context: &Context<'_>,
    book_id: Option<ID>,
    order_by: Option<Vec<SortBy<T>>>,
) -> Result<impl Stream<Item = Result<Edge<T>>> + use<T>> {
    let order = declaration().order(T::NAME, &SortBy::criteria(order_by))?;
    let book = book_id.map(|id| key_of::<Book>(&id)).transpose()?;
    let events = context.data_unchecked::<Events>().subscribe().await.map_err(silent)?.into_stream();
    let pace = context.data_opt().map(|context: &RequestContext| context.pace.clone()).unwrap_or_default();
    let edges = events.filter_map(move |event| {
        ready(match event {
            Ok(event) if book.is_some_and(|book| book != event.book_id()) => None,
            Ok(event) => T::row(event).map(|row| Edge::of_row(&order, row)),
            Err(lagged) => Some(Err(lagging(lagged))),
        })
    });
    Ok(edges.then(move |edge| {
        let pace = pace.clone();
        async move {
            if edge.is_ok() {
                pace.pay().await;
            }
            edge
        }
    }))
}

/// The error of a database that is not listened to.
fn silent(error: SubscribeError) -> Error {
    match error {
        SubscribeError::NoListener => Error::client(Code::SubscriptionsDisabled, error.to_string()),
        SubscribeError::Database(cause) if Failure::of(&cause) == Failure::ReadOnly => Error::client(
            Code::ReadOnly,
            "the database of this server is read-only, and sends no events: subscribe to a server that can write",
        ),
        SubscribeError::Database(cause) => database(cause),
    }
}

fn lagging(lagged: Lagged) -> Error {
    Error::client(Code::SubscriptionLagged, lagged.to_string())
}
