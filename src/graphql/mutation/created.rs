//! What has been created, and where it stands in the lists.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::Context;
use keyset::{Args, Order, Page, Row};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use super::write::WriteResult;
use crate::graphql::connection::Edge;
use crate::graphql::error::{Error, Result};
use crate::graphql::filter::Scope;
use crate::graphql::list::reader;
use crate::graphql::object::{Column, ListArgs, Listed, RowObject};
use crate::graphql::sort::Sort;

/// Where something new is to be shown: the list of all objects of its kind in one order, or that of its book.
pub struct Placement<T: Listed> {
    rows: Select<T::Entity>,
    order: Order,
    /// Whether the cursors before it are selected: nobody reads them otherwise.
    is_previous_selected: bool,
    is_previous_of_book_selected: bool,
}

/// Something new, with its place.
pub struct Created<T> {
    order: Order,
    row: Row<T>,
    /// The cursor of the edge before it; none where it comes first, or where nobody asked.
    pub previous: Option<String>,
    /// The same, in the list of its book.
    pub previous_of_book: Option<String>,
}

impl<T: Listed<Own: Default>> Placement<T> {
    /// The lists in this order.
    ///
    /// # Errors
    ///
    /// [`Code::OrderNotOffered`](crate::graphql::Code).
    pub fn new(context: &Context<'_>, order_by: Option<Vec<Sort<T::SortField>>>) -> Result<Self> {
        let order_by = order_by.unwrap_or_default();
        let args = ListArgs { page: Args::default(), order_by, filter: None, as_of: None, own: T::Own::default() };
        let (rows, order) = T::rows(&args, &mut Scope::new(&reader(context)))?;
        let is_selected = |field| context.look_ahead().field(field).exists();
        Ok(Self {
            rows,
            order,
            is_previous_selected: is_selected("previousEdgeCursor"),
            is_previous_of_book_selected: is_selected("previousEdgeCursorOfBook"),
        })
    }

    /// Finds what has just been created, as the next page will show it. What objects that are read together share, it
    /// brings along.
    pub async fn find(
        &self,
        transaction: &DatabaseTransaction,
        key: Uuid,
        of_book: Option<(Column<T>, Uuid)>,
        shared: impl FnOnce(&<T::Entity as EntityTrait>::Model) -> T::Shared,
    ) -> WriteResult<Created<T>> {
        let rows = self.rows.clone().filter(T::key_column().eq(key));
        let one = Args { first: Some(1), ..Args::default() };
        let found = keyset::fetch(transaction, rows, &self.page(&one)?).await?.rows.pop();
        let Row { key, item } = found.ok_or(DbErr::RecordNotInserted)?;
        let shared = Arc::new(shared(&item));
        let row = Row { key, item: T::new(item, 0, shared) };

        let mut created = Created { order: self.order.clone(), row, previous: None, previous_of_book: None };
        if self.is_previous_selected {
            created.previous = self.before(transaction, self.rows.clone(), &created.row).await?;
        }
        if let (Some((column, book)), true) = (of_book, self.is_previous_of_book_selected) {
            let rows = self.rows.clone().filter(column.eq(book));
            created.previous_of_book = self.before(transaction, rows, &created.row).await?;
        }
        Ok(created)
    }

    /// The cursor of the edge before this one among these rows.
    async fn before(
        &self,
        transaction: &DatabaseTransaction,
        rows: Select<T::Entity>,
        row: &Row<T>,
    ) -> WriteResult<Option<String>> {
        let cursor = self.order.seal(&row.key).map_err(Error::from)?;
        let page = self.page(&Args { last: Some(1), before: Some(cursor.into()), ..Args::default() })?;
        let before = keyset::fetch(transaction, rows, &page).await?.rows.pop();
        Ok(before.map(|row| self.order.seal(&row.key)).transpose().map_err(Error::from)?.map(String::from))
    }

    fn page(&self, args: &Args) -> Result<Page> {
        Ok(Page::new(args, &self.order, keyset::Limits::default())?)
    }
}

impl<T: RowObject> Created<T> {
    /// The object.
    pub fn object(&self) -> &T {
        &self.row.item
    }

    /// Its edge.
    pub fn edge(&self) -> Edge<'_, T> {
        Edge::new(&self.order, Cow::Borrowed(&self.row))
    }
}
