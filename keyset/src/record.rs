//! Rows as a connection returns them: SeaORM's, or values by position.

use std::mem::discriminant;
use std::str::FromStr;
use std::sync::Arc;

use rust_decimal::Decimal;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::prelude::{ChronoDate, ChronoDateTime, ChronoDateTimeUtc, ChronoTime, Uuid};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, JsonValue, QueryResult, Statement, Value};

use crate::Kind;
use crate::dialect::{Dialect, decimal};

/// A connection that returns rows: each of SeaORM's, or another one.
///
/// Implement it for a driver that SeaORM does not know. Its rows are [`Record::Stored`].
#[async_trait]
pub trait ReadRows: Sync {
    /// The database.
    fn backend(&self) -> DbBackend;

    /// Runs a statement, and returns all of its rows.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr>;

    /// Whether [`Self::read_each`] costs one trip to the database.
    fn reads_each(&self) -> bool {
        false
    }

    /// Runs a statement once with each of these values as its last parameter, and returns the rows of each run.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn read_each(&self, statement: Statement, each: Vec<Value>) -> Result<Vec<Vec<Record>>, DbErr> {
        let mut read = Vec::with_capacity(each.len());
        for value in each {
            let mut statement = statement.clone();
            if let Some(last) = statement.values.as_mut().and_then(|values| values.0.last_mut()) {
                *last = value;
            }
            read.push(self.read(statement).await?);
        }
        Ok(read)
    }
}

#[async_trait]
impl<C: ConnectionTrait> ReadRows for C {
    fn backend(&self) -> DbBackend {
        self.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().map(Record::Row).collect())
    }
}

/// A row of a result.
#[derive(Debug)]
pub enum Record {
    /// A row of SeaORM.
    Row(QueryResult),
    /// Values by position.
    Stored(Stored),
}

/// The names of a result's columns.
#[derive(Debug)]
pub struct Columns(Vec<String>);

/// A row of values by position. Its values are read as the [`Kind`]s of their columns: those of kind `Unsupported` cannot be
/// read.
#[derive(Debug)]
pub struct Stored {
    columns: Arc<Columns>,
    values: Vec<StoredValue>,
}

/// A value in one of SQLite's storage classes, or of a type that only other databases have. Booleans are `Integer`, and
/// floating-point numbers of any width are `Real`.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the storage classes")]
pub enum StoredValue {
    /// A blob of 16 bytes: most are ids, and need no memory of their own.
    Id([u8; 16]),
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// A value that is none of these, such as a decimal of PostgreSQL.
    Other(Box<Value>),
}

impl Columns {
    /// The columns of a result with these names, in their order. Of two columns with one name, the first is read.
    pub fn new(names: impl IntoIterator<Item: Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The position of a column.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if there is none of this name.
    pub(crate) fn position(&self, name: &str) -> Result<usize, DbErr> {
        self.0
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| DbErr::Type(format!("the result has no column `{name}`")))
    }

    fn name(&self, position: usize) -> &str {
        self.0.get(position).map_or("?", String::as_str)
    }
}

impl Stored {
    /// A row with one value for each column.
    pub fn new(columns: Arc<Columns>, values: Vec<StoredValue>) -> Self {
        Self { columns, values }
    }

    /// The values, in the order of the columns.
    pub fn values(&self) -> &[StoredValue] {
        &self.values
    }

    /// The value at a position, as one of this kind.
    pub(crate) fn value(&self, position: usize, kind: Kind) -> Result<Value, DbErr> {
        let stored = self.values.get(position).unwrap_or(&StoredValue::Null);
        stored.of_kind(kind).ok_or_else(|| {
            DbErr::Type(format!("`{}` cannot be read as {kind:?}: {stored:?}", self.columns.name(position)))
        })
    }

    /// The integer at a position.
    pub(crate) fn int<T: TryFrom<i64>>(&self, position: usize) -> Result<T, DbErr> {
        let value = self.value(position, Kind::BigInt)?;
        let int = if let Value::BigInt(Some(int)) = value { int.try_into().ok() } else { None };
        int.ok_or_else(|| DbErr::Type(format!("`{}` cannot be {value:?}", self.columns.name(position))))
    }
}

/// The positions of some columns, found once for all rows of a result.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    /// Those of the result.
    columns: Option<Arc<Columns>>,
    found: Vec<usize>,
}

impl Positions {
    /// The positions in the result of this row.
    pub(crate) fn of(
        &mut self,
        row: &Stored,
        find: impl FnOnce(&Columns) -> Result<Vec<usize>, DbErr>,
    ) -> Result<&[usize], DbErr> {
        if !self.columns.as_ref().is_some_and(|columns| Arc::ptr_eq(columns, &row.columns)) {
            self.found = find(&row.columns)?;
            self.columns = Some(Arc::clone(&row.columns));
        }
        Ok(&self.found)
    }
}

impl Record {
    /// The value of a column, as one of this kind.
    pub(crate) fn value(&self, column: &str, kind: Kind, dialect: Dialect) -> Result<Value, DbErr> {
        match self {
            Self::Row(row) => kind.read(row, column, dialect),
            Self::Stored(stored) => stored.value(stored.columns.position(column)?, kind),
        }
    }

    /// A number that the engine has written into the statement.
    pub(crate) fn int(&self, column: &str) -> Result<i32, DbErr> {
        match self {
            Self::Row(row) => row.try_get("", column),
            Self::Stored(stored) => stored.int(stored.columns.position(column)?),
        }
    }

    /// A count.
    pub(crate) fn count(&self, column: &str) -> Result<u64, DbErr> {
        let count: i64 = match self {
            Self::Row(row) => row.try_get("", column)?,
            Self::Stored(stored) => stored.int(stored.columns.position(column)?)?,
        };
        Ok(count.unsigned_abs())
    }

    /// The one column of a plan of PostgreSQL.
    pub(crate) fn plan(&self) -> Result<JsonValue, DbErr> {
        match self {
            Self::Row(row) => row.try_get_by_index(0),
            Self::Stored(_) => Ok(JsonValue::Null),
        }
    }

    /// The row of SeaORM.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if it is none.
    pub(crate) fn row(self) -> Result<QueryResult, DbErr> {
        match self {
            Self::Row(row) => Ok(row),
            Self::Stored(_) => Err(DbErr::Type("expected a row of SeaORM".into())),
        }
    }
}

impl StoredValue {
    /// The value as one of this kind; `None` if it is none.
    fn of_kind(&self, kind: Kind) -> Option<Value> {
        Some(match (kind, self) {
            (Kind::Unsupported, _) => return None,
            (_, Self::Null) => kind.null(),
            (_, Self::Other(v)) => (discriminant(&kind.null()) == discriminant(&**v)).then(|| (**v).clone())?,
            (Kind::Bool, Self::Integer(v)) => (*v != 0).into(),
            (Kind::SmallInt, Self::Integer(v)) => i16::try_from(*v).ok()?.into(),
            (Kind::Int, Self::Integer(v)) => i32::try_from(*v).ok()?.into(),
            (Kind::BigInt, Self::Integer(v)) => (*v).into(),
            #[expect(clippy::cast_possible_truncation, reason = "it was a float before it was stored as a double")]
            (Kind::Float, _) => (self.double()? as f32).into(),
            (Kind::Double, _) => self.double()?.into(),
            (Kind::Decimal, Self::Text(v)) => Decimal::from_str(v).ok()?.into(),
            (Kind::Decimal, _) => decimal(self.double()?)?.into(),
            (Kind::Text, Self::Text(v)) => v.as_str().into(),
            (Kind::Bytes, Self::Blob(v)) => v.as_slice().into(),
            (Kind::Bytes, Self::Id(v)) => v.as_slice().into(),
            (Kind::Date, Self::Text(v)) => v.parse::<ChronoDate>().ok()?.into(),
            (Kind::Time, Self::Text(v)) => v.parse::<ChronoTime>().ok()?.into(),
            (Kind::DateTime, Self::Text(v)) => time(v)?.into(),
            (Kind::DateTimeUtc, Self::Text(v)) => {
                v.parse::<ChronoDateTimeUtc>().ok().or_else(|| Some(time(v)?.and_utc()))?.into()
            }
            (Kind::Uuid, Self::Id(v)) => Uuid::from_bytes(*v).into(),
            (Kind::Uuid, Self::Text(v)) => v.parse::<Uuid>().ok()?.into(),
            _ => return None,
        })
    }

    /// SQLite stores some doubles as integers.
    #[expect(clippy::cast_precision_loss, reason = "SQLite compares the two as numbers")]
    fn double(&self) -> Option<f64> {
        match self {
            Self::Integer(v) => Some(*v as f64),
            Self::Real(v) => Some(*v),
            _ => None,
        }
    }
}

/// A time without a zone, as SQLite's functions or as SeaORM write it.
fn time(text: &str) -> Option<ChronoDateTime> {
    ChronoDateTime::parse_from_str(text, "%F %T%.f").or_else(|_| text.parse()).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use sea_orm::prelude::Decimal;

    use super::*;
    use crate::Kind;

    #[test]
    fn a_stored_value_is_read_as_its_kind_or_not_at_all() {
        use StoredValue::{Blob, Id, Integer, Null, Other, Real, Text};
        let text = |text: &str| Text(text.to_owned());
        let id = Uuid::from_u128(7);
        let noon = ChronoDateTime::parse_from_str("2026-11-22 12:00:00.5", "%F %T%.f").unwrap();
        let fits: [(Kind, StoredValue, Value); 24] = [
            (Kind::Bool, Integer(1), true.into()),
            (Kind::SmallInt, Integer(-3), (-3_i16).into()),
            (Kind::Int, Integer(3), 3_i32.into()),
            (Kind::BigInt, Integer(i64::MIN), i64::MIN.into()),
            (Kind::Float, Real(0.5), 0.5_f32.into()),
            (Kind::Double, Real(f64::INFINITY), f64::INFINITY.into()),
            (Kind::Double, Integer(2), 2.0_f64.into()),
            (Kind::Decimal, Real(0.1), Decimal::new(1, 1).into()),
            (Kind::Decimal, Integer(12), Decimal::new(12, 0).into()),
            (Kind::Decimal, text("1.50"), Decimal::new(150, 2).into()),
            (Kind::Text, text("é"), "é".into()),
            (Kind::Bytes, Blob(vec![1]), vec![1_u8].into()),
            (Kind::Bytes, Id([7; 16]), vec![7_u8; 16].into()),
            (Kind::Date, text("2026-11-22"), noon.date().into()),
            (Kind::Time, text("12:00:00.5"), noon.time().into()),
            (Kind::DateTime, text("2026-11-22 12:00:00.5"), noon.into()),
            (Kind::DateTime, text("2026-11-22T12:00:00.5"), noon.into()),
            (Kind::DateTimeUtc, text("2026-11-22T13:00:00.5+01:00"), noon.and_utc().into()),
            (Kind::DateTimeUtc, text("2026-11-22 12:00:00.5"), noon.and_utc().into()),
            (Kind::Uuid, Id(id.into_bytes()), id.into()),
            (Kind::Uuid, text(&id.to_string()), id.into()),
            (Kind::Uuid, Null, Value::Uuid(None)),
            (Kind::DateTimeUtc, Other(Box::new(noon.and_utc().into())), noon.and_utc().into()),
            (Kind::Decimal, Other(Box::new(Decimal::new(150, 2).into())), Decimal::new(150, 2).into()),
        ];
        for (kind, stored, value) in fits {
            assert_eq!(stored.of_kind(kind), Some(value), "{kind:?}");
        }
        for (kind, stored) in [
            (Kind::SmallInt, Integer(1 << 15)),
            (Kind::Int, Integer(1 << 31)),
            (Kind::Int, Real(1.0)),
            (Kind::Text, Integer(1)),
            (Kind::Decimal, Real(f64::NAN)),
            (Kind::Uuid, Blob(vec![1])),
            (Kind::Date, text("today")),
            (Kind::Unsupported, Integer(1)),
        ] {
            assert_eq!(stored.of_kind(kind), None, "{kind:?} {stored:?}");
        }
    }

    #[test]
    fn an_absent_column_is_an_error() {
        let columns = Arc::new(Columns::new(["a", "b"]));
        let record = Record::Stored(Stored::new(columns, vec![StoredValue::Integer(1), StoredValue::Null]));
        assert_eq!(record.int("a"), Ok(1));
        assert!(record.int("b").is_err() && record.int("c").is_err());
    }

    /// Its rows are the parameters.
    #[derive(Default)]
    struct Echo(Mutex<Vec<String>>);

    #[async_trait]
    impl ReadRows for Echo {
        fn backend(&self) -> DbBackend {
            DbBackend::Sqlite
        }

        async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
            self.0.lock().unwrap().push(statement.to_string());
            Ok(Vec::new())
        }
    }

    #[tokio::test]
    async fn a_statement_is_run_for_each_value() {
        let db = Echo::default();
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, "SELECT ?, ?", [1.into(), 0.into()]);
        assert_eq!(db.read_each(statement, vec![2.into(), 3.into()]).await.unwrap().len(), 2);
        assert_eq!(*db.0.lock().unwrap(), ["SELECT 1, 2", "SELECT 1, 3"]);
    }
}
