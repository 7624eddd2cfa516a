//! Waiting for a database that is about to be there: in a fleet, servers and their database start in any order.

use std::io::ErrorKind;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions, Connection};
use tokio::time::{Instant, sleep, timeout};

use super::PATIENCE;

/// Between two tries, at first and at most; twice as long each time.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// Tries to connect until the database answers, at least once and for at most this long.
///
/// # Errors
///
/// What the last try met. What does not pass by waiting, such as a wrong password, is not tried again.
pub async fn until_it_answers(options: &PgConnectOptions, place: &str, longest: Duration) -> Result<(), sqlx::Error> {
    let end = Instant::now() + longest;
    let (mut pause, most) = PAUSE;
    loop {
        let tried = timeout(PATIENCE, options.connect()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        let error = match tried {
            Ok(connection) => {
                // An error in taking leave is none of ours.
                let _ = connection.close().await;
                return Ok(());
            }
            Err(error) if may_pass(&error) && Instant::now() + pause < end => error,
            Err(error) => return Err(error),
        };
        tracing::warn!(%error, "{place} does not answer yet");
        sleep(pause).await;
        pause = most.min(2 * pause);
    }
}

/// Whether it can be otherwise in a moment: there is no server at the address yet or any more, or its name is not known
/// yet, or it starts up, or is full.
fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Io(error) => {
            // A socket that is not there yet is "not found", a name that is not known yet has no kind of its own.
            !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::InvalidData)
        }
        sqlx::Error::Database(error) => matches!(error.code().as_deref(), Some("57P03" | "53300" | "57P01" | "57P02")),
        _ => false,
    }
}
