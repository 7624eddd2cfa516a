//! The orders that lists can have.

use async_graphql::{Enum, InputObject, InputType};

use super::book::BookSortField;
use super::order::OrderSortField;
use super::rating::RatingSortField;

/// One criterion of an order. The next one decides between objects that are equal under it; behind the last one, the
/// time of creation does, in the same direction.
#[derive(Clone, Copy, Debug, InputObject)]
#[graphql(
    concrete(name = "BookSort", params(BookSortField)),
    concrete(name = "RatingSort", params(RatingSortField)),
    concrete(name = "OrderSort", params(OrderSortField))
)]
pub struct Sort<F: InputType> {
    /// What to sort by.
    pub field: F,
    /// Which way.
    #[graphql(default_with = "SortDirection::Asc")]
    pub direction: SortDirection,
    /// Where to put objects without a value. Of fields that are never null it means nothing.
    #[graphql(default_with = "NullPlacement::Last")]
    pub nulls: NullPlacement,
}

/// Which way an order runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Direction")]
pub enum SortDirection {
    /// The smallest first: the oldest, the cheapest, A before Z.
    Asc,
    /// The largest first: the newest, the dearest, Z before A.
    Desc,
}

/// Where an order puts objects without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "keyset::Nulls")]
pub enum NullPlacement {
    /// Before all others, whichever way the order runs.
    First,
    /// After all others, whichever way the order runs.
    Last,
}

impl<F: InputType + Copy> Sort<F> {
    /// The engine's sort by this, the way that was asked for.
    pub fn by(self, sort: keyset::Sort) -> keyset::Sort {
        sort.direction(self.direction.into()).nulls(self.nulls.into())
    }
}
