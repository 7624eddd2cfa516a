//! The program of an application.

use std::process::ExitCode;

use crate::app::App;
use crate::config::{self, CliError, LogFormat};
use crate::console::Console;
use crate::run::{run, run_async};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command that the arguments of the process name.
pub fn main(app: App) -> ExitCode {
    let console = Console::new(app.identity.name, LogFormat::of_process());
    let failed = |error: &dyn std::error::Error, code: ExitCode| {
        console.fail(error);
        code
    };
    let asked = match config::read_process(&app) {
        Ok(asked) => asked,
        // Help is no log, and the message for people shows how to use the command.
        Err(CliError::Arguments(error)) if console.is_text() || !error.use_stderr() => error.exit(),
        Err(error) => return failed(&error, ExitCode::from(error.exit_code())),
    };
    let application = match app.check() {
        Ok(application) => application,
        Err(error) => return failed(&error, ExitCode::FAILURE),
    };
    match run_async(run(&application, asked, console)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => failed(&error, error.exit_code()),
        Err(error) => failed(&error, ExitCode::FAILURE),
    }
}
