//! A number of units that clients hold: permits, bytes, connections.
//!
//! What a client holds cannot be taken back when another one comes. So what it may hold depends on what is left: a client
//! may take a unit while it then holds at most `2 × free² / max`. One that is alone gets half of all. However many clients
//! take all they can, one after the other, a part is left to the next: after `n` of them, about one part in `2 n`. Where
//! units return, clients come to equal parts: two have three tenths each, sixteen a twentieth, and a fifth stays free.
//!
//! A network, in which one customer can have many clients, may hold as much as [`NETWORK`] of them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many clients a network counts as.
pub const NETWORK: usize = 4;

/// All units. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stock(Arc<All>);

#[derive(Debug)]
struct All {
    max: usize,
    /// What each client may hold, as long as it is there.
    least: usize,
    used: Mutex<usize>,
}

/// What a network holds. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<AtomicUsize>);

/// What one client may take; without a client, everything. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Portion {
    stock: Stock,
    holder: Option<Arc<Holder>>,
}

#[derive(Debug)]
struct Holder {
    held: AtomicUsize,
    network: Option<Held>,
}

/// Units that were taken, until they are dropped.
#[derive(Debug)]
pub struct Taken {
    portion: Portion,
    units: usize,
}

/// Why units cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// All are in use.
    All,
    /// The client, or its network, holds its share.
    Share,
}

impl Stock {
    /// A number of units, of which each client may hold at least so many.
    pub fn new(max: usize, least: usize) -> Self {
        Self(Arc::new(All { max, least, used: Mutex::default() }))
    }

    /// All of it.
    pub fn whole(&self) -> Portion {
        Portion { stock: self.clone(), holder: None }
    }

    /// What another client may take, in a network that holds this.
    pub fn portion(&self, network: Option<&Held>) -> Portion {
        let holder = Holder { held: AtomicUsize::new(0), network: network.cloned() };
        Portion { stock: self.clone(), holder: Some(Arc::new(holder)) }
    }

    fn used(&self) -> MutexGuard<'_, usize> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// What one client may hold while so many units are free.
    fn bound(&self, free: usize) -> usize {
        let (free, max) = (free as u128, self.max.max(1) as u128);
        usize::try_from(2 * free * free / max).unwrap_or(usize::MAX)
    }
}

impl Holder {
    /// Whether the client may hold so many more units, after which so many are free.
    fn may_take(&self, units: usize, free: usize, all: &All) -> bool {
        let bound = all.bound(free);
        let fits = |held: &AtomicUsize, clients: usize| {
            let held = held.load(Relaxed) + units;
            held <= all.least || held <= bound.saturating_mul(clients)
        };
        fits(&self.held, 1) && self.network.as_ref().is_none_or(|Held(held)| fits(held, NETWORK))
    }

    /// What is held, by the client and by its network.
    fn counts(&self) -> impl Iterator<Item = &AtomicUsize> {
        self.network.iter().map(|Held(held)| &**held).chain([&self.held])
    }
}

impl Portion {
    /// Takes units.
    ///
    /// # Errors
    ///
    /// [`Short`].
    pub fn take(&self, units: usize) -> Result<Taken, Short> {
        if units > 0 {
            // Under this lock, what is held does not change.
            let mut used = self.stock.used();
            let all = &self.stock.0;
            let free = all.max.checked_sub(*used).and_then(|free| free.checked_sub(units)).ok_or(Short::All)?;
            if let Some(holder) = &self.holder {
                if !holder.may_take(units, free, all) {
                    return Err(Short::Share);
                }
                holder.counts().for_each(|held| _ = held.fetch_add(units, Relaxed));
            }
            *used += units;
        }
        Ok(Taken { portion: self.clone(), units })
    }

    /// The units that are in use, of all.
    pub fn in_use(&self) -> usize {
        *self.stock.used()
    }

    /// What it can have if nobody else has any.
    pub fn limit(&self) -> usize {
        let all = &self.stock.0;
        if self.holder.is_some() { all.least.max(all.max / 2).min(all.max) } else { all.max }
    }

    /// Whether units of it are taken, or another handle of it exists.
    pub fn is_in_use(&self) -> bool {
        self.holder.as_ref().is_some_and(|holder| Arc::strong_count(holder) > 1)
    }
}

impl Held {
    /// Whether a client of the network exists.
    pub fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

impl Taken {
    /// Adds other units of the same client.
    pub fn merge(&mut self, mut other: Self) {
        self.units += std::mem::take(&mut other.units);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.units > 0 {
            let mut used = self.portion.stock.used();
            *used -= self.units;
            if let Some(holder) = &self.portion.holder {
                holder.counts().for_each(|held| _ = held.fetch_sub(self.units, Relaxed));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::from_fn;

    use super::*;

    /// All that it can take.
    fn greedy(portion: &Portion) -> Vec<Taken> {
        from_fn(|| portion.take(1).ok()).collect()
    }

    #[test]
    fn a_client_that_is_alone_gets_half() {
        for (max, half) in [(1, 1), (2, 1), (3, 1), (4, 2), (8, 4), (512, 256), (16_384, 8_192)] {
            let stock = Stock::new(max, 1);
            let alone = greedy(&stock.portion(None)).len();
            assert_eq!((alone, greedy(&stock.whole()).len()), (half, max));
        }
    }

    /// None of them gives anything back.
    #[test]
    fn however_many_clients_take_all_they_can_the_next_one_gets_some() {
        let stock = Stock::new(16_384, 1);
        let mut taken = Vec::new();
        let mut counts = Vec::new();
        for _ in 0..65 {
            let all = greedy(&stock.portion(None));
            counts.push(all.len());
            taken.push(all);
        }
        assert!(counts.is_sorted_by(|one, next| one >= next), "{counts:?}");
        assert!(counts[1] > 2_000 && counts[16] >= 25 && counts[64] >= 1, "{counts:?}");
        assert_eq!(stock.whole().take(16_384).err(), Some(Short::All));
    }

    #[test]
    fn clients_that_give_back_what_they_took_come_to_equal_parts() {
        let stock = Stock::new(512, 1);
        let mut clients: Vec<_> = (0..16).map(|_| (stock.portion(None), Vec::new())).collect();
        for round in 0..10_000 {
            let (portion, taken) = &mut clients[round % 16];
            taken.truncate(taken.len() * 9 / 10);
            taken.append(&mut greedy(portion));
        }
        let counts: Vec<usize> = clients.iter().map(|(_, taken)| taken.len()).collect();
        assert!(counts.iter().all(|count| (20..=40).contains(count)), "{counts:?}");
        assert!(greedy(&stock.portion(None)).len() >= 10, "there is some for another one: {counts:?}");
    }

    /// A provider gives one customer 65,536 networks of clients.
    #[test]
    fn a_network_gets_no_more_than_a_few_clients() {
        let stock = Stock::new(512, 1);
        let network = Held::default();
        let clients: Vec<_> = (0..1_000).map(|_| stock.portion(Some(&network))).collect();
        let taken: Vec<_> = clients.iter().flat_map(greedy).collect();
        assert!((300..400).contains(&taken.len()), "{}", taken.len());
        assert_eq!(clients[999].take(1).err(), Some(Short::Share));
        assert!(greedy(&stock.portion(None)).len() >= 30);
        drop((taken, clients));
        assert!(!network.is_in_use() && stock.whole().in_use() == 0);
    }

    #[test]
    fn a_client_can_take_the_least_in_one_piece_and_in_parts() {
        let stock = Stock::new(100, 60);
        let one = stock.portion(None);
        assert_eq!((one.take(61).err(), one.limit()), (Some(Short::Share), 60));
        let mut taken = one.take(20).unwrap();
        taken.merge(one.take(40).unwrap());
        assert_eq!((one.take(1).err(), one.in_use()), (Some(Short::Share), 60));
        assert!(one.take(0).is_ok() && one.is_in_use());
        drop(taken);
        assert!(one.in_use() == 0 && !one.is_in_use());
    }
}
