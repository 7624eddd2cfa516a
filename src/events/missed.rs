//! Events that were missed while the listening connection was lost.
//!
//! Keys are UUIDv7, so the rows since an instant are a range of the primary key's index. A key is made before its commit,
//! by the clock of one server; [`MARGIN`] covers the difference. Three kinds of rows are not found: of a server
//! whose clock is further behind, of a transaction that took longer, and rows that were deleted before the reconnect.

use std::time::Duration;

use ::entity::{book_order, book_rating};
use chrono::{DateTime, Utc};
use keyset::{Modelled, find_models};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::event::Event;
use super::recent::{MAX_RECENT, Recent};
use crate::db::Reads;

/// How far to look for missed events before the time at which the listening connection last worked. It covers the
/// difference between the clocks of two servers, and the time of a transaction.
pub const MARGIN: Duration = Duration::from_secs(10);

/// The maximum number of missed events that are sent: a burst that fits into the ring.
const MAX_MISSED: usize = 1000;

/// The newest ids that were added since an instant, before the subscription: they are not sent.
pub async fn known(db: &Reads, since: DateTime<Utc>) -> Result<Recent, DbErr> {
    let mut known = Recent::default();
    for rating in newest(db, book_rating::Entity::find(), book_rating::Column::Id, since).await? {
        known.insert(rating.id);
    }
    for order in newest(db, book_order::Entity::find(), book_order::Column::Id, since).await? {
        known.insert(order.id);
    }
    Ok(known)
}

/// The events since an instant that were not sent, in the order of their keys; `None` if there are too many.
pub async fn missed(db: &Reads, since: DateTime<Utc>, sent: &Recent) -> Result<Option<Vec<Event>>, DbErr> {
    let ratings = oldest(db, book_rating::Entity::find(), book_rating::Column::Id, since, sent).await?;
    let orders = oldest(db, book_order::Entity::find(), book_order::Column::Id, since, sent).await?;
    let events = ratings.into_iter().map(Event::RatingAdded).chain(orders.into_iter().map(Event::OrderPlaced));
    let mut missed: Vec<Event> = events.filter(|event| !sent.contains(event.id())).collect();
    missed.sort_unstable_by_key(Event::id);
    Ok((missed.len() <= MAX_MISSED).then_some(missed))
}

async fn newest<E: Modelled>(
    db: &Reads,
    rows: Select<E>,
    key: E::Column,
    since: DateTime<Utc>,
) -> Result<Vec<E::Model>, DbErr> {
    find_models(db, &rows.filter(keyset::since(key, since)).order_by_desc(key).limit(MAX_RECENT as u64)).await
}

/// One row more than can have been sent and missed together.
async fn oldest<E: Modelled>(
    db: &Reads,
    rows: Select<E>,
    key: E::Column,
    since: DateTime<Utc>,
    sent: &Recent,
) -> Result<Vec<E::Model>, DbErr> {
    let mut oldest =
        rows.filter(keyset::since(key, since)).order_by_asc(key).limit((MAX_RECENT + MAX_MISSED) as u64 + 1);
    if let Some(horizon) = sent.horizon() {
        oldest = oldest.filter(key.gte(horizon));
    }
    find_models(db, &oldest).await
}
