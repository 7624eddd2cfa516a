//! Commands, each with the settings that count for it.

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::database::Database;
use super::secret::SecretError;
use super::{Listen, Serve, Settings, Telemetry};

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Migrate the database, and start the server (default).
    Serve(Box<Serve>),
    /// Change the database schema, or show its state.
    Migrate {
        /// The direction.
        #[command(subcommand)]
        direction: Direction,
    },
    /// Fill an empty database with generated rows. The same options give the same rows.
    Seed {
        /// How many rows.
        #[command(flatten)]
        plan: Plan,
        /// The database and the log.
        #[command(flatten)]
        on: Box<On>,
    },
    /// Print the GraphQL schema.
    Schema,
    /// Decode a value, and print its parts: a cursor, a global id, a UUID of any version, a ULID, or a cursor of
    /// django-universal-paginator. Does not read the database.
    Inspect {
        /// Value to decode.
        value: String,
        /// Print one line of JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Check the server at the address in the settings. Exits with 1 if it is not healthy.
    Health(Listen),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// The direction of a migration.
#[derive(Clone, Debug, Subcommand)]
pub enum Direction {
    /// Apply all pending migrations.
    Up(Box<On>),
    /// Revert the latest migrations.
    Down {
        /// Number of migrations to revert.
        #[arg(long, default_value_t = 1, value_name = "N")]
        steps: u32,
        /// The database and the log.
        #[command(flatten)]
        on: Box<On>,
    },
    /// List the applied, pending and unknown migrations. A newer version has applied the unknown ones. Creates no file.
    Status(Box<On>),
}

/// The settings of a command that works on a database and serves nothing.
#[derive(Clone, Debug, Args)]
pub struct On {
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    telemetry: Telemetry,
}

impl Command {
    /// The settings of a command that opens a database, with those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub fn settings(&self) -> Result<Option<Settings>, SecretError> {
        let on = match self {
            Self::Serve(serve) => return serve.settings().map(Some),
            Self::Migrate { direction: Direction::Up(on) | Direction::Down { on, .. } | Direction::Status(on) }
            | Self::Seed { on, .. } => on,
            Self::Schema | Self::Inspect { .. } | Self::Health(_) | Self::Completions { .. } => return Ok(None),
        };
        Ok(Some(Settings { telemetry: on.telemetry.clone(), ..on.database.settings()? }))
    }
}

/// The number of rows to generate. The default is the sample of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Plan {
    /// Number of books, one per minute from 1 January 2020.
    #[arg(long, default_value_t = Plan::SAMPLE.books, value_name = "N", value_parser = rows())]
    pub books: u64,
    /// Number of ratings, one per minute from 1 January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.ratings, value_name = "N", value_parser = rows())]
    pub ratings: u64,
    /// Number of orders, one per minute from 1 January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.orders, value_name = "N", value_parser = rows())]
    pub orders: u64,
    /// Seed of the random numbers. The same seed gives the same rows on every database.
    #[arg(long, default_value_t = Plan::SAMPLE.rng_seed, value_name = "N")]
    pub rng_seed: u64,
}

impl Plan {
    /// Filled in a second, and large enough to page through.
    pub const SAMPLE: Self = Self { books: 1_000, ratings: 20_000, orders: 20_000, rng_seed: 0 };
}

/// At most a billion rows: at one per minute, their times fit into a `UUIDv7`.
fn rows() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=1_000_000_000)
}
