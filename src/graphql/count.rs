//! Counts that cost no more than they are worth.

use async_graphql::{Enum, SimpleObject};
use keyset::Count;

use super::code::Code;
use super::error::{Error, Result};

/// How far an approximate count counts where nothing is said, and at most.
pub const DEFAULT: i32 = 1000;
const MOST: i32 = 10_000;

/// A number of objects, and how well it is known.
#[derive(SimpleObject)]
pub struct ApproximateCount {
    /// The number.
    value: i32,
    /// Whether the list holds exactly so many objects, at least so many, or about so many.
    relation: CountRelation,
}

/// How well a number of objects is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum CountRelation {
    /// Exactly so many.
    Exact,
    /// So many or more: they were counted up to here.
    AtLeast,
    /// About so many: what the database expects of its statistics.
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

/// How far to count.
pub fn bound(up_to: i32) -> Result<u32> {
    let bound = u32::try_from(up_to).ok().filter(|_| up_to <= MOST);
    bound.ok_or_else(|| Error::client(Code::BadUserInput, format!("`upTo` is 0 to {MOST}, not {up_to}")))
}

/// A count as GraphQL's `Int`.
pub fn int(count: u64) -> Result<i32> {
    i32::try_from(count).map_err(|_| Error::client(Code::OutOfRange, format!("{count} is more than an Int can say")))
}
