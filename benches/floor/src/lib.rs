//! What the two servers share: the pages that are asked for, and their JSON.

use std::borrow::Cow;
use std::env;
use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;

/// The types of global ids.
const BOOK: u8 = 1;
const RATING: u8 = 2;

/// The tags of values in a cursor.
const SMALL_INT: u8 = 6;
const UUID: u8 = 32;

/// Ratings of each book in [`Kind::Nested`].
pub const EACH: usize = 5;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    query: Cow<'a, str>,
    #[serde(borrow)]
    variables: Variables<'a>,
}

#[derive(Deserialize)]
struct Variables<'a> {
    #[serde(borrow)]
    after: Cow<'a, str>,
}

/// What is asked for, by the name of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ratings with their books, by id.
    Ratings { size: usize },
    /// Ratings with their books, by `rating DESC, id DESC`.
    Ties { size: usize },
    /// Books with their first ratings.
    Nested { size: usize },
}

/// A page after a cursor.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub kind: Kind,
    /// The version and the fingerprint of the order: the same in each of its cursors.
    order: [u8; 3],
    /// Zero in an order by id.
    pub rating: u8,
    pub id: [u8; 16],
}

impl Page {
    /// Reads the body of a request.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let body: Body = serde_json::from_slice(body).ok()?;
        let name = body.query.strip_prefix("query ")?.split('(').next()?;
        let kind = match name {
            "Deep" => Kind::Ratings { size: 10 },
            "Hundred" => Kind::Ratings { size: 100 },
            "Ties" => Kind::Ties { size: 10 },
            "Nested" => Kind::Nested { size: 50 },
            _ => return None,
        };
        let mut bytes = [0; 22];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(body.variables.after.as_bytes(), &mut bytes).ok()?;
        let (order, key) = bytes[..length].split_first_chunk()?;
        let (rating, key) = match key {
            [SMALL_INT, rating, key @ ..] if matches!(kind, Kind::Ties { .. }) => (*rating, key),
            key => (0, key),
        };
        let id = key.strip_prefix(&[UUID])?.try_into().ok()?;
        Some(Self { kind, order: *order, rating, id })
    }

    fn cursor(&self, rating: u8, id: &[u8; 16], json: &mut Vec<u8>) {
        let mut bytes = [0; 22];
        bytes[..3].copy_from_slice(&self.order);
        let mut length = 3;
        if matches!(self.kind, Kind::Ties { .. }) {
            bytes[3..5].copy_from_slice(&[SMALL_INT, rating]);
            length = 5;
        }
        bytes[length] = UUID;
        bytes[length + 1..length + 17].copy_from_slice(id);
        encode(&bytes[..length + 17], json);
    }
}

/// Writes a page of ratings with their books, row by row.
pub struct Ratings {
    page: Page,
    size: usize,
    json: Vec<u8>,
    rows: usize,
    first: (u8, [u8; 16]),
    last: (u8, [u8; 16]),
    previous: bool,
}

impl Ratings {
    pub fn new(page: Page, size: usize) -> Self {
        let mut json = Vec::with_capacity(256 + 180 * size);
        json.extend_from_slice(b"{\"data\":{\"ratings\":{\"edges\":[");
        let none = (0, [0; 16]);
        Self { page, size, json, rows: 0, first: none, last: none, previous: false }
    }

    /// There is a row before the page.
    pub fn witness(&mut self) {
        self.previous = true;
    }

    /// The next row from the cursor on; one more than the page has says that there is a next page.
    pub fn row(&mut self, id: &[u8; 16], rating: u8, book: &str) {
        self.rows += 1;
        if self.rows > self.size {
            return;
        }
        if self.rows == 1 {
            self.first = (rating, *id);
        } else {
            self.json.push(b',');
        }
        self.last = (rating, *id);
        let json = &mut self.json;
        json.extend_from_slice(b"{\"cursor\":");
        self.page.cursor(rating, id, json);
        json.extend_from_slice(b",\"node\":{\"id\":");
        global_id(RATING, id, json);
        json.extend_from_slice(b",\"rating\":");
        json.push(b'0' + rating);
        json.extend_from_slice(b",\"book\":{\"name\":");
        text(book, json);
        json.extend_from_slice(b"}}}");
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.json.extend_from_slice(b"],");
        let ends = (self.rows > 0).then_some((self.first, self.last));
        page_info(&self.page, self.previous, self.rows > self.size, ends, &mut self.json);
        self.json.extend_from_slice(b"}}}");
        self.json
    }
}

/// Writes a page of books with their first ratings, row by row.
pub struct Books {
    page: Page,
    size: usize,
    json: Vec<u8>,
    books: usize,
    ratings: usize,
    first: [u8; 16],
    last: [u8; 16],
    previous: bool,
}

impl Books {
    pub fn new(page: Page, size: usize) -> Self {
        let mut json = Vec::with_capacity(256 + 512 * size);
        json.extend_from_slice(b"{\"data\":{\"books\":{\"nodes\":[");
        Self { page, size, json, books: 0, ratings: 0, first: [0; 16], last: [0; 16], previous: false }
    }

    /// There is a book before the page.
    pub fn witness(&mut self) {
        self.previous = true;
    }

    /// Whether the next book is on the page.
    pub fn wants(&self) -> bool {
        self.books < self.size
    }

    /// The next book. Its ratings follow.
    pub fn book(&mut self, id: &[u8; 16], name: &str) {
        self.end_book();
        self.books += 1;
        if self.books > self.size {
            return;
        }
        if self.books == 1 {
            self.first = *id;
        } else {
            self.json.push(b',');
        }
        self.last = *id;
        let json = &mut self.json;
        json.extend_from_slice(b"{\"id\":");
        global_id(BOOK, id, json);
        json.extend_from_slice(b",\"name\":");
        text(name, json);
        json.extend_from_slice(b",\"ratings\":{\"nodes\":[");
    }

    /// The next rating of the last book; one more than are shown says that there is a next page.
    pub fn rating(&mut self, id: &[u8; 16], rating: u8) {
        if self.books > self.size {
            return;
        }
        self.ratings += 1;
        if self.ratings > EACH {
            return;
        }
        if self.ratings > 1 {
            self.json.push(b',');
        }
        self.json.extend_from_slice(b"{\"id\":");
        global_id(RATING, id, &mut self.json);
        self.json.extend_from_slice(b",\"rating\":");
        self.json.push(b'0' + rating);
        self.json.push(b'}');
    }

    /// Whether this was the last book.
    pub fn is_last(&self, id: &[u8; 16]) -> bool {
        self.books > 0 && self.last == *id
    }

    fn end_book(&mut self) {
        if self.books == 0 || self.books > self.size {
            return;
        }
        self.json.extend_from_slice(b"],\"pageInfo\":{\"hasPreviousPage\":false,\"hasNextPage\":");
        self.json.extend_from_slice(if self.ratings > EACH { b"true" } else { b"false" });
        self.json.extend_from_slice(b"}}}");
        self.ratings = 0;
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.end_book();
        self.json.extend_from_slice(b"],");
        let ends = (self.books > 0).then_some(((0, self.first), (0, self.last)));
        page_info(&self.page, self.previous, self.books > self.size, ends, &mut self.json);
        self.json.extend_from_slice(b"}}}");
        self.json
    }
}

type Key = (u8, [u8; 16]);

fn page_info(page: &Page, previous: bool, next: bool, ends: Option<(Key, Key)>, json: &mut Vec<u8>) {
    let flag = |flag: bool| if flag { &b"true"[..] } else { b"false" };
    json.extend_from_slice(b"\"pageInfo\":{\"hasPreviousPage\":");
    json.extend_from_slice(flag(previous));
    json.extend_from_slice(b",\"hasNextPage\":");
    json.extend_from_slice(flag(next));
    for (name, key) in [("startCursor", ends.map(|(first, _)| first)), ("endCursor", ends.map(|(_, last)| last))] {
        json.extend_from_slice(b",\"");
        json.extend_from_slice(name.as_bytes());
        json.extend_from_slice(b"\":");
        match key {
            Some((rating, id)) => page.cursor(rating, &id, json),
            None => json.extend_from_slice(b"null"),
        }
    }
    json.push(b'}');
}

fn global_id(of: u8, id: &[u8; 16], json: &mut Vec<u8>) {
    let mut bytes = [of; 17];
    bytes[1..].copy_from_slice(id);
    encode(&bytes, json);
}

fn encode(bytes: &[u8], json: &mut Vec<u8>) {
    let mut text = [0; 30];
    let length = BASE64_URL_SAFE_NO_PAD.encode_slice(bytes, &mut text).expect("22 bytes are 30 characters");
    json.push(b'"');
    json.extend_from_slice(&text[..length]);
    json.push(b'"');
}

fn text(text: &str, json: &mut Vec<u8>) {
    serde_json::to_writer(json, text).expect("a text is written to memory");
}

/// Serves until it is killed. Says where, in the words of Bookends.
pub async fn serve<F>(read: impl Fn(Page) -> F + Clone + Send + Sync + 'static)
where
    F: Future<Output = Result<Vec<u8>, String>> + Send,
{
    let answer = async move |body: Bytes| -> Response {
        let Some(page) = Page::parse(&body) else { return StatusCode::BAD_REQUEST.into_response() };
        match read(page).await {
            Ok(json) => {
                ([(header::CONTENT_TYPE, "application/graphql-response+json; charset=utf-8")], json).into_response()
            }
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
        }
    };
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
    println!("open http://{} and ask", listener.local_addr().expect("an address"));
    axum::serve(listener, Router::new().route("/graphql", post(answer))).await.expect("it serves");
}

/// The database, and how many connections to it.
#[expect(clippy::disallowed_methods, reason = "the only settings")]
pub fn settings(connections: usize) -> (String, usize) {
    let url = env::var("DATABASE_URL").expect("DATABASE_URL names the database");
    let connections = env::var("DATABASE_CONNECTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(connections);
    (url, connections)
}
