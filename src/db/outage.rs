//! What it means that a statement failed by no fault of its own, and what to do about the connections then.
//!
//! A PostgreSQL that restarts takes every connection of the pool with it, and the pool does not see it: it hands them out, and each
//! fails once. To ask each connection before each statement whether it lives is one more trip to the server, which makes a read of
//! twelve rows a third to three quarters longer. So they are asked when there is a reason to: one failure makes all suspect
//! that have been idle since before it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, Connection, pool::PoolConnectionMetadata};
use sea_orm::{DbErr, RuntimeErr};
use tokio::time::timeout;

/// How long a suspect connection may take to show that it lives.
const PING: Duration = Duration::from_secs(1);

/// Why the database has not done what it was asked, where the statement itself is beyond reproach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// The connection broke, while or before it was used.
    Lost,
    /// There is no connection to be had: the database does not answer, or all of its connections are in use.
    Unavailable,
    /// The statement took too long and was stopped.
    TimedOut,
}

impl Outage {
    /// Which of them it is, if it is one.
    pub fn of(error: &DbErr) -> Option<Self> {
        let cause = match error {
            DbErr::ConnectionAcquire(_) => return Some(Self::Unavailable),
            DbErr::Conn(RuntimeErr::SqlxError(cause)) => return Self::of_cause(cause).or(Some(Self::Unavailable)),
            DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause)) => cause,
            _ => return None,
        };
        Self::of_cause(cause)
    }

    fn of_cause(cause: &sqlx::Error) -> Option<Self> {
        match cause {
            sqlx::Error::Io(_) => Some(Self::Lost),
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) => Some(Self::Unavailable),
            sqlx::Error::Database(error) => match error.code().as_deref() {
                // PostgreSQL is shut down, or has crashed, or has ended this connection.
                Some("57P01" | "57P02" | "57P05") => Some(Self::Lost),
                // It starts up, or stops; it has no connection left, or no memory for one.
                Some("57P03" | "53300" | "53200") => Some(Self::Unavailable),
                // Stopped by `statement_timeout`; interrupted, on SQLite.
                Some("57014" | "9") => Some(Self::TimedOut),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Which of a pool's connections can be relied on. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// When a connection was last found lost.
    lost: Arc<Mutex<Option<Instant>>>,
}

impl Trust {
    /// Looks at a failure. Whether it was that of a lost connection: then all that were idle at that time are suspect.
    pub fn shaken_by(&self, error: &DbErr) -> bool {
        let lost = Outage::of(error) == Some(Outage::Lost);
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
