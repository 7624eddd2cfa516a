//! The program `bookends`; see [`bookends::config`] for its commands.

use std::process::ExitCode;

use bookends::config::Cli;
use bookends::threads;
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(error) => return failed(&error, ExitCode::FAILURE),
    };
    let runtime = match Builder::new_multi_thread().worker_threads(threads()).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error, ExitCode::FAILURE),
    };
    match runtime.block_on(bookends::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            failed(&error, code)
        }
    }
}

fn failed(error: &dyn std::error::Error, code: ExitCode) -> ExitCode {
    eprintln!("bookends: {error}");
    code
}
