//! The command line and the settings: the only place that reads the environment.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser};

mod bounds;
mod command;
mod limits;
mod secret;
mod telemetry;

pub use bounds::{Bounds, Seconds};
pub use command::{Command, Direction, Plan};
pub use limits::Limits;
pub use secret::{Secret, SecretError};
pub use telemetry::{LogFormat, Telemetry};

/// A GraphQL server that pages through tables of any size at a constant cost.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = false,
    after_help = "Writing takes the token in the environment variable BOOKENDS_WRITE_TOKEN, or in a file. Where it is not set, the server is \
        written to on a loopback address only, from its own machine."
)]
pub struct Cli {
    /// What to do; without it, the server starts.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Where and how.
    #[command(flatten)]
    pub settings: Settings,
}

impl Cli {
    /// What this process was started with. Ends it where that says nothing that can be done, or asks for help.
    ///
    /// # Errors
    ///
    /// [`SecretError::Shown`] for a password on the command line.
    pub fn of_process() -> Result<Self, SecretError> {
        let matches = Self::command().get_matches();
        let cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        let is_flag = matches.value_source("database_url") == Some(ValueSource::CommandLine);
        if is_flag && cli.settings.database_url.has_password() { Err(SecretError::Shown) } else { Ok(cli) }
    }
}

/// Every setting; a flag goes before the environment, the environment before the default.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The database: a SQLite file, made where it is missing, or a PostgreSQL server
    /// (`postgres://user:password@host/database`; with a password, not as a flag).
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = Settings::DATABASE_URL,
        value_name = "URL",
        global = true
    )]
    pub database_url: Secret,

    /// A file that holds the database's URL, in place of the URL.
    #[arg(long, env = "DATABASE_URL_FILE", value_name = "PATH", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,

    /// The most connections to the database that requests share, three or more. On PostgreSQL a quarter of them write.
    #[arg(
        long,
        env = "DATABASE_CONNECTIONS",
        default_value_t = Settings::DATABASE_CONNECTIONS,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(3..=1000),
        global = true
    )]
    pub database_connections: u32,

    /// The address to serve on.
    #[arg(long, env = "LISTEN", default_value_t = Settings::LISTEN, value_name = "ADDRESS", global = true)]
    pub listen: SocketAddr,

    /// The token that writing takes: `BOOKENDS_WRITE_TOKEN`, from the environment alone, because everybody on the
    /// machine reads a command line.
    #[arg(skip = Secret::from_environment("BOOKENDS_WRITE_TOKEN"))]
    pub write_token: Option<Secret>,

    /// A file that holds the token that writing takes, in place of `BOOKENDS_WRITE_TOKEN`.
    #[arg(long, env = "BOOKENDS_WRITE_TOKEN_FILE", value_name = "PATH", global = true)]
    pub write_token_file: Option<PathBuf>,

    /// What a request may ask for.
    #[command(flatten)]
    pub limits: Limits,

    /// What the server takes on.
    #[command(flatten)]
    pub bounds: Bounds,

    /// What the server says of its work.
    #[command(flatten)]
    pub telemetry: Telemetry,
}

impl Settings {
    const DATABASE_URL: &str = "sqlite://bookends.db";
    const DATABASE_CONNECTIONS: u32 = 16;
    const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    /// The defaults, with this database.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: Secret::new(database_url.into()),
            database_url_file: None,
            database_connections: Self::DATABASE_CONNECTIONS,
            listen: Self::LISTEN,
            write_token: None,
            write_token_file: None,
            limits: Limits::DEFAULT,
            bounds: Bounds::DEFAULT,
            telemetry: Telemetry::default(),
        }
    }

    /// The settings with what stands in files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] for a file that cannot be read, and for a setting that is set twice.
    pub fn with_files(mut self) -> Result<Self, SecretError> {
        if let Some(path) = &self.database_url_file {
            self.database_url = Secret::new(secret::read("DATABASE_URL", path)?);
        }
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
