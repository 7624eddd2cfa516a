//! Walks that do not shift under inserts.

use chrono::{DateTime, Utc};
use sea_orm::ColumnTrait;
use sea_orm::sea_query::Expr;
use uuid::Uuid;

/// The rows whose UUIDv7 key was made at an instant or before, to the millisecond: a filter for the query of a walk, so
/// that the reader's pages do not shift under inserts.
///
/// ```
/// # use sea_orm::entity::prelude::*;
/// # mod event {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "event")]
/// #     pub struct Model { #[sea_orm(primary_key, auto_increment = false)] pub id: Uuid, pub size: i32 }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// let began = chrono::Utc::now();
/// let events = event::Entity::find().filter(keyset::as_of(event::Column::Id, began));
/// ```
///
/// What it cannot do: a row that is deleted or changed leaves the walk, or moves in it; a row whose key was made before
/// the instant and committed after it still appears; and the instant is compared with the clocks of those who made the
/// keys, so let a walk begin as far in the past as those clocks differ. Under an order by the key the filter bounds the
/// index scan; under another one, newer rows are read and thrown away.
///
/// Before 1970 there is no row.
pub fn as_of(key: impl ColumnTrait, instant: DateTime<Utc>) -> Expr {
    match first_of(instant.timestamp_millis() + 1) {
        Some(next) => key.lt(next),
        None => key.is_not_null(),
    }
}

/// The rows whose UUIDv7 key was made at an instant or after, to the millisecond: the other half of [`as_of`].
///
/// ```
/// # use sea_orm::entity::prelude::*;
/// # mod event {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "event")]
/// #     pub struct Model { #[sea_orm(primary_key, auto_increment = false)] pub id: Uuid, pub size: i32 }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// let yesterday = chrono::Utc::now() - chrono::TimeDelta::days(1);
/// let events = event::Entity::find().filter(keyset::since(event::Column::Id, yesterday));
/// ```
pub fn since(key: impl ColumnTrait, instant: DateTime<Utc>) -> Expr {
    let whole = i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000_000));
    match first_of(instant.timestamp_millis() + whole) {
        Some(first) => key.gte(first),
        None => key.is_null(),
    }
}

/// The smallest UUID of a millisecond, of whatever version: before 1970 it is the smallest of all, and beyond the year
/// 10889 there is none.
fn first_of(millis: i64) -> Option<Uuid> {
    let millis = u128::try_from(millis).unwrap_or(0);
    (millis >> 48 == 0).then(|| Uuid::from_u128(millis << 80))
}
