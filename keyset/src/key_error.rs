//! Why values are no key, or fit into no cursor.

/// The maximum number of characters of a cursor, checked before it is decoded and before it is sent.
pub const MAX_LENGTH: usize = 512;

/// The error for values that are not a key of an order, or that no cursor can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The key does not have one value for each sort.
    #[error("a key of this order must have {expected} values, not {found}")]
    Arity {
        /// The number of values in the key.
        found: usize,
        /// The number of sorts in the order.
        expected: usize,
    },
    /// The value at this position, from 0, does not have the type of its sort, or is NULL although the sort is never
    /// NULL.
    #[error("value {0} of the key has the wrong type")]
    Type(usize),
    /// The sort at this position, from 0, is not by a column of the model's table. Only the database can compute its
    /// value.
    #[error("sort {0} is not by a column of the model")]
    NotAColumn(usize),
    /// The cursor would have more than 512 characters: the key holds a long text.
    #[error("a cursor must have at most {MAX_LENGTH} characters, not {0}")]
    TooLong(usize),
    /// A time within a leap second, which neither database stores.
    #[error("a cursor cannot hold a leap second")]
    LeapSecond,
    /// A text with a NUL character, which PostgreSQL rejects.
    #[error("a cursor cannot hold a text with a NUL character")]
    Nul,
    /// A date before the Julian period, which begins on 24 November 4714 BC.
    #[error("a cursor cannot hold a date before 4714 BC")]
    TooFar,
}
