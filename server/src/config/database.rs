//! The database.

use std::path::PathBuf;

use clap::Args;

use super::connections::default_connections;
use super::secret::{self, Secret, SecretError};
use super::{Pooler, Replicas, Seconds, Settings, Sqlite};
use crate::identity::Identity;

/// The database, and how it is opened: for every command that opens one.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Database")]
#[expect(clippy::struct_field_names, reason = "the names of the flags")]
pub struct Database {
    /// Database: a SQLite file, created if missing, or a PostgreSQL server (`postgres://user@host/database`). With several
    /// hosts (`host1:5432,host2:5432`), the server uses the one that accepts writes. Set a URL with a password in the
    /// environment or in a file, not as a flag.
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = Settings::DATABASE_URL,
        value_name = "URL"
    )]
    database_url: Secret,

    /// File that contains the database URL. Set either it or `DATABASE_URL`, not both.
    #[arg(long, env = "DATABASE_URL_FILE", value_name = "PATH", conflicts_with = "database_url")]
    database_url_file: Option<PathBuf>,

    /// Maximum number of database connections, shared by all requests; at least 3. On PostgreSQL, a quarter of them is
    /// for declared mutations. Mutations of the application's own code have as many besides, which are opened when they are
    /// needed. By default, four for each core of the server, but from 8 to 32.
    #[arg(
        long,
        env = "DATABASE_CONNECTIONS",
        default_value_t = default_connections(),
        hide_default_value = true,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(3..=1000)
    )]
    database_connections: u32,

    /// Maximum time to wait at start-up for a PostgreSQL server that does not answer yet, or for its database to be created.
    #[arg(long, env = "DATABASE_WAIT", default_value_t = Settings::DATABASE_WAIT, value_name = "SECONDS")]
    database_wait: Seconds,

    /// Read replicas.
    #[command(flatten)]
    replicas: Replicas,

    /// PostgreSQL behind a pooler.
    #[command(flatten)]
    pooler: Pooler,

    /// How a SQLite file is opened.
    #[command(flatten)]
    sqlite: Sqlite,
}

impl Database {
    /// These settings, with those in files, beside the defaults of all others.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read.
    pub(super) fn settings(&self, identity: Identity) -> Result<Settings, SecretError> {
        let database_url = match &self.database_url_file {
            Some(path) => Secret::new(secret::read("DATABASE_URL", path)?),
            None => self.database_url.clone(),
        };
        Ok(Settings {
            database_url,
            database_connections: self.database_connections,
            database_wait: self.database_wait,
            replicas: self.replicas.clone().read_file()?,
            pooler: self.pooler.clone().read_file()?,
            sqlite: self.sqlite,
            identity,
            ..Settings::new("")
        })
    }
}
