//! The program `bookends`; see [`bookends::config`] for its commands.

use std::process::ExitCode;

use bookends::Console;
use bookends::config::{Cli, CliError, LogFormat};
use bookends::threads;
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let console = Console::new(LogFormat::of_process());
    let failed = |error: &dyn std::error::Error, code: ExitCode| {
        console.fail(error);
        code
    };
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        // Help is no log, and the message for people shows how to use the command.
        Err(CliError::Arguments(error)) if console.is_text() || !error.use_stderr() => error.exit(),
        Err(error) => return failed(&error, ExitCode::from(error.exit_code())),
    };
    let runtime = match Builder::new_multi_thread().worker_threads(threads() + 1).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error, ExitCode::FAILURE),
    };
    match runtime.block_on(bookends::run(cli, console)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, error.exit_code()),
    }
}
