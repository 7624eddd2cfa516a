//! The parts of a cursor without its order, for tools that show what a cursor holds.

use crate::cursor::{VERSION, decode, split};
use crate::wire::{self, Scalar};
use crate::{CursorError, KeyError, Kind, StoredValue};

/// What a cursor says by itself. Only its order says what the values mean: to page, use [`Order::open`](crate::Order::open).
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{CursorParts, Key, Order, Scalar};
///
/// let order = Order::of::<cake::Entity>([])?;
/// let cursor = order.seal(&Key::new(&order, vec![7.into()])?)?;
/// let parts = CursorParts::of(cursor.as_str())?;
/// assert_eq!((parts.version, parts.fingerprint), (1, order.fingerprint()));
/// assert_eq!(parts.values, [Scalar::Int(7)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CursorParts {
    /// The version of the format.
    pub version: u8,
    /// The [fingerprint](crate::Order::fingerprint) of the order.
    pub fingerprint: u16,
    /// The values of the key, most significant first.
    pub values: Vec<Scalar>,
}

impl CursorParts {
    /// Decodes a cursor of any order.
    ///
    /// # Errors
    ///
    /// [`CursorError::Malformed`], [`CursorError::Version`] and [`CursorError::TooLong`] for a text that
    /// [`Order::seal`](crate::Order::seal) writes under no order.
    pub fn of(text: &str) -> Result<Self, CursorError> {
        let bytes = decode(text)?;
        let (fingerprint, values) = split(&bytes)?;
        let parts =
            Self { version: VERSION, fingerprint, values: wire::read_all(values).ok_or(CursorError::Malformed)? };
        // Each value has one encoding, and some have none.
        let mut written = Vec::with_capacity(values.len());
        let is_whole = parts.values.iter().all(|value| wire::write(value, &mut written).is_ok());
        if is_whole && !parts.values.is_empty() && written == values { Ok(parts) } else { Err(CursorError::Malformed) }
    }
}

/// Appends a value as a cursor has it after its first three bytes: [`read_values`] decodes them.
///
/// # Errors
///
/// [`KeyError`](crate::KeyError) for a value that is too long. Then a part of it can be written.
pub fn write_value(value: &Scalar, bytes: &mut Vec<u8>) -> Result<(), KeyError> {
    wire::write(value, bytes)
}

/// The same for a value of this kind, as it is stored. `None` for one of another kind.
///
/// # Errors
///
/// As [`write_value`].
pub fn write_stored(kind: Kind, value: StoredValue<'_>, bytes: &mut Vec<u8>) -> Option<Result<(), KeyError>> {
    wire::write_stored(kind, value, bytes)
}

/// Decodes values that follow each other, as a cursor has them after its first three bytes. `None` if the bytes are no
/// values.
///
/// It also accepts encodings that no cursor has, for example a number in too many bytes: other programs write them.
pub fn read_values(bytes: &[u8]) -> Option<Vec<Scalar>> {
    wire::read_all(bytes)
}
