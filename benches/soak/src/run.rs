//! The run from its start to its table.

use std::error::Error;
use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

use crate::chaos::Chaos;
use crate::check;
use crate::clients::{self, World};
use crate::fleet::Fleet;
use crate::server::Server;

/// How many MB of memory more a server may have at the end.
const TOLERANCE: u64 = 64;

/// The longest time without writes through both servers. They find a promoted server within seconds, as
/// docs/scaling/failover.md lists; the rest is for a busy machine.
const MAX_OUTAGE: Duration = Duration::from_secs(20);

/// The load before the memory is first read.
const WARM: Duration = Duration::from_secs(3);

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["replicate"] => replicate(),
        [program, seconds] => run(program, seconds),
        _ => Err("expected PROGRAM SECONDS, or `replicate`".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A primary and two replicas until the input ends.
fn replicate() -> Result<bool, Box<dyn Error>> {
    let fleet = Fleet::start()?;
    println!("{}\n{}", fleet.primary().url(""), fleet.replica_urls());
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(true)
}

/// Whether there was no fault.
fn run(program: &str, seconds: &str) -> Result<bool, Box<dyn Error>> {
    let seconds = Duration::from_secs(seconds.parse()?);
    let mut fleet = Fleet::start()?;
    fleet.fill(program)?;
    fleet.synchronize();
    let servers = [Server::start(program, &fleet)?, Server::start(program, &fleet)?];
    let world = Arc::new(World::new(&servers, &fleet)?);
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let clients = clients::start(&runtime, &world)?;
    thread::sleep(WARM);
    let before = memory(&servers)?;
    let mut chaos = Chaos::new(Arc::clone(&world), Instant::now() + seconds);
    chaos.run(&mut fleet)?;
    clients::stop(&runtime, &world, clients)?;
    let after = memory(&servers)?;
    let mut faults = check::check(&runtime, &world, &fleet)?;
    faults.extend(world.tally.faults());
    if chaos.outages.is_empty() {
        faults.push("no server was promoted: the time was too short".to_owned());
    }
    for outage in chaos.outages.iter().filter(|outage| **outage > MAX_OUTAGE) {
        faults.push(format!("a server did not write to the next primary for {:.1} s", outage.as_secs_f64()));
    }
    for (number, (before, after)) in before.iter().zip(&after).enumerate() {
        if *after > before + TOLERANCE {
            faults.push(format!("server {} has {after} MB, and had {before} MB", number + 1));
        }
    }
    println!("{} s; {} cores; load average {}\n", seconds.as_secs(), cores(), load_average()?);
    print!("{}", world.tally);
    println!("\n{chaos}\n\nmemory of the servers in MB, at the beginning and at the end: {before:?}, {after:?}\n");
    for fault in &faults {
        println!("- {fault}");
    }
    Ok(faults.is_empty())
}

fn memory(servers: &[Server]) -> io::Result<Vec<u64>> {
    servers.iter().map(Server::memory).collect()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

fn load_average() -> io::Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}
