//! Waiting for what comes, however long it takes.

use std::panic::Location;
use std::time::Duration;

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use testdb::TestDb;
use tokio::time::{sleep, timeout};

/// Longer than anything takes.
pub const LONG: Duration = Duration::from_mins(1);

/// Waits until something is so.
#[track_caller]
pub fn until(mut is: impl AsyncFnMut() -> bool) -> impl Future<Output = ()> {
    let caller = Location::caller();
    async move {
        let poll = async {
            while !is().await {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(LONG, poll).await.unwrap_or_else(|_| panic!("not so at {caller}"));
    }
}

/// Waits until a statement waits for a lock. Over another connection: a transaction sees only the connections that were open
/// when it first asked.
pub async fn waits_for_lock(test: &TestDb) {
    let watch = test.connect().await;
    // Autovacuum waits for locks, too.
    let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND backend_type = 'client backend'";
    let statement = || Statement::from_string(DbBackend::Postgres, waiting);
    until(async || watch.query_one_raw(statement()).await.unwrap().is_some()).await;
}
