//! A number of units that clients use for a short time, in turn: database connections, threads.
//!
//! Whoever has used least is next (start-time fair queuing, after [Goyal, 1996](https://doi.org/10.1145/248156.248171)).
//! What counts is the time for which a client has held units, also those that it still holds. So a client that comes anew,
//! or uses little, never waits behind the queue of another one, but for the next unit that is given back. A client that has
//! used nothing for long gains nothing by it. The waiters of one client are served in order.
//!
//! No client holds all units, if there are several. Heavy work may hold a long time: it never has all units, whoever it
//! belongs to. So there is soon a unit for light work.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::Instant;

use super::stock::NETWORK;

/// The units. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue(Arc<All>);

#[derive(Debug)]
struct All {
    sizes: Sizes,
    state: Mutex<State>,
}

/// The numbers of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// All of them.
    pub units: usize,
    /// At most so many for one client, and for one network.
    pub each: usize,
    /// At most so many for heavy work.
    pub heavy: usize,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    heavy: usize,
    /// What the client had used that got a unit last: where those begin that come anew.
    level: Duration,
    /// The clients that wait, in no order.
    waiting: Vec<Arc<Client>>,
    /// The number of waiters so far.
    arrived: u64,
}

/// The place of one client in the queue. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Line {
    queue: Queue,
    client: Arc<Client>,
}

/// The place of a network in the queue. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Lines(Arc<Mutex<Usage>>);

/// Its parts change under the lock of the state alone.
#[derive(Debug)]
struct Client {
    usage: Mutex<Usage>,
    network: Option<Lines>,
    /// Those who wait for light work, and for heavy work.
    waiters: [Mutex<VecDeque<Waiter>>; 2],
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    sender: Sender<Unit>,
}

/// How much a client, or a network, has used.
#[derive(Debug)]
struct Usage {
    /// Times units, up to `since`.
    time: Duration,
    since: Instant,
    held: usize,
    /// Its time counts for a part of this size.
    part: u32,
}

/// A unit, until it is dropped.
#[derive(Debug)]
pub struct Unit {
    queue: Queue,
    client: Arc<Client>,
    is_heavy: bool,
}

impl Queue {
    /// Units that are all free.
    pub fn new(sizes: Sizes) -> Self {
        Self(Arc::new(All { sizes, state: Mutex::default() }))
    }

    /// The place of another client, in this network.
    pub fn line(&self, network: Option<&Lines>) -> Line {
        let client = Client { usage: Usage::new(1), network: network.cloned(), waiters: Default::default() };
        Line { queue: self.clone(), client: Arc::new(client) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }

    /// Whether a client may have a unit now.
    fn fits(&self, state: &State, client: &Client, is_heavy: bool) -> bool {
        let Sizes { units, each, heavy } = self.0.sizes;
        state.used < units && (!is_heavy || state.heavy < heavy) && client.usages().all(|usage| usage.held < each)
    }

    /// Counts a unit as that of a client.
    fn give(&self, state: &mut State, client: &Arc<Client>, is_heavy: bool, now: Instant) -> Unit {
        state.used += 1;
        state.heavy += usize::from(is_heavy);
        state.level = state.level.max(client.used(now)[0]);
        client.usages().for_each(|mut usage| usage.held += 1);
        Unit { queue: self.clone(), client: Arc::clone(client), is_heavy }
    }

    /// Gives free units to those who wait. Send them when the state is not locked: one that cannot be sent comes back.
    fn serve(&self, state: &mut State, now: Instant) -> Vec<(Sender<Unit>, Unit)> {
        let mut served = Vec::new();
        while let Some((place, is_heavy)) = self.next(state, now) {
            let client = Arc::clone(&state.waiting[place]);
            let waiter = client.waiters(is_heavy).pop_front();
            if !client.waits() {
                state.waiting.swap_remove(place);
            }
            if let Some(Waiter { sender, .. }) = waiter
                && !sender.is_closed()
            {
                served.push((sender, self.give(state, &client, is_heavy, now)));
            }
        }
        served
    }

    /// Who is next: the client of least usage in the network of least usage, and whether for heavy work.
    fn next(&self, state: &State, now: Instant) -> Option<(usize, bool)> {
        if state.used >= self.0.sizes.units {
            return None;
        }
        let waiting = state.waiting.iter().enumerate().filter_map(|(place, client)| {
            let first = |is_heavy| {
                let number = client.waiters(is_heavy).front()?.number;
                self.fits(state, client, is_heavy).then_some((number, is_heavy))
            };
            let (number, is_heavy) = first(false).into_iter().chain(first(true)).min()?;
            Some((client.used(now), number, place, is_heavy))
        });
        waiting.min().map(|(_, _, place, is_heavy)| (place, is_heavy))
    }
}

impl Line {
    /// A unit, once it is the client's turn.
    pub async fn unit(&self, is_heavy: bool) -> Unit {
        match self.try_unit(is_heavy) {
            Ok(unit) => unit,
            // Its sender is in the queue until it has sent.
            Err(waiting) => match waiting.await {
                Ok(unit) => unit,
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// A unit, if it is the client's turn.
    ///
    /// # Errors
    ///
    /// Otherwise one that comes later.
    pub fn try_unit(&self, is_heavy: bool) -> Result<Unit, Receiver<Unit>> {
        let (Self { queue, client }, now) = (self, Instant::now());
        let mut state = queue.state();
        client.usages().for_each(|mut usage| usage.come(state.level, now));
        // All that wait wait for a unit that is not free for them.
        if client.waiters(is_heavy).is_empty() && queue.fits(&state, client, is_heavy) {
            return Ok(queue.give(&mut state, client, is_heavy, now));
        }
        if !client.waits() {
            state.waiting.push(Arc::clone(client));
        }
        let (sender, receiver) = oneshot::channel();
        state.arrived += 1;
        client.waiters(is_heavy).push_back(Waiter { number: state.arrived, sender });
        Err(receiver)
    }

    /// Whether the client has a unit or waits for one, or another handle of it exists.
    pub fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.client) > 1
    }
}

impl Default for Lines {
    /// The place of a network, which counts as several clients.
    fn default() -> Self {
        Self(Arc::new(Usage::new(u32::try_from(NETWORK).unwrap_or(1))))
    }
}

impl Client {
    fn usages(&self) -> impl Iterator<Item = MutexGuard<'_, Usage>> {
        self.network.iter().map(|Lines(usage)| &**usage).chain([&self.usage]).map(lock)
    }

    /// How much its network has used, and how much itself.
    fn used(&self, now: Instant) -> [Duration; 2] {
        let own = lock(&self.usage).until(now);
        [self.network.as_ref().map_or(own, |Lines(usage)| lock(usage).until(now)), own]
    }

    fn waiters(&self, is_heavy: bool) -> MutexGuard<'_, VecDeque<Waiter>> {
        lock(&self.waiters[usize::from(is_heavy)])
    }

    fn waits(&self) -> bool {
        self.waiters.iter().any(|waiters| !lock(waiters).is_empty())
    }
}

impl Usage {
    fn new(part: u32) -> Mutex<Self> {
        Mutex::new(Self { time: Duration::ZERO, since: Instant::now(), held: 0, part })
    }

    fn until(&mut self, now: Instant) -> Duration {
        let held = u32::try_from(self.held).unwrap_or(u32::MAX);
        let more = now.saturating_duration_since(self.since).saturating_mul(held) / self.part;
        self.time = self.time.saturating_add(more);
        self.since = now;
        self.time
    }

    /// What was not used is not saved.
    fn come(&mut self, level: Duration, now: Instant) {
        self.until(now);
        if self.held == 0 {
            self.time = self.time.max(level);
        }
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        let Self { queue, client, is_heavy } = self;
        let now = Instant::now();
        let mut state = queue.state();
        state.used -= 1;
        state.heavy -= usize::from(*is_heavy);
        for mut usage in client.usages() {
            usage.until(now);
            usage.held -= 1;
        }
        let served = queue.serve(&mut state, now);
        drop(state);
        for (sender, unit) in served {
            // One who has left meanwhile gives it back.
            let _ = sender.send(unit);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SIZES: Sizes = Sizes { units: 4, each: 3, heavy: 2 };

    /// As many units as a client gets at once, and those who wait for more.
    fn crowd(line: &Line, number: usize, is_heavy: bool) -> (Vec<Unit>, Vec<Receiver<Unit>>) {
        let (mut units, mut waiting) = (Vec::new(), Vec::new());
        for _ in 0..number {
            match line.try_unit(is_heavy) {
                Ok(unit) => units.push(unit),
                Err(receiver) => waiting.push(receiver),
            }
        }
        (units, waiting)
    }

    #[test]
    fn no_client_has_all_units_and_heavy_work_has_not() {
        let queue = Queue::new(SIZES);
        let [one, other] = [(); 2].map(|()| queue.line(None));
        let (light, _waiting) = crowd(&one, 9, false);
        assert_eq!((light.len(), crowd(&other, 9, false).0.len()), (3, 1));
        drop(light);
        let queue = Queue::new(SIZES);
        let heavy: Vec<_> = (0..9).map(|_| crowd(&queue.line(None), 1, true)).collect();
        assert_eq!(heavy.iter().map(|(units, _)| units.len()).sum::<usize>(), 2);
        assert!(queue.line(None).try_unit(false).is_ok(), "light work passes it");
    }

    /// Each of sixteen clients has a unit, and ten waiters.
    #[test]
    fn a_client_that_comes_anew_gets_the_next_unit() {
        let queue = Queue::new(Sizes { units: 16, each: 15, heavy: 8 });
        let lines: Vec<_> = (0..16).map(|_| queue.line(None)).collect();
        let mut units: Vec<_> = lines.iter().map(|line| line.try_unit(false).unwrap()).collect();
        let mut waiting: Vec<_> = lines.iter().flat_map(|line| crowd(line, 10, false).1).collect();
        for _ in 0..5 {
            std::thread::sleep(Duration::from_millis(1));
            let mut new = queue.line(None).try_unit(false).unwrap_err();
            drop(units.remove(0));
            drop(new.try_recv().expect("the next unit"));
            // It goes on to one of the others.
            waiting.retain_mut(|waiting| waiting.try_recv().map(|unit| units.push(unit)).is_err());
            assert_eq!(units.len(), 16);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clients_that_wait_are_served_in_turn_and_each_in_order() {
        let queue = Queue::new(Sizes { units: 1, each: 1, heavy: 1 });
        let [one, other] = [(); 2].map(|()| queue.line(None));
        let mut unit = one.try_unit(false).unwrap();
        let mut waiting: Vec<(char, Receiver<Unit>)> = Vec::new();
        for (name, line) in [('a', &one), ('b', &one), ('c', &one), ('x', &other), ('y', &other)] {
            waiting.push((name, line.try_unit(name == 'b').unwrap_err()));
        }
        let mut served = String::new();
        while !waiting.is_empty() {
            // Each holds its unit for the same time, and one has begun already.
            advance(Duration::from_millis(5)).await;
            drop(unit);
            let next = waiting
                .iter_mut()
                .enumerate()
                .find_map(|(place, (_, waiting))| Some((place, waiting.try_recv().ok()?)));
            let (place, received) = next.expect("one is served");
            served.push(waiting.remove(place).0);
            unit = received;
        }
        let positions = |names: &str| names.chars().map(|name| served.find(name)).collect::<Vec<_>>();
        assert!(positions("abc").is_sorted() && positions("xy").is_sorted(), "{served}");
        assert!(served.starts_with('x') && served.ends_with('c'), "{served}");
    }

    /// It counts as four clients, however many it has.
    #[tokio::test(start_paused = true)]
    async fn a_network_waits_as_a_few_clients() {
        let queue = Queue::new(Sizes { units: 1, each: 1, heavy: 1 });
        let network = Lines::default();
        let mut held = queue.line(None).try_unit(false).unwrap();
        let mut of_network: Vec<_> =
            (0..100).map(|_| queue.line(Some(&network)).try_unit(false).unwrap_err()).collect();
        let other = queue.line(None);
        let mut of_other: Vec<_> = (0..10).map(|_| other.try_unit(false).unwrap_err()).collect();
        let mut number = 0;
        while let Some(first) = of_other.first_mut() {
            advance(Duration::from_millis(2)).await;
            drop(held);
            if let Ok(unit) = first.try_recv() {
                of_other.remove(0);
                held = unit;
            } else {
                held = of_network.iter_mut().find_map(|waiting| waiting.try_recv().ok()).expect("one is served");
                number += 1;
            }
        }
        assert!((10..90).contains(&number), "{number}");
    }

    #[test]
    fn one_who_leaves_leaves_the_unit_to_the_others() {
        let queue = Queue::new(Sizes { units: 1, each: 1, heavy: 1 });
        let line = queue.line(None);
        let unit = line.try_unit(false).unwrap();
        let gone = [(); 3].map(|()| line.try_unit(false).unwrap_err());
        let mut waiting = line.try_unit(false).unwrap_err();
        drop((gone, unit));
        drop(waiting.try_recv().expect("the unit"));
        assert!(line.try_unit(false).is_ok() && queue.state().waiting.is_empty());
        assert!(!line.is_in_use());
    }
}
