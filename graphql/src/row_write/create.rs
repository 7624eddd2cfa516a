//! Creating a row, and finding its place in the lists.

use std::borrow::Cow;

use keyset::{Column, Order, Page, StatementCache, TableRows};
use sea_orm::sea_query::Query;
use sea_orm::{ConnectionTrait, DbErr, Value};
use uuid::Uuid;

use super::stored::{self, compared, stored};
use super::{RowFault, RowWrite};
use crate::declare::write::Returned;
use crate::declare::write::input::is_uuid_key;
use crate::plan::row_payload::RowWritten;
use crate::plan::variables::with_defaults;
use crate::{Error, Reader};

impl RowWrite {
    /// Creates the row. Returns its key.
    pub(super) async fn create(
        &self,
        db: &impl ConnectionTrait,
        next_key: impl FnOnce() -> Uuid,
    ) -> Result<Vec<Value>, RowFault> {
        let (table, object) = (self.table(), self.object_type());
        let mut values = self.input.values.clone();
        if is_uuid_key(object) && self.input.value(object.key()).is_none() {
            values.push((object.key().clone(), next_key().into()));
        }
        for (column, value) in object.demanded(&self.environment) {
            if !values.iter().any(|(set, _)| set == column) {
                values.push((column.clone(), value));
            }
        }
        if object.ruled_by().any(|ruled| !values.iter().any(|(set, _)| set == ruled)) {
            return Err(self.unseen());
        }
        let given = values.clone();
        let mut insert = Query::insert();
        insert.into_table(table.table_ref());
        if values.is_empty() {
            insert.or_default_values();
        } else {
            insert.columns(values.iter().map(|(column, _)| column.name()));
            let stored = values.into_iter().map(|(column, value)| stored(&column, value, db.get_database_backend()));
            insert.values(stored).map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        let made: Vec<&Column> = table.key().filter(|key| !given.iter().any(|(column, _)| column == *key)).collect();
        let returned = if made.is_empty() {
            db.execute(&insert).await?;
            None
        } else {
            insert.returning(Query::returning().columns(made.iter().map(|column| column.name())));
            Some(db.query_one(&insert).await?.ok_or(DbErr::RecordNotInserted)?)
        };
        let value = |key: &Column| match (given.iter().find(|(column, _)| column == key), &returned) {
            (Some((_, value)), _) => Ok(compared(key, value)),
            (None, Some(row)) => stored::returned(key, row),
            (None, None) => Err(DbErr::RecordNotInserted),
        };
        Ok(table.key().map(value).collect::<Result<_, _>>()?)
    }

    /// Whether its place is selected.
    pub(super) fn needs_place(&self) -> bool {
        let (query, _) = &self.environment;
        let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
        self.plan.plan.needs_place(&variables)
    }

    /// Finds the place of a created row in the list of all objects, and in that of its parent.
    pub(super) async fn place(
        &self,
        rows: &TableRows,
        order: &Order,
        key: Vec<Value>,
        parent: Option<Vec<Value>>,
        reader: &Reader,
    ) -> Result<RowWritten, RowFault> {
        let fetch = async |rows: TableRows, page: Page| -> Result<Option<keyset::Key>, RowFault> {
            let found = keyset::fetch_rows(reader, rows, &page, &[], &StatementCache::default()).await;
            Ok(found.map_err(RowFault::Database)?.rows.pop().map(|row| row.key))
        };
        let created = fetch(rows.clone().with(self.table().key(), &key), Page::first(order, 1)).await?;
        let created = created.ok_or(DbErr::RecordNotInserted)?;
        let seal = |key: &keyset::Key| order.seal(key).map(String::from).map_err(Error::from);
        let before = async |rows: TableRows| -> Result<Option<String>, RowFault> {
            let page = Page::last(order, 1).before(created.clone()).map_err(Error::from)?;
            Ok(fetch(rows, page).await?.as_ref().map(seal).transpose()?)
        };
        let (query, _) = &self.environment;
        let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
        let needs = |what| self.plan.plan.needs(what, &variables);
        let mut written = RowWritten { cursor: seal(&created)?, ..RowWritten::default() };
        if needs(Returned::Previous) {
            written.previous = before(rows.clone()).await?;
        }
        if let (Some(relation), Some(parent), true) = (self.parent(), &parent, needs(Returned::PreviousOfParent)) {
            written.previous_of_parent = before(rows.clone().with(&relation.from, parent)).await?;
        }
        Ok(RowWritten { key, parent, ..written })
    }
}
