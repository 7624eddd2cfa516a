//! The pages that are asked for, with the keys in their cursors and ids.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::schema::{Keys, Object, Schema};

/// The tag of a UUID in a cursor.
pub(crate) const UUID: u8 = 32;

/// The tags of integers in a cursor, of one byte, of two and of four, and the first that is as wide.
const INTEGERS: [(u8, u32); 3] = [(6, 0), (8, 256), (10, 65_792)];

/// The longest cursor in bytes, and in characters.
const LONGEST: usize = 24;
const CHARACTERS: usize = 32;

/// What is asked for, by the name of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Children with their parents, by id.
    ById { size: usize },
    /// The same by `number DESC, id DESC`.
    Ties { size: usize },
    /// Parents with their first children.
    Nested { size: usize },
}

/// The key of a row. No key is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Uuid([u8; 16]),
    Integer(i32),
}

/// A page after a cursor.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub schema: &'static Schema,
    pub kind: Kind,
    /// The version and the fingerprint of the order: the same in each of its cursors.
    order: [u8; 3],
    /// Zero in an order by id.
    pub number: i32,
    pub id: Key,
}

impl Page {
    /// The page of the operation with this name, after this cursor.
    pub fn of(schema: &'static Schema, name: &str, after: &str) -> Option<Self> {
        let kind = match name {
            "Deep" => Kind::ById { size: 10 },
            "Hundred" => Kind::ById { size: 100 },
            "Ties" => Kind::Ties { size: 10 },
            "Nested" => Kind::Nested { size: 50 },
            _ => return None,
        };
        let mut bytes = [0; LONGEST];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(after.as_bytes(), &mut bytes).ok()?;
        let (order, key) = bytes[..length].split_first_chunk()?;
        let (number, key) = if matches!(kind, Kind::Ties { .. }) { integer(key)? } else { (0, key) };
        let (id, rest) = match schema.keys {
            Keys::Uuid => {
                let (id, rest) = key.strip_prefix(&[UUID])?.split_first_chunk()?;
                (Key::Uuid(*id), rest)
            }
            Keys::Integer => {
                let (id, rest) = integer(key)?;
                (Key::Integer(id), rest)
            }
        };
        rest.is_empty().then_some(Self { schema, kind, order: *order, number, id })
    }

    /// Writes the cursor of a row. No page has one without a number.
    pub fn cursor(&self, number: Option<i32>, id: Key, json: &mut Vec<u8>) {
        let mut bytes = Bytes::of(&self.order);
        if let (Kind::Ties { .. }, Some(number)) = (self.kind, number) {
            bytes.integer(number);
        }
        if let Key::Uuid(_) = id {
            bytes.push(&[UUID]);
        }
        bytes.key(id);
        bytes.encode(json);
    }
}

impl Object {
    /// Writes the id of an object.
    pub fn id(&self, key: Key, json: &mut Vec<u8>) {
        let mut bytes = Bytes::of(self.tag);
        bytes.key(key);
        bytes.encode(json);
    }
}

/// The integer at the beginning of the values of a cursor, and the rest.
fn integer(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let place = INTEGERS.iter().position(|(known, _)| known == tag)?;
    let (value, rest) = rest.split_at_checked(1 << place)?;
    let value = value.iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
    Some((value.checked_add(INTEGERS[place].1)?.try_into().ok()?, rest))
}

/// The bytes of a cursor or of an id.
pub(crate) struct Bytes {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Bytes {
    pub fn of(bytes: &[u8]) -> Self {
        let mut new = Self { bytes: [0; LONGEST], length: 0 };
        new.push(bytes);
        new
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    pub fn key(&mut self, key: Key) {
        match key {
            Key::Uuid(key) => self.push(&key),
            Key::Integer(key) => self.integer(key),
        }
    }

    pub fn integer(&mut self, value: i32) {
        let value = u32::try_from(value).expect("no integer is negative");
        let place = INTEGERS.iter().rposition(|(_, first)| *first <= value).unwrap_or_default();
        let (tag, first) = INTEGERS[place];
        self.push(&[tag]);
        self.push(&(value - first).to_be_bytes()[4 - (1 << place)..]);
    }

    pub fn encode(&self, json: &mut Vec<u8>) {
        let mut text = [0; CHARACTERS];
        let length = BASE64_URL_SAFE_NO_PAD.encode_slice(&self.bytes[..self.length], &mut text);
        json.push(b'"');
        json.extend_from_slice(&text[..length.expect("24 bytes are 32 characters")]);
        json.push(b'"');
    }
}
