//! What a connection runs.

use std::borrow::Cow;
use std::sync::Arc;

use keyset::{Columns, Many, Record};
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, AssertSqlSafe, Error};
use sea_orm::{Statement, Value};

use super::unprepared::{Part, Unprepared, records};
use crate::db::Role;

/// A statement, run for its rows.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub statement: &'a Statement,
    /// With each of these values in turn as its last parameter. Without them, once.
    pub each: Option<&'a [Value]>,
    /// The columns of the lists that its last columns hold as arrays: see [`Many::Arrays`].
    pub lists: &'a [Arc<Columns>],
}

/// The rows for which there is room at first: those of a page with its neighbours.
pub const ROOM: usize = 16;

/// The rows of each run, or those of the statement and of each list.
pub type Runs = Vec<Vec<Record>>;

impl<'a> Work<'a> {
    pub fn once(statement: &'a Statement) -> Self {
        Self { statement, each: None, lists: &[] }
    }

    pub fn many(statement: &'a Statement, many: &'a Many) -> Self {
        match many {
            Many::Values(each) => Self { each: Some(each), ..Self::once(statement) },
            Many::Arrays(lists) => Self { lists, ..Self::once(statement) },
        }
    }

    /// The parameters, of which the last is another one in each run.
    pub fn values(self) -> &'a [Value] {
        self.statement.values.as_ref().map_or(&[], |values| &values.0)
    }

    /// The parameters of each run.
    pub fn parameters(self) -> impl Iterator<Item = Cow<'a, [Value]>> {
        let values = self.values();
        let with = move |each: Option<&Value>| {
            let mut values = Cow::Borrowed(values);
            if let Some(each) = each
                && let Some(last) = values.to_mut().last_mut()
            {
                last.clone_from(each);
            }
            values
        };
        let once = self.each.is_none().then_some(None);
        once.into_iter().chain(self.each.into_iter().flatten().map(Some)).map(with)
    }

    pub async fn unprepared(
        self,
        connection: &mut PgConnection,
        unprepared: &Unprepared,
        mut part: Part,
        role: Option<&Role>,
    ) -> Result<Runs, Error> {
        let mut runs = Vec::new();
        for values in self.parameters() {
            let message = unprepared.message(part, role, &self.statement.sql, &values)?;
            runs.push(records(sqlx::raw_sql(AssertSqlSafe(message)).fetch(&mut *connection)).await?);
            if part == Part::First {
                part = Part::Next;
            }
        }
        Ok(runs)
    }
}
