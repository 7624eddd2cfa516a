//! Arguments of lists that an application adds, such as a search.

use async_graphql::Value;
use async_graphql::registry::Registry;
use keyset::{Order, Sort, TableRows};
use sea_orm::DbBackend;

use crate::filter::Estimates;
use crate::{DateTime, Result};

/// An argument of the lists of an object. What it does follows from its value alone.
pub trait ListArgument: Send + Sync + std::fmt::Debug + 'static {
    /// The name.
    fn name(&self) -> &'static str;

    /// The description.
    fn description(&self) -> String;

    /// Registers its type, which can be null, and returns the name of the type.
    fn register(&self, registry: &mut Registry) -> String;

    /// The items of the enum of sorts that lists with the argument have, each with its description.
    fn sorts(&self) -> &[(&'static str, &'static str)] {
        &[]
    }

    /// Reads a value that is not null. `None` if it says nothing.
    ///
    /// # Errors
    ///
    /// Any error: the list is then null beside it.
    fn read(&self, value: Value) -> Result<Option<Box<dyn GivenArgument>>>;
}

/// The value of an argument of a list.
pub trait GivenArgument: Send + Sync {
    /// The orders that the list has because of it, in place of those of the object.
    fn orders(&self, _: DbBackend) -> Option<OwnOrders> {
        None
    }

    /// Restricts the rows of the list.
    fn restrict(&self, list: ListRows<'_>) -> (TableRows, Order);

    /// Says what a list with it reads.
    fn estimate(&self, list: &ListEstimate<'_>, estimates: &mut Estimates);
}

/// The orders of a list that no index holds.
#[derive(Debug)]
pub struct OwnOrders {
    /// Its own sorts, ascending, by the names of their items.
    pub sorts: Vec<(&'static str, Sort)>,
    /// The item by which the list is sorted without criteria, descending.
    pub default: &'static str,
}

impl OwnOrders {
    pub(crate) fn sort(&self, item: &str) -> Option<Sort> {
        self.sorts.iter().find(|(name, _)| *name == item).map(|(_, sort)| sort.clone())
    }
}

/// A list, as far as its other arguments restrict it.
#[derive(Debug)]
pub struct ListRows<'a> {
    /// The rows.
    pub rows: TableRows,
    /// Their order.
    pub order: Order,
    /// The database.
    pub backend: DbBackend,
    /// The instant that `asOf` names.
    pub as_of: Option<&'a DateTime>,
    /// Whether it is the list of a parent.
    pub is_of_parent: bool,
}

/// A list of which nothing is read yet.
#[derive(Debug)]
pub struct ListEstimate<'a> {
    /// The order.
    pub order: &'a Order,
    /// Whether it has a filter.
    pub is_filtered: bool,
}
