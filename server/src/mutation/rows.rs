//! The writes of declared mutations.

use std::sync::Arc;

use async_graphql::Context;
use bookends_graphql::{Error, Reader, RowFault, RowWrite, RowWriter, ShownRow, WriteKind};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::DbErr;

use super::transaction::Transaction;
use super::write::{Run, WriteError, WriteResult, run};
use crate::db::{Db, Failure, violated_columns};
use crate::request::{Code, RequestContext, database};

/// Runs them in transactions.
pub struct Rows {
    /// Reads on the primary.
    pub reader: Reader,
}

impl RowWriter for Rows {
    fn write<'a>(&'a self, context: &'a Context<'_>, write: RowWrite) -> BoxFuture<'a, Result<ShownRow, Vec<Error>>> {
        async move {
            let write = Arc::new(write);
            let error = match run(context, Writing(Arc::clone(&write))).await {
                Ok(shown) => return Ok(shown),
                Err(error) => error,
            };
            match error {
                WriteError::Database(cause) => Err(self.explained(context, &write, cause).await),
                // Some foreign keys are checked at the end.
                WriteError::Commit(cause) if Failure::of(&cause) == Failure::Reference => {
                    Err(self.explained(context, &write, cause).await)
                }
                error => Err(vec![error.into()]),
            }
        }
        .boxed()
    }
}

impl Rows {
    /// Reads in the role of the request.
    fn reader_of(&self, context: &Context<'_>) -> Reader {
        let role = context.data_opt().and_then(|request: &RequestContext| request.role.as_ref());
        let db: &Db = context.data_unchecked();
        if role.is_some() { self.reader.over(db.reader.with_role(role)) } else { self.reader.clone() }
    }

    /// The errors of the fields that violate a constraint.
    async fn explained(&self, context: &Context<'_>, write: &RowWrite, cause: DbErr) -> Vec<Error> {
        let of_fields = |columns: Vec<String>, code: Code, message: &str| {
            let fields = columns.iter().filter_map(|column| write.field_of(column));
            let errors: Vec<Error> = fields.map(|field| Error::client(code, message).of_field(field)).collect();
            if errors.is_empty() { vec![Error::client(code, message)] } else { errors }
        };
        match Failure::of(&cause) {
            Failure::Duplicate => {
                of_fields(violated_columns(&cause), Code::AlreadyExists, "another object has this value")
            }
            Failure::Reference => {
                let missing = match write.missing(&self.reader_of(context)).await {
                    Ok(missing) => missing.into_iter(),
                    Err(error) => return vec![database(error)],
                };
                let errors: Vec<Error> = missing
                    .map(|field| Error::client(Code::NotFound, "no object has this id").of_field(field))
                    .collect();
                match write.kind() {
                    _ if !errors.is_empty() => errors,
                    WriteKind::Delete => vec![database(cause)],
                    _ => vec![Error::client(Code::NotFound, "an object that it refers to does not exist")],
                }
            }
            _ => vec![database(cause)],
        }
    }
}

fn failed(fault: RowFault) -> WriteError {
    match fault {
        RowFault::Refused(error) => WriteError::Refused(error),
        RowFault::Changed => WriteError::Changed,
        RowFault::Database(cause) => WriteError::Database(cause),
    }
}

struct Writing(Arc<RowWrite>);

impl Run for Writing {
    type Shown = ShownRow;

    const IS_OF_ENGINE: bool = true;

    async fn run(&self, transaction: &Transaction) -> WriteResult<ShownRow> {
        let (Self(write), rows) = (self, transaction.rows());
        let (kind, object) = (write.kind(), write.object());
        let needs_before = || kind == WriteKind::Delete || write.sets_reference() || transaction.tells_before(object);
        let is_read = kind != WriteKind::Create && transaction.tells(kind, object) && needs_before();
        let locked = write.lock(&rows, transaction.reader(), is_read).await.map_err(failed)?;
        match kind {
            WriteKind::Update if is_read => transaction.before_change(object, write.key()).await?,
            WriteKind::Delete => transaction.announce(kind, object, write.key()).await?,
            WriteKind::Create | WriteKind::Update => {}
        }
        let done = write.run(locked, &rows, transaction.reader(), || transaction.next_key()).await;
        let done = done.map_err(failed)?;
        if kind != WriteKind::Delete && write.changes() && transaction.tells(kind, object) {
            match write.created(&done).map_err(failed)? {
                Some(row) => transaction.announce_row(kind, object, row),
                None => transaction.announce(kind, object, &done.key).await?,
            }
        }
        Ok(write.show(&done, transaction.reader()).await)
    }

    fn is_null(shown: &ShownRow) -> bool {
        shown.is_null()
    }
}
