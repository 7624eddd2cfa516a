//! Declared mutations: from the input of a field to a statement, and from what it did to its payload.
//!
//! The server gives the transaction: it puts a [`RowWriter`] into the data of the schema.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_graphql::context::QueryEnv;
use async_graphql::futures_util::future::BoxFuture;
use async_graphql::{Context, SchemaEnv};
use keyset::{Order, ReadRows, Table, TableRows};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sea_query::Expr;
use sea_orm::{Condition, DbErr, Statement, Value};
use uuid::Uuid;

use crate::declare::declaration::Declaration;
use crate::declare::names::camel;
use crate::declare::object::ObjectType;
use crate::declare::relation::Relation;
use crate::declare::write::input::InputField;
use crate::declare::write::{RowInput, WriteField, WriteKind};
use crate::error::code;
use crate::plan::Run;
use crate::plan::resolved::FieldPlan;
use crate::plan::row_payload::{Place, RowPayload, RowWritten};
use crate::plan::variables::with_defaults;
use crate::plan::writer::Shown;
use crate::{Error, Reader};

mod change;
mod create;
mod declared;
mod parent;
mod stored;

pub use declared::DeclaredMutation;
use parent::Parent;

/// Runs the writes of declared mutations in transactions.
pub trait RowWriter: Send + Sync {
    /// Runs a write to its end, or returns its errors.
    fn write<'a>(
        &'a self,
        context: &'a Context<'_>,
        write: RowWrite,
    ) -> BoxFuture<'a, std::result::Result<ShownRow, Vec<Error>>>;
}

/// A transaction that writes.
#[async_trait]
pub trait WriteRows: ReadRows {
    /// Runs a statement, and returns the number of rows that it has written.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn write(&self, statement: Statement) -> std::result::Result<u64, DbErr>;
}

/// A write whose input was checked.
pub struct RowWrite {
    declaration: Arc<Declaration>,
    /// Its number among the declared mutations.
    number: usize,
    input: RowInput,
    placement: Option<(TableRows, Order)>,
    plan: Arc<FieldPlan<RowPayload>>,
    environment: (QueryEnv, SchemaEnv),
}

/// What a write has locked.
pub struct Locked(Option<Parent>);

/// Why a write did nothing.
#[derive(Debug)]
pub enum RowFault {
    /// The client's fault.
    Refused(Error),
    /// Another transaction changed its row.
    Changed,
    /// The database failed, or refused it.
    Database(DbErr),
}

impl From<DbErr> for RowFault {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<Error> for RowFault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// A payload that was read and written.
pub struct ShownRow {
    plan: Arc<FieldPlan<RowPayload>>,
    shown: Shown,
}

impl ShownRow {
    /// Whether it is null, because a part of it that cannot be null could not be read.
    pub fn is_null(&self) -> bool {
        self.shown.written.is_err()
    }
}

impl fmt::Debug for Locked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locked").finish_non_exhaustive()
    }
}

impl fmt::Debug for ShownRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShownRow").finish_non_exhaustive()
    }
}

impl fmt::Debug for RowWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowWrite").field("of", self.field()).field("input", &self.input).finish_non_exhaustive()
    }
}

impl RowWrite {
    fn field(&self) -> &WriteField {
        &self.declaration.writes()[self.number]
    }

    /// What it does.
    pub fn kind(&self) -> WriteKind {
        self.field().kind
    }

    /// The name of the object.
    pub fn object(&self) -> &str {
        &self.field().object.name
    }

    /// The key of the row that it changes or deletes.
    pub fn key(&self) -> &[Value] {
        &self.input.key
    }

    /// Whether it changes a row: an update can set nothing.
    pub fn changes(&self) -> bool {
        self.kind() != WriteKind::Update || !self.input.values.is_empty()
    }

    /// Whether it sets a column that refers to another object.
    pub fn sets_reference(&self) -> bool {
        let mut references = self.field().inputs.iter().filter_map(InputField::reference);
        references.any(|reference| reference.columns.iter().any(|column| self.input.value(column).is_some()))
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.object_type().table
    }

    fn object_type(&self) -> &ObjectType {
        self.declaration.object(self.field().object.index)
    }

    /// Locks what it needs in a transaction: the parent, and then the row, if the caller reads it before it is written. The statement that
    /// creates a row locks the parent itself.
    ///
    /// # Errors
    ///
    /// [`RowFault`]: the row or the parent does not exist.
    pub async fn lock(
        &self,
        db: &impl WriteRows,
        reader: &Reader,
        is_row_read: bool,
    ) -> std::result::Result<Locked, RowFault> {
        let parent = self.lock_parent(db, reader).await?;
        if is_row_read && self.kind() != WriteKind::Create {
            self.lock_row(db, parent.as_ref()).await?;
        }
        Ok(Locked(parent))
    }

    /// Runs it in a transaction: the connection writes, and the reader reads in it. New UUIDs are keys.
    ///
    /// # Errors
    ///
    /// [`RowFault`].
    pub async fn run(
        &self,
        Locked(parent): Locked,
        db: &impl WriteRows,
        reader: &Reader,
        next_key: impl FnOnce() -> Uuid,
    ) -> std::result::Result<RowWritten, RowFault> {
        let unlocked = parent.as_ref().filter(|parent| !parent.is_locked).and_then(|_| self.parent());
        if let Some(field) = self.missing_among(reader, true, unlocked).await?.into_iter().next() {
            return Err(Error::client(code::NOT_FOUND, "no object has this id").of_field(field).into());
        }
        let key = match self.kind() {
            WriteKind::Create => self.create(parent.as_ref(), db, next_key).await?,
            WriteKind::Update => self.update(db, parent.as_ref()).await?,
            WriteKind::Delete => self.delete(db, parent.as_ref()).await?,
        };
        self.check_visible(&key, reader).await?;
        let parent = parent.map(|parent| parent.key);
        match self.placement.as_ref().filter(|_| self.needs_place()) {
            Some((rows, order)) => self.place(rows, order, key, parent, reader).await,
            None => Ok(RowWritten { key, parent, ..RowWritten::default() }),
        }
    }

    /// The values of a created row, if it was read with its place.
    ///
    /// # Errors
    ///
    /// [`RowFault`] if the row has a value that its column cannot have.
    pub fn created(&self, written: &RowWritten) -> std::result::Result<Option<Vec<Value>>, RowFault> {
        let values = |place: &Place| self.values(self.table().columns(), &place.record);
        written.place.as_ref().map_or(Ok(None), values)
    }

    /// The field of the input that sets this column.
    pub fn field_of(&self, column: &str) -> Option<String> {
        self.field().inputs.iter().find(|field| field.has(column)).map(|field| field.name.clone())
    }

    /// The fields of the input that refer to objects that do not exist, or do not show.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn missing(&self, reader: &Reader) -> std::result::Result<Vec<String>, DbErr> {
        self.missing_among(reader, false, None).await
    }

    /// The same, of all objects or of those with rules alone, without that of a relation.
    async fn missing_among(
        &self,
        reader: &Reader,
        are_ruled: bool,
        without: Option<&Relation>,
    ) -> std::result::Result<Vec<String>, DbErr> {
        let mut missing = Vec::new();
        for field in &self.field().inputs {
            let Some(reference) = field.reference() else { continue };
            let target = self.declaration.object(reference.target);
            let is_without = without.is_some_and(|relation| relation.from == reference.columns);
            if is_without || are_ruled && !target.has_rule() {
                continue;
            }
            let key: Option<Vec<Value>> = reference.columns.iter().map(|of| self.input.value(of).cloned()).collect();
            let Some(key) = key.filter(|key| key.iter().all(|value| *value != value.as_null())) else { continue };
            let table = target.table_for(&self.environment);
            if !has_key(&table, &key, reader).await? {
                missing.push(field.name.clone());
            }
        }
        Ok(missing)
    }

    /// Refuses to leave a row that its viewer may not see: the caller rolls the transaction back.
    async fn check_visible(&self, key: &[Value], reader: &Reader) -> std::result::Result<(), RowFault> {
        let object = self.object_type();
        if self.kind() == WriteKind::Delete || !object.has_rule() {
            return Ok(());
        }
        if has_key(&object.table_for(&self.environment), key, reader).await? { Ok(()) } else { Err(self.unseen()) }
    }

    /// The viewer may not see the row that the write leaves.
    fn unseen(&self) -> RowFault {
        let message = format!("you may not see the {} after this write", camel(self.object()));
        Error::client(code::FORBIDDEN, message).into()
    }

    /// The rows that the mutation may change, as a condition; `None` of all.
    fn visible(&self) -> Option<Condition> {
        self.object_type().visible(&self.environment).condition()
    }

    /// No object has the key of the input.
    fn unknown(&self) -> RowFault {
        let message = format!("no {} has this id", camel(self.object()));
        Error::client(code::NOT_FOUND, message).of_field("id").into()
    }

    fn run_with<'a>(&'a self, reader: &'a Reader, variables: &'a async_graphql::Variables) -> Run<'a> {
        Run { reader, declaration: &self.declaration, variables, data: &self.environment, is_event: false }
    }

    /// Reads and writes what is selected of the payload, through this connection.
    pub async fn show(&self, done: &RowWritten, reader: &Reader) -> ShownRow {
        let (query, _) = &self.environment;
        let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
        let variables = self.declaration.guarded(variables, &self.environment);
        let id = self.input.client_mutation_id.as_deref();
        let shown = self.plan.plan.show(self.field(), done, id, &self.run_with(reader, &variables)).await;
        ShownRow { plan: Arc::clone(&self.plan), shown }
    }
}

/// Whether a row with this key is among those that are read of a table.
async fn has_key(table: &Table, key: &[Value], reader: &Reader) -> std::result::Result<bool, DbErr> {
    let mut rows = table.rows().with(table.key(), key);
    rows.0.expr(Expr::cust("1"));
    Ok(!keyset::find_rows(reader, &rows, &[]).await?.is_empty())
}
