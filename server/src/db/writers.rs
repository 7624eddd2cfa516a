//! Where transactions write: how many at a time, and on which connections.
//!
//! A write whose statements are all of the engine runs on a driver that also reads. The statements of an application need SeaORM's
//! connections.

use std::sync::Arc;

use keyset::ReadRows as _;
use sea_orm::{ConnAcquireErr, DbBackend, DbErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::pool::{Pool, Usage};
use super::timeout::CONNECT_TIMEOUT;

/// The transactions that may write. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Writers {
    permits: Arc<Semaphore>,
    /// How many there are.
    most: usize,
    /// None where all that reads shares one connection with all that writes, and where statements are unprepared.
    engine: Option<Pool>,
}

impl Writers {
    /// At most this many writes at a time, on SeaORM's connections.
    pub fn new(most: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(most)), most, engine: None }
    }

    /// The same, with these connections for the writes of the engine.
    #[must_use]
    pub fn with(self, engine: Pool) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// The right to write.
    ///
    /// # Errors
    ///
    /// [`DbErr::ConnectionAcquire`] if others write for five seconds.
    pub async fn permit(&self) -> Result<OwnedSemaphorePermit, DbErr> {
        let permit = timeout(CONNECT_TIMEOUT, Arc::clone(&self.permits).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))
    }

    /// The same at once. None if others write or wait.
    pub fn try_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    /// The connections for the writes of the engine.
    pub fn engine(&self) -> Option<&Pool> {
        self.engine.as_ref()
    }

    /// Whether a statement of the engine blocks its thread.
    pub fn block(&self) -> bool {
        self.engine.as_ref().is_some_and(|pool| pool.backend() == DbBackend::Sqlite)
    }

    /// How the connections are used, of which SeaORM's are used so.
    pub fn usage(&self, of_sea_orm: Usage) -> Usage {
        let idle = of_sea_orm.idle + self.engine.as_ref().map_or(0, |pool| pool.usage().idle);
        let used = self.most.saturating_sub(self.permits.available_permits()).max(of_sea_orm.used);
        Usage { used, idle, spare: self.most.saturating_sub(used + idle) }
    }

    /// Closes the connections of the engine.
    pub async fn close(&self) {
        if let Some(pool) = &self.engine {
            pool.close().await;
        }
    }
}
