//! Aggregates of the values of columns: like a count, never part of paging.

use rust_decimal::Decimal;
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
        match (self, column.kind()) {
            (Self::Min, _) => Func::min(values).into(),
            (Self::Max, _) => Func::max(values).into(),
            (Self::Average, _) => Expr::from(Func::avg(values)).cast_as("double precision"),
            (Self::Sum, of) if dialect.is_sqlite() && is_integer(of) => {
                Expr::cust_with_exprs(HALVES, [values.clone(), values.clone(), values.clone(), values])
            }
            // As an integer, it would fail beyond 64 bits.
            (Self::Sum, _) if dialect.is_sqlite() => Func::sum(values.cast_as("real")).into(),
            (Self::Sum, Kind::Float) => Func::sum(values.cast_as("double precision")).into(),
            (Self::Sum, Kind::BigInt) => Expr::from(Func::sum(values)).cast_as("numeric"),
            (Self::Sum, _) => Func::sum(values).into(),
        }
    }

    /// The value that a statement returns.
    fn read(self, row: &Record, name: &str, column: &Column, dialect: Dialect) -> Result<Value, DbErr> {
        let kind = self.kind_of(column)?;
        if !(dialect.is_sqlite() && self == Self::Sum && is_integer(column.kind())) {
            return row.value(name, kind);
        }
        let Value::String(Some(halves)) = row.value(name, Kind::Text)? else { return Ok(kind.null()) };
        let sum = sum_of(&halves).and_then(|sum| match kind {
            Kind::Decimal => Some(Decimal::try_from_i128_with_scale(sum, 0).ok()?.into()),
            _ => Some(i64::try_from(sum).ok()?.into()),
        });
        sum.ok_or_else(|| DbErr::Type(format!("the sum of {column:?} is no {kind:?}: {halves}")))
    }

    fn kind_of(self, column: &Column) -> Result<Kind, DbErr> {
        self.kind(column.kind()).ok_or_else(|| DbErr::Type(format!("{column:?} has no {self:?}")))
    }
}

/// A sum of integers on SQLite, which has no wider ones than those of 64 bits: those of their upper and lower halves. If other values
/// are among them, it is no number.
const HALVES: &str = "CASE WHEN COUNT(?) = TOTAL(TYPEOF(?) = 'integer') \
                      THEN SUM(? >> 32) || ' ' || SUM(? & 4294967295) ELSE 'others' END";

/// The sum with these halves.
fn sum_of(halves: &str) -> Option<i128> {
    let (upper, lower) = halves.split_once(' ')?;
    Some((upper.parse::<i128>().ok()? << 32) + lower.parse::<i128>().ok()?)
}

fn is_integer(kind: Kind) -> bool {
    matches!(kind, Kind::SmallInt | Kind::Int | Kind::BigInt)
}

/// The aggregates of the rows of a query, or of each of [`Lists`](crate::Lists), in the order in which they are wanted: one
/// statement, which reads all rows. A value that its kind does not hold, such as an infinite date, is an error of its own.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::fruit};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let wanted = [(Aggregate::Min, fruit::Column::Id.into()), (Aggregate::Sum, fruit::Column::Id.into())];
/// let mut values = aggregates(db, fruit::Entity::find(), &wanted).await?;
/// println!("the first fruit is {:?}", values.swap_remove(0)?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`count`](crate::count()). [`DbErr`] if a column has no such aggregate.
pub async fn aggregates<C, S>(
    db: &C,
    source: S,
    wanted: &[(Aggregate, Column)],
) -> Result<S::Of<Vec<Result<Value, DbErr>>>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let (parts, dialect) = (source.parts(), Dialect::of(db)?);
    let name = |place: usize| format!("keyset_aggregate_{place}");
    let each = wanted.iter().enumerate();
    let exprs = each.map(|(place, (aggregate, column))| (aggregate.expr(column, dialect), name(place))).collect();
    let kinds: Vec<Kind> =
        wanted.iter().map(|(aggregate, column)| aggregate.kind_of(column)).collect::<Result<_, _>>()?;
    let read = |row: Option<&Record>| {
        let Some(row) = row else { return Ok(kinds.iter().map(|kind| Ok(kind.null())).collect()) };
        let value = |(place, (aggregate, column)): (usize, &(Aggregate, Column))| {
            aggregate.read(row, &name(place), column, dialect)
        };
        Ok(wanted.iter().enumerate().map(value).collect())
    };
    S::wrap(values(db, bare(parts.query), exprs, read, parts.parents, dialect).await?)
}
