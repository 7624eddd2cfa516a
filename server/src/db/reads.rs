//! Where statements read: on a pool, or on the one connection of a database in memory.

use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::metric::Info;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement, TransactionTrait};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use super::pool::{self, Pool, Usage};
use super::{Role, tally};

/// Connections for reading. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Reads {
    /// Connections of their own.
    Pool(Pool),
    /// The connection that writes. Every connection to memory is a database of its own.
    Shared(DatabaseConnection),
}

/// Statements that see one state of the database. It begins with the first of them.
#[derive(Debug)]
pub enum Snapshot {
    /// On a connection of the pool.
    Pool(pool::Snapshot),
    /// On the connection that writes, which waits meanwhile.
    Shared(DatabaseConnection, Mutex<Option<DatabaseTransaction>>),
}

impl Reads {
    /// Statements that see one state of the database.
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::Pool(pool) => Snapshot::Pool(pool.snapshot()),
            Self::Shared(db) => Snapshot::Shared(db.clone(), Mutex::default()),
        }
    }

    /// The same, for statements in this role. It ends with each transaction. SQLite has none.
    #[must_use]
    pub fn with_role(&self, role: Option<&Role>) -> Self {
        match (self, role) {
            (Self::Pool(pool), Some(role)) => Self::Pool(pool.with_role(role.clone())),
            _ => self.clone(),
        }
    }

    /// As [`Self::snapshot`], with its connection.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available within five seconds.
    pub async fn begin(&self) -> Result<Snapshot, DbErr> {
        let snapshot = self.snapshot();
        match &snapshot {
            Snapshot::Pool(snapshot) => snapshot.acquire().await?,
            Snapshot::Shared(db, transaction) => drop(transaction_of(db, transaction).await?),
        }
        Ok(snapshot)
    }

    /// Calls this after each statement of this handle, and of every clone made of it later.
    pub fn set_metric_callback(&mut self, callback: impl Fn(&Info<'_>) + Send + Sync + 'static) {
        match self {
            Self::Pool(pool) => pool.set_metric_callback(callback),
            Self::Shared(db) => db.set_metric_callback(callback),
        }
    }

    /// How the connections are used.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Pool(pool) => pool.usage(),
            Self::Shared(db) => Usage::of(db.get_sqlite_connection_pool()),
        }
    }

    /// Closes the connections of a pool that are not in use.
    pub fn close_idle(&self) {
        if let Self::Pool(pool) = self {
            pool.close_idle();
        }
    }

    /// Closes every connection. Waits for those in use.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn close(&self) -> Result<(), DbErr> {
        match self {
            Self::Pool(pool) => pool.close().await,
            Self::Shared(db) => db.close_by_ref().await?,
        }
        Ok(())
    }
}

async fn transaction_of<'a>(
    db: &DatabaseConnection,
    transaction: &'a Mutex<Option<DatabaseTransaction>>,
) -> Result<MappedMutexGuard<'a, DatabaseTransaction>, DbErr> {
    let mut transaction = transaction.lock().await;
    if transaction.is_none() {
        *transaction = Some(db.begin().await?);
    }
    let missing = |_| DbErr::Custom("the snapshot has no transaction".into());
    MutexGuard::try_map(transaction, Option::as_mut).map_err(missing)
}

/// The same methods, by delegation.
macro_rules! delegate {
    ($type:ty, $self:ident, $pool:pat => $of_pool:expr, $shared:pat => $of_shared:expr) => {
        #[async_trait]
        impl ReadRows for $type {
            fn backend(&self) -> DbBackend {
                match self {
                    Self::Pool(pool) => pool.backend(),
                    Self::Shared(..) => DbBackend::Sqlite,
                }
            }

            async fn read(&$self, statement: Statement) -> Result<Vec<Record>, DbErr> {
                let records = match $self {
                    $pool => $of_pool.read(statement).await,
                    $shared => $of_shared.read(statement).await,
                }?;
                tally::rows(records.len());
                Ok(records)
            }

            fn reads_many(&self) -> ManyBy {
                match self {
                    Self::Pool(pool) => pool.reads_many(),
                    Self::Shared(..) => ManyBy::Unions,
                }
            }

            async fn read_many(&$self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
                let runs = match $self {
                    $pool => $of_pool.read_many(statement, many).await,
                    $shared => $of_shared.read_many(statement, many).await,
                }?;
                tally::rows(runs.iter().map(Vec::len).sum());
                Ok(runs)
            }
        }
    };
}

delegate!(Reads, self, Self::Pool(pool) => pool, Self::Shared(db) => db);
delegate!(Snapshot, self, Self::Pool(pool) => pool,
    Self::Shared(db, transaction) => transaction_of(db, transaction).await?);
