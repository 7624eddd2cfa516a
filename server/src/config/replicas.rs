//! Read replicas of PostgreSQL.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::bounds::{Seconds, positive_time};
use super::secret::{self, Secret, SecretError};

/// The replicas that queries read from, and when.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Replicas")]
pub struct Replicas {
    /// Streaming replicas of a PostgreSQL database, each a URL of one host, separated by commas. Queries read from them;
    /// mutations and subscriptions use `DATABASE_URL`. Each has as many connections for reading as the primary.
    #[arg(long, env = "DATABASE_REPLICA_URLS", hide_env_values = true, value_name = "URLS", value_delimiter = ',')]
    pub database_replica_urls: Vec<Secret>,

    /// File that contains the URLs of the replicas, separated by commas or lines. Set either it or `DATABASE_REPLICA_URLS`,
    /// not both.
    #[arg(long, env = "DATABASE_REPLICA_URLS_FILE", value_name = "PATH", conflicts_with = "database_replica_urls")]
    pub database_replica_urls_file: Option<PathBuf>,

    /// Maximum lag of a replica behind the primary; at most an hour. A replica that is further behind is not read until it has
    /// caught up.
    #[arg(
        long,
        env = "MAX_REPLICA_LAG",
        default_value_t = Replicas::MAX_REPLICA_LAG,
        value_name = "SECONDS",
        value_parser = known_lag
    )]
    pub max_replica_lag: Seconds,

    /// Maximum time that a request with a position waits for a replica to replay it. Then the request reads from the primary.
    #[arg(
        long,
        env = "REPLICA_WAIT",
        default_value_t = Replicas::REPLICA_WAIT,
        value_name = "SECONDS"
    )]
    pub replica_wait: Seconds,
}

impl Replicas {
    const MAX_REPLICA_LAG: Seconds = Seconds(Duration::from_secs(5));
    const REPLICA_WAIT: Seconds = Seconds(Duration::from_millis(100));

    /// Adds the URLs in the file.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if it cannot be read.
    pub(super) fn read_file(mut self) -> Result<Self, SecretError> {
        if let Some(path) = &self.database_replica_urls_file {
            let text = secret::read("DATABASE_REPLICA_URLS", path)?;
            self.database_replica_urls =
                text.split([',', '\n']).map(str::trim).filter(|url| !url.is_empty()).map(Secret::from).collect();
        }
        Ok(self)
    }
}

/// A lag that a server can know: it remembers the positions of an hour.
fn known_lag(text: &str) -> Result<Seconds, &'static str> {
    let lag = positive_time(text)?;
    if lag.0 <= Duration::from_hours(1) { Ok(lag) } else { Err("expected at most 3600") }
}

impl Default for Replicas {
    fn default() -> Self {
        Self {
            database_replica_urls: Vec::new(),
            database_replica_urls_file: None,
            max_replica_lag: Self::MAX_REPLICA_LAG,
            replica_wait: Self::REPLICA_WAIT,
        }
    }
}
