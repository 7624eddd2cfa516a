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

use super::sqlite::Sqlite;
use super::unprepared::{BEGIN_SNAPSHOT, Part, Unprepared};
use super::work::{Runs, Work};
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
    /// Whether PostgreSQL may not have answered yet that a snapshot has ended.
    pub is_ending: bool,
}

pub enum Link {
    Postgres(PgConnection, Statements),
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
        Self { link, servers, liveness, opened, idle_since: Instant::now(), is_ending: false }
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
            Link::Postgres(..) => DbBackend::Postgres,
            Link::Sqlite(_) => DbBackend::Sqlite,
        }
    }

    /// The statement that begins a snapshot, unless it is sent with the first statement, as it is with a role.
    pub fn begin(&self, role: Option<&Role>) -> Option<&'static str> {
        match &self.link {
            Link::Postgres(..) if role.is_some() => None,
            Link::Postgres(_, Statements::Prepared) => Some(BEGIN_SNAPSHOT),
            Link::Postgres(_, Statements::Unprepared(_)) => None,
            Link::Sqlite(_) => Some("BEGIN"),
        }
    }

    /// Runs a statement without parameters for its effect, which takes SQLite no time.
    pub async fn execute(&mut self, sql: &'static str) -> Result<(), Error> {
        match &mut self.link {
            Link::Postgres(connection, _) => connection.execute(sql).await.map(drop),
            Link::Sqlite(connection) => connection.execute(sql),
        }
    }

    /// Runs a statement, in the role if its transaction has one. The driver sends prepared statements one by one, so one that begins
    /// a transaction with a role is sent unprepared: everything is one message.
    pub async fn run(&mut self, work: Work<'_>, part: Part, role: Option<&Role>) -> Result<Runs, Error> {
        match &mut self.link {
            Link::Postgres(connection, Statements::Prepared) if role.is_some() && part != Part::Next => {
                work.unprepared(connection, &Unprepared::default(), part, role).await
            }
            Link::Postgres(connection, Statements::Prepared) => work.prepared(connection).await,
            Link::Postgres(connection, Statements::Unprepared(unprepared)) => {
                work.unprepared(connection, unprepared, part, role).await
            }
            Link::Sqlite(connection) => connection.run(work).await,
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
            Link::Postgres(connection, _) => loop {
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
            Link::Postgres(..) => false,
            Link::Sqlite(connection) => connection.is_in_snapshot(),
        }
    }

    /// Ends a snapshot without waiting. PostgreSQL is sent the statement, and its answer is read before the connection is used
    /// again: see [`Self::ended`]. Returns whether it can be.
    pub fn end_at_once(&mut self) -> bool {
        match &mut self.link {
            // Polled once, the driver sends it: there is room for a few bytes. The task may have no budget left to send anything.
            Link::Postgres(connection, _) => {
                self.is_ending = true;
                unconstrained(connection.execute("COMMIT")).now_or_never().is_none_or(|ended| ended.is_ok())
            }
            Link::Sqlite(connection) => connection.end().is_ok(),
        }
    }

    /// Waits until the last snapshot has ended.
    pub async fn ended(&mut self) -> Result<(), Error> {
        self.is_ending = false;
        match &mut self.link {
            Link::Postgres(connection, _) => connection.flush().await,
            Link::Sqlite(_) => Ok(()),
        }
    }

    /// Closes the connection in order, or drops it.
    pub async fn close(self) {
        let closed = async {
            match self.link {
                Link::Postgres(connection, _) => connection.close().await,
                Link::Sqlite(_) => Ok(()),
            }
        };
        let _ = timeout(CLOSE_TIMEOUT, closed).await;
    }
}

/// Whether the connection cannot be used after this error.
pub fn breaks(error: &Error) -> bool {
    match error {
        error if is_outdated_connection(error) => true,
        // The server announces with class 57P that it closes the connection.
        Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
        Error::RowNotFound | Error::Encode(_) | Error::Decode(_) | Error::ColumnDecode { .. } => false,
        _ => true,
    }
}
