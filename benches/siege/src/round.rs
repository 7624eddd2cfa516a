//! An attack beside the normal client.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::attacks::{Attack, Prepared, Requests, Siege, Tally, large, repeat};
use crate::normal::Normal;
use crate::process::Processes;
use crate::row::{Row, TOLERANCE};
use crate::shop::{ATTACKER, Shop};
use crate::work::Work;

/// How long the normal client runs before the attack.
const WARM: Duration = Duration::from_secs(2);

/// The connections to the database, by default.
const CONNECTIONS: usize = 16;

/// How long after an attack a server has to return to its earlier state. Several of them have as much time each: an idle
/// process keeps what it freed, and they share the normal client.
const RECOVERY: Duration = Duration::from_secs(10);

/// What an attack needs, and what it is measured by.
pub struct Round {
    pub shop: Shop,
    pub prepared: Arc<Prepared>,
    pub processes: Processes,
    pub work: Work,
    pub seconds: Duration,
}

impl Round {
    pub fn run(mut self, attack: Attack, addresses: u8) -> io::Result<Row> {
        // One thread, so that the attacker leaves the processor to the server.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        runtime.block_on(self.fill_caches());
        let normal = Normal::start(self.shop.clone());
        thread::sleep(WARM);
        normal.stop()?;
        let before = self.processes.memory()?;
        let servers = u32::try_from(self.processes.0.len()).map_err(io::Error::other)?;
        let accepted = before + TOLERANCE * u64::from(servers);
        let (watch, normal) = (self.processes.watch(), Normal::start(self.shop.clone()));
        let tally = Arc::new(Tally::default());
        let siege = Siege { tally: Arc::clone(&tally), addresses, ..self.siege() };
        let seconds = self.seconds;
        let besieging = runtime.spawn(async move { timeout(seconds, attack(siege)).await });
        runtime.block_on(besieging).map_err(io::Error::other)?.ok();
        drop(runtime);
        let (disconnected, end) = (Instant::now(), Instant::now() + RECOVERY * servers);
        let mut outcome = normal.stop()?;
        let peak = watch.peak();
        let worked = self.work.ended_after(disconnected, end)?;
        let normal = Normal::start(self.shop.clone());
        let mut after = self.processes.memory()?;
        while after > accepted && Instant::now() < end {
            thread::sleep(Duration::from_millis(100));
            after = self.processes.memory()?;
        }
        outcome.failures.extend(normal.stop()?.failures);
        let memory = [before, peak, after];
        Ok(Row { sent: tally.sent(), got: tally.to_string(), normal: outcome, memory, accepted, worked })
    }

    /// What one address needs.
    fn siege(&self) -> Siege {
        let (shop, prepared) = (self.shop.clone(), Arc::clone(&self.prepared));
        Siege { shop, tally: Arc::default(), prepared, addresses: 1, from: ATTACKER }
    }

    /// Reads over all connections to the database: their page caches have a maximum, and are a part of the level before the
    /// attack.
    async fn fill_caches(&self) {
        let reading = repeat(self.siege(), 2 * CONNECTIONS, Requests::new([large()]));
        timeout(WARM, reading).await.ok();
    }
}
