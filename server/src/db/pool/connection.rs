//! A connection of the pool.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use sea_orm::DbBackend;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{Connection as _, Error, Executor};
use tokio::task::unconstrained;
use tokio::time::timeout;

use super::prepared::{Prepared, ServerError};
use super::sqlite::Sqlite;
use super::unprepared::{BEGIN_SNAPSHOT, Part, Unprepared};
use super::work::{Runs, Work};
use super::writing::Blocking;
use crate::db::failure::is_outdated_connection;
use crate::db::{Liveness, Role, Servers};

/// How long closing in order may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

pub struct Connection {
    link: Link,
    /// The hosts, if the primary can move.
    servers: Option<Arc<Servers>>,
    pub liveness: Liveness,
    pub opened: Instant,
    pub idle_since: Instant,
}

pub enum Link {
    /// On the heap, because the pool moves its connections.
    Prepared(Box<Prepared>),
    Unprepared(PgConnection, Unprepared),
    Sqlite(Sqlite),
}

/// How statements are sent to PostgreSQL.
#[derive(Clone, Debug)]
pub enum Statements {
    /// Prepared once for each connection.
    Prepared,
    /// With their values and settings.
    Unprepared(Unprepared),
}

impl Connection {
    /// A connection that was begun to be opened then.
    pub fn new(link: Link, opened: Instant, servers: Option<Arc<Servers>>, liveness: Liveness) -> Self {
        Self { link, servers, liveness, opened, idle_since: Instant::now() }
    }

    /// Returns if the primary moves to another host. A statement on this connection may then never end.
    pub fn left(&self) -> impl Future<Output = ()> + Send + use<> {
        let (servers, opened) = (self.servers.clone(), self.opened);
        async move {
            match servers {
                Some(servers) => servers.until_left(opened).await,
                None => pending().await,
            }
        }
    }

    pub fn backend(&self) -> DbBackend {
        match &self.link {
            Link::Prepared(_) | Link::Unprepared(..) => DbBackend::Postgres,
            Link::Sqlite(_) => DbBackend::Sqlite,
        }
    }

    /// The statement that begins a snapshot, unless it is a part of the first statement, as it is with a role.
    pub fn begin(&self, role: Option<&Role>) -> Option<&'static str> {
        match &self.link {
            Link::Prepared(_) => role.is_none().then_some(BEGIN_SNAPSHOT),
            Link::Unprepared(..) => None,
            Link::Sqlite(_) => Some("BEGIN"),
        }
    }

    /// Whether a statement in a role is the first one of a snapshot, even if no other follows.
    pub fn needs_snapshot(&self, role: Option<&Role>) -> bool {
        role.is_some() && matches!(self.link, Link::Prepared(_))
    }

    /// Runs a statement, in the role if its transaction has one.
    pub async fn run(&mut self, work: Work<'_>, part: Part, role: Option<&Role>) -> Result<Runs, Error> {
        match &mut self.link {
            Link::Prepared(connection) if part == Part::First => connection.run_first(work, role).await,
            Link::Prepared(connection) => connection.run(work).await,
            Link::Unprepared(connection, unprepared) => work.unprepared(connection, unprepared, part, role).await,
            Link::Sqlite(connection) => {
                if part == Part::First {
                    connection.execute("BEGIN")?;
                }
                connection.run(work).await
            }
        }
    }

    /// Runs a statement in a transaction that writes, which this message begins. Returns its rows, and how many it has written.
    pub async fn write(
        &mut self,
        work: Work<'_>,
        opening: Option<&str>,
        blocking: Blocking,
    ) -> Result<(Runs, u64), Error> {
        match &mut self.link {
            Link::Prepared(connection) => connection.write(work, opening).await,
            Link::Unprepared(..) => Err(not_prepared()),
            Link::Sqlite(connection) => connection.write(work, opening.map(|_| blocking)),
        }
    }

    /// Whether the write-ahead log of a SQLite file has become long.
    pub fn has_long_log(&self) -> bool {
        matches!(&self.link, Link::Sqlite(connection) if connection.has_long_log())
    }

    /// Copies the log into the file.
    pub fn shorten_log(&self) {
        if let Link::Sqlite(connection) = &self.link {
            connection.shorten_log();
        }
    }

    /// Ends a transaction that writes by this message, and waits for the answer.
    pub async fn end(&mut self, message: &str) -> Result<(), Error> {
        match &mut self.link {
            Link::Prepared(connection) => connection.send(message).await,
            Link::Unprepared(..) => Err(not_prepared()),
            Link::Sqlite(connection) => connection.end_write(message),
        }
    }

    /// Stops the statement whose future was dropped. PostgreSQL must be told otherwise: by closing the connection.
    pub fn abandon(&self) {
        if let Link::Sqlite(connection) = &self.link {
            connection.abandon();
        }
    }

    /// Discards what is left of an earlier statement, and waits for the database to answer.
    pub async fn drain(&mut self) -> Result<(), Error> {
        match &mut self.link {
            Link::Prepared(connection) => connection.answered().await,
            Link::Unprepared(connection, _) => loop {
                match connection.ping().await {
                    // The error of the earlier statement.
                    Err(error) if !breaks(&error) => {}
                    result => return result,
                }
            },
            Link::Sqlite(connection) => connection.drain().await,
        }
    }

    /// Whether an open snapshot is still open after an error.
    pub fn keeps_snapshot(&self) -> bool {
        match &self.link {
            // There, every error of a statement ends it.
            Link::Prepared(_) | Link::Unprepared(..) => false,
            Link::Sqlite(connection) => connection.is_in_snapshot(),
        }
    }

    /// Ends a transaction by this message. Where it is sent, nothing waits for its answer. Returns whether the connection can be used
    /// again.
    pub fn end_at_once(&mut self, message: &'static str) -> bool {
        match &mut self.link {
            Link::Prepared(connection) => connection.end_at_once(message),
            // Polled once, the driver sends it: there is room for a few bytes. It reads the answer before the next statement.
            // The task may have no budget left to send anything.
            Link::Unprepared(connection, _) => {
                unconstrained(connection.execute(message)).now_or_never().is_none_or(|ended| ended.is_ok())
            }
            Link::Sqlite(connection) => connection.end(message).is_ok(),
        }
    }

    /// Closes the connection in order, or drops it.
    pub async fn close(self) {
        let closed = async {
            match self.link {
                Link::Prepared(connection) => connection.close().await,
                // An error while closing does not matter.
                Link::Unprepared(connection, _) => drop(connection.close().await),
                Link::Sqlite(_) => {}
            }
        };
        let _ = timeout(CLOSE_TIMEOUT, closed).await;
    }
}

/// Transactions of unprepared statements are those of sqlx.
fn not_prepared() -> Error {
    Error::Protocol("this connection prepares no statement".into())
}

/// Whether the connection cannot be used after this error.
pub fn breaks(error: &Error) -> bool {
    match error {
        error if is_outdated_connection(error) => true,
        Error::Database(error) if error.try_downcast_ref().is_some_and(ServerError::is_fatal) => true,
        // The server announces with class 57P that it closes the connection.
        Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
        Error::RowNotFound | Error::Encode(_) | Error::Decode(_) | Error::ColumnDecode { .. } => false,
        _ => true,
    }
}
