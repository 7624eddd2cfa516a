//! The program `bookends`: a Relay API over any PostgreSQL or SQLite database, without code.
//!
//! [`catalog`] reads what the database says of its tables; [`declare`] makes an object of each, as [`settings`] change it; [`discover`]
//! makes an application of them, which `bookends-server` serves and follows.

use std::process::ExitCode;

use bookends_server::config::{CliError, LogFormat};
use bookends_server::{Console, Identity};

pub mod advise;
mod arguments;
pub mod catalog;
mod commands;
pub mod counters;
mod database;
pub mod declare;
pub mod discover;
pub mod eject;
pub mod init;
mod names;
pub mod settings;
mod source;

/// The name and the version of the program.
pub const IDENTITY: Identity = Identity { name: "bookends", version: env!("CARGO_PKG_VERSION") };

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    let console = Console::new(IDENTITY.name, LogFormat::of_process());
    let failed = |error: &dyn std::error::Error, code: ExitCode| {
        console.fail(error);
        code
    };
    let asked = match arguments::read(std::env::args_os().collect()) {
        Ok(asked) => asked,
        // Help is no log, and the message for people shows how to use the command.
        Err(CliError::Arguments(error)) if console.is_text() || !error.use_stderr() => error.exit(),
        Err(error) => return failed(&error, ExitCode::from(error.exit_code())),
    };
    match bookends_server::run_async(commands::run(asked, console)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => failed(&error, error.exit_code()),
        Err(error) => failed(&error, ExitCode::FAILURE),
    }
}
