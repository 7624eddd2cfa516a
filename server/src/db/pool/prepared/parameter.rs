//! The parameters of a prepared statement.

use sea_orm::Value;
use sea_orm::sea_query::{ArrayType, OptionEnum};
use sea_orm::sqlx::error::BoxDynError;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, Kind, ToSql, Type, to_sql_checked};

/// A value of a parameter. [`Debug`](std::fmt::Debug) does not show it: the driver writes parameters into its log.
pub struct Parameter<'a>(pub &'a Value);

impl std::fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, BoxDynError> {
        match self.0 {
            Value::Bool(v) => v.to_sql(of, out),
            Value::TinyInt(v) => integer(*v, of, out),
            Value::SmallInt(v) => integer(*v, of, out),
            Value::Int(v) => integer(*v, of, out),
            Value::BigInt(v) => integer(*v, of, out),
            Value::TinyUnsigned(v) => integer(*v, of, out),
            Value::SmallUnsigned(v) => integer(*v, of, out),
            Value::Unsigned(v) => integer(*v, of, out),
            Value::BigUnsigned(v) => integer(v.map(i64::try_from).transpose()?, of, out),
            Value::Float(v) => v.map(f64::from).to_sql(of, out),
            Value::Double(v) => v.to_sql(of, out),
            Value::String(v) => v.to_sql(of, out),
            Value::Enum(OptionEnum::Some(v)) => v.value.as_ref().to_sql(of, out),
            Value::Enum(OptionEnum::None(_)) => Ok(IsNull::Yes),
            Value::Char(v) => v.map(String::from).to_sql(of, out),
            Value::Bytes(v) => v.to_sql(of, out),
            Value::ChronoDate(v) => v.to_sql(of, out),
            Value::ChronoTime(v) => v.to_sql(of, out),
            Value::ChronoDateTime(v) => v.to_sql(of, out),
            Value::ChronoDateTimeUtc(v) => v.to_sql(of, out),
            Value::ChronoDateTimeLocal(v) => v.to_sql(of, out),
            Value::ChronoDateTimeWithTimeZone(v) => v.to_sql(of, out),
            Value::Uuid(v) => v.to_sql(of, out),
            Value::Decimal(v) => v.to_sql(of, out),
            Value::Json(v) => v.as_deref().to_sql(of, out),
            // The driver would panic.
            Value::Array(..) if !matches!(of.kind(), Kind::Array(_)) => Err("a list is no value of this type".into()),
            Value::Array(_, v) => {
                v.as_ref().map(|items| items.iter().map(Parameter).collect::<Vec<_>>()).to_sql(of, out)
            }
            _ => Err("PostgreSQL has no such value".into()),
        }
    }

    /// A value has one type, and its statement was prepared for it.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// An integer as wide as the parameter: see [`type_of`].
fn integer(value: Option<impl Into<i64>>, of: &Type, out: &mut BytesMut) -> Result<IsNull, BoxDynError> {
    let value: Option<i64> = value.map(Into::into);
    if *of == Type::INT8 { value.to_sql(of, out) } else { value.map(i32::try_from).transpose()?.to_sql(of, out) }
}

/// The type of the parameter for a value. Numbers have the widest type of those that stand for them: statements are kept by their texts, and the
/// key of a `smallint` and the number of a filter have one text.
pub fn type_of(value: &Value) -> Type {
    match value {
        Value::Array(of, _) => types(of).1,
        value => types(&value.array_type()).0,
    }
}

/// The types of an item, and of a list of such items.
fn types(of: &ArrayType) -> (Type, Type) {
    use ArrayType::{
        BigInt, BigUnsigned, Bool, Bytes, Char, ChronoDate, ChronoDateTime, ChronoDateTimeLocal, ChronoDateTimeUtc,
        ChronoDateTimeWithTimeZone, ChronoTime, Decimal, Double, Enum, Float, Int, Json, SmallInt, SmallUnsigned,
        String, TinyInt, TinyUnsigned, Unsigned, Uuid,
    };
    match of {
        Bool => (Type::BOOL, Type::BOOL_ARRAY),
        TinyInt | SmallInt | Int | TinyUnsigned | SmallUnsigned => (Type::INT4, Type::INT4_ARRAY),
        BigInt | Unsigned | BigUnsigned => (Type::INT8, Type::INT8_ARRAY),
        Float | Double => (Type::FLOAT8, Type::FLOAT8_ARRAY),
        String | Enum(_) | Char => (Type::TEXT, Type::TEXT_ARRAY),
        Bytes => (Type::BYTEA, Type::BYTEA_ARRAY),
        ChronoDate => (Type::DATE, Type::DATE_ARRAY),
        ChronoTime => (Type::TIME, Type::TIME_ARRAY),
        ChronoDateTime => (Type::TIMESTAMP, Type::TIMESTAMP_ARRAY),
        ChronoDateTimeUtc | ChronoDateTimeLocal | ChronoDateTimeWithTimeZone => {
            (Type::TIMESTAMPTZ, Type::TIMESTAMPTZ_ARRAY)
        }
        Uuid => (Type::UUID, Type::UUID_ARRAY),
        Decimal => (Type::NUMERIC, Type::NUMERIC_ARRAY),
        Json => (Type::JSONB, Type::JSONB_ARRAY),
        _ => (Type::UNKNOWN, Type::UNKNOWN),
    }
}
