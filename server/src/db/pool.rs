//! The connections of the drivers that read.
//!
//! Acquiring and releasing a connection costs no round trip, unless it was idle for long or is suspect. A connection whose
//! statement was abandoned is never reused before it is drained: see `lease`. Statements that must see one state of the
//! database run on a [`Snapshot`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{self, PoolError, QueueMode};
use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::metric::Info;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnAcquireErr, DbBackend, DbErr, RuntimeErr, Statement, sqlx};
use tokio::time::{sleep, timeout};

use super::timeout::CONNECT_TIMEOUT;
use super::{Liveness, Role};

mod connection;
mod lease;
mod manager;
mod prepared;
mod snapshot;
mod sqlite;
mod stop;
mod unprepared;
mod work;
mod writing;

pub use connection::Statements;
pub(super) use lease::Callback;
use lease::Lease;
use manager::Manager;
pub use manager::Opener;
pub(super) use manager::{CONNECTION_CHECK, CONNECTION_CHECK_INTERVAL, watch_client};
pub use prepared::{KEPT, ServerError};
pub use snapshot::Snapshot;
pub use sqlite::{File, LOAD_SCHEMA, WRITING};
pub use unprepared::Unprepared;
pub(super) use unprepared::next as message_of;
pub(super) use unprepared::quote;
use work::{Runs, Work};
pub use writing::{Blocking, Writing};

/// How often connections that have been idle for long are closed.
const MAINTENANCE_INTERVAL: Duration = Duration::from_mins(1);

/// A bounded number of connections. Requests for a connection are served in order. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    connections: managed::Pool<Manager>,
    /// What each transaction takes on.
    role: Option<Role>,
    callback: Option<Callback>,
}

/// How the connections of a pool are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Connections in use.
    pub used: usize,
    /// Open connections that are free.
    pub idle: usize,
    /// Connections that may still be opened.
    pub spare: usize,
}

impl Usage {
    /// Connections at most.
    pub fn max(self) -> usize {
        self.used + self.idle + self.spare
    }

    /// How a pool of sqlx is used.
    pub fn of<DB: sqlx::Database>(pool: &sqlx::Pool<DB>) -> Self {
        let (open, idle) = (pool.size() as usize, pool.num_idle());
        let max = pool.options().get_max_connections() as usize;
        // The numbers are not of one moment.
        Self { used: open.saturating_sub(idle), idle, spare: max.saturating_sub(open) }
    }

    /// Whether all connections are in use.
    pub fn is_exhausted(self) -> bool {
        self.used > 0 && self.idle == 0 && self.spare == 0
    }
}

impl Pool {
    /// Opens a pool of at most this many connections, and the first one of them.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the first connection cannot be opened within five seconds.
    pub async fn open(opener: Opener, connections: u32, liveness: Liveness) -> Result<Self, DbErr> {
        let pool = Self::new(opener, connections, liveness)?;
        drop(pool.lease().await?);
        Ok(pool)
    }

    /// A pool of at most this many connections, which are opened when they are needed.
    ///
    /// # Errors
    ///
    /// [`DbErr::Custom`] if there is no runtime for its time limits.
    pub fn new(opener: Opener, connections: u32, liveness: Liveness) -> Result<Self, DbErr> {
        let manager = Manager::new(opener, liveness);
        let connections = managed::Pool::builder(manager)
            .max_size(connections as usize)
            // The connection used last has warm caches, here and in the server.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        let pool = Self { connections, role: None, callback: None };
        pool.maintain();
        Ok(pool)
    }

    /// The same connections, for statements in this role. It ends with each transaction.
    #[must_use]
    pub fn with_role(&self, role: Role) -> Self {
        Self { role: Some(role), ..self.clone() }
    }

    /// Calls this after each statement of this handle, and of every clone made of it later.
    pub fn set_metric_callback(&mut self, callback: impl Fn(&Info<'_>) + Send + Sync + 'static) {
        self.callback = Some(Arc::new(callback));
    }

    /// How the connections are used.
    pub fn usage(&self) -> Usage {
        let status = self.connections.status();
        let used = status.size.saturating_sub(status.available);
        Usage { used, idle: status.available, spare: status.max_size.saturating_sub(status.size) }
    }

    /// Closes every connection. Waits for those in use.
    pub async fn close(&self) {
        self.connections.manager().close();
        loop {
            for connection in self.connections.retain(|_, _| false).removed {
                connection.close().await;
            }
            if self.connections.status().size == 0 {
                break;
            }
            sleep(Duration::from_millis(5)).await;
        }
        self.connections.close();
    }

    /// Closes the connections that are not in use.
    pub fn close_idle(&self) {
        let idle = self.connections.retain(|_, _| false).removed;
        tokio::spawn(async move {
            for connection in idle {
                connection.close().await;
            }
        });
    }

    /// Acquires a connection, which is released when the value is dropped.
    async fn lease(&self) -> Result<Lease, DbErr> {
        let closed = DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed);
        if self.connections.manager().is_closed() {
            return Err(closed);
        }
        let failed = |error: sqlx::Error| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
        // On the heap: otherwise each statement would carry the room for opening a connection.
        match timeout(CONNECT_TIMEOUT, Box::pin(self.connections.get())).await {
            Ok(Ok(connection)) => {
                // A connection to a file that was deleted or replaced would go on to read it.
                self.connections.manager().check().map_err(failed)?;
                Ok(Lease::new(connection, self.role.clone(), self.callback.clone()))
            }
            Ok(Err(PoolError::Backend(error))) => Err(failed(error)),
            Ok(Err(PoolError::Closed)) => Err(closed),
            Ok(Err(_)) | Err(_) if self.usage().is_exhausted() => {
                Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))
            }
            // There was room for one more: the server does not accept it in time.
            Ok(Err(_)) | Err(_) => Err(failed(sqlx::Error::PoolTimedOut)),
        }
    }

    /// Runs a statement on any connection. If the connection was lost, it is run once more on another one.
    async fn run(&self, work: Work<'_>) -> Result<Runs, DbErr> {
        match self.run_once(work).await {
            // On the heap: otherwise each statement would have room for it.
            Err(error) if self.may_retry(&error) => Box::pin(self.run_once(work)).await,
            result => result,
        }
    }

    /// Runs a statement, and releases its connection.
    async fn run_once(&self, work: Work<'_>) -> Result<Runs, DbErr> {
        self.lease().await?.run(work).await
    }

    /// Whether the connection was lost, and another one of this pool is worth a try.
    fn may_retry(&self, error: &DbErr) -> bool {
        self.is_lost(error) && self.connections.manager().retries()
    }

    /// Whether the connection was lost. All that were idle at that time are then tested before use.
    fn is_lost(&self, error: &DbErr) -> bool {
        self.connections.manager().liveness().record(error)
    }

    /// Closes connections that have been idle for long, until the pool is dropped.
    fn maintain(&self) {
        let Some(max_idle) = self.connections.manager().max_idle() else { return };
        let pool = self.connections.weak();
        tokio::spawn(async move {
            loop {
                sleep(MAINTENANCE_INTERVAL).await;
                let Some(pool) = pool.upgrade() else { return };
                let idle = pool.retain(|connection, _| connection.idle_since.elapsed() < max_idle).removed;
                drop(pool);
                for connection in idle {
                    connection.close().await;
                }
            }
        });
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

#[async_trait]
impl ReadRows for Pool {
    fn backend(&self) -> DbBackend {
        self.connections.manager().backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        Ok(self.run(Work::once(&statement)).await?.pop().unwrap_or_default())
    }

    fn reads_many(&self) -> ManyBy {
        self.connections.manager().reads_many()
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        self.run(Work::many(&statement, &many)).await
    }
}
