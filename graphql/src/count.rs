//! Counts that are exact up to a bound.

use async_graphql::{Enum, SimpleObject};
use keyset::Count;
use serde::Serialize;

use crate::error::code;
use crate::{Error, Result};

/// The default of `upTo`.
pub const DEFAULT: i32 = 1000;
/// The maximum of `upTo`.
pub const MAX: i32 = 10_000;

/// A number of objects and its accuracy.
#[derive(Serialize, SimpleObject)]
#[serde(tag = "__typename", rename_all = "camelCase")]
pub struct ApproximateCount {
    /// The number of objects.
    value: i32,
    /// Whether the number is exact, a lower bound, or an estimate.
    relation: CountRelation,
}

/// The accuracy of a number of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CountRelation {
    /// The exact number.
    Exact,
    /// A lower bound: counting stopped here.
    AtLeast,
    /// An estimate, from the statistics of the database.
    Estimate,
}

impl TryFrom<Count> for ApproximateCount {
    type Error = Error;

    fn try_from(count: Count) -> Result<Self> {
        let relation = match count {
            Count::Exact(_) => CountRelation::Exact,
            Count::AtLeast(_) => CountRelation::AtLeast,
            Count::Estimate(_) => CountRelation::Estimate,
        };
        Ok(Self { value: int(count.value())?, relation })
    }
}

/// The bound of a count.
///
/// # Errors
///
/// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) below 0 and above [`MAX`].
pub fn bound(up_to: i32) -> Result<u32> {
    let bound = u32::try_from(up_to).ok().filter(|_| up_to <= MAX);
    bound.ok_or_else(|| Error::client(code::BAD_USER_INPUT, format!("`upTo` must be 0 to {MAX}, not {up_to}")))
}

/// A count as GraphQL's `Int`.
///
/// # Errors
///
/// [`OUT_OF_RANGE`](code::OUT_OF_RANGE) above 2,147,483,647.
pub fn int(count: u64) -> Result<i32> {
    i32::try_from(count)
        .map_err(|_| Error::client(code::OUT_OF_RANGE, format!("the count {count} does not fit into `Int`")))
}
