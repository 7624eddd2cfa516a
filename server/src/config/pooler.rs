//! PostgreSQL behind a pooler.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::secret::{self, Secret, SecretError};

/// What a pooler in transaction mode needs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pooler")]
pub struct Pooler {
    /// How statements are sent to PostgreSQL. `unprepared` works behind a pooler that changes the connection for each
    /// transaction.
    #[arg(
        long,
        env = "DATABASE_STATEMENT_MODE",
        value_enum,
        default_value_t = StatementMode::default(),
        value_name = "MODE"
    )]
    pub database_statement_mode: StatementMode,

    /// PostgreSQL server to listen to for subscriptions, without the pooler. If it is not set, unprepared statements
    /// disable subscriptions.
    #[arg(long, env = "DATABASE_LISTEN_URL", hide_env_values = true, value_name = "URL")]
    pub database_listen_url: Option<Secret>,

    /// File that contains the URL to listen to. Set either it or `DATABASE_LISTEN_URL`, not both.
    #[arg(long, env = "DATABASE_LISTEN_URL_FILE", value_name = "PATH", conflicts_with = "database_listen_url")]
    pub database_listen_url_file: Option<PathBuf>,
}

/// How statements are sent to PostgreSQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StatementMode {
    /// Prepared once for each connection. The connection must remain the same.
    #[default]
    Prepared,
    /// With their values, and with their settings in each transaction.
    Unprepared,
}

impl Pooler {
    /// Adds the URL in the file.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if it cannot be read.
    pub(super) fn read_file(mut self) -> Result<Self, SecretError> {
        if let Some(path) = &self.database_listen_url_file {
            self.database_listen_url = Some(Secret::new(secret::read("DATABASE_LISTEN_URL", path)?));
        }
        Ok(self)
    }
}
