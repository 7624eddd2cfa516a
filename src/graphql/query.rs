//! The entry points for reading.

use ::entity::book_rating;
use async_graphql::{Context, ID, Object};
use keyset::{Args, Order};
use sea_orm::EntityTrait;

use super::connection::{Connection, connection};
use super::error::Result;
use super::node::{self, Node};
use super::rating::Rating;

pub struct Query;

/// The entry points for reading.
#[Object]
impl Query {
    /// The ratings, in the order in which they were given.
    async fn ratings(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "At most this many, from the front: 0 to 100; 20 where neither end is named.")] first: Option<
            i32,
        >,
        #[graphql(desc = "Only those beyond this cursor.")] after: Option<String>,
        #[graphql(desc = "At most this many, from the back: 0 to 100. Not together with `first`.")] last: Option<i32>,
        #[graphql(desc = "Only those short of this cursor.")] before: Option<String>,
    ) -> Result<Connection<Rating>> {
        let args = Args { first: first.map(i64::from), after, last: last.map(i64::from), before };
        let order = Order::of::<book_rating::Entity>([])?;
        connection(context, book_rating::Entity::find(), order, args).await
    }

    /// The object with this global id; null where there is none.
    async fn node(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the field `id` of an object says.")] id: ID,
    ) -> Option<Result<Node>> {
        node::find(context, &id).await.transpose()
    }
}
