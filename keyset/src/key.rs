//! A row's values under an order.

use sea_orm::{DbErr, QueryResult, Value};

use crate::{Order, bracket};

/// The values of an order's sorts for one row, one for each sort: a place in the order, whether a row stands there or
/// not.
#[derive(Clone, Debug, PartialEq)]
pub struct Key(Vec<Value>);

impl Key {
    /// A key of these values; `None` unless there is one for each sort, of the sort's [`Kind`](crate::Kind).
    pub fn new(order: &Order, values: Vec<Value>) -> Option<Self> {
        let fits = values.len() == order.kinds().len()
            && values.iter().zip(order.kinds()).all(|(value, kind)| kind.scalar(value).is_some());
        fits.then_some(Self(values))
    }

    /// The values, the most significant first.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The key of a row that a bracket returned.
    pub(crate) fn read(order: &Order, row: &QueryResult) -> Result<Self, DbErr> {
        let read = |(place, kind): (usize, &crate::Kind)| kind.read(row, &bracket::key_column(place));
        order.kinds().iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }
}
