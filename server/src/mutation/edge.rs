//! A created object and its position in its list.

use bookends_graphql::{Criterion, Edge, RowObject};
use keyset::{Page, StatementCache};
use sea_orm::{DbErr, Value};

use super::transaction::Transaction;
use super::write::WriteResult;
use crate::request::Error;

impl Transaction {
    /// Reads a created object through the engine, so that its edge equals the one of the next page: the object with this key, its
    /// edge in the list of all objects in this order, and the cursor of the edge before it.
    ///
    /// # Errors
    ///
    /// [`Code::OrderNotOffered`](crate::request::Code); [`WriteError`](super::WriteError) if the database fails.
    pub async fn edge<T: RowObject>(
        &self,
        key: &[Value],
        order_by: &[Criterion],
    ) -> WriteResult<(Edge<T>, Option<String>)> {
        let (rows, order) = self.declaration().list(T::NAME, order_by, self.reader(), self.data())?;
        let only = rows.clone().with(self.declaration().table(T::NAME).key(), key);
        let found = keyset::fetch_into(self, only, &Page::first(&order, 1)).await?.rows.pop();
        let row = found.ok_or(DbErr::RecordNotInserted)?;
        let page = Page::last(&order, 1).before(row.key.clone()).map_err(Error::from)?;
        let before = keyset::fetch_rows(self.reader(), rows, &page, &[], &StatementCache::default()).await?.rows.pop();
        let before = before.map(|row| order.seal(&row.key)).transpose().map_err(Error::from)?;
        Ok((Edge::new(&order, row), before.map(String::from)))
    }
}
