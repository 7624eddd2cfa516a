//! Waiting for what comes, however long it takes.

use std::panic::Location;
use std::time::Duration;

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
