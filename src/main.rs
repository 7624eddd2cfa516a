//! The program `bookends`; see [`bookends::config`] for its commands.

use std::process::ExitCode;

use bookends::config::Cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Cli::of_process() {
        Ok(cli) => bookends::run(cli).await,
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bookends: {error}");
            error.exit_code()
        }
    }
}
