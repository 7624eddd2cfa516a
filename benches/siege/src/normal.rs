//! The normal client: it reads pages and nested lists, writes a rating now and then, and asks for `/health`. Each of its
//! connections is kept for a hundred requests. Beside it, `/health` and `/ready` are asked from another address, each time
//! over a new connection.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::http::{Connection, Response, get, post};
use crate::shop::{NORMAL, PROBE, Shop};

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(2);

/// The pause between two probes.
const BETWEEN_PROBES: Duration = Duration::from_millis(50);

/// How long it waits for a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// The requests on one connection.
const KEPT: usize = 100;

const PAGE: &str = "query Page($after: String) {
  ratings(first: 10, after: $after, orderBy: [{ field: RATING, direction: DESC }]) {
    edges { cursor node { id rating createdAt book { id name } } }
    pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
  }
}";
const NESTED: &str = "query Nested($after: String) {
  books(first: 10, after: $after) {
    nodes { id name averageRating ratings(first: 3) { nodes { id rating } pageInfo { hasNextPage } } }
    pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
  }
}";

/// A client that runs in a thread of its own.
pub struct Normal {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Outcome>>,
}

/// What it was served.
#[derive(Default)]
pub struct Outcome {
    times: Vec<Duration>,
    /// Of `/health` and of `/ready`, which asks the database.
    probed: [Vec<Duration>; 2],
    /// What failed, and how often.
    pub failures: BTreeMap<String, usize>,
}

impl Normal {
    pub fn start(shop: Shop) -> Self {
        let ends = Arc::new(AtomicBool::default());
        let until = Arc::clone(&ends);
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            Ok(runtime.block_on(async {
                let (mut outcome, (probed, failures)) = tokio::join!(run(&shop, &until), probe(&shop, &until));
                outcome.probed = probed;
                outcome.failures.extend(failures);
                outcome
            }))
        });
        Self { ends, thread }
    }

    /// Lets it complete its last request.
    pub fn stop(self) -> io::Result<Outcome> {
        self.ends.store(true, Relaxed);
        self.thread.join().map_err(|_| io::Error::other("the normal client panicked"))?
    }
}

impl Outcome {
    pub fn requests(&self) -> usize {
        self.times.len()
    }

    /// This part of the requests took at most so long.
    pub fn percentile(&self, part: f64) -> Duration {
        at(&self.times, part)
    }

    /// This part of the probes of `/health`, and of those of `/ready`, took at most so long.
    pub fn probes(&self, part: f64) -> [Duration; 2] {
        [0, 1].map(|path| at(&self.probed[path], part))
    }
}

fn at(times: &[Duration], part: f64) -> Duration {
    let index = (times.len() as f64 * part).ceil() as usize;
    times.get(index.saturating_sub(1)).copied().unwrap_or_default()
}

/// How long each probe takes, and which fail.
async fn probe(shop: &Shop, ends: &AtomicBool) -> ([Vec<Duration>; 2], BTreeMap<String, usize>) {
    let (mut times, mut failures) = ([Vec::new(), Vec::new()], BTreeMap::new());
    for (number, path) in ["/health", "/ready"].iter().enumerate().cycle() {
        if ends.load(Relaxed) {
            break;
        }
        let begun = Instant::now();
        let asked = async { Connection::open(PROBE, shop.address()).await?.ask(&get(path)).await };
        let failure = match timeout(PATIENCE, asked).await {
            Ok(Ok(response)) if response.status == 200 => None,
            Ok(Ok(response)) => Some(format!("status {}", response.status)),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("no response".into()),
        };
        times[number].push(begun.elapsed());
        if let Some(failure) = failure {
            *failures.entry(format!("{path}: {failure}")).or_default() += 1;
        }
        sleep(BETWEEN_PROBES).await;
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    (times, failures)
}

async fn run(shop: &Shop, ends: &AtomicBool) -> Outcome {
    let (mut outcome, mut kept) = (Outcome::default(), None);
    for number in 0.. {
        if ends.load(Relaxed) {
            break;
        }
        if number % KEPT == 0 {
            kept = None;
        }
        let (kind, request) = request(shop, number);
        let begun = Instant::now();
        let asked = timeout(PATIENCE, ask(&mut kept, shop, &request)).await;
        outcome.times.push(begun.elapsed());
        let failure = match asked {
            Ok(Ok(response)) => fault(kind, &response),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("no response".into()),
        };
        if let Some(failure) = failure {
            kept = None;
            *outcome.failures.entry(format!("{kind}: {failure}")).or_default() += 1;
        }
        sleep(PAUSE).await;
    }
    outcome.times.sort_unstable();
    outcome
}

/// The next request, of twenty: two writes, one probe, and pages.
fn request(shop: &Shop, number: usize) -> (&'static str, Vec<u8>) {
    let read = |query, places: &[String]| {
        // Another place each time.
        let after = &places[number * 37 % places.len()];
        post("", json!({ "query": query, "variables": { "after": after } }).to_string().as_bytes())
    };
    match number % 20 {
        9 | 19 => ("write", shop.rate(number / 10)),
        4 => ("health", get("/health")),
        even if even % 2 == 0 => ("page", read(PAGE, &shop.cursors)),
        _ => ("nested", read(NESTED, &shop.places)),
    }
}

async fn ask(kept: &mut Option<Connection>, shop: &Shop, request: &[u8]) -> io::Result<Response> {
    let connection = match kept {
        Some(connection) => connection,
        None => kept.insert(Connection::open(NORMAL, shop.address()).await?),
    };
    connection.ask(request).await
}

/// What is wrong with a response.
fn fault(kind: &str, response: &Response) -> Option<String> {
    if response.status != 200 {
        return Some(format!("status {}: {}", response.status, String::from_utf8_lossy(&response.body)));
    }
    if response.is_last {
        return Some("the connection was closed".into());
    }
    if kind == "health" {
        return None;
    }
    match serde_json::from_slice::<Value>(&response.body) {
        Ok(answer) if answer["errors"].is_null() && answer["data"].is_object() => None,
        Ok(answer) => Some(answer["errors"].to_string()),
        Err(error) => Some(error.to_string()),
    }
}
