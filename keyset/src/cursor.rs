//! A key as text, bound to its order.
//!
//! `base64url` without padding of: one version byte, two bytes of the order's [fingerprint](Order::fingerprint), the
//! key's values in the format of the module `wire`. The same row under the same order is always the same text, because
//! Relay compares cursors as text; and only that text opens again, because every value has one encoding.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::wire::{self, Scalar};
use crate::{Key, Order, Sort};

/// The longest cursor, in characters: checked before anything is decoded or sent.
pub const MAX_LENGTH: usize = 512;

const VERSION: u8 = 1;

/// A key as text: opaque, URL-safe, at most 512 characters.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{CursorError, Key, Order, Sort};
///
/// let order = Order::of::<cake::Entity>([])?;
/// let cursor = order.seal(&Key::new(&order, vec![7.into()])?)?;
/// assert_eq!(cursor.as_str().len(), 7);
/// assert_eq!(order.reversed().open(cursor.as_str()), Err(CursorError::OtherOrder));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(String);

/// Why a text is no cursor of this order, or a key no cursor at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Nothing that this crate wrote.
    #[error("the cursor is malformed")]
    Malformed,
    /// Written by another version of this crate.
    #[error("the cursor has version {0}, not {VERSION}")]
    Version(u8),
    /// Written under another order.
    #[error("the cursor belongs to another order")]
    OtherOrder,
    /// It holds more or fewer values than the order has sorts.
    #[error("the cursor holds {found} values, not {expected}")]
    Arity {
        /// The values that the cursor holds.
        found: usize,
        /// The sorts of the order.
        expected: usize,
    },
    /// The value at this place, from 0, is of another type than the sort's, or a NULL where there can be none.
    #[error("the cursor's value {0} has the wrong type")]
    Type(usize),
    /// The sort at this place, from 0, is by no column of the row's table: only the database can tell its value.
    #[error("the sort {0} is by no column of the row")]
    NotAColumn(usize),
    /// Longer than 512 characters: as a key it holds a text too long to page by.
    #[error("a cursor has at most {MAX_LENGTH} characters, not {0}")]
    TooLong(usize),
    /// A leap second: no database keeps one.
    #[error("a cursor keeps no leap second")]
    LeapSecond,
    /// Text with a NUL character, which PostgreSQL neither keeps nor accepts.
    #[error("a cursor keeps no text with a NUL character")]
    Nul,
    /// A date before the Julian period: 24 November 4714 BC.
    #[error("a cursor keeps no date before 4714 BC")]
    TooFar,
}

impl Order {
    /// A key as text.
    ///
    /// # Errors
    ///
    /// [`CursorError::TooLong`], [`CursorError::LeapSecond`], [`CursorError::TooFar`] and [`CursorError::Nul`], for a value that has no
    /// place in a cursor; [`CursorError::Type`] and [`CursorError::Arity`] for a key of another order.
    pub fn seal(&self, key: &Key) -> Result<Cursor, CursorError> {
        let bytes = self.encode(key)?;
        let text = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        if text.len() > MAX_LENGTH {
            return Err(CursorError::TooLong(text.len()));
        }
        Ok(Cursor(text))
    }

    /// The key in a text that somebody sent.
    ///
    /// # Errors
    ///
    /// Every text gives a key or a [`CursorError`]; none panics.
    pub fn open(&self, text: &str) -> Result<Key, CursorError> {
        if text.len() > MAX_LENGTH {
            return Err(CursorError::TooLong(text.len()));
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError::Malformed)?;
        let key = self.decode(&bytes)?;
        if self.encode(&key)? == bytes { Ok(key) } else { Err(CursorError::Malformed) }
    }

    fn encode(&self, key: &Key) -> Result<Vec<u8>, CursorError> {
        let (found, expected) = (key.values().len(), self.sorts().len());
        if found != expected {
            return Err(CursorError::Arity { found, expected });
        }
        let mut bytes = Vec::with_capacity(3 + 17 * expected);
        bytes.push(VERSION);
        bytes.extend(self.fingerprint().to_be_bytes());
        for (place, (value, sort)) in key.values().iter().zip(self.sorts()).enumerate() {
            let scalar = sort.kind.scalar(value).ok_or(CursorError::Type(place))?;
            wire::write(&scalar, &mut bytes)?;
        }
        Ok(bytes)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Key, CursorError> {
        let (&[version, high, low], mut rest) = bytes.split_first_chunk().ok_or(CursorError::Malformed)?;
        if version != VERSION {
            return Err(CursorError::Version(version));
        }
        if u16::from_be_bytes([high, low]) != self.fingerprint() {
            return Err(CursorError::OtherOrder);
        }

        let mut scalars = Vec::with_capacity(self.sorts().len());
        while !rest.is_empty() {
            scalars.push(wire::read(&mut rest).ok_or(CursorError::Malformed)?);
        }
        let (found, expected) = (scalars.len(), self.sorts().len());
        if found != expected {
            return Err(CursorError::Arity { found, expected });
        }

        let value =
            |(place, (scalar, sort)): (usize, (Scalar, &Sort))| sort.kind.value(scalar).ok_or(CursorError::Type(place));
        let values = scalars.into_iter().zip(self.sorts()).enumerate().map(value).collect::<Result<_, _>>()?;
        Key::new(self, values)
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
