//! Read replicas: streaming copies of the primary, from which queries read.
//!
//! A statement, or a snapshot of several, reads from the replica with the fewest readers, among those that are healthy and
//! have replayed what the request needs ([`Position`]). Without one, it reads from the primary. `replica` is one of them,
//! `probe` finds out how it is, and `route` reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sea_orm::DbErr;
use sea_orm::sqlx::postgres::PgConnectOptions;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::pool::Statements;
use super::position::Position;
use super::primary::Primary;
use crate::metrics::Metrics;

mod probe;
mod replica;
mod route;
mod signals;

pub use replica::{Condition, Reason};
use replica::{Reading, Replica};
pub use route::{Route, RoutedSnapshot};
use signals::Signals;

/// The replicas of a database; none on SQLite. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Replicas(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    replicas: Vec<Arc<Replica>>,
    /// None where there are no replicas.
    primary: Option<Arc<Primary>>,
    /// How long a request waits for its position.
    wait: Duration,
    /// The replica to consider first, of those that are equally busy.
    next: AtomicUsize,
    signals: Signals,
    metrics: Metrics,
    /// Aborted with the last clone.
    _probes: JoinSet<()>,
}

impl Replicas {
    /// The replicas with these options of their connections. They are probed from now on, and read once they are healthy.
    ///
    /// # Errors
    ///
    /// [`DbErr`] outside of a runtime.
    pub fn start(
        servers: Vec<PgConnectOptions>,
        statements: &Statements,
        primary: &Arc<Primary>,
        connections: u32,
        settings: &crate::config::Replicas,
        metrics: &Metrics,
    ) -> Result<Self, DbErr> {
        let (signals, mut probes) = (Signals::default(), JoinSet::new());
        let start = |options: PgConnectOptions| {
            let replica = Arc::new(Replica::new(options.clone(), statements.clone(), connections, metrics)?);
            let probe = probe::Probe::new(options, Arc::clone(primary), settings.max_replica_lag.0, signals.clone());
            probes.spawn(probe.run(Arc::downgrade(&replica)));
            Ok(replica)
        };
        Ok(Self(Arc::new(Inner {
            replicas: servers.into_iter().map(start).collect::<Result<_, DbErr>>()?,
            primary: Some(Arc::clone(primary)),
            wait: settings.replica_wait.0,
            next: AtomicUsize::new(0),
            signals: signals.clone(),
            metrics: metrics.clone(),
            _probes: probes,
        })))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.replicas.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.replicas.len()
    }

    /// Whether a query could be answered without the primary.
    pub fn any_healthy(&self) -> bool {
        self.0.replicas.iter().any(|replica| replica.replayed().is_some())
    }

    /// The name and the condition of each.
    pub fn conditions(&self) -> impl Iterator<Item = (&str, Condition)> {
        self.0.replicas.iter().map(|replica| (replica.name(), replica.condition()))
    }

    /// The name of each, and how its connections are used.
    pub(super) fn pools(&self) -> impl Iterator<Item = (&str, super::pool::Usage)> {
        self.0.replicas.iter().map(|replica| (replica.name(), replica.reads().usage()))
    }

    /// Reads from no replica that has not replayed this position.
    pub fn require(&self, position: Position) {
        self.0.signals.floor.send_modify(|floor| *floor = position.max(*floor));
        for replica in &self.0.replicas {
            if replica.replayed().is_some_and(|replayed| replayed < position) {
                replica.eject(Reason::OldSchema);
            }
        }
    }

    /// Closes their connections. Waits for those in use.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if a server fails.
    pub async fn close(&self) -> Result<(), DbErr> {
        for replica in &self.0.replicas {
            replica.reads().close().await?;
        }
        Ok(())
    }

    /// A replica that has replayed this position, or will soon; `None` for the primary.
    async fn choose(&self, after: Option<Position>) -> Option<Reading> {
        let needed = after.unwrap_or(Position::START).max(self.floor());
        let chosen = match self.least_busy(needed) {
            None if after.is_some_and(|after| after < Position::END) && self.any_healthy() => self.soon(needed).await,
            chosen => chosen,
        };
        if chosen.is_none() {
            self.0.metrics.replica_fallback();
        }
        chosen
    }

    /// What every replica must have replayed. As soon as a promotion is known, nothing of an older timeline suffices.
    fn floor(&self) -> Position {
        let timeline = self.0.primary.as_ref().map_or(0, |primary| primary.servers().timeline());
        self.0.signals.floor().max(Position { timeline, lsn: 0 })
    }

    /// Of the replicas that have replayed this position, the one with the fewest readers.
    fn least_busy(&self, needed: Position) -> Option<Reading> {
        let replicas = &self.0.replicas;
        let first = self.0.next.fetch_add(1, Ordering::Relaxed);
        let in_turn = (0..replicas.len()).map(|step| &replicas[(first.wrapping_add(step)) % replicas.len()]);
        let able = in_turn.filter(|replica| replica.replayed().is_some_and(|replayed| needed <= replayed));
        able.min_by_key(|replica| replica.readers()).map(Reading::new)
    }

    /// Waits for a replica to replay this position.
    async fn soon(&self, needed: Position) -> Option<Reading> {
        let Signals { wanted, probed, .. } = &self.0.signals;
        let (mut probed, end) = (probed.subscribe(), Instant::now() + self.0.wait);
        wanted.send_modify(|wanted| {
            let open = wanted.take().filter(|(_, end)| Instant::now() < *end);
            let further = open.map_or((needed, end), |(position, _)| (position.max(needed), end));
            *wanted = Some(further);
        });
        let waited = timeout(self.0.wait, async {
            loop {
                if let Some(chosen) = self.least_busy(needed) {
                    return Some(chosen);
                }
                probed.changed().await.ok()?;
            }
        });
        waited.await.ok().flatten()
    }
}
