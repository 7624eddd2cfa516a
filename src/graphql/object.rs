//! What the schema asks of its objects: the rows that they stand for, and the lists that there are of them.

use std::collections::{BTreeSet, HashMap};
use std::slice::from_ref;
use std::sync::Arc;

use async_graphql::{Context, InputType, OutputType};
use keyset::{Args, Order};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use super::book::Siblings;
use super::date_time::DateTime;
use super::error::Result;
use super::filter::{Filter, Scope};
use super::list::{List, reader};
use super::once::PerField;
use super::sort::Sort;

/// An object that stands for a row of a table.
pub trait RowObject: OutputType + Clone {
    /// The table.
    type Entity: EntityTrait;
    /// What objects of rows that were read together share.
    type Shared;

    /// The column of its primary key.
    fn key_column() -> Column<Self>;

    /// The primary key of its row.
    fn key(&self) -> Uuid;

    /// What the objects of these rows will share.
    fn share(rows: &[Model<Self>]) -> Self::Shared;

    /// The object of the row at this place among those that were read together.
    fn new(row: Model<Self>, place: usize, shared: Arc<Self::Shared>) -> Self;

    /// The objects of rows that were read together.
    fn from_rows(rows: Vec<Model<Self>>) -> Vec<Self> {
        let shared = Arc::new(Self::share(&rows));
        rows.into_iter().enumerate().map(|(place, row)| Self::new(row, place, Arc::clone(&shared))).collect()
    }

    /// The object of a row that was read by itself.
    fn from_row(row: Model<Self>) -> Self {
        let shared = Arc::new(Self::share(from_ref(&row)));
        Self::new(row, 0, shared)
    }

    /// The objects with these primary keys, as far as there are any: one statement.
    async fn by_keys(context: &Context<'_>, keys: &BTreeSet<Uuid>) -> Result<HashMap<Uuid, Self>> {
        let wanted = Self::key_column().is_in(keys.iter().copied());
        let rows = Self::Entity::find().filter(wanted).all(&reader(context)).await?;
        Ok(Self::from_rows(rows).into_iter().map(|object| (object.key(), object)).collect())
    }
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

/// An object whose lists are ordered by columns of its table, each of which an index holds.
pub trait ByColumns: Listed {
    /// The column that a field stands for.
    fn column(field: Self::SortField) -> Column<Self>;

    /// The order of a list; without criteria, the oldest first.
    fn order(order_by: &[Sort<Self::SortField>]) -> Result<Order> {
        let sorts = order_by.iter().map(|sort| sort.by(keyset::Sort::asc(Self::column(sort.field))));
        Ok(Order::of::<Self::Entity>(sorts)?)
    }
}

/// The rows of a book.
pub trait OfBook: Listed {
    /// The reference to the book.
    fn book_id() -> Column<Self>;

    /// Where books keep their lists of them.
    fn lists(siblings: &Siblings) -> &PerField<List<Self>>;
}

/// A row of an object's table.
pub type Model<T> = <<T as RowObject>::Entity as EntityTrait>::Model;

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

/// The rows that pass the filter of a list.
pub fn filtered<T: Listed>(
    rows: Select<T::Entity>,
    args: &ListArgs<T>,
    scope: &mut Scope,
) -> Result<Select<T::Entity>> {
    match &args.filter {
        None => Ok(rows),
        Some(filter) => Ok(rows.filter(filter.condition(scope)?)),
    }
}
