//! Rows of values by position: those of one result share their memory.

use std::mem::discriminant;
use std::sync::Arc;

use sea_orm::prelude::{ChronoDate, ChronoDateTime, ChronoDateTimeUtc, ChronoTime, Uuid};
use sea_orm::{DbErr, Value};

use crate::read_value::decimal;
use crate::{Kind, array};

/// The room for the name of a column, in bytes: more than most need.
const NAME: usize = 16;

/// The names of a result's columns.
#[derive(Debug)]
pub struct Columns {
    /// One after the other.
    names: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

/// The rows of one result, as they come from the driver: value by value, row by row.
///
/// ```
/// use std::sync::Arc;
///
/// use keyset::{Columns, Record, StoredRows, StoredValue};
///
/// let mut rows = StoredRows::new(Arc::new(Columns::new(["id", "name"])));
/// rows.push(StoredValue::Integer(7));
/// rows.push(StoredValue::Text("Sachertorte"));
/// let records: Vec<Record> = rows.records();
/// assert_eq!(records.len(), 1);
/// ```
#[derive(Debug)]
pub struct StoredRows {
    columns: Arc<Columns>,
    values: Vec<Held>,
    /// All texts, one after the other.
    texts: String,
}

/// A row of values by position. Its values are read as the [`Kind`]s of their columns: those of kind `Unsupported` are
/// read if they are texts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stored {
    rows: Arc<StoredRows>,
    /// The place of its first value.
    start: usize,
}

/// A value in one of SQLite's storage classes, or of a type that only other databases have. Booleans are `Integer`, and
/// floating-point numbers of any width are `Real`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the storage classes")]
pub enum StoredValue<'a> {
    /// A blob of 16 bytes: most are ids, and need no memory of their own.
    Id([u8; 16]),
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
    /// A value that is none of these, such as a decimal of PostgreSQL.
    Other(&'a Value),
    /// A value that none of these holds, such as an infinite date.
    Unreadable,
}

/// A value in the memory of its result.
#[derive(Debug)]
enum Held {
    Id([u8; 16]),
    Null,
    Integer(i64),
    Real(f64),
    /// Where it begins and ends among the texts.
    Text(usize, usize),
    Blob(Box<[u8]>),
    Other(Box<Value>),
    Unreadable,
}

impl Columns {
    /// The columns of a result with these names, in their order. Of two columns with one name, the first is read.
    pub fn new(names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let names = names.into_iter();
        let (count, _) = names.size_hint();
        let mut columns = Self { names: String::with_capacity(NAME * count), ends: Vec::with_capacity(count) };
        for name in names {
            columns.names.push_str(name.as_ref());
            columns.ends.push(columns.names.len());
        }
        columns
    }

    /// The position of a column.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if there is none of this name.
    pub(crate) fn position(&self, name: &str) -> Result<usize, DbErr> {
        self.find(name).ok_or_else(|| DbErr::Type(format!("the result has no column `{name}`")))
    }

    /// The position of a column, if there is one of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|position| self.name(*position) == name)
    }

    /// Their number.
    #[expect(clippy::len_without_is_empty, reason = "a result without columns is rare")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of the column at a position.
    pub(crate) fn name(&self, position: usize) -> &str {
        let Some(end) = self.ends.get(position) else { return "?" };
        let begin = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[begin..*end]
    }
}

impl StoredRows {
    /// No rows yet, of a result with these columns.
    pub fn new(columns: Arc<Columns>) -> Self {
        Self::with_room(columns, 0)
    }

    /// The same with room for this many rows.
    pub fn with_room(columns: Arc<Columns>, rows: usize) -> Self {
        let values = Vec::with_capacity(rows * columns.len());
        Self { columns, values, texts: String::new() }
    }

    /// Adds the next value: that of the next column, or of the first column of the next row.
    pub fn push(&mut self, value: StoredValue<'_>) {
        self.values.push(match value {
            StoredValue::Id(id) => Held::Id(id),
            StoredValue::Null => Held::Null,
            StoredValue::Integer(integer) => Held::Integer(integer),
            StoredValue::Real(real) => Held::Real(real),
            StoredValue::Text(text) => {
                let begin = self.texts.len();
                self.texts.push_str(text);
                Held::Text(begin, self.texts.len())
            }
            StoredValue::Blob(bytes) => Held::Blob(bytes.into()),
            StoredValue::Other(value) => Held::Other(Box::new(value.clone())),
            StoredValue::Unreadable => Held::Unreadable,
        });
    }

    /// The number of whole rows so far.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns.len()).unwrap_or_default()
    }

    /// Whether there is no whole row yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its only row.
    pub(crate) fn only(self) -> Stored {
        Stored { rows: Arc::new(self), start: 0 }
    }

    /// Each of its rows.
    pub(crate) fn each(self) -> impl Iterator<Item = Stored> {
        let (count, width, rows) = (self.len(), self.columns.len(), Arc::new(self));
        (0..count).map(move |row| Stored { rows: Arc::clone(&rows), start: row * width })
    }
}

impl Stored {
    pub(crate) fn columns(&self) -> &Arc<Columns> {
        &self.rows.columns
    }

    /// The number of the row in its result.
    pub(crate) fn number(&self) -> usize {
        self.start.checked_div(self.columns().len()).unwrap_or_default()
    }

    /// The value at a position; NULL beyond the last column.
    pub fn get(&self, position: usize) -> StoredValue<'_> {
        let StoredRows { columns, values, texts } = &*self.rows;
        if position >= columns.len() {
            return StoredValue::Null;
        }
        match values.get(self.start + position) {
            None | Some(Held::Null) => StoredValue::Null,
            Some(Held::Id(id)) => StoredValue::Id(*id),
            Some(Held::Integer(integer)) => StoredValue::Integer(*integer),
            Some(Held::Real(real)) => StoredValue::Real(*real),
            Some(Held::Text(begin, end)) => StoredValue::Text(&texts[*begin..*end]),
            Some(Held::Blob(bytes)) => StoredValue::Blob(bytes),
            Some(Held::Other(value)) => StoredValue::Other(value),
            Some(Held::Unreadable) => StoredValue::Unreadable,
        }
    }

    /// The value at a position, as one of this kind.
    pub(crate) fn value(&self, position: usize, kind: Kind) -> Result<Value, DbErr> {
        let stored = self.get(position);
        stored.of_kind(kind).ok_or_else(|| {
            DbErr::Type(format!("`{}` cannot be read as {kind:?}: {stored:?}", self.columns().name(position)))
        })
    }

    /// The integer at a position.
    pub(crate) fn int<T: TryFrom<i64>>(&self, position: usize) -> Result<T, DbErr> {
        let stored = self.get(position);
        let int = if let StoredValue::Integer(int) = stored { int.try_into().ok() } else { None };
        int.ok_or_else(|| DbErr::Type(format!("`{}` cannot be {stored:?}", self.columns().name(position))))
    }
}

impl<'a> StoredValue<'a> {
    /// The value in its storage class.
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Bool(Some(v)) => Self::Integer((*v).into()),
            Value::SmallInt(Some(v)) => Self::Integer((*v).into()),
            Value::Int(Some(v)) => Self::Integer((*v).into()),
            Value::BigInt(Some(v)) => Self::Integer(*v),
            Value::Float(Some(v)) => Self::Real((*v).into()),
            Value::Double(Some(v)) => Self::Real(*v),
            Value::String(Some(v)) => Self::Text(v),
            Value::Bytes(Some(v)) => Self::Blob(v),
            Value::Uuid(Some(v)) => Self::Id(v.into_bytes()),
            null if *null == null.as_null() => Self::Null,
            other => Self::Other(other),
        }
    }
}

impl StoredValue<'_> {
    /// The value as one of this kind; `None` if it is none.
    pub(crate) fn of_kind(&self, kind: Kind) -> Option<Value> {
        Some(match (kind, self) {
            (_, Self::Null) => kind.null(),
            // What has no kind is a text where an entity selects it as one.
            (Kind::Text | Kind::Char | Kind::Enum | Kind::Unsupported, Self::Text(v)) => (*v).into(),
            (Kind::Unsupported, Self::Other(v)) => (*v).clone(),
            (Kind::Unsupported, _) => return None,
            (_, Self::Other(v)) => (discriminant(&kind.null()) == discriminant(*v)).then(|| (*v).clone())?,
            // A cursor tells no other numbers apart.
            (Kind::Bool, Self::Integer(v @ (0 | 1))) => (*v == 1).into(),
            (Kind::SmallInt, Self::Integer(v)) => i16::try_from(*v).ok()?.into(),
            (Kind::Int, Self::Integer(v)) => i32::try_from(*v).ok()?.into(),
            (Kind::BigInt, Self::Integer(v)) => (*v).into(),
            #[expect(clippy::cast_possible_truncation, reason = "it was a float before it was stored as a double")]
            (Kind::Float, _) => (self.double()? as f32).into(),
            (Kind::Double, _) => self.double()?.into(),
            (Kind::Decimal, _) => decimal(self.double()?)?.into(),
            (Kind::Array(item), Self::Text(v)) => array::read(v, *item)?,
            (Kind::Json, Self::Text(v)) => Value::Json(Some(Box::new(v.parse().ok()?))),
            (Kind::Bytes, Self::Blob(v)) => (*v).into(),
            (Kind::Bytes, Self::Id(v)) => v.as_slice().into(),
            (Kind::Date, Self::Text(v)) => v.parse::<ChronoDate>().ok()?.into(),
            (Kind::Time, Self::Text(v)) => v.parse::<ChronoTime>().ok()?.into(),
            (Kind::DateTime, Self::Text(v)) => time(v)?.into(),
            (Kind::DateTimeUtc, Self::Text(v)) => {
                v.parse::<ChronoDateTimeUtc>().ok().or_else(|| zoned(v)).or_else(|| Some(time(v)?.and_utc()))?.into()
            }
            (Kind::Uuid, Self::Id(v)) => Uuid::from_bytes(*v).into(),
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

/// A time with a zone, as PostgreSQL writes it.
fn zoned(text: &str) -> Option<ChronoDateTimeUtc> {
    chrono::DateTime::parse_from_str(text, "%F %T%.f%#z").ok().map(|time| time.to_utc())
}

/// A time without a zone, as SQLite's functions or as SeaORM write it.
fn time(text: &str) -> Option<ChronoDateTime> {
    ChronoDateTime::parse_from_str(text, "%F %T%.f").or_else(|_| text.parse()).ok()
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;

    use super::*;

    #[test]
    fn a_stored_value_is_read_as_its_kind_or_not_at_all() {
        use StoredValue::{Blob, Id, Integer, Null, Other, Real, Text};
        let id = Uuid::from_u128(7);
        let noon = ChronoDateTime::parse_from_str("2026-11-22 12:00:00.5", "%F %T%.f").unwrap();
        let (instant, cents) = (Value::from(noon.and_utc()), Value::from(Decimal::new(150, 2)));
        let fits: [(Kind, StoredValue, Value); 22] = [
            (Kind::Bool, Integer(1), true.into()),
            (Kind::SmallInt, Integer(-3), (-3_i16).into()),
            (Kind::Int, Integer(3), 3_i32.into()),
            (Kind::BigInt, Integer(i64::MIN), i64::MIN.into()),
            (Kind::Float, Real(0.5), 0.5_f32.into()),
            (Kind::Double, Real(f64::INFINITY), f64::INFINITY.into()),
            (Kind::Double, Integer(2), 2.0_f64.into()),
            (Kind::Decimal, Real(0.1), Decimal::new(1, 1).into()),
            (Kind::Decimal, Integer(12), Decimal::new(12, 0).into()),
            (Kind::Text, Text("é"), "é".into()),
            (Kind::Bytes, Blob(&[1]), vec![1_u8].into()),
            (Kind::Bytes, Id([7; 16]), vec![7_u8; 16].into()),
            (Kind::Date, Text("2026-11-22"), noon.date().into()),
            (Kind::Time, Text("12:00:00.5"), noon.time().into()),
            (Kind::DateTime, Text("2026-11-22 12:00:00.5"), noon.into()),
            (Kind::DateTime, Text("2026-11-22T12:00:00.5"), noon.into()),
            (Kind::DateTimeUtc, Text("2026-11-22T13:00:00.5+01:00"), noon.and_utc().into()),
            (Kind::DateTimeUtc, Text("2026-11-22 12:00:00.5"), noon.and_utc().into()),
            (Kind::Uuid, Id(id.into_bytes()), id.into()),
            (Kind::Uuid, Null, Value::Uuid(None)),
            (Kind::DateTimeUtc, Other(&instant), noon.and_utc().into()),
            (Kind::Decimal, Other(&cents), Decimal::new(150, 2).into()),
        ];
        for (kind, stored, value) in fits {
            assert_eq!(stored.of_kind(kind), Some(value), "{kind:?}");
        }
        for (kind, stored) in [
            (Kind::SmallInt, Integer(1 << 15)),
            (Kind::Int, Integer(1 << 31)),
            (Kind::Int, Real(1.0)),
            (Kind::Text, Integer(1)),
            (Kind::Bool, Integer(2)),
            (Kind::Decimal, Real(f64::NAN)),
            // A cursor would have them in another class.
            (Kind::Decimal, Text("1.50")),
            (Kind::Uuid, Text("00000000-0000-0000-0000-000000000007")),
            (Kind::Uuid, Blob(&[1])),
            (Kind::Date, Text("today")),
            (Kind::Unsupported, Integer(1)),
        ] {
            assert_eq!(stored.of_kind(kind), None, "{kind:?} {stored:?}");
        }
    }
}
