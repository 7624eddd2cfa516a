//! What a client of the servers knows: their addresses, its write token, and some of its books and cursors.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::{Value, json};

use crate::http::{Connection, post};

/// The addresses of the clients. The server divides itself by address.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::LOCALHOST;
pub const NORMAL: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
pub const PROBE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// The address of the attacker with this number.
pub fn attacker(number: u8) -> Ipv4Addr {
    if number == 0 { ATTACKER } else { Ipv4Addr::new(127, 0, 1, number) }
}

/// Asks for the cost of a request.
pub const REPORT: &str = "GraphQL-Cost: report\r\n";

#[derive(Clone)]
pub struct Shop {
    addresses: Arc<[SocketAddr]>,
    /// The connections so far.
    connections: Arc<AtomicUsize>,
    /// The header that allows to write.
    pub authorization: Arc<str>,
    /// Cursors of ratings by `rating DESC`, from the whole list.
    pub cursors: Arc<[String]>,
    /// The ids of a hundred books.
    pub books: Arc<[String]>,
    /// Cursors of the same books.
    pub places: Arc<[String]>,
}

impl Shop {
    /// Reads the books.
    pub async fn open(addresses: Vec<SocketAddr>, token: &str, cursors: Vec<String>) -> io::Result<Self> {
        let authorization = format!("Authorization: Bearer {token}\r\n").into();
        let mut shop = Self {
            addresses: addresses.into(),
            connections: Arc::default(),
            authorization,
            cursors: cursors.into(),
            books: [].into(),
            places: [].into(),
        };
        let answer = shop.ask(&json!({ "query": "{ books(first: 100) { edges { cursor node { id } } } }" })).await?;
        let edges = answer["data"]["books"]["edges"].as_array().cloned().unwrap_or_default();
        let texts = |pointer: &str| {
            edges.iter().filter_map(|edge| edge.pointer(pointer)?.as_str().map(str::to_owned)).collect()
        };
        (shop.books, shop.places) = (texts("/node/id"), texts("/cursor"));
        if shop.books.is_empty() || shop.cursors.is_empty() {
            return Err(io::Error::other(format!("a shop without books or cursors: {answer}")));
        }
        Ok(shop)
    }

    /// The address of the next connection: that of each server in turn.
    pub fn address(&self) -> SocketAddr {
        self.addresses[self.connections.fetch_add(1, Relaxed) % self.addresses.len()]
    }

    /// The answer to one request of the attacker, with its cost.
    pub async fn ask(&self, body: &Value) -> io::Result<Value> {
        let mut connection = Connection::open(ATTACKER, self.address()).await?;
        let response = connection.ask(&post(REPORT, body.to_string().as_bytes())).await?;
        Ok(serde_json::from_slice(&response.body)?)
    }

    /// A rating for one of the books.
    pub fn rate(&self, number: usize) -> Vec<u8> {
        const RATE: &str = "mutation($book: ID!, $stars: Int!) { rateBook(input: { bookId: $book, rating: $stars, \
            orderBy: { field: RATING, direction: DESC } }) \
            { ratingEdge { cursor node { id rating } } previousEdgeCursor book { averageRating } } }";
        let variables = json!({ "book": self.books[number % self.books.len()], "stars": 1 + number % 5 });
        post(&self.authorization, json!({ "query": RATE, "variables": variables }).to_string().as_bytes())
    }
}
