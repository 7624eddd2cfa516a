//! What the schema asks of its objects: the rows that they stand for, and the lists that there are of them.

use async_graphql::{InputType, OutputType};
use keyset::{Args, Order};
use sea_orm::{EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use super::book::Siblings;
use super::date_time::DateTime;
use super::error::Result;
use super::filter::{Filter, Scope};
use super::list::List;
use super::once::PerField;
use super::sort::Sort;

/// An object that stands for a row of a table.
pub trait RowObject: OutputType + Sized {
    /// The table.
    type Entity: EntityTrait;

    /// The column of its primary key.
    fn key_column() -> Column<Self>;

    /// The primary key of its row.
    fn key(&self) -> Uuid;

    /// The objects of rows that were read together: they share what is read for them.
    fn from_rows(rows: Vec<<Self::Entity as EntityTrait>::Model>) -> Vec<Self>;
}

/// An object that there are lists of.
pub trait Listed: RowObject {
    /// What its lists can be ordered by.
    type SortField: InputType + Copy;
    /// What its lists can be filtered by.
    type Filter: Filter;
    /// What lists of no other object have for an argument.
    type Own: Send + Sync;

    /// The rows of the list and their order.
    fn rows(args: &ListArgs<Self>, scope: &mut Scope) -> Result<(Select<Self::Entity>, Order)>;
}

/// The rows of a book.
pub trait OfBook: Listed {
    /// The reference to the book.
    fn book_id() -> Column<Self>;

    /// Where books keep their lists of them.
    fn lists(siblings: &Siblings) -> &PerField<List<Self>>;
}

/// A column of an object's table.
pub type Column<T> = <<T as RowObject>::Entity as EntityTrait>::Column;

/// The arguments of a list.
pub struct ListArgs<T: Listed> {
    pub page: Args,
    pub order_by: Vec<Sort<T::SortField>>,
    /// In a box, as it is large and passed on often.
    pub filter: Option<Box<T::Filter>>,
    pub as_of: Option<DateTime>,
    pub own: T::Own,
}

/// The rows and the order of a list whose sorts are columns of its table, each of which an index holds.
pub fn by_columns<T: Listed>(
    args: &ListArgs<T>,
    scope: &mut Scope,
    column: impl Fn(T::SortField) -> Column<T>,
) -> Result<(Select<T::Entity>, Order)> {
    let sorts = args.order_by.iter().map(|sort| sort.by(keyset::Sort::asc(column(sort.field))));
    let order = Order::of::<T::Entity>(sorts)?;
    let rows = match &args.filter {
        None => T::Entity::find(),
        Some(filter) => T::Entity::find().filter(filter.condition(scope)?),
    };
    Ok((rows, order))
}
