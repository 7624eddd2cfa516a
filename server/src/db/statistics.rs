//! The statistics of the tables, by which filters are priced. They are read again from time to time.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use keyset::Statistics;
use sea_orm::DbErr;
use tokio::sync::watch;
use tokio::time::sleep;

use super::Reads;

/// The pause between two readings.
const PAUSE: Duration = Duration::from_mins(1);

/// The pause is longer where a reading takes long: this many times as long.
const SHARE: u32 = 200;

/// The statistics of a database: empty until they are read. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TableStatistics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    current: RwLock<Arc<Statistics>>,
    /// Closed with the last clone.
    stop: watch::Sender<()>,
}

impl Default for TableStatistics {
    fn default() -> Self {
        Self(Arc::new(Inner { current: RwLock::default(), stop: watch::Sender::new(()) }))
    }
}

impl TableStatistics {
    /// The statistics that were read last.
    pub fn current(&self) -> Arc<Statistics> {
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads them.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read(&self, db: &Reads) -> Result<(), DbErr> {
        self.set(Statistics::read(db).await?);
        Ok(())
    }

    /// Reads them now, and again from time to time, until it is told to stop, or its last clone is dropped. Returns after the
    /// first time.
    pub async fn keep(&self, db: Reads) {
        self.take(Statistics::read(&db).await);
        let (inner, mut stop) = (Arc::downgrade(&self.0), self.0.stop.subscribe());
        let kept = async move {
            let mut took = Duration::ZERO;
            loop {
                sleep(PAUSE.max(took * SHARE)).await;
                let begun = Instant::now();
                let read = Statistics::read(&db).await;
                took = begun.elapsed();
                let Some(this) = inner.upgrade().map(Self) else { return };
                this.take(read);
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                _ = stop.changed() => {}
                () = kept => {}
            }
        });
    }

    /// Reads them no more.
    pub fn stop(&self) {
        self.0.stop.send_replace(());
    }

    /// Keeps what was read. The old ones still say something.
    fn take(&self, read: Result<Statistics, DbErr>) {
        match read {
            Ok(statistics) => self.set(statistics),
            Err(error) => tracing::warn!(%error, "cannot read the sizes of tables: the costs of filters do not change"),
        }
    }

    fn set(&self, statistics: Statistics) {
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(statistics);
    }
}
