//! One replica: its connections, its condition, and who reads from it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sea_orm::DbErr;
use sea_orm::sqlx::postgres::PgConnectOptions;
use tokio::sync::watch;

use crate::db::Reads;
use crate::db::failure::lost;
use crate::db::pool::{Opener, Pool, Statements};
use crate::db::position::Position;
use crate::db::{Failure, Liveness, servers, statements};
use crate::metrics::{Metrics, OfReplica};

/// The label of its statements in the metrics.
const POOL: &str = "replica";

/// A streaming copy of the primary.
#[derive(Debug)]
pub struct Replica {
    name: String,
    reads: Reads,
    condition: watch::Sender<Condition>,
    /// The position that it has replayed; none while it is ejected.
    replayed: watch::Sender<Option<Position>>,
    readers: AtomicUsize,
    metrics: OfReplica,
}

/// How a replica is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Queries read from it. It lags by this time.
    Healthy(Duration),
    /// Queries do not read from it.
    Ejected(Reason),
}

/// Why queries do not read from a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It has not been probed yet.
    #[error("it has not been probed yet")]
    New,
    /// It does not answer, or not in time.
    #[error("it does not answer")]
    NoAnswer,
    /// A statement on it failed.
    #[error("a statement failed on it")]
    Failed,
    /// It lags by more than `MAX_REPLICA_LAG`.
    #[error("it is {:.1} seconds behind", .0.as_secs_f64())]
    Behind(Duration),
    /// It has not replayed what the primary had written when this server began to watch it.
    #[error("its lag is unknown")]
    Unknown,
    /// It is not known to follow the primary that was promoted, nor to have replayed nothing else.
    #[error("it is not known to follow the timeline of the primary")]
    OtherTimeline,
    /// It has replayed changes of a primary that was lost.
    #[error("it has changes that the primary does not have: rewind or rebuild it")]
    Diverged,
    /// It has not replayed the latest migration of this version.
    #[error("it has not replayed the schema of this version yet")]
    OldSchema,
    /// It is not in recovery: a primary, or a replica that was promoted.
    #[error("it is not a replica: it may have been promoted")]
    NoReplica,
    /// It replicates another database.
    #[error("it holds another database")]
    OtherDatabase,
    /// The position of the primary is not known yet.
    #[error("the primary has not answered yet")]
    NoPrimary,
}

impl Replica {
    /// A replica that has not been probed.
    ///
    /// # Errors
    ///
    /// As [`Pool::new`].
    pub fn new(
        options: PgConnectOptions,
        statements: Statements,
        connections: u32,
        metrics: &Metrics,
    ) -> Result<Self, DbErr> {
        let name = servers::name(&options);
        let pool = Pool::new(Opener::Replica(Arc::new(options.into()), statements), connections, Liveness::default())?;
        let mut reads = Reads::Pool(pool);
        reads.set_metric_callback(statements::record_statements(POOL, metrics.clone()));
        let metrics = metrics.replica(&name);
        Ok(Self {
            reads,
            condition: watch::Sender::new(Condition::Ejected(Reason::New)),
            replayed: watch::Sender::new(None),
            readers: AtomicUsize::new(0),
            metrics,
            name,
        })
    }

    /// Its host and port.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    pub fn condition(&self) -> Condition {
        *self.condition.borrow()
    }

    /// The position that it has replayed, while it is healthy.
    pub fn replayed(&self) -> Option<Position> {
        *self.replayed.borrow()
    }

    /// How many statements and snapshots read from it.
    pub fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Queries may read from it: it has replayed this position, and lags by this time.
    pub fn admit(&self, replayed: Position, lag: Duration) {
        self.replayed.send_replace(Some(replayed));
        self.metrics.lag(Some(lag));
        self.change(Condition::Healthy(lag));
    }

    /// Queries read no more from it.
    pub fn eject(&self, reason: Reason) {
        self.replayed.send_replace(None);
        self.metrics.lag(if let Reason::Behind(lag) = reason { Some(lag) } else { None });
        self.change(Condition::Ejected(reason));
    }

    fn change(&self, new: Condition) {
        let is_healthy = |condition: &Condition| matches!(condition, Condition::Healthy(_));
        let was_healthy = is_healthy(&self.condition.send_replace(new));
        if was_healthy == is_healthy(&new) {
            return;
        }
        self.metrics.healthy(is_healthy(&new));
        match new {
            Condition::Healthy(_) => tracing::info!(replica = self.name, "queries read from the replica"),
            Condition::Ejected(reason) => {
                tracing::warn!(replica = self.name, %reason, "the replica is not read");
                if reason.interrupts() {
                    // A server that was promoted has its own use for them.
                    self.reads.close_idle();
                }
            }
        }
    }

    /// Returns once what reads from it has to read elsewhere.
    async fn interrupts(&self) {
        let interrupts = |condition: &Condition| matches!(condition, Condition::Ejected(reason) if reason.interrupts());
        // The sender lives as long as this value.
        let _ = self.condition.subscribe().wait_for(interrupts).await;
    }
}

impl Reason {
    /// Whether statements that run need not be waited for. After the failure of one, the others may succeed; and what reads
    /// from a replica that is behind does not become more stale.
    fn interrupts(self) -> bool {
        !matches!(self, Self::Behind(_) | Self::Unknown | Self::Failed | Self::OldSchema | Self::OtherTimeline)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Healthy(_) => f.write_str("healthy"),
            Self::Ejected(reason) => write!(f, "ejected: {reason}"),
        }
    }
}

/// A statement or a snapshot that reads from a replica.
#[derive(Debug)]
pub struct Reading(Arc<Replica>);

impl Reading {
    pub fn new(replica: &Arc<Replica>) -> Self {
        replica.readers.fetch_add(1, Ordering::Relaxed);
        replica.metrics.query();
        Self(Arc::clone(replica))
    }

    pub fn reads(&self) -> &Reads {
        &self.0.reads
    }

    /// What this reads. If the replica fails, it is ejected, and the error is that of a lost connection.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the replica or the statement fails.
    pub async fn run<T>(&self, read: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let result = tokio::select! {
            biased;
            result = read => result,
            () = self.0.interrupts() => return Err(lost()),
        };
        result.map_err(|error| {
            if !is_of_replica(&error) {
                return error;
            }
            tracing::debug!(%error, replica = self.0.name, "a statement failed on a replica");
            self.0.eject(Reason::Failed);
            lost()
        })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the same statement may succeed on another server: the replica is lost, starts, or has stopped the statement in
/// favour of what it replays.
fn is_of_replica(error: &DbErr) -> bool {
    match Failure::of(error) {
        Failure::Lost | Failure::InTheWay | Failure::Storage => true,
        // All connections in use are no fault of the replica.
        Failure::Unavailable => !matches!(error, DbErr::ConnectionAcquire(_)),
        _ => false,
    }
}

/// Whether an error is that of a lost connection.
pub fn is_lost(error: &DbErr) -> bool {
    Failure::of(error) == Failure::Lost
}
