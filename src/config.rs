//! Command line and settings: the only code that reads the environment.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser};

use crate::cores;

mod bounds;
mod command;
mod documents;
mod limits;
mod origin;
mod pooler;
mod replicas;
mod secret;
mod sqlite;
mod telemetry;

pub use bounds::{Bounds, Seconds};
pub use command::{Command, Direction, Plan, Reproducible};
pub use documents::Documents;
pub use limits::Limits;
pub use origin::{AllowedOrigin, InvalidOrigin, Origin};
pub use pooler::{Pooler, StatementMode};
pub use replicas::Replicas;
pub use secret::{Secret, SecretError};
pub use sqlite::Sqlite;
pub use telemetry::{LogFormat, Telemetry};

/// A GraphQL server that pages through tables of any size at a constant cost.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = false,
    after_help = "Mutations need the token in the environment variable BOOKENDS_WRITE_TOKEN, or in a file (--write-token-file). Without \
        either, a server on a loopback address generates a token, and prints it in the URL of its page. On other addresses, mutations are \
        then disabled."
)]
pub struct Cli {
    /// The command; `serve` by default.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

impl Cli {
    /// The arguments of this process. Exits if they are invalid, or ask for help.
    ///
    /// # Errors
    ///
    /// [`SecretError::Shown`] for a password on the command line.
    pub fn of_process() -> Result<Self, SecretError> {
        let matches = Self::command().get_matches();
        let cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        let is_shown =
            |setting, has_password| matches.value_source(setting) == Some(ValueSource::CommandLine) && has_password;
        let settings = &cli.settings;
        if is_shown("database_url", settings.database_url.has_password()) {
            return Err(SecretError::Shown { setting: "DATABASE_URL" });
        }
        if is_shown("database_replica_urls", settings.replicas.have_password()) {
            return Err(SecretError::Shown { setting: "DATABASE_REPLICA_URLS" });
        }
        if is_shown("database_listen_url", settings.pooler.has_password()) {
            return Err(SecretError::Shown { setting: "DATABASE_LISTEN_URL" });
        }
        Ok(cli)
    }
}

/// Every setting. A flag overrides the environment; the environment overrides the default.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Database")]
pub struct Settings {
    /// Database: a SQLite file, created if missing, or a PostgreSQL server (`postgres://user@host/database`). With several
    /// hosts (`host1:5432,host2:5432`), the server uses the one that accepts writes. Set a URL with a password in the
    /// environment or in a file, not as a flag.
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = Settings::DATABASE_URL,
        value_name = "URL",
        global = true
    )]
    pub database_url: Secret,

    /// File that contains the database URL. Set either it or `DATABASE_URL`, not both.
    #[arg(long, env = "DATABASE_URL_FILE", value_name = "PATH", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,

    /// Maximum number of database connections, shared by all requests; at least 3. On PostgreSQL, a quarter of them is
    /// for writes. By default, four for each core of the server, but from 8 to 32.
    #[arg(
        long,
        env = "DATABASE_CONNECTIONS",
        default_value_t = Settings::default_connections(),
        hide_default_value = true,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(3..=1000),
        global = true
    )]
    pub database_connections: u32,

    /// Read replicas.
    #[command(flatten)]
    pub replicas: Replicas,

    /// PostgreSQL behind a pooler.
    #[command(flatten)]
    pub pooler: Pooler,

    /// How a SQLite file is opened.
    #[command(flatten)]
    pub sqlite: Sqlite,

    /// Address and port to listen on.
    #[arg(
        long,
        env = "LISTEN",
        default_value_t = Settings::LISTEN,
        value_name = "ADDRESS",
        help_heading = "Server",
        global = true
    )]
    pub listen: SocketAddr,

    /// Another address and port, for `/health`, `/ready` and `/metrics` alone. They have a thread of their own there, and are
    /// no longer on the main port.
    #[arg(long, env = "LISTEN_ADMIN", value_name = "ADDRESS", help_heading = "Server", global = true)]
    pub listen_admin: Option<SocketAddr>,

    /// The token that mutations need: `BOOKENDS_WRITE_TOKEN`. It has no flag, because every user of a machine can read
    /// command lines.
    #[arg(skip = Secret::from_environment("BOOKENDS_WRITE_TOKEN"))]
    pub write_token: Option<Secret>,

    /// File that contains the token that mutations need. Set either it or `BOOKENDS_WRITE_TOKEN`, not both.
    #[arg(long, env = "BOOKENDS_WRITE_TOKEN_FILE", value_name = "PATH", help_heading = "Server", global = true)]
    pub write_token_file: Option<PathBuf>,

    /// Limits of one request.
    #[command(flatten)]
    pub limits: Limits,

    /// Trusted documents.
    #[command(flatten)]
    pub documents: Documents,

    /// Limits of the server.
    #[command(flatten)]
    pub bounds: Bounds,

    /// Log and traces.
    #[command(flatten)]
    pub telemetry: Telemetry,
}

impl Settings {
    const DATABASE_URL: &str = "sqlite://bookends.db";
    const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    /// The defaults, with this database.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: Secret::new(database_url.into()),
            database_url_file: None,
            database_connections: Self::default_connections(),
            replicas: Replicas::default(),
            pooler: Pooler::default(),
            sqlite: Sqlite::default(),
            listen: Self::LISTEN,
            listen_admin: None,
            write_token: None,
            write_token_file: None,
            limits: Limits::DEFAULT,
            documents: Documents::default(),
            bounds: Bounds::DEFAULT,
            telemetry: Telemetry::default(),
        }
    }

    /// More than four connections for each core do not help, and delay each other. Three servers with 32 fit into the 100
    /// connections that PostgreSQL accepts by default.
    fn default_connections() -> u32 {
        u32::try_from(4 * cores()).unwrap_or(u32::MAX).clamp(8, 32)
    }

    /// The settings, including those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub fn with_files(mut self) -> Result<Self, SecretError> {
        if let Some(path) = &self.database_url_file {
            self.database_url = Secret::new(secret::read("DATABASE_URL", path)?);
        }
        self.replicas = self.replicas.with_file()?;
        self.pooler = self.pooler.with_file()?;
        if let Some(path) = &self.write_token_file {
            let setting = "BOOKENDS_WRITE_TOKEN";
            if self.write_token.is_some() {
                return Err(SecretError::Both { setting });
            }
            self.write_token = Some(Secret::new(secret::read(setting, path)?));
        }
        Ok(self)
    }
}
