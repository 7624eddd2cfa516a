//! Aggregates of the values of columns: like a count, never part of paging.

use sea_orm::sea_query::{Expr, ExprTrait as _, Func};
use sea_orm::{DbErr, Value};

use crate::count::{bare, values};
use crate::dialect::Dialect;
use crate::{Column, Kind, ReadRows, Record, Source};

/// What is computed of the values of a column that are not NULL. Of no values it is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The sum.
    Sum,
    /// The mean.
    Average,
}

impl Aggregate {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Min, Self::Max, Self::Sum, Self::Average];

    /// The kind of the aggregate of values of this kind; `None` if they have none. A sum of 64-bit integers is a decimal: it may
    /// need more digits.
    pub fn kind(self, of: Kind) -> Option<Kind> {
        use Kind::{BigInt, Date, DateTime, DateTimeUtc, Decimal, Double, Float, Int, SmallInt, Text, Time};
        match (self, of) {
            (Self::Min | Self::Max, Text | Date | Time | DateTime | DateTimeUtc) => Some(of),
            (_, SmallInt | Int | BigInt | Float | Double | Decimal) => Some(match (self, of) {
                (Self::Average, _) | (Self::Sum, Float) => Double,
                (Self::Sum, SmallInt | Int) => BigInt,
                (Self::Sum, BigInt) => Decimal,
                _ => of,
            }),
            _ => None,
        }
    }

    fn expr(self, column: &Column, dialect: Dialect) -> Expr {
        let values = column.expr();
        let is_exact = !matches!(column.kind(), Kind::Float | Kind::Double);
        match self {
            Self::Min => Func::min(values).into(),
            Self::Max => Func::max(values).into(),
            Self::Sum if dialect.is_sqlite() => Func::sum(values).into(),
            // The sum of integers is wider than they are.
            Self::Sum if is_exact && column.kind() != Kind::Decimal && column.kind() != Kind::BigInt => {
                Expr::from(Func::sum(values)).cast_as("bigint")
            }
            Self::Sum if column.kind() == Kind::Float => Func::sum(values.cast_as("double precision")).into(),
            Self::Sum => Func::sum(values).into(),
            Self::Average => Expr::from(Func::avg(values)).cast_as("double precision"),
        }
    }

    /// The value that a statement returns.
    fn read(self, row: &Record, name: &str, column: &Column, dialect: Dialect) -> Result<Value, DbErr> {
        let kind = self.kind(column.kind()).ok_or_else(|| DbErr::Type(format!("{column:?} has no {self:?}")))?;
        // SQLite has no wider integers. As a decimal, it would be read through a double.
        if dialect.is_sqlite() && (self, column.kind()) == (Self::Sum, Kind::BigInt) {
            let Value::BigInt(sum) = row.value(name, Kind::BigInt)? else { return Ok(Value::Decimal(None)) };
            return Ok(Value::Decimal(sum.map(Into::into)));
        }
        row.value(name, kind)
    }
}

/// The aggregates of the rows of a query, or of each of [`Lists`](crate::Lists), in the order in which they are wanted: one
/// statement, which reads all rows.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::fruit};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let wanted = [(Aggregate::Min, fruit::Column::Id.into()), (Aggregate::Sum, fruit::Column::Id.into())];
/// let values = aggregates(db, fruit::Entity::find(), &wanted).await?;
/// println!("the first fruit is {:?}", values[0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`count`](crate::count()). [`DbErr`] if a column has no such aggregate, and on SQLite if a sum of integers has more than 64
/// bits.
pub async fn aggregates<C, S>(db: &C, source: S, wanted: &[(Aggregate, Column)]) -> Result<S::Of<Vec<Value>>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let (parts, dialect) = (source.parts(), Dialect::of(db)?);
    let name = |place: usize| format!("keyset_aggregate_{place}");
    let each = wanted.iter().enumerate();
    let exprs = each.map(|(place, (aggregate, column))| (aggregate.expr(column, dialect), name(place))).collect();
    let read = |row: Option<&Record>| -> Result<Vec<Value>, DbErr> {
        let value = |(place, (aggregate, column)): (usize, &(Aggregate, Column))| match row {
            Some(row) => aggregate.read(row, &name(place), column, dialect),
            None => Ok(aggregate.kind(column.kind()).unwrap_or(Kind::Text).null()),
        };
        wanted.iter().enumerate().map(value).collect()
    };
    S::wrap(values(db, bare(parts.query), exprs, read, parts.parents, dialect).await?)
}
