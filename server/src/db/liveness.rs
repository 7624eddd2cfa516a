//! Stale connections: a PostgreSQL server that restarts closes every connection of the pool, and the pool does not
//! notice.
//!
//! Each stale connection fails once when it is used. Pinging a connection before each statement would cost a round trip,
//! a third to three quarters of a read of twelve rows. So a connection is pinged only with a reason: after one failure,
//! every connection that has been idle since before it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, Connection, pool::PoolConnectionMetadata};
use sea_orm::{DbErr, RuntimeErr};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::Failure;
use super::failure::is_outdated_connection;

/// The time that a connection has to answer a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// Which connections of a pool may be stale. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    /// When a connection was last found lost.
    lost: Arc<Mutex<Option<Instant>>>,
    /// When the schema was last found to be another one.
    outdated: Arc<Mutex<Option<Instant>>>,
    /// Told when a statement has met another schema.
    other_schema: Arc<Notify>,
}

impl Liveness {
    /// Records a failure. Returns whether a connection was lost: then every connection that is idle now may be stale. One whose
    /// prepared statements are those of an earlier schema is lost, too.
    pub fn record(&self, error: &DbErr) -> bool {
        if let DbErr::Query(RuntimeErr::SqlxError(cause)) | DbErr::Exec(RuntimeErr::SqlxError(cause)) = error
            && is_outdated_connection(cause)
        {
            self.outdate();
            self.other_schema.notify_one();
            return true;
        }
        let failure = Failure::of(error);
        if failure == Failure::SchemaChanged {
            self.other_schema.notify_one();
        }
        let lost = failure == Failure::Lost;
        if lost {
            self.suspect();
        }
        lost
    }

    /// Returns after a statement has met another schema than that which it was written for.
    pub async fn other_schema(&self) {
        self.other_schema.notified().await;
    }

    /// Marks every connection that is idle now as possibly stale.
    pub fn suspect(&self) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a connection that has been idle since this instant may be stale.
    pub fn may_be_stale(&self, idle_since: Instant) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|lost| idle_since <= lost)
    }

    /// Marks every connection that is open now: its prepared statements may be those of an earlier schema.
    pub fn outdate(&self) {
        *self.outdated.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a connection that was opened at this instant has to be replaced.
    pub fn is_outdated(&self, opened: Instant) -> bool {
        self.outdated.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|outdated| opened <= outdated)
    }

    /// Whether a connection of the pool may be used. A connection that may be stale is pinged first.
    pub fn check<'c>(
        &self,
        connection: &'c mut PgConnection,
        PoolConnectionMetadata { age, idle_for, .. }: PoolConnectionMetadata,
    ) -> BoxFuture<'c, Result<bool, sqlx::Error>> {
        let lost = *self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let may_be_stale = lost.is_some_and(|lost| lost.elapsed() <= idle_for);
        let is_outdated = Instant::now().checked_sub(age).is_some_and(|opened| self.is_outdated(opened));
        Box::pin(async move {
            if is_outdated {
                return Ok(false);
            }
            if !may_be_stale {
                return Ok(true);
            }
            Ok(answers(connection).await)
        })
    }
}

/// Whether a connection answers a ping in time.
pub async fn answers(connection: &mut PgConnection) -> bool {
    timeout(PING_TIMEOUT, connection.ping()).await.is_ok_and(|pong| pong.is_ok())
}
