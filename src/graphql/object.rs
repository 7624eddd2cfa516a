//! What the schema asks of its objects: the rows that they stand for, and the lists that there are of them.

use std::collections::{BTreeSet, HashMap};

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
pub trait RowObject: OutputType + Sized {
    /// The table.
    type Entity: EntityTrait;

    /// The column of its primary key.
    fn key_column() -> Column<Self>;

    /// The primary key of its row.
    fn key(&self) -> Uuid;

    /// The objects of rows that were read together: they share what is read for them.
    fn from_rows(rows: Vec<<Self::Entity as EntityTrait>::Model>) -> Vec<Self>;

    /// The objects with these primary keys, as far as there are any: one statement.
    async fn by_keys(context: &Context<'_>, keys: &BTreeSet<Uuid>) -> Result<HashMap<Uuid, Self>> {
        let wanted = Self::key_column().is_in(keys.iter().copied());
        let rows = Self::Entity::find().filter(wanted).all(reader(context)).await?;
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
    Ok((filtered(T::Entity::find(), args, scope)?, order))
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
