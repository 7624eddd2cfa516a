//! Waits at start-up for a PostgreSQL server that is not up yet, and for its database: all of them may start in any order.

use std::io::ErrorKind;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, Connection};
use tokio::time::{Instant, sleep};

use super::servers::Servers;

/// The pause between two attempts: the first and the longest. It doubles each time.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// Connects repeatedly until the database answers: at least once, and for at most this long.
///
/// # Errors
///
/// The error of the last attempt. An error that waiting cannot cure, such as a wrong password, is not retried.
pub async fn until_available(servers: &Servers, name: &str, max: Duration) -> Result<(), sqlx::Error> {
    let end = Instant::now() + max;
    let (mut pause, max_pause) = PAUSE;
    loop {
        let error = match servers.connect::<PgConnection>().await {
            Ok(connection) => {
                // An error while closing does not matter.
                let _ = connection.close().await;
                return Ok(());
            }
            Err(error) if may_pass(&error) && Instant::now() + pause < end => error,
            Err(error) => return Err(error),
        };
        tracing::warn!(%error, "{name} does not answer yet");
        sleep(pause).await;
        pause = max_pause.min(2 * pause);
    }
}

/// Whether waiting may help: no server listens yet, its name does not resolve yet, it starts up, it has no free connection,
/// or the database has not been created yet.
fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Io(error) => {
            // A missing socket is "not found"; a name that does not resolve has no kind of its own.
            !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::InvalidData)
        }
        sqlx::Error::Database(error) => {
            matches!(error.code().as_deref(), Some("57P03" | "53300" | "57P01" | "57P02" | "3D000"))
        }
        _ => false,
    }
}
