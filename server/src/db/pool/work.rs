//! What a connection runs.

use std::borrow::Cow;

use keyset::Record;
use sea_orm::sea_query::Values;
use sea_orm::sqlx::postgres::{PgConnection, Postgres};
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{self, AssertSqlSafe, Error};
use sea_orm::{Statement, Value};
use sea_query_sqlx::SqlxValues;

use super::postgres::records;
use super::unprepared::{Part, Unprepared};
use crate::db::Role;
use crate::telemetry::without_span;

/// A statement, run for its rows.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub statement: &'a Statement,
    /// With each of these values in turn as its last parameter. Without them, once.
    pub each: Option<&'a [Value]>,
}

/// A number in the widest type of those that stand for it. The driver keeps prepared statements by their texts, and PostgreSQL the types of
/// their parameters: otherwise the key of a `smallint` and the number of a filter could not have one text.
pub fn of_one_type(value: Value) -> Value {
    match value {
        Value::TinyInt(v) => Value::Int(v.map(Into::into)),
        Value::SmallInt(v) => Value::Int(v.map(Into::into)),
        Value::Float(v) => Value::Double(v.map(Into::into)),
        value => value,
    }
}

/// The rows of each run.
pub type Runs = Vec<Vec<Record>>;

impl<'a> Work<'a> {
    pub fn once(statement: &'a Statement) -> Self {
        Self { statement, each: None }
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

    pub async fn prepared(self, connection: &mut PgConnection) -> Result<Runs, Error> {
        let mut runs = Vec::new();
        for values in self.parameters() {
            let values = values.into_owned().into_iter().map(of_one_type).collect();
            let query: Query<'_, Postgres, _> =
                sqlx::query_with(AssertSqlSafe(self.statement.sql.clone()), SqlxValues(Values(values)));
            // Here, because the driver takes the span when it is called.
            runs.push(without_span(async { records(query.fetch(&mut *connection)).await }).await?);
        }
        Ok(runs)
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
            let rows = async { records(sqlx::raw_sql(AssertSqlSafe(message)).fetch(&mut *connection)).await };
            runs.push(without_span(rows).await?);
            if part == Part::First {
                part = Part::Next;
            }
        }
        Ok(runs)
    }
}
