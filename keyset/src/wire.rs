//! The bytes of a value in a cursor: one tag, then big-endian content.
//!
//! | tag | value | bytes after the tag |
//! |---|---|---|
//! | 0, 1, 2 | null, true, false | 0 |
//! | 192 + n | text of n < 64 bytes | n |
//! | 3 | text of 64 to 319 bytes | 1 (length − 64) + text |
//! | 4 | text of 320 to 65,855 bytes | 2 (length − 320) + text |
//! | 5 | bytes | 2 (length) + bytes |
//! | 6, 8, 10, 12 | integer ≥ 0, in 1, 2, 4, 8 bytes | 1, 2, 4, 8 |
//! | 7, 9, 11, 13 | integer < 0, as −v − 1, in the same widths | 1, 2, 4, 8 |
//! | 14 | longer integer, as decimal text | 1 (length) + text |
//! | 15 to 22 | whole decimal, in the widths of 6 to 13 | 1, 2, 4, 8 |
//! | 23, 25 | longer whole decimal; decimal with a fraction: as text | 1 (length) + text |
//! | 24 | double; among dates, an infinite one | 8 |
//! | 26, 27 | date-time without zone: seconds of the Julian period; and microseconds | 8; 8 + 4 |
//! | 28, 29 | the same with zone, in UTC | 8; 8 + 4 |
//! | 30 | time of day: seconds; or 2^39 + microseconds | 3; 5 |
//! | 31 | date, as a Julian day | 4 |
//! | 32 | UUID | 16 |
//! | 33, 34 | 26 and 28 with nanoseconds | 8 + 4 |
//! | 35 | time of day in nanoseconds | 8 |
//!
//! Each integer width starts where the narrower one ends, so every value has one encoding. Doubles and decimals have
//! one too: `-0.0` is written as `0.0`, every NaN as the same NaN, and decimals lose their trailing zeros.
//!
//! Tags 0 to 30 are those of `django-universal-paginator` 1.4.0, from which this project began. A test in `tests/paginator`
//! compares the two. Tag 31 differs by a day: the Julian day number of 1 January 1970 is 2,440,588, as here, and 2,440,587
//! there. Integers of more than 128 bits and decimals of more than 28 digits occur there only. It writes bytes as here, but
//! decodes them wrongly if another value follows. Nanoseconds occur on SQLite, which stores times as text. A time is written
//! in the coarsest of its three forms that is exact.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc};
use rust_decimal::Decimal;
use sea_orm::Value;
use uuid::Uuid;

use crate::{KeyError, Kind, StoredValue};

/// A value as a cursor holds it: see [`CursorParts`](crate::CursorParts).
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// NULL.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of any width.
    Int(i128),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A decimal, without trailing zeros.
    Decimal(Decimal),
    /// A floating-point number, single or double.
    Double(f64),
    /// A date and a time without a time zone.
    DateTime(NaiveDateTime),
    /// An instant.
    DateTimeUtc(DateTime<Utc>),
    /// A time of day.
    Time(NaiveTime),
    /// A date.
    Date(NaiveDate),
    /// A UUID.
    Uuid(Uuid),
}

const NULL: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const TEXT_64: u8 = 3;
const TEXT_320: u8 = 4;
const BYTES: u8 = 5;
const INT: u8 = 6;
const INT_LAST: u8 = INT + 7;
const INT_TEXT: u8 = 14;
const DECIMAL: u8 = 15;
const DECIMAL_LAST: u8 = DECIMAL + 7;
const DECIMAL_TEXT: u8 = 23;
const DOUBLE: u8 = 24;
const FRACTION: u8 = 25;
const DATE_TIME: u8 = 26;
const DATE_TIME_MICROS: u8 = 27;
const DATE_TIME_UTC: u8 = 28;
const DATE_TIME_UTC_MICROS: u8 = 29;
const TIME: u8 = 30;
const DATE: u8 = 31;
const UUID: u8 = 32;
const DATE_TIME_NANOS: u8 = 33;
const DATE_TIME_UTC_NANOS: u8 = 34;
const TIME_NANOS: u8 = 35;
const TEXT: u8 = 192;

/// The integer widths: the number of bytes, and the first magnitude that needs them.
const WIDTHS: [(usize, u128); 4] = [(1, 0), (2, 256), (4, 65_792), (8, 4_295_033_088)];

/// The Unix epoch in seconds of the Julian period (from noon, 1 January 4713 BC, by midnights: day 2,440,587.5).
const JULIAN_SECONDS: i64 = 210_866_760_000;
/// The Unix epoch as a Julian day number.
const JULIAN_DAY: i64 = 2_440_588;
/// `NaiveDate::num_days_from_ce` of the Unix epoch.
const EPOCH_FROM_CE: i64 = 719_163;
/// Set in a time of day that counts microseconds.
const MICROS_OF_DAY: u64 = 1 << 39;

/// Appends the encoding of a value.
///
/// # Errors
///
/// [`KeyError::TooLong`], [`KeyError::LeapSecond`], [`KeyError::TooFar`] and [`KeyError::Nul`] for a value that no
/// cursor can hold.
pub(crate) fn write(scalar: &Scalar, out: &mut Vec<u8>) -> Result<(), KeyError> {
    match scalar {
        Scalar::Null => out.push(NULL),
        Scalar::Bool(v) => out.push(if *v { TRUE } else { FALSE }),
        Scalar::Int(v) => {
            if !write_widths(*v, INT, out) {
                write_short(INT_TEXT, &v.to_string(), out)?;
            }
        }
        Scalar::Text(v) => write_text(v, out)?,
        Scalar::Bytes(v) => write_bytes(v, out)?,
        Scalar::Decimal(v) => write_decimal(v.normalize(), out)?,
        Scalar::Double(v) => {
            out.push(DOUBLE);
            let one_zero_one_nan = if v.is_nan() { f64::NAN } else { v + 0.0 };
            out.extend_from_slice(&one_zero_one_nan.to_be_bytes());
        }
        Scalar::DateTime(v) => write_instant(v, [DATE_TIME, DATE_TIME_MICROS, DATE_TIME_NANOS], out)?,
        Scalar::DateTimeUtc(v) => {
            let tags = [DATE_TIME_UTC, DATE_TIME_UTC_MICROS, DATE_TIME_UTC_NANOS];
            write_instant(&v.naive_utc(), tags, out)?;
        }
        Scalar::Time(v) => {
            let seconds = u64::from(v.num_seconds_from_midnight());
            let nanos = u64::from(nanos(*v)?);
            if nanos == 0 {
                out.push(TIME);
                out.extend(&seconds.to_be_bytes()[5..]);
            } else if nanos % 1000 == 0 {
                out.push(TIME);
                out.extend(&(MICROS_OF_DAY + seconds * 1_000_000 + nanos / 1000).to_be_bytes()[3..]);
            } else {
                out.push(TIME_NANOS);
                out.extend((seconds * 1_000_000_000 + nanos).to_be_bytes());
            }
        }
        Scalar::Date(v) => {
            let day = i64::from(v.num_days_from_ce()) - EPOCH_FROM_CE + JULIAN_DAY;
            out.push(DATE);
            out.extend(u32::try_from(day).map_err(|_| KeyError::TooFar)?.to_be_bytes());
        }
        Scalar::Uuid(v) => {
            out.push(UUID);
            out.extend(v.as_bytes());
        }
    }
    Ok(())
}

/// Takes a value from the front. `None` if the bytes do not begin with a value.
///
/// It also accepts encodings that [`write`] does not produce, for example a number in too many bytes. To accept only
/// one encoding, write the value again and compare.
pub(crate) fn read(bytes: &mut &[u8]) -> Option<Scalar> {
    Some(match read_number(bytes, 1)? {
        0 => Scalar::Null,
        1 => Scalar::Bool(true),
        2 => Scalar::Bool(false),
        tag => read_tagged(u8::try_from(tag).ok()?, bytes)?,
    })
}

/// Takes values until there are no more bytes. `None` if the bytes are no values.
pub(crate) fn read_all(mut bytes: &[u8]) -> Option<Vec<Scalar>> {
    let mut scalars = Vec::new();
    while !bytes.is_empty() {
        scalars.push(read(&mut bytes)?);
    }
    Some(scalars)
}

fn read_tagged(tag: u8, bytes: &mut &[u8]) -> Option<Scalar> {
    Some(match tag {
        TEXT_64 => {
            let length = read_number(bytes, 1)? + 64;
            Scalar::Text(read_text(bytes, length)?)
        }
        TEXT_320 => {
            let length = read_number(bytes, 2)? + 320;
            Scalar::Text(read_text(bytes, length)?)
        }
        TEXT.. => Scalar::Text(read_text(bytes, u64::from(tag - TEXT))?),
        BYTES => {
            let length = read_number(bytes, 2)?;
            Scalar::Bytes(take(bytes, usize::try_from(length).ok()?)?.to_vec())
        }
        INT..=INT_LAST => Scalar::Int(read_widths(tag - INT, bytes)?),
        INT_TEXT => Scalar::Int(read_short(bytes)?.parse().ok()?),
        DECIMAL..=DECIMAL_LAST => Scalar::Decimal(read_widths(tag - DECIMAL, bytes)?.into()),
        DECIMAL_TEXT | FRACTION => Scalar::Decimal(read_decimal(&read_short(bytes)?)?),
        DOUBLE => Scalar::Double(f64::from_bits(read_number(bytes, 8)?)),
        DATE_TIME => Scalar::DateTime(read_instant(bytes, None)?),
        DATE_TIME_MICROS => Scalar::DateTime(read_instant(bytes, Some(1000))?),
        DATE_TIME_NANOS => Scalar::DateTime(read_instant(bytes, Some(1))?),
        DATE_TIME_UTC => Scalar::DateTimeUtc(read_instant(bytes, None)?.and_utc()),
        DATE_TIME_UTC_MICROS => Scalar::DateTimeUtc(read_instant(bytes, Some(1000))?.and_utc()),
        DATE_TIME_UTC_NANOS => Scalar::DateTimeUtc(read_instant(bytes, Some(1))?.and_utc()),
        TIME => Scalar::Time(read_time(bytes)?),
        TIME_NANOS => Scalar::Time(time_of_day(read_number(bytes, 8)?)?),
        DATE => {
            let day = i64::try_from(read_number(bytes, 4)?).ok()? - JULIAN_DAY + EPOCH_FROM_CE;
            Scalar::Date(NaiveDate::from_num_days_from_ce_opt(i32::try_from(day).ok()?)?)
        }
        UUID => Scalar::Uuid(Uuid::from_slice(take(bytes, 16)?).ok()?),
        _ => return None,
    })
}

/// Writes an integer in the narrowest width. `false` if it fits none.
fn write_widths(value: i128, first_tag: u8, out: &mut Vec<u8>) -> bool {
    let negative = value < 0;
    let magnitude = if negative { !value } else { value }.unsigned_abs();
    let mut widths = (0..4).zip(WIDTHS).rev();
    let Some((step, (width, start))) = widths.find(|(_, (_, start))| magnitude >= *start) else { return false };
    let Ok(offset) = u64::try_from(magnitude - start) else { return false };
    out.push(first_tag + 2 * step + u8::from(negative));
    out.extend(&offset.to_be_bytes()[8 - width..]);
    true
}

fn read_widths(step: u8, bytes: &mut &[u8]) -> Option<i128> {
    let (width, start) = WIDTHS[usize::from(step / 2)];
    let magnitude = i128::try_from(u128::from(read_number(bytes, width)?) + start).ok()?;
    Some(if step.is_multiple_of(2) { magnitude } else { !magnitude })
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let length = u16::try_from(bytes.len()).map_err(|_| KeyError::TooLong(bytes.len()))?;
    let [high, low] = length.to_be_bytes();
    out.extend_from_slice(&[BYTES, high, low]);
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends the encoding of a value of this kind, as [`write()`] of its scalar, which copies texts and bytes. `None` for a value of another
/// kind.
pub(crate) fn write_of_kind(kind: Kind, value: &Value, out: &mut Vec<u8>) -> Option<Result<(), KeyError>> {
    let scalar = |out: &mut _| Some(write(&kind.scalar(value)?, out));
    write_plain(kind, StoredValue::of(value), out).or_else(|| scalar(out))
}

/// The same of a value as it is stored.
pub(crate) fn write_stored(kind: Kind, value: StoredValue<'_>, out: &mut Vec<u8>) -> Option<Result<(), KeyError>> {
    let scalar = |out: &mut _| Some(write(&kind.scalar(&value.of_kind(kind)?)?, out));
    write_plain(kind, value, out).or_else(|| scalar(out))
}

/// Appends the encoding of a value that is stored as it is: without a copy. `None` for other values.
fn write_plain(kind: Kind, value: StoredValue<'_>, out: &mut Vec<u8>) -> Option<Result<(), KeyError>> {
    match (kind, value) {
        (Kind::Text | Kind::Enum, StoredValue::Text(text)) => Some(write_text(text, out)),
        (Kind::Bytes, StoredValue::Blob(bytes)) => Some(write_bytes(bytes, out)),
        (Kind::Bytes, StoredValue::Id(bytes)) => Some(write_bytes(&bytes, out)),
        (Kind::Uuid, StoredValue::Id(bytes)) => {
            out.push(UUID);
            out.extend_from_slice(&bytes);
            Some(Ok(()))
        }
        (Kind::Int | Kind::BigInt, StoredValue::Integer(integer))
            if kind == Kind::BigInt || i32::try_from(integer).is_ok() =>
        {
            Some(write(&Scalar::Int(integer.into()), out))
        }
        _ => None,
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) -> Result<(), KeyError> {
    if text.contains('\0') {
        return Err(KeyError::Nul);
    }
    let length = text.len();
    let too_long = |_| KeyError::TooLong(length);
    match length {
        0..64 => out.push(TEXT + u8::try_from(length).map_err(too_long)?),
        64..320 => out.extend([TEXT_64, u8::try_from(length - 64).map_err(too_long)?]),
        _ => {
            out.push(TEXT_320);
            out.extend(u16::try_from(length - 320).map_err(too_long)?.to_be_bytes());
        }
    }
    out.extend(text.as_bytes());
    Ok(())
}

fn write_decimal(value: Decimal, out: &mut Vec<u8>) -> Result<(), KeyError> {
    if value.scale() > 0 {
        write_short(FRACTION, &value.to_string(), out)
    } else if write_widths(value.mantissa(), DECIMAL, out) {
        Ok(())
    } else {
        write_short(DECIMAL_TEXT, &value.to_string(), out)
    }
}

/// Writes a number as text, which has at most the 40 characters of an `i128`.
fn write_short(tag: u8, text: &str, out: &mut Vec<u8>) -> Result<(), KeyError> {
    let length = u8::try_from(text.len()).map_err(|_| KeyError::TooLong(text.len()))?;
    out.extend([tag, length]);
    out.extend(text.as_bytes());
    Ok(())
}

/// Reads digits, or digits with an exponent (`1E-7`), which [`write`] never produces.
fn read_decimal(text: &str) -> Option<Decimal> {
    text.parse().or_else(|_| Decimal::from_scientific(text)).ok()
}

fn read_short(bytes: &mut &[u8]) -> Option<String> {
    let length = read_number(bytes, 1)?;
    read_text(bytes, length)
}

/// Writes an instant with the tag for whole seconds, microseconds or nanoseconds.
fn write_instant(at: &NaiveDateTime, tags: [u8; 3], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let (seconds, nanos) = (at.and_utc().timestamp() + JULIAN_SECONDS, nanos(at.time())?);
    let seconds = u64::try_from(seconds).map_err(|_| KeyError::TooFar)?.to_be_bytes();
    let [whole, micros_tag, nanos_tag] = tags;
    if nanos == 0 {
        out.push(whole);
        out.extend(seconds);
    } else if nanos.is_multiple_of(1000) {
        out.push(micros_tag);
        out.extend(seconds);
        out.extend((nanos / 1000).to_be_bytes());
    } else {
        out.push(nanos_tag);
        out.extend(seconds);
        out.extend_from_slice(&nanos.to_be_bytes());
    }
    Ok(())
}

/// Reads seconds and, if there is a unit, a four-byte number of units, in nanoseconds each.
fn read_instant(bytes: &mut &[u8], unit: Option<u32>) -> Option<NaiveDateTime> {
    let seconds = i64::try_from(read_number(bytes, 8)?).ok()?.checked_sub(JULIAN_SECONDS)?;
    let nanos = match unit {
        None => 0,
        Some(unit) => u32::try_from(read_number(bytes, 4)?).ok()?.checked_mul(unit)?,
    };
    Some(DateTime::from_timestamp(seconds, nanos)?.naive_utc())
}

fn read_time(bytes: &mut &[u8]) -> Option<NaiveTime> {
    let fine = bytes.first()? & 0x80 != 0;
    let nanos =
        if fine { (read_number(bytes, 5)? - MICROS_OF_DAY) * 1000 } else { read_number(bytes, 3)? * 1_000_000_000 };
    time_of_day(nanos)
}

fn time_of_day(nanos: u64) -> Option<NaiveTime> {
    let seconds = u32::try_from(nanos / 1_000_000_000).ok()?;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, u32::try_from(nanos % 1_000_000_000).ok()?)
}

/// The nanoseconds within the second. In a leap second there are a billion or more.
fn nanos(time: NaiveTime) -> Result<u32, KeyError> {
    let nanos = time.nanosecond();
    if nanos < 1_000_000_000 { Ok(nanos) } else { Err(KeyError::LeapSecond) }
}

fn read_text(bytes: &mut &[u8], length: u64) -> Option<String> {
    let text = take(bytes, usize::try_from(length).ok()?)?;
    String::from_utf8(text.to_vec()).ok()
}

/// A big-endian number of up to eight bytes.
fn read_number(bytes: &mut &[u8], width: usize) -> Option<u64> {
    let digits = take(bytes, width)?;
    Some(digits.iter().fold(0, |number, digit| number << 8 | u64::from(*digit)))
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    bytes.split_off(..count)
}

#[cfg(test)]
mod paginator;
#[cfg(test)]
mod tests;
