//! The conditions on the objects of a list, as data.
//!
//! A filter is true or false for every object: `not`, `ne` and `notIn` match exactly the objects that the condition
//! without them does not match. An object without a value is not equal to 5. (In SQL it is neither equal nor unequal.)

use keyset::Column;
use sea_orm::Value;

use crate::DateTime;

mod bounds;
mod estimate;
mod read;
mod row_estimate;
mod sql;

pub use bounds::{MAX_CONDITIONS, MAX_LEVELS, RELATION};
pub use estimate::Estimates;
pub(crate) use read::{Budget, read};
pub use row_estimate::RowEstimate;
pub use sql::never;
pub(crate) use sql::{Target, needs_beside};

/// What an object must fulfil.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filter {
    /// All of these.
    All(Vec<Self>),
    /// Any of these.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// The value of a column.
    Column(Column, Test<Value>),
    /// The value of a column of the relation with this number.
    Beside(usize, Column, Test<Value>),
    /// The time in a key that is a UUID of version 7.
    CreatedAt(Column, Test<DateTime>),
    /// The object that these columns refer to.
    One(Box<OneFilter>),
}

/// A comparison of one value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test<T> {
    In(Vec<T>),
    NotIn(Vec<T>),
    Lt(T),
    Lte(T),
    Gt(T),
    Gte(T),
    IsNull(bool),
    StartsWith(String),
    Contains(String),
}

/// A condition on the object that a row refers to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneFilter {
    /// The index of the object in the declaration.
    pub object: usize,
    /// The columns that refer to it, each with the one that it equals.
    pub on: Vec<(Column, Column)>,
    pub filter: Filter,
}

impl Filter {
    /// Whether every object fulfils it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(Self::is_empty),
            Self::One(one) => one.filter.is_empty(),
            _ => false,
        }
    }
}
