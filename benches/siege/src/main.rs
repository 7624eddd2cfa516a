//! An attack on a server, beside a normal client and probes at other addresses:
//!
//!     siege DATABASE ADDRESS PID SECONDS CURSORS ATTACK [URL…]
//!
//! `DATABASE` is a name for the table. `CURSORS` is a file of cursors of ratings by `rating DESC`. `URL` is that of
//! PostgreSQL. `ADDRESS` and `PID` can be those of several servers, separated by commas. Each connection is to the next of
//! them. `BOOKENDS_WRITE_TOKEN` has the write token. Prints a row, and a line for each fault; exits with 1 if the normal client
//! noticed the attack, or memory was not released. Without arguments, prints the names of the attacks.

use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use attacks::{Prepared, find, names};
use process::Processes;
use round::Round;
use shop::Shop;
use tokio::runtime::Builder;
use work::Work;

mod attacks;
mod http;
mod normal;
mod process;
mod round;
mod row;
mod shop;
mod work;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("siege: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the normal client noticed nothing.
fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, addresses, pids, seconds, cursors, name, urls @ ..] = &arguments[..] else {
        names().iter().for_each(|name| println!("{name}"));
        return Ok(true);
    };
    let (attack, attackers) = find(name).ok_or("no attack of this name")?;
    let processes = Processes(pids.split(',').map(str::parse).collect::<Result<_, _>>()?);
    let work = Work::new(processes.clone(), urls)?;
    #[expect(clippy::disallowed_methods, reason = "a setting of this program, not of the server")]
    let token = std::env::var("BOOKENDS_WRITE_TOKEN")?;
    let addresses = addresses.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let cursors = fs::read_to_string(cursors)?.lines().map(str::to_owned).collect();
    let (shop, prepared) = Builder::new_current_thread().enable_all().build()?.block_on(async {
        let shop = Shop::open(addresses, &token, cursors).await?;
        let prepared = Prepared::new(&shop, name).await?;
        Ok::<_, Box<dyn Error>>((shop, prepared))
    })?;
    let seconds = Duration::from_secs(seconds.parse()?);
    let row = Round { shop, prepared: Arc::new(prepared), processes, work, seconds }.run(attack, attackers)?;
    println!("| {database} | {name} | {row} |");
    let faults = row.faults();
    for fault in &faults {
        println!("- {database}, {name}: {fault}");
    }
    Ok(faults.is_empty())
}
