//! Conditions on lists: arrays of PostgreSQL, and lists in JSON on SQLite.

use async_graphql::{InputType, Value as Input};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use keyset::{Column, Kind};
use sea_orm::sea_query::extension::postgres::PgBinOper;
use sea_orm::sea_query::{ArrayType, BinOper, Expr, ExprTrait as _, Func, OptionEnum};
use sea_orm::{DbBackend, Value};

use super::read::{Budget, Members, items, present};
use super::{Test, json};
use crate::Result;
use crate::scalar::{self, refused};

/// What a list must fulfil.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ListTest {
    Contains(Vec<Value>),
    ContainedBy(Vec<Value>),
    Overlaps(Vec<Value>),
    IsEmpty(bool),
}

/// Reads the conditions on the lists of a column.
pub(super) fn read<T>(given: &Members, column: &Column, budget: &mut Budget<'_>) -> Result<Vec<Test<T>>> {
    let (mut tests, is_json) = (Vec::new(), column.kind().item() == Kind::Json);
    for name in ["contains", "containedBy", "overlaps"] {
        let Some(value) = present(given, name) else { continue };
        // An empty list is a condition, too.
        if !is_json {
            budget.count(items(value).count().max(1))?;
        }
        let item = |item: &Input| {
            if is_json {
                json::measure(item, budget)?;
            }
            scalar::read(column, item.clone())
        };
        let values = items(value).map(item).collect::<Result<_>>()?;
        tests.push(Test::List(match name {
            "contains" => ListTest::Contains(values),
            "containedBy" => ListTest::ContainedBy(values),
            _ => ListTest::Overlaps(values),
        }));
    }
    if let Some(value) = present(given, "isEmpty") {
        budget.count(1)?;
        tests.push(Test::List(ListTest::IsEmpty(bool::parse(Some(value.clone())).map_err(refused)?)));
    }
    Ok(tests)
}

impl ListTest {
    /// The condition. It is NULL or false where the list is NULL.
    pub fn condition(&self, column: &Column, backend: DbBackend) -> Expr {
        if backend == DbBackend::Sqlite { self.of_json(column) } else { self.of_array(column) }
    }

    fn of_array(&self, column: &Column) -> Expr {
        let (name, of) = array(column.kind().item());
        // The operators take two arrays of one type. For most types, this is none but the column.
        let list = column.expr().cast_as(format!("{name}[]"));
        let operator = |list: Expr, operator: PgBinOper, values: &[Value]| {
            let values = values.iter().cloned().map(plain).collect();
            list.binary(BinOper::PgOperator(operator), Value::Array(of, Some(Box::new(values))))
        };
        match self {
            Self::Contains(values) => operator(list, PgBinOper::Contains, values),
            Self::ContainedBy(values) => operator(list, PgBinOper::Contained, values),
            Self::Overlaps(values) => operator(list, PgBinOper::Overlap, values),
            Self::IsEmpty(true) => Func::cust("cardinality").arg(column.expr()).eq(0),
            Self::IsEmpty(false) => Func::cust("cardinality").arg(column.expr()).gt(0),
        }
    }

    fn of_json(&self, column: &Column) -> Expr {
        // NULL unless the text is a list: the functions fail for other texts.
        let list = Expr::cust_with_exprs(
            "CASE WHEN NOT json_valid(?) THEN NULL WHEN json_type(?) = 'array' THEN ? END",
            [column.expr(), column.expr(), column.expr()],
        );
        let item = match column.kind().item() {
            Kind::Decimal => "CAST(value AS REAL)",
            Kind::Uuid => "lower(value)",
            Kind::DateTime | Kind::DateTimeUtc => "replace(replace(value, 'T', ' '), 'Z', '+00:00')",
            _ => "value",
        };
        let exists = |condition: &dyn Fn(String) -> String, values: &[Value]| {
            let mut given = Vec::new();
            let is_among = if column.kind().item() == Kind::Json {
                json::is_among(values, &mut given)
            } else {
                given.extend(values.iter().cloned().map(in_json));
                format!("{item} IN ({})", vec!["?"; values.len()].join(", "))
            };
            let exprs = [list.clone()].into_iter().chain(given.into_iter().map(Expr::value));
            let sql = format!("EXISTS (SELECT 1 FROM json_each(?) AS j0 WHERE {})", condition(is_among));
            Expr::cust_with_exprs(sql, exprs)
        };
        let has = |values: &[Value]| exists(&|is_among| is_among, values);
        let is_list = || list.clone().is_not_null();
        let length = Func::cust("json_array_length").arg(list.clone());
        match self {
            Self::Contains(values) => {
                values.iter().fold(is_list(), |all, value| all.and(has(std::slice::from_ref(value))))
            }
            Self::ContainedBy(values) => {
                let others = exists(&|is_among| format!("j0.value IS NULL OR ({is_among}) IS NOT TRUE"), values);
                is_list().and(others.not())
            }
            Self::Overlaps(values) => has(values),
            Self::IsEmpty(true) => length.eq(0),
            Self::IsEmpty(false) => length.gt(0),
        }
    }
}

/// The type of an array with values of this kind: in SQL, and as a parameter.
pub fn array(item: Kind) -> (&'static str, ArrayType) {
    match item {
        Kind::Bool => ("boolean", ArrayType::Bool),
        Kind::SmallInt | Kind::Int => ("integer", ArrayType::Int),
        Kind::BigInt => ("bigint", ArrayType::BigInt),
        Kind::Float | Kind::Double => ("double precision", ArrayType::Double),
        Kind::Decimal => ("numeric", ArrayType::Decimal),
        Kind::Date => ("date", ArrayType::ChronoDate),
        Kind::Time => ("time", ArrayType::ChronoTime),
        Kind::DateTime => ("timestamp", ArrayType::ChronoDateTime),
        Kind::DateTimeUtc => ("timestamptz", ArrayType::ChronoDateTimeUtc),
        Kind::Uuid => ("uuid", ArrayType::Uuid),
        Kind::Bytes => ("bytea", ArrayType::Bytes),
        Kind::Json => ("jsonb", ArrayType::Json),
        _ => ("text", ArrayType::String),
    }
}

/// The text of a value of an enum, and any other value.
pub fn plain(value: Value) -> Value {
    match value {
        Value::Enum(OptionEnum::Some(of_type)) => of_type.value.into_owned().into(),
        value => value,
    }
}

/// The value as SQLite finds it in JSON.
fn in_json(value: Value) -> Value {
    match plain(value) {
        Value::Decimal(Some(decimal)) => decimal.to_string().parse::<f64>().ok().into(),
        Value::Uuid(Some(id)) => id.to_string().into(),
        Value::Bytes(Some(bytes)) => BASE64_STANDARD.encode(bytes).into(),
        Value::ChronoDateTimeUtc(Some(instant)) => instant.format("%F %T%.f+00:00").to_string().into(),
        value => value,
    }
}
