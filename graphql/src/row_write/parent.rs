//! The object that a write locks before it writes: that of a relation of its row.

use keyset::{Column, ColumnSet, Placement, ReadRows, Record, RowLayout};
use sea_orm::sea_query::{Expr, ExprTrait, LockType, Query, SelectStatement};
use sea_orm::{Condition, DbBackend, Value};

use super::change::{lock, locking};
use super::{RowFault, RowWrite, WriteRows};
use crate::declare::names::camel;
use crate::declare::relation::Relation;
use crate::declare::write::WriteKind;
use crate::error::code;
use crate::{Error, Reader};

/// A parent that was locked.
pub(super) struct Parent {
    /// The columns that referred to the parent before the write, with their values. None for a new row.
    pub before: Vec<(Column, Value)>,
    /// The key of the parent afterwards; NULL where there is none.
    pub key: Vec<Value>,
    /// Whether it is locked.
    pub is_locked: bool,
}

impl RowWrite {
    /// The relation to the parent.
    pub(super) fn parent(&self) -> Option<&Relation> {
        let field = self.field();
        let (_, relation) = field.parent.as_ref()?;
        self.declaration.object(field.object.index).relations.get(*relation)
    }

    /// Locks the parent of the row, and a new one. The row can still move: the write names its parent.
    pub(super) async fn lock_parent(&self, db: &impl WriteRows, reader: &Reader) -> Result<Option<Parent>, RowFault> {
        let Some(relation) = self.parent() else { return Ok(None) };
        let given: Option<Vec<Value>> = relation.from.iter().map(|of| self.input.value(of).cloned()).collect();
        let (mut before, mut is_orphan) = (Vec::new(), false);
        if !self.input.key.is_empty() {
            before = self.read(&relation.from, reader).await?.ok_or_else(|| self.unknown())?;
            if !self.lock_object(relation, &before, None, db).await? {
                if self.read(&relation.from, reader).await?.as_ref() != Some(&before) {
                    // The row was deleted with its parent, or moved to another one.
                    return Err(RowFault::Changed);
                }
                // The database does not enforce the reference, and the parent does not exist.
                is_orphan = true;
            }
        }
        // On one server, a row is created where its parent is found and locked.
        let is_locked = self.kind() != WriteKind::Create || reader.placement() != Placement::Here;
        if let Some(given) = given.as_ref().filter(|_| is_locked) {
            self.lock_given(relation, given, db).await?;
        }
        let nulls = || relation.from.iter().map(|column| column.kind().null()).collect();
        let key = given.unwrap_or_else(|| if is_orphan || before.is_empty() { nulls() } else { before.clone() });
        Ok(Some(Parent { before: relation.from.iter().cloned().zip(before).collect(), key, is_locked }))
    }

    /// Locks the parent to which the input refers.
    pub(super) async fn lock_given(
        &self,
        relation: &Relation,
        given: &[Value],
        db: &impl WriteRows,
    ) -> Result<(), RowFault> {
        if self.lock_object(relation, given, self.visible_of(relation), db).await? {
            return Ok(());
        }
        let (field, object) = (self.field().parent.as_ref(), relation.object.as_ref());
        let message = format!("no {} has this id", object.map_or_else(String::new, |object| camel(&object.name)));
        let field = field.map_or_else(String::new, |(field, _)| format!("{field}Id"));
        Err(Error::client(code::NOT_FOUND, message).of_field(field).into())
    }

    /// The parent of a row that is created, as a statement that locks it; none where it is locked, or where the row has none.
    pub(super) fn locking(&self, parent: Option<&Parent>, backend: DbBackend) -> Option<SelectStatement> {
        let (relation, parent) = (self.parent()?, parent.filter(|parent| !parent.is_locked)?);
        let select = object_of(relation, &parent.key, self.visible_of(relation))?;
        Some(locking(select, LockType::KeyShare, backend))
    }

    /// The values of these columns of the row with the key of the input.
    async fn read(&self, columns: &[Column], reader: &Reader) -> Result<Option<Vec<Value>>, RowFault> {
        let table = &self.object_type().table_for(&self.environment);
        let mut rows = table.rows();
        table.select(&mut rows, set_of(columns));
        let rows = rows.with(table.key(), &self.input.key);
        let found = keyset::find_rows(reader, &rows, &[]).await?;
        found.first().map_or(Ok(None), |record| self.values(columns, record))
    }

    /// The values of these columns in a row of the table; none of a row that is none.
    pub(super) fn values(&self, columns: &[Column], record: &Record) -> Result<Option<Vec<Value>>, RowFault> {
        let layout = RowLayout::of(self.table());
        let row = layout.reader_of(set_of(columns)).row(record)?;
        let value = |row: &keyset::TableRow, column: &Column| match row.get(column.number()) {
            keyset::StoredValue::Null => Ok(column.kind().null()),
            _ => row.value(column.number(), column.kind()),
        };
        let values = row.map(|row| columns.iter().map(|column| value(&row, column)).collect::<Result<_, _>>());
        Ok(values.transpose()?)
    }

    /// The objects of a relation that show, as a condition; `None` of all.
    fn visible_of(&self, relation: &Relation) -> Option<Condition> {
        let related = relation.object.as_ref()?;
        self.declaration.object(related.index).visible(&self.environment).condition()
    }

    /// Locks the object with this key, if it fulfils a condition, and returns whether there is one. NULL refers to none.
    async fn lock_object(
        &self,
        relation: &Relation,
        key: &[Value],
        visible: Option<Condition>,
        db: &impl WriteRows,
    ) -> Result<bool, RowFault> {
        match object_of(relation, key, visible) {
            Some(mut select) => Ok(lock(db, select.expr(Expr::val(1)).take(), LockType::KeyShare).await?),
            None => Ok(true),
        }
    }
}

/// Selects the object of a relation with this key, if it fulfils a condition. None for NULL, which refers to none.
fn object_of(relation: &Relation, key: &[Value], visible: Option<Condition>) -> Option<SelectStatement> {
    let table = relation.table.as_ref().filter(|_| key.iter().all(|value| *value != value.as_null()))?;
    let mut select = Query::select();
    select.from(table.table_ref());
    for (column, value) in relation.to.iter().zip(key) {
        select.and_where(column.expr().eq(value.clone()));
    }
    if let Some(visible) = visible {
        select.cond_where(visible);
    }
    Some(select)
}

fn set_of(columns: &[Column]) -> ColumnSet {
    columns.iter().map(|column| ColumnSet::of(column.number())).collect()
}
