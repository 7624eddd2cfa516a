//! Finds out how a replica is, on a connection of its own: the pool may be busy.

use std::sync::{Arc, Weak};
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use sea_orm::sqlx::{ConnectOptions, Error};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::replica::{Reason, Replica};
use super::signals::Signals;
use crate::db::position::Position;
use crate::db::primary::{IDENTITY, Primary, SAMPLE_INTERVAL, ask};
use crate::db::servers;
use crate::db::timeout::CONNECT_TIMEOUT;

/// The pause between two probes while a request waits for a position.
const SHORT_INTERVAL: Duration = Duration::from_millis(2);

/// The position that it has replayed, and when it was started; no text on a server that is not in recovery.
///
/// The timeline is one that it follows. PostgreSQL requests a timeline only if all that it has replayed belongs to it, and
/// never goes back to an older one while it runs. Without `pg_read_all_stats`, a role sees no receiver: then the files tell,
/// which are as old as the last write to them.
const REPLAYED: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN concat(
        to_hex(coalesce((SELECT received_tli FROM pg_stat_wal_receiver),
            (SELECT greatest(timeline_id, min_recovery_end_timeline) FROM pg_control_checkpoint(), pg_control_recovery()))),
        '/', pg_last_wal_replay_lsn(), ' ', extract(epoch FROM pg_postmaster_start_time()))
    ELSE '' END";

pub struct Probe {
    options: PgConnectOptions,
    primary: Arc<Primary>,
    max_lag: Duration,
    signals: Signals,
    connection: Option<PgConnection>,
    seen: Seen,
}

/// What is known of a replica until it is started again. It may be rewound or rebuilt then.
#[derive(Default)]
struct Seen {
    started: String,
    /// The newest timeline that it followed.
    timeline: u32,
    /// The position that it had replayed at the last probe, and when.
    last: Option<(Position, std::time::Instant)>,
    /// The timeline of a primary that lacks changes which it has.
    lacking: Option<u32>,
}

impl Probe {
    pub fn new(options: PgConnectOptions, primary: Arc<Primary>, max_lag: Duration, signals: Signals) -> Self {
        Self { options, primary, max_lag, signals, connection: None, seen: Seen::default() }
    }

    /// Probes until the replica is dropped.
    pub async fn run(mut self, replica: Weak<Replica>) {
        let mut wanted = self.signals.wanted.subscribe();
        while let Some(replica) = replica.upgrade() {
            let replayed = match self.probe().await {
                Ok((position, lag)) => {
                    replica.admit(position, lag);
                    Some(position)
                }
                Err(reason) => {
                    replica.eject(reason);
                    None
                }
            };
            self.signals.probed.send_replace(());
            drop(replica);
            pause(&mut wanted, replayed).await;
        }
    }

    /// The position that the replica has replayed, and its lag.
    async fn probe(&mut self) -> Result<(Position, Duration), Reason> {
        // Without the primary, what is known of it stays true: no replica is behind what nobody has written.
        let identity = self.primary.identity().ok_or(Reason::NoPrimary)?;
        let probed = self.replayed(&identity).await;
        if probed == Err(Reason::NoAnswer) {
            (self.connection, self.seen) = (None, Seen::default());
        }
        let replayed = probed?;
        if let Some(lacking) = self.seen.last.and_then(|(replayed, then)| self.primary.lacks(replayed, then)) {
            self.seen.lacking = Some(lacking);
        }
        self.seen.last = Some((replayed, std::time::Instant::now()));
        if let Some(timeline) = self.primary.timeline() {
            if self.seen.lacking == Some(timeline) {
                return Err(Reason::Diverged);
            }
            if replayed.timeline != timeline {
                return Err(Reason::OtherTimeline);
            }
        }
        let lag = self.primary.lag(replayed).ok_or(Reason::Unknown)?;
        if replayed < self.signals.floor() {
            return Err(Reason::OldSchema);
        }
        if lag > self.max_lag { Err(Reason::Behind(lag)) } else { Ok((replayed, lag)) }
    }

    async fn replayed(&mut self, identity: &str) -> Result<Position, Reason> {
        let no_answer = |error: Error| {
            tracing::debug!(%error, replica = servers::name(&self.options), "a probe failed");
            Reason::NoAnswer
        };
        let connection = if let Some(connection) = &mut self.connection {
            connection
        } else {
            // A server that starts is slow to accept connections.
            let connected = timeout(CONNECT_TIMEOUT, self.options.connect()).await;
            let mut connection = connected.unwrap_or(Err(Error::PoolTimedOut)).map_err(no_answer)?;
            let found: String = ask(&mut connection, IDENTITY).await.map_err(no_answer)?;
            if found != identity {
                return Err(Reason::OtherDatabase);
            }
            self.connection.insert(connection)
        };
        let text: String = ask(connection, REPLAYED).await.map_err(no_answer)?;
        let (position, started) = text.split_once(' ').ok_or(Reason::NoReplica)?;
        let position: Position = position.parse().map_err(|_| Reason::NoReplica)?;
        if self.seen.started != started {
            self.seen = Seen { started: started.to_owned(), ..Seen::default() };
        }
        self.seen.timeline = position.timeline.max(self.seen.timeline);
        Ok(Position { timeline: self.seen.timeline, ..position })
    }
}

/// Waits until the next probe: for long, or until a request waits for a position that the replica has not replayed.
async fn pause(wanted: &mut watch::Receiver<Option<(Position, Instant)>>, replayed: Option<Position>) {
    let Some(replayed) = replayed else { return sleep(SAMPLE_INTERVAL).await };
    let is_waited_for = |wanted: &Option<(Position, Instant)>| {
        wanted.is_some_and(|(position, end)| replayed < position && Instant::now() < end)
    };
    if is_waited_for(&wanted.borrow_and_update()) {
        return sleep(SHORT_INTERVAL).await;
    }
    // An error ends the wait: nobody waits any more.
    let _ = timeout(SAMPLE_INTERVAL, wanted.wait_for(is_waited_for)).await;
}
