//! The entry points for hearing of what is added.

use async_graphql::futures_util::future::ready;
use async_graphql::futures_util::stream::{Stream, StreamExt};
use async_graphql::{Context, ID};
use sea_orm::EntityTrait;

use super::connection::Edge;
use super::error::Result;
use super::node::{NodeId, NodeType};
use super::object::{ByColumns, Listed};
use super::order::Order;
use super::rating::Rating;
use super::sort::Sort;
use crate::events::{Event, Events};

pub struct Subscription;

/// The entry points for hearing of what is added, over a WebSocket at `/graphql` (protocol `graphql-transport-ws`).
///
/// What has been committed is heard once, in the order of the commits, whichever server it was written by; what a
/// server missed while it was cut off from the database, afterwards, in the order of its creation. A subscription that
/// reads too slowly, or that something was lost to, gets an error with the code `SUBSCRIPTION_LAGGED` and ends: list
/// again, then subscribe.
#[async_graphql::Subscription]
impl Subscription {
    /// Each rating that is added from now on, with its place in the list of ratings.
    async fn rating_added(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only ratings of the book with this global id.")] book_id: Option<ID>,
        #[graphql(desc = "The order of the list that the cursors belong to; without it, the oldest first.")]
        order_by: Option<Vec<Sort<<Rating as Listed>::SortField>>>,
    ) -> Result<impl Stream<Item = Result<Edge<'static, Rating>>> + use<>> {
        added(context, book_id, order_by).await
    }

    /// Each order that is placed from now on, with its place in the list of orders.
    async fn order_placed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only orders of the book with this global id.")] book_id: Option<ID>,
        #[graphql(desc = "The order of the list that the cursors belong to; without it, the oldest first.")]
        order_by: Option<Vec<Sort<<Order as Listed>::SortField>>>,
    ) -> Result<impl Stream<Item = Result<Edge<'static, Order>>> + use<>> {
        added(context, book_id, order_by).await
    }
}

/// An object whose additions are events.
trait Added: ByColumns {
    /// The row, where this is what has been added.
    fn row(event: Event) -> Option<<Self::Entity as EntityTrait>::Model>;
}

impl Added for Rating {
    fn row(event: Event) -> Option<<Self::Entity as EntityTrait>::Model> {
        if let Event::RatingAdded(rating) = event { Some(rating) } else { None }
    }
}

impl Added for Order {
    fn row(event: Event) -> Option<<Self::Entity as EntityTrait>::Model> {
        if let Event::OrderPlaced(order) = event { Some(order) } else { None }
    }
}

async fn added<T: Added + 'static>(
    context: &Context<'_>,
    book_id: Option<ID>,
    order_by: Option<Vec<Sort<T::SortField>>>,
) -> Result<impl Stream<Item = Result<Edge<'static, T>>> + use<T>> {
    let order = T::order(&order_by.unwrap_or_default())?;
    let book = book_id.map(|id| NodeId::parse_as(&id, NodeType::Book)).transpose()?.map(|id| id.key);
    let events = context.data_unchecked::<Events>().subscribe().await?.into_stream();
    Ok(events.filter_map(move |event| {
        ready(match event {
            Ok(event) if book.is_some_and(|book| book != event.book_id()) => None,
            Ok(event) => T::row(event).map(|row| Edge::of_row(&order, row)),
            Err(lagged) => Some(Err(lagged.into())),
        })
    }))
}
