//! The mutations of the book shop that are asked for, their statements, and their payloads.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, SecondsFormat};
use uuid::Uuid;

use crate::json::{member, value};
use crate::page::{Bytes, Key, UUID};
use crate::request::Variables;
use crate::schema::{Object, SHOP};

static ORDERS: Object = Object { table: "book_order", list: "orders", tag: &[3] };

/// What the cursors begin with: the version and the fingerprint of `rating DESC, id DESC`, and of `id`.
const BY_RATING: [u8; 3] = [1, 0x0a, 0x73];
const BY_ID: [u8; 3] = [1, 0xcf, 0];

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// `rateBook`, with cursors by `rating DESC, id DESC`.
    Rate,
    /// `placeOrder`, with cursors by id.
    Place,
}

/// A row of a book, which is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    pub kind: WriteKind,
    pub id: Uuid,
    pub book: Uuid,
    /// Stars, or cents.
    pub number: i64,
}

/// What the book has after the write, and the row before the new one.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    pub name: &'a str,
    pub count: i32,
    pub sum: Sum,
    /// Its stars and its id.
    pub previous: Option<(i32, Uuid)>,
}

#[derive(Clone, Copy, Debug)]
pub enum Sum {
    Average(f64),
    Cents(i64),
}

impl WriteKind {
    pub const ALL: [Self; 2] = [Self::Rate, Self::Place];

    /// Inserts the row with the key `$1` and the number `$2` of the book `$3`, if there is one. It locks the book before its
    /// sums, as a deletion of the book does. The number is spelled as the database has it.
    pub fn insert(self, number: &str, lock: &str) -> String {
        let (table, column, number) = match self {
            Self::Rate => ("book_rating", "rating", number.to_owned()),
            Self::Place => ("book_order", "total_price", format!("{number} / 100.0")),
        };
        format!("INSERT INTO {table} (id, {column}, book_id) SELECT $1, {number}, id FROM book WHERE id = $3 {lock}")
    }

    /// The book `$1` with its sums, the row before the one with the key `$2` and these stars, and one more column.
    pub fn payload(self, stars: &str, more: &str) -> String {
        let (sums, previous) = match self {
            Self::Rate => (
                "s.rating_count, s.average_rating",
                format!(
                    "SELECT rating, id FROM book_rating WHERE (rating, id) > ({stars}, $2) ORDER BY rating, id LIMIT 1"
                ),
            ),
            Self::Place => (
                "s.order_count, s.revenue_cents",
                "SELECT 0 AS rating, id FROM book_order WHERE id < $2 ORDER BY id DESC LIMIT 1".to_owned(),
            ),
        };
        format!(
            "SELECT b.name, {sums}, p.rating, p.id, {more} FROM book b JOIN book_stats s ON s.book_id = b.id
            LEFT JOIN ({previous}) p ON 1 = 1 WHERE b.id = $1"
        )
    }
}

impl Write {
    /// The write of the operation with this name.
    pub(crate) fn of(name: &str, variables: &Variables) -> Option<Self> {
        let (kind, number) = match name {
            "RateBook" => (WriteKind::Rate, Some(variables.rating).filter(|stars| (1..=5).contains(stars))?),
            "PlaceOrder" => (WriteKind::Place, cents(&variables.total_price)?),
            _ => return None,
        };
        let id = BASE64_URL_SAFE_NO_PAD.decode(variables.book_id.as_bytes()).ok()?;
        let book = Uuid::from_slice(id.strip_prefix(SHOP.parents.tag)?).ok()?;
        Some(Self { kind, id: Uuid::now_v7(), book, number })
    }

    /// The payload as JSON.
    pub fn json(&self, done: &Done) -> Vec<u8> {
        let (field, edge, object, number, sum, count) = match self.kind {
            WriteKind::Rate => ("rateBook", "ratingEdge", &SHOP.children, "rating", "averageRating", "ratingCount"),
            WriteKind::Place => ("placeOrder", "orderEdge", &ORDERS, "totalPrice", "totalRevenue", "orderCount"),
        };
        let (stars, created) = (i32::try_from(self.number).unwrap_or_default(), self.id.as_u128() >> 80);
        let created = DateTime::from_timestamp_millis(i64::try_from(created).unwrap_or_default()).unwrap_or_default();
        let mut json = Vec::with_capacity(512);
        json.extend_from_slice(format!("{{\"data\":{{\"{field}\":{{\"{edge}\":{{\"cursor\":").as_bytes());
        self.cursor(stars, self.id, &mut json);
        json.extend_from_slice(b",\"node\":{\"id\":");
        object.id(Key::Uuid(self.id.into_bytes()), &mut json);
        member(number, &mut json);
        match self.kind {
            WriteKind::Rate => value(&self.number, &mut json),
            WriteKind::Place => decimal(self.number, &mut json),
        }
        member("createdAt", &mut json);
        value(&created.to_rfc3339_opts(SecondsFormat::Millis, true), &mut json);
        json.extend_from_slice(b",\"book\":{\"id\":");
        SHOP.parents.id(Key::Uuid(self.book.into_bytes()), &mut json);
        member("name", &mut json);
        value(&done.name, &mut json);
        member(sum, &mut json);
        match done.sum {
            Sum::Average(average) => value(&average, &mut json),
            Sum::Cents(cents) => decimal(cents, &mut json),
        }
        member(count, &mut json);
        value(&done.count, &mut json);
        json.extend_from_slice(b"}}},\"previousEdgeCursor\":");
        match done.previous {
            Some((stars, id)) => self.cursor(stars, id, &mut json),
            None => json.extend_from_slice(b"null"),
        }
        json.extend_from_slice(b"}}}");
        json
    }

    fn cursor(&self, stars: i32, id: Uuid, json: &mut Vec<u8>) {
        let mut bytes = match self.kind {
            WriteKind::Rate => Bytes::of(&BY_RATING),
            WriteKind::Place => Bytes::of(&BY_ID),
        };
        if self.kind == WriteKind::Rate {
            bytes.integer(stars);
        }
        bytes.push(&[UUID]);
        bytes.key(Key::Uuid(id.into_bytes()));
        bytes.encode(json);
    }
}

/// The cents of a price with two decimals.
fn cents(price: &str) -> Option<i64> {
    let (whole, part) = price.split_once('.').filter(|(_, part)| part.len() == 2)?;
    Some(whole.parse::<u32>().ok()? as i64 * 100 + part.parse::<u8>().ok()? as i64)
}

fn decimal(cents: i64, json: &mut Vec<u8>) {
    json.extend_from_slice(format!("\"{}.{:02}\"", cents / 100, cents % 100).as_bytes());
}
