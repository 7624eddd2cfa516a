//! Two servers, a primary and two streaming replicas: clients read, write, walk and subscribe while servers die, freeze and
//! are promoted.
//!
//!     soak PROGRAM SECONDS
//!     soak replicate
//!
//! Prints a table, and a line for each fault; exits with 1 if there is one. `replicate` only starts a primary and its
//! replicas, prints their URLs, and ends them when its input ends. Needs Linux and the programs of PostgreSQL.

#[cfg(target_os = "linux")]
mod chaos;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod clients;
#[cfg(target_os = "linux")]
mod fleet;
#[cfg(target_os = "linux")]
#[path = "../../siege/src/http.rs"]
mod http;
#[cfg(target_os = "linux")]
mod model;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod tally;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("soak: needs Linux");
}
