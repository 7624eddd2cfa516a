//! Values of PostgreSQL, read by their types. What Rust cannot hold is no value: the driver would panic, or take another one.

use chrono::{Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use rust_decimal::Decimal;
use sea_orm::prelude::Uuid;
use sea_orm::sqlx::error::BoxDynError;
use sea_orm::sqlx::postgres::{PgRow, PgValueFormat, PgValueRef, Postgres};
use sea_orm::sqlx::{Decode, Row as _, TypeInfo as _, ValueRef as _};
use sea_orm::{DbErr, Value};

use crate::array::exact;
use crate::{Kind, StoredValue};

/// The most digits of a decimal of Rust.
const DIGITS: i32 = 28;

/// Reads a value that is not NULL, of a type with values that Rust may not hold: a date, a time, or a decimal. An infinite date is an
/// infinite double.
///
/// # Errors
///
/// An error for such a value, and for a value of another type.
pub fn read_postgres(value: PgValueRef<'_>) -> Result<Value, BoxDynError> {
    let is_text = value.format() == PgValueFormat::Text;
    let typed = value.clone();
    let info = typed.type_info();
    match info.name() {
        "NUMERIC" if is_text => Ok(exact(value.as_str()?).ok_or("no decimal of Rust")?.into()),
        "NUMERIC" if is_exact(value.as_bytes()?) => decode::<Decimal>(value),
        "NUMERIC" => Err("no decimal of Rust".into()),
        "DATE" | "TIMESTAMP" | "TIMESTAMPTZ" if is_text && value.as_str()?.ends_with("infinity") => {
            Ok(value.as_str()?.parse::<f64>()?.into())
        }
        "DATE" if is_text => decode::<NaiveDate>(value),
        "TIME" if is_text => decode::<NaiveTime>(value),
        "TIMESTAMP" if is_text => decode::<NaiveDateTime>(value),
        "TIMESTAMPTZ" if is_text => decode::<chrono::DateTime<chrono::Utc>>(value),
        "TIME" => Ok(time(number(value)?).ok_or("no time of Rust")?.into()),
        name @ ("DATE" | "TIMESTAMP" | "TIMESTAMPTZ") => {
            let (number, is_date) = (number(value)?, name == "DATE");
            let [least, greatest] = if is_date { [i32::MIN, i32::MAX].map(i64::from) } else { [i64::MIN, i64::MAX] };
            match number {
                _ if number == least => Ok(f64::NEG_INFINITY.into()),
                _ if number == greatest => Ok(f64::INFINITY.into()),
                days if is_date => Ok(date(days).ok_or("no date of Rust")?.into()),
                micros if name == "TIMESTAMP" => Ok(instant(micros).ok_or("no time of Rust")?.into()),
                micros => Ok(instant(micros).ok_or("no time of Rust")?.and_utc().into()),
            }
        }
        name => Err(format!("no value of the type {name} is expected").into()),
    }
}

/// The value of a column, as one of this kind.
pub(crate) fn value(row: &PgRow, column: &str, kind: Kind) -> Result<Value, DbErr> {
    let error = |error: BoxDynError| DbErr::Type(format!("`{column}` cannot be read as {kind:?}: {error}"));
    let value = row.try_get_raw(column).map_err(|cause| error(cause.into()))?;
    if value.is_null() {
        return Ok(kind.null());
    }
    let read = any(value, kind).map_err(error)?;
    StoredValue::of(&read).of_kind(kind).ok_or_else(|| error(format!("{read:?}").into()))
}

fn any(value: PgValueRef<'_>, kind: Kind) -> Result<Value, BoxDynError> {
    let typed = value.clone();
    let info = typed.type_info();
    match info.name() {
        "BOOL" => decode::<bool>(value),
        "INT2" => decode::<i16>(value),
        "INT4" => decode::<i32>(value),
        "INT8" => decode::<i64>(value),
        "FLOAT4" => decode::<f32>(value),
        "FLOAT8" => decode::<f64>(value),
        "UUID" => decode::<Uuid>(value),
        "BYTEA" => decode::<Vec<u8>>(value),
        "TEXT" | "VARCHAR" | "CHAR" | "NAME" => decode::<String>(value),
        // The values of an enum are texts, and so are those of `citext`.
        name if kind == Kind::Enum || name.eq_ignore_ascii_case("citext") => decode::<String>(value),
        _ => read_postgres(value),
    }
}

fn decode<T>(value: PgValueRef<'_>) -> Result<Value, BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<Value>,
{
    Ok(T::decode(value)?.into())
}

/// A number of four or eight bytes.
fn number(value: PgValueRef<'_>) -> Result<i64, BoxDynError> {
    let bytes = value.as_bytes()?;
    match (bytes.try_into(), bytes.try_into()) {
        (Ok(bytes), _) => Ok(i32::from_be_bytes(bytes).into()),
        (_, Ok(bytes)) => Ok(i64::from_be_bytes(bytes)),
        _ => Err("expected a number".into()),
    }
}

/// The date that is this many days after the beginning of 2000.
fn date(days: i64) -> Option<NaiveDate> {
    let (first, count) = (NaiveDate::from_ymd_opt(2000, 1, 1)?, Days::new(days.unsigned_abs()));
    if days < 0 { first.checked_sub_days(count) } else { first.checked_add_days(count) }
}

/// The time that is this many microseconds after the beginning of 2000.
fn instant(micros: i64) -> Option<NaiveDateTime> {
    NaiveDate::from_ymd_opt(2000, 1, 1)?.and_time(NaiveTime::MIN).checked_add_signed(TimeDelta::microseconds(micros))
}

/// The time of day that is this many microseconds after midnight. PostgreSQL has the end of the day, too.
fn time(micros: i64) -> Option<NaiveTime> {
    let (time, days) = NaiveTime::MIN.overflowing_add_signed(TimeDelta::microseconds(micros));
    (days == 0).then_some(time)
}

/// Whether a decimal of PostgreSQL fits into one of Rust, which rounds others. It has parts of four digits: their number, the place
/// of the first one before the point, a sign, the number of digits after the point, and the parts.
fn is_exact(bytes: &[u8]) -> bool {
    let number = |at: usize| {
        let bytes = bytes.get(2 * at..2 * at + 2)?.try_into().ok()?;
        Some(i32::from(i16::from_be_bytes(bytes)))
    };
    let (Some(parts), Some(place), Some(scale)) = (number(0), number(1), number(3)) else { return false };
    let first = number(4).unwrap_or_default();
    let digits: i32 = [1, 10, 100, 1000].iter().map(|least| i32::from(first >= *least)).sum();
    let whole = if place < 0 { 0 } else { 4 * place + digits };
    let fraction = scale.min(4 * (parts - 1 - place)).max(0);
    parts == 0 || whole + fraction <= DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l1_what_chrono_cannot_hold_is_no_date_and_no_time() {
        assert_eq!(date(-1).map(|date| date.to_string()).as_deref(), Some("1999-12-31"));
        assert_eq!([i32::MIN, i32::MAX].map(|days| date(days.into())), [None, None]);
        assert_eq!([i64::MIN, i64::MAX].map(instant), [None, None]);
        assert_eq!(instant(-1).map(|time| time.to_string()).as_deref(), Some("1999-12-31 23:59:59.999999"));
        assert_eq!((time(86_400_000_000), time(-1)), (None, None));
        assert_eq!(time(86_399_999_999).map(|time| time.to_string()).as_deref(), Some("23:59:59.999999"));
    }
}
