//! Clients: each has a share of what all of them use, so that none of them can use up what the others need.
//!
//! A client is an address: that of the peer, or the one that a trusted proxy forwards. What it may hold depends on what is
//! left ([`Stock`]), and it waits in turn for what is soon given back ([`Queue`]).

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;

use super::shares::{Networked, Shares, Totals};
use crate::config::Bounds;
use crate::request::{Slots, client_of, network_of};

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
    totals: Totals,
}

/// Clients by their addresses, and their networks. Those that use nothing are removed when there are twice as many clients
/// as after the last time.
#[derive(Debug, Default)]
struct Known {
    clients: HashMap<IpAddr, Arc<Usage>>,
    networks: HashMap<IpAddr, Networked>,
    remaining: usize,
}

/// Clients are kept up to this number, whether they use something or not.
const KEPT: usize = 64;

/// A client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client(Arc<Usage>);

#[derive(Debug)]
struct Usage {
    address: IpAddr,
    shares: Shares,
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
        let trusted = bounds.trusted_proxies.clone();
        let totals = Totals::new(bounds, database_connections);
        Self(Arc::new(All { present: Arc::default(), known: Mutex::default(), trusted, totals }))
    }

    /// What all of them use.
    pub fn totals(&self) -> &Totals {
        &self.0.totals
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
        let address = client_of(address);
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(usage) = known.clients.get(&address) {
            return Client(Arc::clone(usage));
        }
        let totals = &self.0.totals;
        let network = network_of(address);
        let network = network.map(|network| known.networks.entry(network).or_default());
        let usage = Arc::new(Usage {
            address,
            shares: totals.client(network.as_deref()),
            presence: AtomicUsize::new(0),
            present: Arc::clone(&self.0.present),
        });
        if known.clients.len() >= KEPT.max(2 * known.remaining) {
            known.clients.retain(|_, usage| usage.is_in_use());
            known.networks.retain(|_, network| network.is_in_use());
            known.remaining = known.clients.len();
        }
        known.clients.insert(address, Arc::clone(&usage));
        Client(usage)
    }

    /// How many are present.
    #[cfg(test)]
    pub fn present(&self) -> usize {
        self.0.present.load(SeqCst)
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
    /// Its address: for IPv6, the first 64 bits of it.
    pub fn address(&self) -> IpAddr {
        self.0.address
    }

    /// Its shares.
    pub fn shares(&self) -> &Shares {
        &self.0.shares
    }

    /// Its slots.
    pub fn slots(&self) -> Slots {
        Slots::of(self.0.shares.slots.clone(), Arc::clone(&self.0.present))
    }

    /// Counts the client as present until the value is dropped.
    pub fn enter(&self) -> Presence {
        if self.0.presence.fetch_add(1, SeqCst) == 0 {
            self.0.present.fetch_add(1, SeqCst);
        }
        Presence(self.clone())
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
    /// Whether something refers to the client, or to a share of it.
    fn is_in_use(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1 || self.shares.are_in_use()
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
        let taken = one.shares().requests.take(256).unwrap();
        assert!(of("2001:db8::2").shares().requests.take(1).is_err(), "64 bits are one client");
        assert!(other.shares().requests.take(1).is_ok());
        drop((one, other));
        let many = || (0..1_000).for_each(|n| drop(of(&format!("2001:db8:1:{n:x}::1"))));
        many();
        assert!(
            clients.len() <= KEPT && of("2001:db8::1").shares().requests.take(1).is_err(),
            "the permits are in use"
        );
        drop(taken);
        many();
        assert!(clients.len() <= KEPT && of("2001:db8::1").shares().requests.take(1).is_ok());
    }

    #[test]
    fn a_client_is_present_while_it_has_a_connection_or_a_request() {
        let clients = clients(&[]);
        let of = |address: &str| clients.of(Some(peer(address)), &HeaderMap::new());
        let present = || clients.present();
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
    fn a_network_of_clients_is_bounded_and_leaves_the_rest_to_others() {
        let clients = clients(&[]);
        let of = |address: &str| clients.of(Some(peer(address)), &HeaderMap::new());
        let mut taken = Vec::new();
        for n in 0..2_000 {
            let client = of(&format!("2001:db8:1:{n:x}::1"));
            taken.extend(std::iter::from_fn(|| client.shares().requests.take(1).ok()));
        }
        assert!((300..400).contains(&taken.len()), "{} of 512", taken.len());
        assert!(
            of("2001:db8:2::1").shares().requests.take(10).is_ok()
                && of("192.0.2.1").shares().requests.take(10).is_ok()
        );
        drop(taken);
        assert!(of("2001:db8:1::1").shares().requests.take(100).is_ok());
    }
}
