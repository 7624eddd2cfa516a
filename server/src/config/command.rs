//! Commands, each with the settings that count for it.

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::database::Database;
use super::secret::SecretError;
use super::{Listen, Serve, Settings, Telemetry};
use crate::identity::Identity;

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

impl On {
    /// The settings, with those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub fn settings(&self, identity: Identity) -> Result<Settings, SecretError> {
        Ok(Settings { telemetry: self.telemetry.clone(), ..self.database.settings(identity)? })
    }
}

impl Command {
    /// The settings of a command that opens a database, with those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub(crate) fn settings(&self, identity: Identity) -> Result<Option<Settings>, SecretError> {
        let on = match self {
            Self::Serve(serve) => return serve.settings(identity).map(Some),
            Self::Migrate { direction: Direction::Up(on) | Direction::Down { on, .. } | Direction::Status(on) } => on,
            Self::Schema | Self::Inspect { .. } | Self::Health(_) | Self::Completions { .. } => return Ok(None),
        };
        on.settings(identity).map(Some)
    }
}
