//! Statements without preparation, for PostgreSQL behind a pooler in transaction mode.
//!
//! Such a pooler gives each transaction another connection. So nothing may outlive a transaction: no prepared statement,
//! and no setting of the session. A transaction is one message of the simple query protocol, or several between `BEGIN` and
//! `COMMIT`. The first one has the settings. Values are literals.

use std::sync::Arc;

use sea_orm::sqlx::Error;
use sea_orm::{Statement, Value};

use crate::db::Role;

mod literal;
mod rows;
mod text;

pub use literal::quote;
pub use rows::records;

/// The statement that begins a snapshot on PostgreSQL. The database takes the snapshot when the next statement runs.
pub const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The settings of each transaction.
#[derive(Clone, Debug, Default)]
pub struct Unprepared {
    settings: Arc<str>,
}

/// Where a statement stands in its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is the transaction.
    Alone,
    /// It begins a snapshot.
    First,
    /// It runs in a transaction that is open.
    Next,
}

impl Unprepared {
    /// The settings with these names and values, each of which is set for a transaction.
    pub fn new<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let set = |(name, value)| format!("SET LOCAL {name} = {value}; ");
        Self { settings: settings.into_iter().map(set).collect::<String>().into() }
    }

    /// The message that begins a transaction that may write.
    pub fn begin(&self) -> String {
        format!("BEGIN; {}", self.settings)
    }

    /// The message that runs a statement with these values. Where it begins a transaction, that takes on the role.
    ///
    /// # Errors
    ///
    /// [`Error::Encode`] for a value that has no literal.
    pub fn message(&self, part: Part, role: Option<&Role>, sql: &str, values: &[Value]) -> Result<String, Error> {
        let role = role.map_or("", Role::settings);
        let mut message = match part {
            Part::Alone => format!("{}{role}", self.settings),
            Part::First => format!("{BEGIN_SNAPSHOT}; {}{role}", self.settings),
            Part::Next => String::new(),
        };
        text::write(&mut message, sql, values)?;
        Ok(message)
    }
}

/// The message that runs a statement in a transaction that is open.
///
/// # Errors
///
/// As [`Unprepared::message`].
pub fn next(statement: &Statement) -> Result<String, Error> {
    let mut message = String::new();
    text::write(&mut message, &statement.sql, statement.values.as_ref().map_or(&[], |values| &values.0))?;
    Ok(message)
}
