//! A created object and its position in the lists.

use async_graphql::Context;
use keyset::{Key, Order, Page, StatementCache};
use keyset_graphql::{Column, ContextExt, Edge, Model, RowObject, Scope, Sort};
use sea_orm::{ColumnTrait, DbErr, QueryFilter, Select};
use uuid::Uuid;

use super::transaction::Transaction;
use super::write::WriteResult;
use crate::request::{Error, Result};
use crate::shop::list::{ShopArgs, ShopObject};

/// The lists in which a created object will be shown, in one order.
pub struct Placement<T: ShopObject> {
    rows: Select<T::Entity>,
    order: Order,
    /// Whether the cursors of the edges before it are selected.
    is_previous_selected: bool,
    is_previous_of_book_selected: bool,
}

/// A created object with its edge.
pub struct Created<T: RowObject> {
    pub edge: Edge<T>,
    /// The cursor of the edge before it, if there is one and it is selected.
    pub previous: Option<String>,
    /// The same, in the list of its book.
    pub previous_of_book: Option<String>,
}

impl<T: ShopObject> Placement<T> {
    /// The lists in this order.
    ///
    /// # Errors
    ///
    /// [`Code::OrderNotOffered`](crate::request::Code).
    pub fn new(context: &Context<'_>, order_by: Option<Vec<Sort<T::SortField>>>) -> Result<Self> {
        let (rows, order) = T::rows(&ShopArgs::ordered_by(order_by), &mut Scope::new(context.reader()))?;
        let is_selected = |field| context.look_ahead().field(field).exists();
        Ok(Self {
            rows,
            order,
            is_previous_selected: is_selected("previousEdgeCursor"),
            is_previous_of_book_selected: is_selected("previousEdgeCursorOfBook"),
        })
    }

    /// Reads a created row through the engine, so that its edge equals the one of the next page.
    pub async fn find(
        &self,
        transaction: &Transaction,
        key: Uuid,
        of_book: Option<(Column<T>, Uuid)>,
    ) -> WriteResult<Created<T>> {
        let rows = self.rows.clone().filter(T::key_column().eq(key));
        let found = keyset::fetch(transaction, rows, &Page::first(&self.order, 1)).await?.rows.pop();
        let row = found.ok_or(DbErr::RecordNotInserted)?;
        let key = row.key.clone();
        let edge = Edge::new(&self.order, row);

        let mut created = Created { edge, previous: None, previous_of_book: None };
        if self.is_previous_selected {
            created.previous = self.before(transaction, self.rows.clone(), &key).await?;
        }
        if let (Some((column, book)), true) = (of_book, self.is_previous_of_book_selected) {
            let rows = self.rows.clone().filter(column.eq(book));
            created.previous_of_book = self.before(transaction, rows, &key).await?;
        }
        Ok(created)
    }

    /// The cursor of the edge before this one among these rows.
    async fn before(
        &self,
        transaction: &Transaction,
        rows: Select<T::Entity>,
        key: &Key,
    ) -> WriteResult<Option<String>> {
        let page = Page::last(&self.order, 1).before(key.clone()).map_err(Error::from)?;
        let before =
            keyset::fetch_rows(transaction.reader(), rows, &page, &[], &StatementCache::default()).await?.rows.pop();
        Ok(before.map(|row| self.order.seal(&row.key)).transpose().map_err(Error::from)?.map(String::from))
    }
}

impl<T: RowObject> Created<T> {
    /// Its row.
    pub fn row(&self) -> &Model<T> {
        self.edge.object().row()
    }
}
