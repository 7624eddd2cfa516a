//! Whether the database can be written, as far as is known.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use keyset::ReadRows;
use sea_orm::{DbBackend, DbErr, RuntimeErr, Statement};

use super::file_identity::{FileIdentity, LockError};
use super::{Failure, Reads};

/// One row if the session of a PostgreSQL server cannot write, as on a replica.
const READ_ONLY: &str = "SELECT 1 WHERE current_setting('transaction_read_only') = 'on'";

/// Why writes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The database is read-only.
    ReadOnly,
    /// The last write found the storage full.
    Full,
    /// The last write found that the storage fails.
    Failing,
    /// The primary does not answer. Its replicas do.
    NoPrimary,
}

/// The storage of a database. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Of a SQLite file.
    identity: Option<Arc<FileIdentity>>,
    /// Whether a SQLite file was opened for reading only.
    read_only: bool,
    /// What stopped the last write.
    last: Arc<Mutex<Option<Obstacle>>>,
}

impl Storage {
    /// The storage of a SQLite file.
    pub fn of_file(identity: Option<Arc<FileIdentity>>, read_only: bool) -> Self {
        Self { identity, read_only, last: Arc::default() }
    }

    /// Records the failure of a write.
    pub fn record(&self, error: &DbErr) {
        let obstacle = match Failure::of(error) {
            Failure::ReadOnly => Obstacle::ReadOnly,
            Failure::Full => Obstacle::Full,
            Failure::Storage => Obstacle::Failing,
            _ => return,
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(obstacle);
    }

    /// Records that a write was committed.
    pub fn written(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Checks that a SQLite file is the one that was opened.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if it was deleted or replaced.
    pub fn check(&self) -> Result<(), DbErr> {
        let checked = self.identity.as_ref().map_or(Ok(()), |identity| identity.check());
        checked.map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))
    }

    /// What the next write would meet.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn obstacle(&self, reads: &Reads) -> Result<Option<Obstacle>, DbErr> {
        if self.is_read_only(reads).await? {
            return Ok(Some(Obstacle::ReadOnly));
        }
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // A session of PostgreSQL says itself whether it is read-only: a replica may have become the primary.
        Ok(last.filter(|last| *last != Obstacle::ReadOnly || reads.backend() != DbBackend::Postgres))
    }

    /// Whether the database was opened for reading only, or is a replica.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn is_read_only(&self, reads: &Reads) -> Result<bool, DbErr> {
        if reads.backend() != DbBackend::Postgres {
            return Ok(self.is_read_only_file());
        }
        Ok(!reads.read(Statement::from_string(DbBackend::Postgres, READ_ONLY)).await?.is_empty())
    }

    /// Whether it is a SQLite file that was opened for reading only.
    pub fn is_read_only_file(&self) -> bool {
        self.read_only
    }

    /// Locks a SQLite file for one server, until the value is dropped. Other databases need no lock, nor does a file that
    /// this server only reads: it offers no subscriptions.
    ///
    /// # Errors
    ///
    /// [`LockError`].
    pub fn lock(&self) -> Result<Option<File>, LockError> {
        self.identity.as_ref().filter(|_| !self.read_only).map_or(Ok(None), |identity| identity.lock())
    }
}
