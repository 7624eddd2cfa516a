//! Clients: each has a share of what all of them use, so that none of them can use up what the others need.
//!
//! A client is an address: that of the peer, or the one that a trusted proxy forwards. A client that is alone can use
//! seven eighths of the server. The last eighth is for the others, whatever the first one does.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use tokio::sync::Semaphore;

use crate::config::Bounds;
use crate::request::Slots;
use crate::threads;

/// The address of the other end of a connection, in the extensions of its requests.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// The clients that use something, and some that no longer do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Clients(Arc<All>);

#[derive(Debug)]
struct All {
    /// How many of them are present.
    present: Arc<AtomicUsize>,
    known: Mutex<Known>,
    trusted: Vec<IpNet>,
    shares: Shares,
}

/// Clients by their addresses. Those that use nothing are removed when there are twice as many as after the last time.
#[derive(Debug, Default)]
struct Known {
    clients: HashMap<IpAddr, Arc<Usage>>,
    remaining: usize,
}

/// Clients are kept up to this number, whether they use something or not.
const KEPT: usize = 64;

/// How much one client may use.
#[derive(Clone, Copy, Debug)]
struct Shares {
    connections: usize,
    requests: usize,
    turns: usize,
    buffered: usize,
    websockets: usize,
}

/// A client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client(Arc<Usage>);

/// The permits that are left to a client. An owned permit refers to its semaphore: so it is known which are in use.
#[derive(Debug)]
struct Usage {
    address: IpAddr,
    connections: Arc<Semaphore>,
    requests: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    buffered: Arc<Semaphore>,
    max_buffered: usize,
    websockets: Arc<Semaphore>,
    long: Arc<Semaphore>,
    slots: Arc<Semaphore>,
    /// Its connections and requests, and how many clients have some.
    presence: AtomicUsize,
    present: Arc<AtomicUsize>,
}

/// A client that is connected, or has a request in progress.
#[derive(Debug)]
pub struct Presence(Client);

impl Clients {
    /// The clients of a server with these bounds, and this many database connections.
    pub fn new(bounds: &Bounds, database_connections: usize) -> Self {
        let shares = Shares {
            connections: share(bounds.max_connections),
            requests: share(bounds.max_requests),
            // One connection is left even of a few: a statement can take long.
            turns: (database_connections - database_connections.div_ceil(8)).max(1),
            // A body of the maximum size always fits.
            buffered: share(bounds.max_buffered).max(bounds.max_body_size),
            websockets: share(bounds.max_websockets),
        };
        let trusted = bounds.trusted_proxies.clone();
        Self(Arc::new(All { present: Arc::default(), known: Mutex::default(), trusted, shares }))
    }

    /// The client at the other end of a connection; `None` for a trusted proxy, which has many behind it.
    pub fn at(&self, peer: SocketAddr) -> Option<Client> {
        let peer = peer.ip().to_canonical();
        (!self.0.trusts(peer)).then(|| self.with(peer))
    }

    /// The client that a request comes from. A request that comes from no socket is that of an unspecified address.
    pub fn of(&self, peer: Option<Peer>, headers: &HeaderMap) -> Client {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(peer)| peer.ip().to_canonical());
        self.with(if self.0.trusts(peer) { self.0.forwarded(headers).unwrap_or(peer) } else { peer })
    }

    fn with(&self, address: IpAddr) -> Client {
        let address = network(address);
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(usage) = known.clients.get(&address) {
            return Client(Arc::clone(usage));
        }
        let Shares { connections, requests, turns, buffered, websockets } = self.0.shares;
        let semaphore = |max: usize| Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)));
        let usage = Arc::new(Usage {
            address,
            connections: semaphore(connections),
            requests: semaphore(requests),
            turns: semaphore(turns),
            buffered: semaphore(buffered),
            max_buffered: buffered,
            websockets: semaphore(websockets),
            long: semaphore(1),
            slots: semaphore(threads() - 1),
            presence: AtomicUsize::new(0),
            present: Arc::clone(&self.0.present),
        });
        if known.clients.len() >= KEPT.max(2 * known.remaining) {
            known.clients.retain(|_, usage| usage.is_in_use());
            known.remaining = known.clients.len();
        }
        known.clients.insert(address, Arc::clone(&usage));
        Client(usage)
    }

    /// The number of clients, used or not.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner).clients.len()
    }
}

impl All {
    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// The last address in `X-Forwarded-For` that no trusted proxy has. What stands before it is what the client said.
    fn forwarded(&self, headers: &HeaderMap) -> Option<IpAddr> {
        const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
        let values: Vec<&[u8]> = headers.get_all(FORWARDED_FOR).iter().map(HeaderValue::as_bytes).collect();
        let hops = values.iter().rev().flat_map(|value| value.rsplit(|byte| *byte == b','));
        let mut furthest = None;
        for hop in hops {
            // What the client said can be anything.
            let Some(address) = str::from_utf8(hop).ok().and_then(|hop| address(hop.trim())) else { break };
            furthest = Some(address);
            if !self.trusts(address) {
                break;
            }
        }
        furthest
    }
}

impl Client {
    /// Its address: for IPv6, that of its network.
    pub fn address(&self) -> IpAddr {
        self.0.address
    }

    /// The share of connections.
    pub fn connections(&self) -> &Arc<Semaphore> {
        &self.0.connections
    }

    /// The share of the permits of requests.
    pub fn requests(&self) -> &Arc<Semaphore> {
        &self.0.requests
    }

    /// The share of database connections: each request that is executed may hold one. The others wait in turn.
    pub fn turns(&self) -> &Arc<Semaphore> {
        &self.0.turns
    }

    /// The share of the memory budget, in bytes, and how large it is.
    pub fn buffered(&self) -> (&Arc<Semaphore>, usize) {
        (&self.0.buffered, self.0.max_buffered)
    }

    /// Its permit to have a long request read or checked.
    pub fn long(&self) -> &Arc<Semaphore> {
        &self.0.long
    }

    /// Its slots: a permit for each core.
    pub fn slots(&self) -> Slots {
        Slots::of(Arc::clone(&self.0.slots), Arc::clone(&self.0.present))
    }

    /// Counts the client as present until the value is dropped.
    pub fn enter(&self) -> Presence {
        if self.0.presence.fetch_add(1, SeqCst) == 0 {
            self.0.present.fetch_add(1, SeqCst);
        }
        Presence(self.clone())
    }

    /// The share of WebSockets.
    pub fn websockets(&self) -> &Arc<Semaphore> {
        &self.0.websockets
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let Self(Client(usage)) = self;
        if usage.presence.fetch_sub(1, SeqCst) == 1 {
            usage.present.fetch_sub(1, SeqCst);
        }
    }
}

impl Usage {
    /// Whether something refers to the client, or to a permit of it.
    fn is_in_use(self: &Arc<Self>) -> bool {
        let Self { connections, requests, turns, buffered, websockets, long, slots, .. } = &**self;
        let permits = [connections, requests, turns, buffered, websockets, long, slots];
        Arc::strong_count(self) > 1 || permits.into_iter().any(|permits| Arc::strong_count(permits) > 1)
    }
}

/// All but an eighth; of less than eight, all.
fn share(max: usize) -> usize {
    max - max / 8
}

/// The address that a client is known by. A provider gives each customer a network of IPv6 addresses, of 64 bits or less.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// An address, which may have a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(trusted: &[&str]) -> Clients {
        let trusted_proxies = trusted.iter().map(|network| network.parse().unwrap()).collect();
        Clients::new(&Bounds { trusted_proxies, ..Bounds::DEFAULT }, 16)
    }

    fn peer(address: &str) -> Peer {
        Peer(SocketAddr::new(address.parse().unwrap(), 50_000))
    }

    #[track_caller]
    fn check(clients: &Clients, address: &str, forwarded: &[&[u8]], expected: &str) {
        let value =
            |value: &&[u8]| (HeaderName::from_static("x-forwarded-for"), HeaderValue::from_bytes(value).unwrap());
        let client = clients.of(Some(peer(address)), &forwarded.iter().map(value).collect());
        assert!(Arc::ptr_eq(&client.0, &clients.with(expected.parse().unwrap()).0), "{address} {forwarded:?}");
    }

    #[test]
    fn an_address_is_forwarded_by_trusted_proxies_only() {
        let clients = clients(&["10.0.0.0/8", "::1/128"]);
        check(&clients, "192.0.2.1", &[b"198.51.100.7"], "192.0.2.1");
        check(&clients, "10.1.2.3", &[b"198.51.100.7"], "198.51.100.7");
        check(&clients, "::1", &[b"203.0.113.9, 198.51.100.7, 10.0.0.9"], "198.51.100.7");
        check(&clients, "10.1.2.3", &[b"203.0.113.9", b"198.51.100.7:4711"], "198.51.100.7");
        check(&clients, "10.1.2.3", &[b"[2001:db8:1:2:3:4:5:6]:443"], "2001:db8:1:2::");
        check(&clients, "::ffff:10.1.2.3", &[b"::ffff:198.51.100.7"], "198.51.100.7");
        // A hop that is no address ends the chain.
        check(&clients, "10.1.2.3", &[b"198.51.100.7, unknown"], "10.1.2.3");
        check(&clients, "10.1.2.3", &[b"unknown, 10.0.0.9"], "10.0.0.9");
        check(&clients, "10.1.2.3", &[b"\xff, 198.51.100.7"], "198.51.100.7");
        check(&clients, "10.1.2.3", &[], "10.1.2.3");
        assert!(clients.at(SocketAddr::new("10.1.2.3".parse().unwrap(), 1)).is_none());
    }

    #[test]
    fn a_client_is_known_while_it_uses_something() {
        let clients = clients(&[]);
        let of = |address: &str| clients.of(Some(peer(address)), &HeaderMap::new());
        let [one, other] = ["2001:db8::1", "2001:db8:0:1::1"].map(of);
        let taken = Arc::clone(one.requests()).try_acquire_many_owned(448).unwrap();
        assert!(of("2001:db8::2").requests().try_acquire().is_err(), "one network is one client, with seven eighths");
        assert!(other.requests().try_acquire().is_ok());
        drop((one, other));
        let many = || (0..1_000).for_each(|n| drop(of(&format!("2001:db8:1:{n:x}::1"))));
        many();
        assert!(clients.len() <= KEPT && of("2001:db8::1").requests().try_acquire().is_err(), "the permits are in use");
        drop(taken);
        many();
        assert!(clients.len() <= KEPT && of("2001:db8::1").requests().try_acquire().is_ok());
    }

    #[test]
    fn a_client_is_present_while_it_has_a_connection_or_a_request() {
        let clients = clients(&[]);
        let of = |address: &str| clients.of(Some(peer(address)), &HeaderMap::new());
        let present = || clients.0.present.load(SeqCst);
        let (connection, request) = (of("192.0.2.1").enter(), of("192.0.2.1").enter());
        assert_eq!(present(), 1);
        let other = of("192.0.2.2").enter();
        assert_eq!(present(), 2);
        drop((connection, other));
        assert_eq!(present(), 1);
        drop(request);
        assert_eq!(present(), 0);
    }

    #[test]
    fn a_small_number_is_not_divided() {
        assert_eq!([1, 7, 8, 16, 512].map(share), [1, 7, 7, 14, 448]);
    }
}
