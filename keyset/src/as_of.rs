//! Filters that keep a walk through pages stable while rows are inserted.

use std::ops::Range;

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait};
use uuid::Uuid;

use crate::Column;

/// A filter for the rows whose UUIDv7 key was generated at an instant or before, to the millisecond. Pages that are
/// read with this filter do not shift when rows are inserted.
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
/// The filter is not a snapshot:
///
/// - A row that is deleted disappears, and a row that is changed can move.
/// - A row whose key was generated before the instant and committed after it appears late.
/// - The instant is compared with the clocks that generated the keys. Choose an instant that lies in the past by as
///   much as those clocks differ.
///
/// Under an order by the key the filter bounds the index scan. Under another order, newer rows are read and discarded.
///
/// An instant before 1970 selects no row.
pub fn as_of(key: impl Into<Column>, instant: DateTime<Utc>) -> Expr {
    let key = key.into().expr();
    match first_of(instant.timestamp_millis() + 1) {
        Some(next) => key.lt(next),
        None => key.is_not_null(),
    }
}

/// A filter for the rows whose UUIDv7 key was generated at an instant or after, to the millisecond. See [`as_of`].
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
pub fn since(key: impl Into<Column>, instant: DateTime<Utc>) -> Expr {
    let key = key.into().expr();
    match first_of(whole_millis(instant)) {
        Some(first) => key.gte(first),
        None => key.is_null(),
    }
}

/// The UUIDv7 keys that were generated at an instant: none, unless it is a whole millisecond. For [`KeyRanges`](crate::KeyRanges).
pub fn created_at(instant: DateTime<Utc>) -> Range<Uuid> {
    let first = |millis| first_of(millis).unwrap_or(Uuid::max());
    first(whole_millis(instant))..first(instant.timestamp_millis() + 1)
}

/// The instant at which a UUIDv7 was generated, to the millisecond; `None` beyond the years that can be represented.
pub fn generated_at(key: Uuid) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(i64::try_from(key.as_u128() >> 80).ok()?)
}

/// The first millisecond that is not before an instant.
fn whole_millis(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_millis() + i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000_000))
}

/// The smallest UUID of a millisecond, in any version. Before 1970 it is the smallest UUID; after the year 10889 there
/// is none.
fn first_of(millis: i64) -> Option<Uuid> {
    let millis = u128::try_from(millis).unwrap_or(0);
    (millis >> 48 == 0).then(|| Uuid::from_u128(millis << 80))
}
