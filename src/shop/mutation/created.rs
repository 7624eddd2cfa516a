//! A created object and its position in the lists.

use std::marker::PhantomData;

use async_graphql::Context;
use bookends_graphql::{ContextExt, Edge, Model, RowObject, SortBy};
use keyset::{Column, Key, Order, Page, StatementCache, TableRows};
use sea_orm::DbErr;
use sea_orm::sea_query::ExprTrait;
use uuid::Uuid;

use super::transaction::Transaction;
use super::write::WriteResult;
use crate::request::{Error, Result};
use crate::shop::declaration;

/// The lists in which a created object will be shown, in one order.
pub struct Placement<T> {
    rows: TableRows,
    order: Order,
    /// Whether the cursors of the edges before it are selected.
    is_previous_selected: bool,
    is_previous_of_book_selected: bool,
    of: PhantomData<fn() -> T>,
}

/// A created object with its edge.
pub struct Created<T: RowObject> {
    pub edge: Edge<T>,
    /// The cursor of the edge before it, if there is one and it is selected.
    pub previous: Option<String>,
    /// The same, in the list of its book.
    pub previous_of_book: Option<String>,
}

impl<T: RowObject> Placement<T> {
    /// The lists in this order.
    ///
    /// # Errors
    ///
    /// [`Code::OrderNotOffered`](crate::request::Code).
    pub fn new(context: &Context<'_>, order_by: Option<Vec<SortBy<T>>>) -> Result<Self> {
        let (rows, order) = declaration().list(T::NAME, &SortBy::criteria(order_by), context.reader())?;
        let is_selected = |field| context.look_ahead().field(field).exists();
        Ok(Self {
            rows,
            order,
            is_previous_selected: is_selected("previousEdgeCursor"),
            is_previous_of_book_selected: is_selected("previousEdgeCursorOfBook"),
            of: PhantomData,
        })
    }

    /// Reads a created row through the engine, so that its edge equals the one of the next page.
    pub async fn find(
        &self,
        transaction: &Transaction,
        key: Uuid,
        of_book: Option<(Column, Uuid)>,
    ) -> WriteResult<Created<T>> {
        let rows = self.only(&declaration().key_column(T::NAME), key);
        let found = keyset::fetch_into(transaction, rows, &Page::first(&self.order, 1)).await?.rows.pop();
        let row = found.ok_or(DbErr::RecordNotInserted)?;
        let key = row.key.clone();
        let edge = Edge::new(&self.order, row);

        let mut created = Created { edge, previous: None, previous_of_book: None };
        if self.is_previous_selected {
            created.previous = self.before(transaction, self.rows.clone(), &key).await?;
        }
        if let (Some((column, book)), true) = (of_book, self.is_previous_of_book_selected) {
            let rows = self.only(&column, book);
            created.previous_of_book = self.before(transaction, rows, &key).await?;
        }
        Ok(created)
    }

    /// The rows whose column has this value.
    fn only(&self, column: &Column, value: Uuid) -> TableRows {
        let mut rows = self.rows.clone();
        rows.0.and_where(column.expr().eq(value));
        rows
    }

    /// The cursor of the edge before this one among these rows.
    async fn before(&self, transaction: &Transaction, rows: TableRows, key: &Key) -> WriteResult<Option<String>> {
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
