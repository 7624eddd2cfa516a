//! A key as text, bound to its order.
//!
//! A cursor is `base64url` without padding of one version byte, two bytes of the order's
//! [fingerprint](Order::fingerprint), and the key's values in the format of the module `wire`. A key has exactly one
//! text, because Relay compares cursors as text, and only that text opens.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::key_error::MAX_LENGTH;
use crate::wire::{self, Scalar};
use crate::{Key, KeyError, Order, Sort};

/// The first byte of every cursor.
pub(crate) const VERSION: u8 = 1;

/// A key as text: opaque, URL-safe, at most 512 characters.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{CursorError, Key, Order};
///
/// let order = Order::of::<cake::Entity>([])?;
/// let cursor = order.seal(&Key::new(&order, vec![7.into()])?)?;
/// assert_eq!(cursor.as_str().len(), 7);
/// assert_eq!(order.reversed().open(cursor.as_str()), Err(CursorError::OtherOrder));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(String);

/// The error for a text that is not a cursor of an order: see [`Order::open`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// The text was not written by [`Order::seal`].
    #[error("the cursor is malformed")]
    Malformed,
    /// The cursor was written by another version of this crate.
    #[error("the cursor must have version {VERSION}, not {0}")]
    Version(u8),
    /// The cursor was written under another order.
    #[error("the cursor belongs to another order")]
    OtherOrder,
    /// The cursor does not hold one value for each sort.
    #[error("the cursor must have {expected} values, not {found}")]
    Arity {
        /// The number of values in the cursor.
        found: usize,
        /// The number of sorts in the order.
        expected: usize,
    },
    /// The value at this position, from 0, does not have the type of its sort, or is NULL although the sort is never
    /// NULL.
    #[error("the cursor's value {0} has the wrong type")]
    Type(usize),
    /// The database cannot store the value at this position, from 0: NaN on SQLite. See [`Page::on`](crate::Page::on).
    #[error("the database cannot store the cursor's value {0}")]
    NotStored(usize),
    /// The text has more than 512 characters.
    #[error("a cursor must have at most {MAX_LENGTH} characters, not {0}")]
    TooLong(usize),
}

impl Order {
    /// Encodes a key as text.
    ///
    /// # Errors
    ///
    /// [`KeyError::TooLong`], [`KeyError::LeapSecond`], [`KeyError::TooFar`] and [`KeyError::Nul`] for a value that no
    /// cursor can hold. [`KeyError::Arity`] and [`KeyError::Type`] for a key of another order.
    pub fn seal(&self, key: &Key) -> Result<Cursor, KeyError> {
        let mut text = Vec::new();
        self.seal_into(key, &mut text)?;
        // Its characters are ASCII.
        Ok(Cursor(String::from_utf8(text).unwrap_or_default()))
    }

    /// Encodes a key as text at the end of another one, such as a response. The text is ASCII without a character that JSON
    /// escapes.
    ///
    /// # Errors
    ///
    /// As [`Order::seal`]. Nothing is appended then.
    pub fn seal_into(&self, key: &Key, text: &mut Vec<u8>) -> Result<(), KeyError> {
        let begin = text.len();
        let sealed = self.seal_from(begin, key, text);
        if sealed.is_err() {
            text.truncate(begin);
        }
        sealed
    }

    /// The same, for a text of this length. The bytes are first written where the cursor will be: they need no memory of
    /// their own.
    fn seal_from(&self, begin: usize, key: &Key, text: &mut Vec<u8>) -> Result<(), KeyError> {
        self.encode(key, text)?;
        let count = text.len() - begin;
        let length = (4 * count).div_ceil(3);
        if length > MAX_LENGTH {
            return Err(KeyError::TooLong(length));
        }
        text.resize(begin + count + length, 0);
        let (bytes, room) = text[begin..].split_at_mut(count);
        // There is room for it.
        let _ = BASE64_URL_SAFE_NO_PAD.encode_slice(bytes, room);
        text.drain(begin..begin + count);
        Ok(())
    }

    /// Decodes a text that a client sent.
    ///
    /// # Errors
    ///
    /// [`CursorError`] for every text that [`Order::seal`] does not write under this order.
    pub fn open(&self, text: &str) -> Result<Key, CursorError> {
        let bytes = decode(text)?;
        let key = self.decode(&bytes)?;
        // Each value has one encoding, and some have none.
        let mut encoded = Vec::with_capacity(bytes.len());
        if self.encode(&key, &mut encoded).is_ok() && encoded == bytes { Ok(key) } else { Err(CursorError::Malformed) }
    }

    /// Appends the bytes of a cursor, also where it fails.
    fn encode(&self, key: &Key, bytes: &mut Vec<u8>) -> Result<(), KeyError> {
        let (found, expected) = (key.values().len(), self.sorts().len());
        if found != expected {
            return Err(KeyError::Arity { found, expected });
        }
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.fingerprint().to_be_bytes());
        for (place, (value, sort)) in key.values().iter().zip(self.sorts()).enumerate() {
            wire::write_of_kind(sort.kind_of(value), value, bytes).ok_or(KeyError::Type(place))??;
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Key, CursorError> {
        let (fingerprint, values) = split(bytes)?;
        if fingerprint != self.fingerprint() {
            return Err(CursorError::OtherOrder);
        }
        let scalars = wire::read_all(values).ok_or(CursorError::Malformed)?;
        let (found, expected) = (scalars.len(), self.sorts().len());
        if found != expected {
            return Err(CursorError::Arity { found, expected });
        }

        let value =
            |(place, (scalar, sort)): (usize, (Scalar, &Sort))| sort.value(scalar).ok_or(CursorError::Type(place));
        let values = scalars.into_iter().zip(self.sorts()).enumerate().map(value).collect::<Result<_, _>>()?;
        Ok(Key::of_values(values))
    }
}

/// The bytes of a cursor.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, CursorError> {
    if text.len() > MAX_LENGTH {
        return Err(CursorError::TooLong(text.len()));
    }
    BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError::Malformed)
}

/// The fingerprint of the order, and the values.
pub(crate) fn split(bytes: &[u8]) -> Result<(u16, &[u8]), CursorError> {
    match bytes.split_first_chunk() {
        None => Err(CursorError::Malformed),
        Some((&[VERSION, high, low], values)) => Ok((u16::from_be_bytes([high, low]), values)),
        Some(([version, ..], _)) => Err(CursorError::Version(*version)),
    }
}

impl Cursor {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.0
    }
}
