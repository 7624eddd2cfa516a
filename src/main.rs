//! `bookends`: see [`bookends::config`] for what it can do.

use std::process::ExitCode;

use bookends::config::Cli;
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    match bookends::run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bookends: {error}");
            ExitCode::FAILURE
        }
    }
}
