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

/// The most digits of a decimal.
const DIGITS: u32 = 28;

/// The sign of a negative decimal. Others are those of what is no number, and of the infinities.
const NEGATIVE: i16 = 0x4000;

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
        "DATE" | "TIMESTAMP" | "TIMESTAMPTZ" if is_text && value.as_str()?.ends_with("infinity") => {
            Ok(value.as_str()?.parse::<f64>()?.into())
        }
        "DATE" if is_text => decode::<NaiveDate>(value),
        "TIME" if is_text => decode::<NaiveTime>(value),
        "TIMESTAMP" if is_text => decode::<NaiveDateTime>(value),
        "TIMESTAMPTZ" if is_text => decode::<chrono::DateTime<chrono::Utc>>(value),
        name => read_binary(name, value.as_bytes()?),
    }
}

/// Reads a value that is not NULL from its bytes in PostgreSQL's binary format, of a type with this name. As [`read_postgres`], it reads
/// dates, times and decimals.
///
/// # Errors
///
/// An error for a value that Rust cannot hold, for bytes that are none of the type, and for another type.
pub fn read_binary(type_name: &str, bytes: &[u8]) -> Result<Value, BoxDynError> {
    match type_name {
        "NUMERIC" => Ok(decimal(bytes).ok_or("no decimal of Rust")?.into()),
        "TIME" => Ok(time(number(bytes)?).ok_or("no time of Rust")?.into()),
        "DATE" | "TIMESTAMP" | "TIMESTAMPTZ" => {
            let (number, is_date) = (number(bytes)?, type_name == "DATE");
            let [least, greatest] = if is_date { [i32::MIN, i32::MAX].map(i64::from) } else { [i64::MIN, i64::MAX] };
            match number {
                _ if number == least => Ok(f64::NEG_INFINITY.into()),
                _ if number == greatest => Ok(f64::INFINITY.into()),
                days if is_date => Ok(date(days).ok_or("no date of Rust")?.into()),
                micros if type_name == "TIMESTAMP" => Ok(instant(micros).ok_or("no time of Rust")?.into()),
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
fn number(bytes: &[u8]) -> Result<i64, BoxDynError> {
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

/// A decimal, unless it has too many digits, or is no number. PostgreSQL has parts of four digits: their number, the place of the
/// first one before the point, a sign, the number of digits after the point, and the parts.
fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let word = |at: usize| {
        let bytes = bytes.get(2 * at..2 * at + 2)?.try_into().ok()?;
        Some(i16::from_be_bytes(bytes))
    };
    let (parts, place, sign, scale) = (word(0)?, word(1)?, word(2)?, u16::try_from(word(3)?).ok()?);
    let is_negative = match sign {
        0 => false,
        NEGATIVE => true,
        _ => return None,
    };
    let mut digits = 0_i128;
    for part in 0..usize::try_from(parts).ok()? {
        digits = digits.checked_mul(10_000)?.checked_add(word(4 + part)?.into())?;
    }
    if digits == 0 {
        return Some(Decimal::ZERO);
    }
    let (scale, behind) = (i32::from(scale), 4 * (i32::from(parts) - 1 - i32::from(place)));
    let ten_to = |power: i32| 10_i128.checked_pow(power.try_into().ok()?);
    // The last part ends behind the last digit, or before the point.
    digits = if behind > scale {
        digits / ten_to(behind - scale)?
    } else {
        digits.checked_mul(ten_to((-behind).max(0))?)?
    };
    if digits >= 10_i128.pow(DIGITS) {
        return None;
    }
    let known = u32::try_from(behind.clamp(0, scale)).ok()?;
    let mut decimal = Decimal::try_from_i128_with_scale(if is_negative { -digits } else { digits }, known).ok()?;
    // It would exceed the digits that it can show.
    decimal.rescale(u32::try_from(scale).ok()?.min(DIGITS));
    Some(decimal)
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

    #[test]
    fn l1_a_decimal_has_all_its_digits() {
        let of = |words: &[i16]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            decimal(&bytes).map(|decimal| decimal.to_string())
        };
        let (nan, minus) = (i16::from_be_bytes([0xc0, 0]), NEGATIVE);
        for (words, text) in [
            (&[0, 0, 0, 2][..], Some("0")),
            (&[2, 0, 0, 2, 1, 5000], Some("1.50")),
            (&[2, 0, minus, 3, 1234, 5670], Some("-1234.567")),
            (&[1, 2, 0, 0, 7], Some("700000000")),
            (&[1, -2, 0, 8, 12], Some("0.00000012")),
            (&[1, 0, 0, 3, 5], Some("5.000")),
            (&[7, 6, 0, 0, 9999, 9999, 9999, 9999, 9999, 9999, 9999], Some("9999999999999999999999999999")),
            (&[8, 0, 0, 25, 123, 1, 1, 1, 1, 1, 1, 1000], Some("123.0001000100010001000100011")),
            (&[8, 7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], None),
            (&[8, 0, 0, 28, 1, 1, 1, 1, 1, 1, 1, 1], None),
            (&[1, 100, 0, 0, 1], None),
            (&[1, -8, 0, 32, 1], None),
            (&[0, 0, nan, 0], None),
            (&[1, -1, minus, 30, 500], Some("-0.0500000000000000000000000000")),
            (&[1, 0, 0, -1, 5], None),
            (&[1, 0, 0, 0], None),
            (&[0, 0, 0], None),
        ] {
            let text = text.map(str::to_owned);
            assert_eq!(of(words), text, "{words:?}");
        }
    }
}
