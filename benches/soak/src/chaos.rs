//! What happens to the databases.

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use testdb::{Cluster, Stop};

use crate::clients::{World, wait};
use crate::fleet::Fleet;
use crate::server::get;

/// The time of normal operation between two events.
const CALM: Duration = Duration::from_secs(2);

pub struct Chaos {
    world: Arc<World>,
    end: Instant,
    /// The events, and how often.
    kills: usize,
    freezes: usize,
    restarts: usize,
    /// How long not every server acknowledged writes, for each promotion.
    pub outages: Vec<Duration>,
}

impl Chaos {
    pub fn new(world: Arc<World>, end: Instant) -> Self {
        Self { world, end, kills: 0, freezes: 0, restarts: 0, outages: Vec::new() }
    }

    /// Kills, freezes, restarts and promotes until the end.
    pub fn run(&mut self, fleet: &mut Fleet) -> Result<(), Box<dyn Error>> {
        let steps = [Self::kill, Self::freeze, Self::promote, Self::restart];
        for step in steps.into_iter().cycle() {
            thread::sleep(CALM.min(self.end.saturating_duration_since(Instant::now())));
            if Instant::now() >= self.end {
                break;
            }
            step(self, fleet)?;
        }
        self.settle(fleet)
    }

    /// Waits until both servers use both replicas.
    pub fn settle(&self, fleet: &Fleet) -> Result<(), Box<dyn Error>> {
        fleet.0[1..].iter().try_for_each(|replica| self.wait_for(replica, true))
    }

    /// The other replica crashes, and starts again.
    fn kill(&mut self, fleet: &mut Fleet) -> Result<(), Box<dyn Error>> {
        self.kills += 1;
        fleet.0[2].kill();
        self.wait_for(&fleet.0[2], false)?;
        thread::sleep(CALM);
        fleet.0[2].resume();
        self.settle(fleet)
    }

    /// The other replica freezes.
    fn freeze(&mut self, fleet: &mut Fleet) -> Result<(), Box<dyn Error>> {
        self.freezes += 1;
        fleet.0[2].freeze();
        self.wait_for(&fleet.0[2], false)?;
        thread::sleep(CALM);
        fleet.0[2].thaw();
        self.settle(fleet)
    }

    /// The next primary is shut down as a replica, and starts again.
    fn restart(&mut self, fleet: &mut Fleet) -> Result<(), Box<dyn Error>> {
        self.restarts += 1;
        fleet.0[1].stop(Stop::Fast);
        self.wait_for(&fleet.0[1], false)?;
        thread::sleep(CALM);
        fleet.0[1].resume();
        self.settle(fleet)
    }

    /// The primary crashes, and the next one takes its place. It becomes a replica.
    fn promote(&mut self, fleet: &mut Fleet) -> Result<(), Box<dyn Error>> {
        fleet.synchronize();
        self.world.is_headless.store(true, SeqCst);
        fleet.0[0].kill();
        let killed = Instant::now();
        fleet.0[1].promote();
        fleet.0[1].feed(&fleet.0[2]);
        // From then on no client sees an outage any more, and no write may fail.
        wait("a write through each server after the promotion", || {
            let model = self.world.model();
            self.world.addresses.iter().all(|server| model.last.get(server).is_some_and(|last| *last > killed))
        })?;
        self.outages.push(killed.elapsed());
        self.world.is_headless.store(false, SeqCst);
        fleet.0.rotate_left(1);
        let [primary, _, old] = &mut fleet.0;
        primary.rebuild(old);
        // The next one that is promoted follows.
        self.settle(fleet)
    }

    /// Waits until both servers use a replica, or do not.
    fn wait_for(&self, replica: &Cluster, healthy: bool) -> Result<(), Box<dyn Error>> {
        let is = |address: SocketAddr| {
            let ready = get(address, "/ready").unwrap_or_default();
            ready.contains(&format!("replica {}: healthy", replica.address())) == healthy
        };
        let what = format!("{} is healthy: {healthy}", replica.address());
        wait(&what, || self.world.addresses.into_iter().all(is))
    }
}

impl fmt::Display for Chaos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, freezes, restarts, outages, .. } = self;
        write!(f, "killed replicas: {kills}; frozen: {freezes}; restarted: {restarts}; promotions: {}", outages.len())?;
        let outages: Vec<String> = outages.iter().map(|time| format!("{:.2} s", time.as_secs_f64())).collect();
        write!(f, "; until both servers acknowledged writes: {}", outages.join(", "))
    }
}
