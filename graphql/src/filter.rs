//! The conditions on the objects of a list, as data.
//!
//! A filter is true or false for every object: `not`, `ne` and `notIn` match exactly the objects that the condition
//! without them does not match. An object without a value is not equal to 5. (In SQL it is neither equal nor unequal.)

use keyset::Column;
use sea_orm::Value;

use crate::DateTime;

mod estimate;
mod json;
pub(crate) mod lists;
mod read;
mod related;
mod row_estimate;
mod sql;

pub use estimate::Estimates;
use json::JsonTest;
use lists::ListTest;
pub(crate) use read::{Budget, read};
pub use row_estimate::RowEstimate;
pub use sql::never;
pub(crate) use sql::{Target, needs_beside};

/// The maximum of conditions, and of values that they compare with, in the filter of a list.
pub const MAX_CONDITIONS: usize = 500;
/// The number of conditions that a condition on a related object counts for: it is a sub-query per object.
pub const RELATION: usize = 50;
/// The maximum depth of nested filters.
pub const MAX_LEVELS: usize = 10;

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
    /// A related object: there is one that matches.
    Related(Box<RelatedFilter>),
    /// The number of related objects.
    Count(Box<CountFilter>),
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
    List(ListTest),
    Json(JsonTest),
}

/// A condition on a related object: one that the row refers to, or one of those that refer to the row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RelatedFilter {
    pub objects: RelatedObjects,
    pub filter: Filter,
}

/// A condition on the number of those that refer to the row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountFilter {
    pub objects: RelatedObjects,
    pub test: Test<Value>,
    /// They are counted up to this number, which tells all numbers apart that are compared.
    pub bound: u64,
}

/// The objects that are related to a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RelatedObjects {
    /// The index of the object in the declaration.
    pub object: usize,
    /// The columns of the row, each with the one of the object that it equals.
    pub on: Vec<(Column, Column)>,
    /// Whether there can be several.
    pub are_many: bool,
    /// Whether they refer to the row, which can then have none.
    pub are_back: bool,
    /// Whether a rule can hide them.
    pub can_hide: bool,
    /// What each of them refers to and must have, if that can be hidden: those of a junction, their node.
    pub with: Option<Box<Self>>,
}

impl<T> Test<T> {
    /// The values that it compares with.
    pub fn values(&self) -> &[T] {
        match self {
            Self::In(values) | Self::NotIn(values) => values,
            Self::Lt(value) | Self::Lte(value) | Self::Gt(value) | Self::Gte(value) => std::slice::from_ref(value),
            _ => &[],
        }
    }
}

impl Filter {
    /// Whether every object fulfils it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(Self::is_empty),
            Self::Related(related) => {
                let RelatedObjects { are_back, can_hide, .. } = related.objects;
                !are_back && !can_hide && related.filter.is_empty()
            }
            _ => false,
        }
    }

    /// Whether the rows of other objects decide which objects fulfil it.
    pub fn reads_others(&self) -> bool {
        match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().any(Self::reads_others),
            Self::Not(filter) => filter.reads_others(),
            Self::Related(_) | Self::Count(_) => true,
            Self::Column(..) | Self::Beside(..) | Self::CreatedAt(..) => false,
        }
    }
}
