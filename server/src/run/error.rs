//! Why a command failed.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;

use sea_orm::DbErr;

use super::stop;
use crate::config::SecretError;
use crate::db::{ConnectError, Failure, LockError, MigrateError};
use crate::http::{AccessError, AuthenticationError};
use crate::request::TrustedError;
use crate::{EndpointError, HealthError, InspectError};

/// The error of a function of the application. Its text is one line.
pub type OwnError = Box<dyn std::error::Error + Send + Sync>;

/// Why a command failed. The text is one line.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Ctrl-C or SIGTERM ended a command that changes the database.
    #[error("interrupted: the change in progress was rolled back")]
    Interrupted,
    /// The system refuses a signal handler.
    #[error("cannot install a signal handler: {0}")]
    Signals(io::Error),
    /// A setting in a file.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The endpoint of traces.
    #[error(transparent)]
    Telemetry(#[from] EndpointError),
    /// The database cannot be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The schema cannot be changed or read.
    #[error("cannot migrate the database: {0}")]
    Migrate(#[from] MigrateError),
    /// The schema is old and cannot be changed here.
    #[error(
        "the schema is not up to date and the database is read-only: run the command `migrate up` where it can be written"
    )]
    Outdated,
    /// Another server uses the SQLite file.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database cannot be filled.
    #[error("cannot fill the database: {0}")]
    Sample(OwnError),
    /// A command of the application failed.
    #[error(transparent)]
    Own(OwnError),
    /// There is no application for the database.
    #[error(transparent)]
    Source(OwnError),
    /// The database cannot be read.
    #[error("cannot read the database: {0}")]
    Read(DbErr),
    /// Other machines reach the server.
    #[error("--at needs a loopback address, because the keys of the server are predictable")]
    Predictable,
    /// Reproducible keys could repeat those of rows.
    #[error("the database has rows from the time in --at or later: use a later time, or a new database")]
    Repeated,
    /// The address is in use, or not an address of this machine.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address in the settings.
        address: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// The server is not healthy.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// The value cannot be inspected.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The probes cannot be served.
    #[error("cannot serve the probes: {0}")]
    Admin(io::Error),
    /// The settings of tokens.
    #[error(transparent)]
    Authentication(#[from] AuthenticationError),
    /// There is no write token.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The documents in the settings cannot be trusted.
    #[error(transparent)]
    Documents(#[from] TrustedError),
    /// The database cannot be closed.
    #[error("cannot close the database: {0}")]
    Close(DbErr),
}

impl RunError {
    /// The exit status of the program.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Interrupted => ExitCode::from(stop::INTERRUPTED),
            _ => ExitCode::FAILURE,
        }
    }
}

/// Why the schema was not changed.
pub(super) fn outdated(error: MigrateError) -> RunError {
    match error {
        MigrateError::Database(error) if Failure::of(&error) == Failure::ReadOnly => RunError::Outdated,
        error => RunError::Migrate(error),
    }
}
