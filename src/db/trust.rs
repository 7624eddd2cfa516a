//! Which connections can be relied on after one was lost.
//!
//! A PostgreSQL that restarts takes every connection of the pool with it, and the pool does not see it: it hands them
//! out, and each fails once. To ask each connection before each statement whether it lives is one more trip to the
//! server, which makes a read of twelve rows a third to three quarters longer. So they are asked when there is a reason
//! to: one failure makes all suspect that have been idle since before it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sea_orm::DbErr;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, Connection, pool::PoolConnectionMetadata};
use tokio::time::timeout;

use super::Failure;

/// How long a suspect connection may take to show that it lives.
const PING: Duration = Duration::from_secs(1);

/// Which of a pool's connections can be relied on. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// When a connection was last found lost.
    lost: Arc<Mutex<Option<Instant>>>,
}

impl Trust {
    /// Looks at a failure. Whether it was that of a lost connection: then all that were idle at that time are suspect.
    pub fn shaken_by(&self, error: &DbErr) -> bool {
        let lost = Failure::of(error) == Failure::Lost;
        if lost {
            *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        lost
    }

    /// Whether a connection of the pool may be used: one that is suspect has to answer first.
    pub fn check<'c>(
        &self,
        connection: &'c mut PgConnection,
        PoolConnectionMetadata { idle_for, .. }: PoolConnectionMetadata,
    ) -> BoxFuture<'c, Result<bool, sqlx::Error>> {
        let lost = *self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let suspect = lost.is_some_and(|lost| lost.elapsed() <= idle_for);
        Box::pin(async move {
            if !suspect {
                return Ok(true);
            }
            Ok(timeout(PING, connection.ping()).await.is_ok_and(|answer| answer.is_ok()))
        })
    }
}
