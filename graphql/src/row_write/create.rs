//! Creating a row, and finding its place in the lists.

use std::borrow::Cow;

use keyset::{Column, Join, Order, Page, Record, Row, TableRows};
use sea_orm::sea_query::Query;
use sea_orm::{DbErr, Value};
use uuid::Uuid;

use super::parent::Parent;
use super::stored::{compared, stored};
use super::{RowFault, RowWrite, WriteRows};
use crate::declare::write::Returned;
use crate::declare::write::input::is_uuid_key;
use crate::plan::row_payload::{Place, RowWritten};
use crate::plan::variables::with_defaults;
use crate::{Error, Reader};

impl RowWrite {
    /// Creates the row, and locks its parent unless it is locked. Returns its key.
    pub(super) async fn create(
        &self,
        parent: Option<&Parent>,
        db: &impl WriteRows,
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
        let (given, backend) = (values.clone(), db.backend());
        let mut insert = Query::insert();
        insert.into_table(table.table_ref());
        if values.is_empty() {
            insert.or_default_values();
        } else {
            insert.columns(values.iter().map(|(column, _)| column.name()));
            let stored = values.into_iter().map(|(column, value)| stored(&column, value, backend));
            match self.locking(parent, backend) {
                Some(mut select) => insert.select_from(select.exprs(stored).take()),
                None => insert.values(stored),
            }
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        }
        let is_given = |key: &Column| given.iter().any(|(column, _)| column == key);
        let made: Vec<Column> = table.key().filter(|key| !is_given(key)).cloned().collect();
        let returned = if made.is_empty() {
            // A trigger can put the row elsewhere: then none is written here.
            if db.write(backend.build(&insert)).await? == 0 {
                self.lock_unlocked(parent, db).await?;
            }
            Some(Vec::new())
        } else {
            insert.returning(Query::returning().columns(made.iter().map(Column::name)));
            let rows = db.read(backend.build(&insert)).await?;
            rows.first().map(|record| self.values(&made, record)).transpose()?.flatten()
        };
        let Some(returned) = returned else {
            self.lock_unlocked(parent, db).await?;
            return Err(DbErr::RecordNotInserted.into());
        };
        let value = |key: &Column| match given.iter().find(|(column, _)| column == key) {
            Some((_, value)) => Some(compared(key, value)),
            None => made.iter().position(|column| column == key).and_then(|place| returned.get(place).cloned()),
        };
        Ok(table.key().map(value).collect::<Option<_>>().ok_or(DbErr::RecordNotInserted)?)
    }

    /// Refuses a row that was not created because its parent does not exist.
    async fn lock_unlocked(&self, parent: Option<&Parent>, db: &impl WriteRows) -> Result<(), RowFault> {
        match self.parent().zip(parent.filter(|parent| !parent.is_locked)) {
            Some((relation, parent)) => self.lock_given(relation, &parent.key, db).await,
            None => Ok(()),
        }
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
        let (query, _) = &self.environment;
        let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
        let variables = self.declaration.guarded(variables, &self.environment);
        let (plan, run) = (&self.plan.plan, self.run_with(reader, &variables));
        let fetch = async |rows: TableRows, page: Page, joins: &[Join]| -> Result<Option<Row<Record>>, RowFault> {
            let found = keyset::fetch_rows(&run, rows, &page, joins, &plan.places).await;
            Ok(found.map_err(RowFault::Database)?.rows.pop())
        };
        let joins = plan.edge(&variables).map_or_else(Vec::new, |edge| edge.joins(&run));
        let created = fetch(rows.clone().with(self.table().key(), &key), Page::first(order, 1), &joins).await?;
        let Row { key: created, item: record } = created.ok_or(DbErr::RecordNotInserted)?;
        let seal = |key: &keyset::Key| order.seal(key).map(String::from).map_err(Error::from);
        let before = async |rows: TableRows| -> Result<Option<String>, RowFault> {
            let page = Page::last(order, 1).before(created.clone()).map_err(Error::from)?;
            Ok(fetch(rows, page, &[]).await?.map(|row| seal(&row.key)).transpose()?)
        };
        let needs = |what| plan.needs(what, &variables);
        let mut written = RowWritten::default();
        if needs(Returned::Previous) {
            written.previous = before(rows.clone()).await?;
        }
        if let (Some(relation), Some(parent), true) = (self.parent(), &parent, needs(Returned::PreviousOfParent)) {
            written.previous_of_parent = before(rows.clone().with(&relation.from, parent)).await?;
        }
        let place = Some(Place { order: order.clone(), key: created, record });
        Ok(RowWritten { key, place, parent, ..written })
    }
}
