//! What was added while nobody listened.
//!
//! Keys are UUIDv7, so the rows since an instant are a stretch of the primary key's index. Two things are not in their
//! order: the key is made before the commit, and by the clock of the server that makes it. That is what
//! [`super::MARGIN`] is for, and its limit: in an outage, a row is missed whose server's clock is behind by more, or
//! whose transaction took longer; and one that was deleted before the outage ended.

use ::entity::{book_order, book_rating};
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use super::recent::Recent;
use super::{Event, MOST_MISSED, RECENT};

/// The ids of what has been added since an instant and is therefore no news: the newest of them.
pub async fn known(db: &DatabaseConnection, since: DateTime<Utc>) -> Result<Recent, DbErr> {
    let mut known = Recent::default();
    for id in newest(db, book_rating::Entity::find(), book_rating::Column::Id, since).await? {
        known.insert(id);
    }
    for id in newest(db, book_order::Entity::find(), book_order::Column::Id, since).await? {
        known.insert(id);
    }
    Ok(known)
}

/// What has been added since an instant and has not been sent, in the order of the keys; none where it is too much.
pub async fn missed(db: &DatabaseConnection, since: DateTime<Utc>, sent: &Recent) -> Result<Option<Vec<Event>>, DbErr> {
    let ratings = oldest(db, book_rating::Entity::find(), book_rating::Column::Id, since, sent).await?;
    let orders = oldest(db, book_order::Entity::find(), book_order::Column::Id, since, sent).await?;
    let events = ratings.into_iter().map(Event::RatingAdded).chain(orders.into_iter().map(Event::OrderPlaced));
    let mut missed: Vec<Event> = events.filter(|event| !sent.contains(event.id())).collect();
    missed.sort_unstable_by_key(Event::id);
    Ok((missed.len() <= MOST_MISSED).then_some(missed))
}

async fn newest<E: EntityTrait>(
    db: &DatabaseConnection,
    rows: Select<E>,
    key: E::Column,
    since: DateTime<Utc>,
) -> Result<Vec<Uuid>, DbErr> {
    let newest = rows.filter(keyset::since(key, since)).order_by_desc(key).limit(RECENT as u64);
    newest.select_only().column(key).into_tuple().all(db).await
}

/// One more than can have been sent and missed together.
async fn oldest<E: EntityTrait>(
    db: &DatabaseConnection,
    rows: Select<E>,
    key: E::Column,
    since: DateTime<Utc>,
    sent: &Recent,
) -> Result<Vec<E::Model>, DbErr> {
    let mut oldest = rows.filter(keyset::since(key, since)).order_by_asc(key).limit((RECENT + MOST_MISSED) as u64 + 1);
    if let Some(horizon) = sent.horizon() {
        oldest = oldest.filter(key.gte(horizon));
    }
    oldest.all(db).await
}
