//! A subscription to ratings, as an event stream.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::fleet::{Server, wait};
use crate::support::patience::LONG;
use crate::support::wire::is_interrupted;

pub struct Subscriber {
    socket: TcpStream,
    text: String,
}

const RATED: &str = "subscription { ratingAdded { node { id } } }";

impl Subscriber {
    /// Subscribes, and waits until an event has come.
    #[track_caller]
    pub fn new(server: &Server) -> Self {
        let mut socket = TcpStream::connect(&server.address).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        let body = json!({ "query": RATED }).to_string();
        let head = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n";
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        socket.write_all((head + &body).as_bytes()).unwrap();
        let mut subscriber = Self { socket, text: String::new() };
        wait(|| server.metric("bookends_subscriptions", None) > 0);
        let event = subscriber.hears(&rate(server));
        assert!(event, "{}", subscriber.text);
        subscriber
    }

    /// Hears of a new rating.
    #[track_caller]
    pub fn goes_on(&mut self, server: &Server) {
        assert!(self.hears(&rate(server)), "{}", self.text);
    }

    /// Receives until this text comes; whether it came before the end.
    fn hears(&mut self, text: &str) -> bool {
        let mut bytes = [0; 4096];
        while !self.text.contains(text) {
            match self.socket.read(&mut bytes) {
                Ok(0) => return false,
                Ok(read) => self.text += &String::from_utf8_lossy(&bytes[..read]),
                Err(error) if is_interrupted(&error) => {}
                Err(error) => panic!("{error}"),
            }
            if self.text.contains("event: complete") {
                return false;
            }
        }
        true
    }
}

/// Rates a book; the id of the rating.
#[track_caller]
fn rate(server: &Server) -> String {
    let mut client = server.client();
    let book: Value = client.query("{ books(first: 1) { nodes { id } } }")["books"]["nodes"][0]["id"].take();
    let mutation =
        format!("mutation {{ rateBook(input: {{ bookId: {book}, rating: 3 }}) {{ ratingEdge {{ node {{ id }} }} }} }}");
    let reply = client.write(&mutation).unwrap();
    reply.data["rateBook"]["ratingEdge"]["node"]["id"].as_str().unwrap().to_owned()
}
