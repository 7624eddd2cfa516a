//! A connection to PostgreSQL whose statements are prepared.
//!
//! Its driver sends a statement without waiting for the answers to those before it. So a snapshot begins together with its first
//! statement, and nothing waits for its end.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::join;
use futures_util::{FutureExt as _, TryFutureExt as _};
use keyset::{Columns, length_of_list};
use quick_cache::unsync::Cache;
use sea_orm::Value;
use sea_orm::sqlx::Error;
use sea_orm::sqlx::postgres::PgConnectOptions;
use tokio_postgres::{Client, SimpleQueryMessage, Statement};

use super::unprepared::BEGIN_SNAPSHOT;
use super::work::{Runs, Work};
use crate::db::Role;
use crate::db::servers::Session;

mod array;
mod connect;
mod error;
mod parameter;
mod rows;
mod tls;
mod wire;

use connect::connect;
pub use error::ServerError;
use error::failed;
use parameter::{Parameter, type_of};
use rows::{Read, reader, reader_of_array, records};
use wire::Wire;

/// The prepared statements that a connection keeps. Of one whose preparation was abandoned, the server alone knows, until the connection is closed.
pub const KEPT: usize = 500;

pub struct Prepared {
    client: Client,
    wire: Wire,
    statements: Cache<Box<str>, Arc<Known>>,
}

/// A prepared statement, and how its rows are read.
struct Known {
    statement: Statement,
    /// Those of its rows, without arrays, and with the lengths of lists.
    columns: Arc<Columns>,
    reads: Box<[Read]>,
}

impl Prepared {
    /// Runs a statement.
    ///
    /// # Errors
    ///
    /// Those of the server and of the connection. [`Error::Encode`] for a value that PostgreSQL does not have.
    pub async fn run(&mut self, work: Work<'_>) -> Result<Runs, Error> {
        self.wire.answer(pin!(run(&self.client, &mut self.statements, work).map_ok(|(runs, _)| runs))).await
    }

    /// Runs a statement in a transaction, which this message begins. It waits for the answer to the message: outside of the transaction,
    /// the statement would take effect at once. Returns its rows, and how many it has written.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub async fn write(&mut self, work: Work<'_>, opening: Option<&str>) -> Result<(Runs, u64), Error> {
        if let Some(opening) = opening {
            self.send(opening).await?;
        }
        self.wire.answer(pin!(run(&self.client, &mut self.statements, work))).await
    }

    /// Begins or ends a transaction by this message.
    ///
    /// # Errors
    ///
    /// Those of the server and of the connection.
    pub async fn send(&mut self, message: &str) -> Result<(), Error> {
        self.wire.answer(pin!(self.client.batch_execute(message).map_err(failed))).await
    }

    /// Begins a snapshot, in a role if there is one, and runs its first statement. Both are sent at once.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub async fn run_first(&mut self, work: Work<'_>, role: Option<&Role>) -> Result<Runs, Error> {
        let opening = match role {
            Some(role) => Cow::Owned(format!("{BEGIN_SNAPSHOT}; {}", role.settings())),
            None => Cow::Borrowed(BEGIN_SNAPSHOT),
        };
        let begun = self.client.batch_execute(&opening);
        // The order in which they are polled is that in which they are sent.
        let both = join(begun, run(&self.client, &mut self.statements, work)).map(Ok);
        let (begun, done) = self.wire.answer(pin!(both)).await?;
        // Where it fails, so does the statement, or it has read in vain.
        begun.map_err(failed)?;
        done.map(|(runs, _)| runs)
    }

    /// Sends the statement that ends a transaction. Its answer comes before those of the statements that follow. Returns whether
    /// the connection is open.
    pub fn end_at_once(&mut self, message: &str) -> bool {
        let _ = self.client.batch_execute(message).now_or_never();
        self.wire.send()
    }

    /// Waits until the server has answered all that it was sent.
    ///
    /// # Errors
    ///
    /// The error of the connection.
    pub async fn answered(&mut self) -> Result<(), Error> {
        self.wire.answer(pin!(self.client.check_connection().map_err(failed))).await
    }

    /// Closes the connection in order.
    pub async fn close(self) {
        drop(self.client);
        self.wire.closed().await;
    }
}

impl Session for Prepared {
    async fn open(options: &PgConnectOptions) -> Result<Self, Error> {
        let (client, wire) = connect(options).await?;
        Ok(Self { client, wire, statements: Cache::new(KEPT) })
    }

    async fn text(&mut self, question: &str) -> Result<Option<String>, Error> {
        let answers = self.wire.answer(pin!(self.client.simple_query(question).map_err(failed))).await?;
        let text = answers.iter().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(text.map(str::to_owned))
    }
}

/// The rows of a statement, and how many it has written.
async fn run(
    client: &Client,
    statements: &mut Cache<Box<str>, Arc<Known>>,
    work: Work<'_>,
) -> Result<(Runs, u64), Error> {
    let (mut runs, mut written) = (Vec::new(), 0);
    for values in work.parameters() {
        let known = if let Some(known) = statements.get(work.statement.sql.as_str()) {
            Arc::clone(known)
        } else {
            // On the heap: otherwise each statement would have room for it.
            let known = Arc::new(Box::pin(prepare(client, work, &values)).await?);
            statements.insert(work.statement.sql.as_str().into(), Arc::clone(&known));
            known
        };
        let rows = client.query_raw(&known.statement, values.iter().map(Parameter)).await.map_err(failed)?;
        written += records(rows, &known.columns, &known.reads, work.lists, &mut runs).await?;
    }
    Ok((runs, written))
}

/// Has the server parse a statement for values of the types of these.
async fn prepare(client: &Client, work: Work<'_>, values: &[Value]) -> Result<Known, Error> {
    let types: Vec<_> = values.iter().map(type_of).collect();
    let statement = client.prepare_typed(&work.statement.sql, &types).await.map_err(failed)?;
    let found = statement.columns();
    let arrays: usize = work.lists.iter().map(|columns| columns.len()).sum();
    let (own, arrays) = found.split_at(found.len().saturating_sub(arrays));
    let reads = own.iter().map(|column| reader(column.type_()));
    let reads = reads.chain(arrays.iter().map(|column| reader_of_array(column.type_()))).collect();
    let own = own.iter().map(|column| Cow::Borrowed(column.name()));
    let lengths = (0..work.lists.len()).map(|list| Cow::Owned(length_of_list(list)));
    let columns = Arc::new(Columns::new(own.chain(lengths)));
    Ok(Known { statement, columns, reads })
}
