//! How connections are opened, and which idle connections may be used again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use keyset::ManyBy;
use sea_orm::DbBackend;
use sea_orm::sqlx::Error;
use sea_orm::sqlx::postgres::PgConnection;
use tokio::time::{sleep, timeout};

use super::connection::{Connection, Link, Statements, breaks};
use super::prepared::Prepared;
use super::sqlite::File;
use crate::db::Liveness;
use crate::db::servers::{Servers, Session};

/// A PostgreSQL connection that has been idle for longer is tested before use.
const MAX_UNTESTED_IDLE: Duration = Duration::from_secs(10);

/// How long a test may take.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// A PostgreSQL connection that has been idle for longer is closed.
const MAX_IDLE: Duration = Duration::from_mins(10);

/// A PostgreSQL connection that has been open for longer is replaced.
const MAX_LIFETIME: Duration = Duration::from_mins(30);

/// The first and the largest delay between attempts to connect. It doubles each time.
const RETRY_DELAY: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// The setting by which PostgreSQL 14 and later stops a statement after its client has closed the connection.
pub const CONNECTION_CHECK: &str = "client_connection_check_interval";

/// Its value, in milliseconds.
pub const CONNECTION_CHECK_INTERVAL: &str = "100";

/// How to open a connection.
#[derive(Clone, Debug)]
pub enum Opener {
    /// To the primary of a PostgreSQL database. The time limit of prepared statements is one of its options.
    Postgres(Arc<Servers>, Statements),
    /// To a replica. It does not wait for one that starts, and a lost statement is not run again: another server can run it.
    Replica(Arc<Servers>, Statements),
    /// To a SQLite file.
    Sqlite(File),
}

pub struct Manager {
    opener: Opener,
    liveness: Liveness,
    /// When a test last failed. Connections that have been idle since before are dead too.
    dead: Mutex<Option<Instant>>,
    closed: AtomicBool,
}

impl Manager {
    pub fn new(opener: Opener, liveness: Liveness) -> Self {
        Self { opener, liveness, dead: Mutex::default(), closed: AtomicBool::new(false) }
    }

    pub fn backend(&self) -> DbBackend {
        match self.opener {
            Opener::Postgres(..) | Opener::Replica(..) => DbBackend::Postgres,
            Opener::Sqlite(_) => DbBackend::Sqlite,
        }
    }

    /// How its connections read many lists.
    pub fn reads_many(&self) -> ManyBy {
        match &self.opener {
            Opener::Sqlite(_) => ManyBy::Values,
            Opener::Postgres(_, Statements::Prepared) | Opener::Replica(_, Statements::Prepared) => ManyBy::Arrays,
            Opener::Postgres(..) | Opener::Replica(..) => ManyBy::Unions,
        }
    }

    /// Whether a statement is run once more after its connection was lost.
    pub fn retries(&self) -> bool {
        !matches!(self.opener, Opener::Replica(..))
    }

    pub fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    /// Checks that the database is the one that was opened first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a SQLite file was deleted or replaced.
    pub fn check(&self) -> Result<(), Error> {
        match &self.opener {
            Opener::Postgres(..) | Opener::Replica(..) => Ok(()),
            Opener::Sqlite(file) => file.check(),
        }
    }

    /// How long a connection may be idle before it is closed.
    pub fn max_idle(&self) -> Option<Duration> {
        // An idle connection to a file costs next to nothing.
        (self.backend() == DbBackend::Postgres).then_some(MAX_IDLE)
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Whether a connection that has been idle since then is known to be dead.
    fn is_dead(&self, idle_since: Instant) -> bool {
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|dead| idle_since <= dead)
    }

    /// The hosts of the primary, if there are several.
    fn movable(&self) -> Option<Arc<Servers>> {
        match &self.opener {
            Opener::Postgres(servers, _) if servers.are_several() => Some(Arc::clone(servers)),
            _ => None,
        }
    }

    /// Whether a connection that was opened then may be to a host that is no longer the primary.
    fn is_left(&self, opened: Instant) -> bool {
        matches!(&self.opener, Opener::Postgres(servers, _) if servers.is_left(opened))
    }

    /// Tests a connection. If it is dead, so are all that were idle at the same time: to test each of them would take
    /// too long.
    async fn test(&self, connection: &mut Connection) -> bool {
        let tested = Instant::now();
        let lives = timeout(PING_TIMEOUT, connection.drain()).await.is_ok_and(|answer| answer.is_ok());
        if !lives {
            *self.dead.lock().unwrap_or_else(PoisonError::into_inner) = Some(tested);
        }
        lives
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = Error;

    /// While the server starts, tries again until the caller gives up.
    async fn create(&self) -> Result<Connection, Error> {
        // Before it connects: the primary may move meanwhile.
        let begun = Instant::now();
        let link = match &self.opener {
            Opener::Postgres(servers, statements) => {
                let mut delay = RETRY_DELAY.0;
                loop {
                    match link(statements, servers).await {
                        Ok(link) => break link,
                        Err(error) if starts(&error) => sleep(delay).await,
                        Err(error) => return Err(error),
                    }
                    delay = RETRY_DELAY.1.min(2 * delay);
                }
            }
            Opener::Replica(server, statements) => link(statements, server).await?,
            Opener::Sqlite(file) => {
                let connection = file.open().await?;
                // Otherwise it may be a connection to another file.
                file.check()?;
                Link::Sqlite(connection)
            }
        };
        Ok(Connection::new(link, begun, self.movable(), self.liveness.clone()))
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Error> {
        // A connection to a file does not break.
        if self.backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let idle_since = connection.idle_since;
        if connection.opened.elapsed() > MAX_LIFETIME {
            return Err(RecycleError::message("open for too long"));
        }
        if self.liveness.is_outdated(connection.opened) {
            return Err(RecycleError::message("the schema of the database has changed"));
        }
        if self.is_left(connection.opened) {
            return Err(RecycleError::message("the primary may be another host"));
        }
        if self.is_dead(idle_since) {
            return Err(RecycleError::message("another connection was found dead"));
        }
        if (idle_since.elapsed() > MAX_UNTESTED_IDLE || self.liveness.may_be_stale(idle_since))
            && !self.test(connection).await
        {
            return Err(RecycleError::message("no answer"));
        }
        Ok(())
    }
}

/// A connection whose server stops a statement when the connection is closed. Unprepared statements ask for it themselves.
async fn link(statements: &Statements, servers: &Servers) -> Result<Link, Error> {
    Ok(match statements {
        Statements::Prepared => {
            let mut connection: Prepared = servers.connect().await?;
            watch_client(&mut connection, false).await?;
            Link::Prepared(Box::new(connection))
        }
        Statements::Unprepared(unprepared) => {
            Link::Unprepared(servers.connect::<PgConnection>().await?, unprepared.clone())
        }
    })
}

/// Has the server stop a statement of this session, or of this transaction, when its connection is closed. Returns whether
/// it can: some systems do not support it, and there a statement runs until its time limit.
///
/// # Errors
///
/// [`Error`] if the connection is lost.
pub async fn watch_client(connection: &mut impl Session, is_local: bool) -> Result<bool, Error> {
    let statement = format!(
        "SELECT set_config('{CONNECTION_CHECK}', '{CONNECTION_CHECK_INTERVAL}', {is_local})
        FROM pg_settings WHERE name = '{CONNECTION_CHECK}'"
    );
    match connection.text(&statement).await {
        Err(error) if breaks(&error) => Err(error),
        set => Ok(set.is_ok_and(|value| value.is_some())),
    }
}

/// Whether the server may be starting.
fn starts(error: &Error) -> bool {
    match error {
        Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        Error::Database(error) => error.is_transient_in_connect_phase(),
        _ => false,
    }
}
