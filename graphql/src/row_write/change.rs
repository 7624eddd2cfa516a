//! Changing and deleting a row.

use sea_orm::sea_query::{ConditionalStatement, Expr, ExprTrait, LockType, Query, SelectStatement};
use sea_orm::{DbBackend, DbErr, Value};

use super::parent::Parent;
use super::stored::stored;
use super::{RowFault, RowWrite, WriteRows};

impl RowWrite {
    pub(super) async fn update(&self, db: &impl WriteRows, parent: Option<&Parent>) -> Result<Vec<Value>, RowFault> {
        if self.input.values.is_empty() {
            return self.lock_row(db, parent).await;
        }
        let mut update = Query::update();
        update.table(self.table().table_ref());
        for (column, value) in &self.input.values {
            update.value(column.name(), stored(column, value.clone(), db.backend()));
        }
        self.restrict(&mut update, parent);
        self.found(db.write(db.backend().build(&update)).await?, parent)
    }

    pub(super) async fn delete(&self, db: &impl WriteRows, parent: Option<&Parent>) -> Result<Vec<Value>, RowFault> {
        let mut delete = Query::delete();
        delete.from_table(self.table().table_ref());
        self.restrict(&mut delete, parent);
        self.found(db.write(db.backend().build(&delete)).await?, parent)
    }

    /// Locks the row of the key, and returns the key.
    pub(super) async fn lock_row(&self, db: &impl WriteRows, parent: Option<&Parent>) -> Result<Vec<Value>, RowFault> {
        let mut select = Query::select();
        select.expr(Expr::val(1)).from(self.table().table_ref());
        self.restrict(&mut select, parent);
        let is_there = lock(db, select, LockType::Update).await?;
        self.found(is_there.into(), parent)
    }

    /// The row with the key of the input, if it shows, as long as it has the parent that was locked.
    fn restrict(&self, statement: &mut impl ConditionalStatement, parent: Option<&Parent>) {
        if let Some(visible) = self.visible() {
            statement.cond_where(visible);
        }
        for (column, value) in self.table().key().zip(&self.input.key) {
            statement.and_where(column.expr().eq(value.clone()));
        }
        for (column, value) in parent.into_iter().flat_map(|parent| &parent.before) {
            let is_same =
                if *value == value.as_null() { column.expr().is_null() } else { column.expr().eq(value.clone()) };
            statement.and_where(is_same);
        }
    }

    fn found(&self, rows: u64, parent: Option<&Parent>) -> Result<Vec<Value>, RowFault> {
        match (rows, parent) {
            (0, None) => Err(self.unknown()),
            // It was there when its parent was read.
            (0, Some(_)) => Err(RowFault::Changed),
            _ => Ok(self.input.key.clone()),
        }
    }
}

/// Locks the row that this selects, and returns whether there is one.
pub(super) async fn lock(db: &impl WriteRows, select: SelectStatement, how: LockType) -> Result<bool, DbErr> {
    let backend = db.backend();
    Ok(!db.read(backend.build(&locking(select, how, backend))).await?.is_empty())
}

/// The same rows, which are locked. SQLite has one writer at a time and no row locks.
pub(super) fn locking(mut select: SelectStatement, how: LockType, backend: DbBackend) -> SelectStatement {
    if backend == DbBackend::Postgres {
        select.lock(how);
    }
    select
}
