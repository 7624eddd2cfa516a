//! Events that were missed while the listening connection was lost.
//!
//! Where keys are UUIDv7, the rows since an instant are a range of the primary key's index. A key is made before its commit,
//! by the clock of one server; [`MARGIN`] covers the difference. Three kinds of rows are not found: of a server
//! whose clock is further behind, of a transaction that took longer, and rows that were deleted before the reconnect.
//! New rows with other keys, changes and deletions leave no trace: an outage ends the subscriptions to them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use keyset::{ColumnSet, ReadRows, RowLayout, TableRows, find_rows};
use sea_orm::sea_query::{ExprTrait, Order, SelectStatement};
use sea_orm::{DbErr, Value};

use super::Announcement;
use super::event::{Event, EventType};
use super::recent::{MAX_RECENT, Recent};
use crate::db::Reads;

/// How far to look for missed events before the time at which the listening connection last worked. It covers the
/// difference between the clocks of two servers, and the time of a transaction.
pub const MARGIN: Duration = Duration::from_secs(10);

/// The maximum number of missed events that are sent: a burst that fits into the ring.
const MAX_MISSED: usize = 1000;

/// The newest ids that were added since an instant, before the subscription: they are not sent.
pub async fn known(db: &Reads, types: &[EventType], since: DateTime<Utc>) -> Result<Recent, DbErr> {
    let mut known = Recent::default();
    for of in types {
        let Some(key) = of.found_by() else { continue };
        let newest = |rows: &mut SelectStatement| {
            rows.order_by_expr(key.expr(), Order::Desc).limit(MAX_RECENT as u64);
        };
        for event in find(db, of, since, newest).await? {
            known.is_new(&event);
        }
    }
    Ok(known)
}

/// What was announced since an instant, and not sent: the kinds of events that cannot be found, then events in the order of their
/// keys. `None` if there are too many.
pub async fn missed(
    db: &Reads,
    types: &[EventType],
    since: DateTime<Utc>,
    sent: &Recent,
) -> Result<Option<Vec<Announcement>>, DbErr> {
    let (mut lost, mut missed) = (Vec::new(), Vec::new());
    for of in types {
        let Some(key) = of.found_by() else {
            lost.push(Announcement::Lost(of.number));
            continue;
        };
        // One row more than can have been sent and missed together.
        let oldest = |rows: &mut SelectStatement| {
            rows.order_by_expr(key.expr(), Order::Asc).limit((MAX_RECENT + MAX_MISSED) as u64 + 1);
            if let Some(horizon) = sent.horizon() {
                rows.and_where(key.expr().gte(horizon));
            }
        };
        let found = find(db, of, since, oldest).await?;
        // Keys of another version do not tell when a row was created.
        if found.iter().all(|event| event.key.is_some()) {
            missed.extend(found);
        } else {
            lost.push(Announcement::Lost(of.number));
        }
    }
    missed.retain(|event| !sent.contains(event));
    missed.sort_unstable_by_key(|event| event.key);
    let is_enough = missed.len() <= MAX_MISSED;
    lost.extend(missed.into_iter().map(Announcement::Event));
    Ok(is_enough.then_some(lost))
}

/// The event of the row with this key, if there is one.
pub async fn of_key(db: &impl ReadRows, of: &EventType, key: &[Value]) -> Result<Option<Event>, DbErr> {
    Ok(row_of_key(db, of, key).await?.map(|row| of.event(row)))
}

/// The values of the row with this key, if there is one.
pub async fn row_of_key(db: &impl ReadRows, of: &EventType, key: &[Value]) -> Result<Option<Vec<Value>>, DbErr> {
    let mut rows = of.table.rows();
    of.table.select(&mut rows, ColumnSet::ALL);
    Ok(values(db, of, &rows.with(of.table.key(), key)).await?.pop())
}

/// The events of rows that were added since an instant.
async fn find(
    db: &Reads,
    of: &EventType,
    since: DateTime<Utc>,
    restrict: impl FnOnce(&mut SelectStatement),
) -> Result<Vec<Event>, DbErr> {
    let Some(key) = of.found_by() else { return Ok(Vec::new()) };
    let mut rows = of.table.rows();
    of.table.select(&mut rows, ColumnSet::ALL);
    rows.0.and_where(keyset::since(key.clone(), since));
    restrict(&mut rows.0);
    Ok(values(db, of, &rows).await?.into_iter().map(|row| of.event(row)).collect())
}

/// The values of these rows.
async fn values(db: &impl ReadRows, of: &EventType, rows: &TableRows) -> Result<Vec<Vec<Value>>, DbErr> {
    let layout = RowLayout::of(&of.table);
    let mut reader = layout.reader_of(ColumnSet::ALL);
    let mut found = Vec::new();
    for record in &find_rows(db, rows, &[]).await? {
        let Some(row) = reader.row(record)? else { continue };
        let columns = of.table.columns().iter();
        found.push(columns.map(|column| row.value(column.number(), column.kind())).collect::<Result<_, _>>()?);
    }
    Ok(found)
}
