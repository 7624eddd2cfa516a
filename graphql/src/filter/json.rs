//! Conditions on JSON: on PostgreSQL those of `jsonb`, and the same in terms of SQLite's `json_each`.

use async_graphql::{InputType, Value as Input};
use keyset::Column;
use sea_orm::sea_query::extension::postgres::PgBinOper;
use sea_orm::sea_query::{BinOper, Expr, ExprTrait as _, Func};
use sea_orm::{Condition, DbBackend, Value};
use serde_json::Value as Json;

use super::Test;
use super::read::{Budget, Members, present};
use super::sql::complement;
use crate::error::code;
use crate::scalar::{check_text, refused};
use crate::{Error, Result};

/// What a value of JSON must fulfil.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonTest {
    Eq(Json),
    Ne(Json),
    Contains(Json),
    HasKey(String),
}

/// Reads the conditions on JSON. Each value in a value is one of the filter, and each level a level.
pub(super) fn read<T>(given: &Members, budget: &mut Budget<'_>) -> Result<Vec<Test<T>>> {
    let mut tests = Vec::new();
    for name in ["eq", "ne", "contains"] {
        let Some(value) = present(given, name) else { continue };
        measure(value, budget)?;
        let value = value.clone().into_json().map_err(|_| Error::client(code::BAD_USER_INPUT, "expected JSON"))?;
        tests.push(Test::Json(match name {
            "eq" => JsonTest::Eq(value),
            "ne" => JsonTest::Ne(value),
            _ => JsonTest::Contains(value),
        }));
    }
    if let Some(key) = present(given, "hasKey") {
        budget.count(1)?;
        let key = String::parse(Some(key.clone())).map_err(refused)?;
        check_text(&key)?;
        tests.push(Test::Json(JsonTest::HasKey(key)));
    }
    Ok(tests)
}

/// Counts the values of JSON in a filter, and its levels.
pub(super) fn measure(value: &Input, budget: &mut Budget<'_>) -> Result<()> {
    budget.descend()?;
    match value {
        Input::String(text) => check_text(text)?,
        Input::List(items) => items.iter().try_for_each(|item| measure(item, budget))?,
        Input::Object(members) => {
            for (key, value) in members {
                check_text(key)?;
                measure(value, budget)?;
            }
        }
        _ => {}
    }
    budget.level -= 1;
    Ok(())
}

impl JsonTest {
    /// The condition. It is not true where the value is NULL, except that of [`Self::Ne`].
    pub fn condition(&self, column: &Column, backend: DbBackend) -> Expr {
        match self {
            Self::Ne(value) => complement(Condition::all().add(Self::Eq(value.clone()).condition(column, backend))),
            test if backend == DbBackend::Sqlite => test.of_text(column),
            test => test.of_jsonb(column),
        }
    }

    fn of_jsonb(&self, column: &Column) -> Expr {
        let value = column.expr().cast_as("jsonb");
        match self {
            Self::Eq(json) | Self::Ne(json) => value.eq(Value::from(json.clone())),
            Self::Contains(json) => value.binary(BinOper::PgOperator(PgBinOper::Contains), Expr::value(json.clone())),
            // Of a list, the operator would find an item.
            Self::HasKey(key) => {
                let is_object = Func::cust("jsonb_typeof").arg(value.clone()).eq("object");
                is_object.and(value.binary(BinOper::Custom("?"), Expr::value(key.as_str())))
            }
        }
    }

    fn of_text(&self, column: &Column) -> Expr {
        let mut values = Vec::new();
        let condition = match self {
            Self::Eq(json) | Self::Ne(json) => matches(0, json, false, &mut values),
            Self::Contains(json) => {
                let same = matches(0, json, true, &mut values);
                if json.is_array() || json.is_object() {
                    same
                } else {
                    // As an exception, a list has such a value itself.
                    let item = matches(0, &Json::Array(vec![json.clone()]), true, &mut values);
                    format!("({same} OR {item})")
                }
            }
            Self::HasKey(key) => {
                values.push(key.as_str().into());
                "CASE j0.type WHEN 'object' THEN EXISTS (SELECT 1 FROM json_each(j0.value) WHERE key = ?) END"
                    .to_owned()
            }
        };
        // What is no JSON has no rows.
        let exprs = [column.expr(), column.expr()].into_iter().chain(values.into_iter().map(Expr::value));
        let root = "json_each(CASE WHEN json_valid(?) THEN json_array(json(?)) END)";
        Expr::cust_with_exprs(format!("EXISTS (SELECT 1 FROM {root} AS j0 WHERE {condition})"), exprs)
    }
}

/// Whether a row `j0` of `json_each` is one of these values. The values are parameters.
pub(super) fn is_among(all: &[Value], values: &mut Vec<Value>) -> String {
    let is = |value: &Value| match value {
        Value::Json(Some(json)) => matches(0, json, false, values),
        _ => "FALSE".to_owned(),
    };
    either(&all.iter().map(is).collect::<Vec<_>>())
}

/// Whether the row `j{level}` of `json_each` is this value; or, where it is a part, has it: a list has its items, an object its members.
fn matches(level: usize, json: &Json, is_part: bool, values: &mut Vec<Value>) -> String {
    let (row, inner) = (format!("j{level}"), format!("j{}", level + 1));
    let within = |at: String, item: &Json, values: &mut Vec<Value>| {
        let item = matches(level + 1, item, is_part, values);
        format!("EXISTS (SELECT 1 FROM json_each({row}.value) AS {inner} WHERE {at}{item})")
    };
    let has_size = |size| {
        let size = format!("(SELECT COUNT(*) FROM json_each({row}.value)) = {size}");
        Some(size).filter(|_| !is_part)
    };
    let (of_type, all): (_, Vec<String>) = match json {
        Json::Null => ("null", Vec::new()),
        Json::Bool(true) => ("true", Vec::new()),
        Json::Bool(false) => ("false", Vec::new()),
        Json::Number(number) => {
            values.push(number.as_i64().map_or_else(|| number.as_f64().into(), Value::from));
            return format!("({row}.type IN ('integer', 'real') AND {row}.value = ?)");
        }
        Json::String(text) => {
            values.push(text.as_str().into());
            ("text", vec![format!("{row}.value = ?")])
        }
        Json::Array(items) => {
            let at = |place| if is_part { String::new() } else { format!("{inner}.key = {place} AND ") };
            let each = items.iter().enumerate().map(|(place, item)| within(at(place), item, values));
            ("array", has_size(items.len()).into_iter().chain(each).collect())
        }
        Json::Object(members) => {
            let each = members.iter().map(|(key, item)| {
                values.push(key.as_str().into());
                within(format!("{inner}.key = ? AND "), item, values)
            });
            ("object", has_size(members.len()).into_iter().chain(each).collect())
        }
    };
    // `json_each` fails for a value that is neither a list nor an object: only `CASE` keeps the order.
    format!("CASE {row}.type WHEN '{of_type}' THEN {} END", both(&all))
}

/// All of these conditions.
fn both(conditions: &[String]) -> String {
    joined(conditions, "AND", "TRUE")
}

/// Any of these conditions.
fn either(conditions: &[String]) -> String {
    joined(conditions, "OR", "FALSE")
}

/// The conditions as a tree that is not deep: SQLite bounds its depth.
fn joined(conditions: &[String], operator: &str, none: &str) -> String {
    match conditions {
        [] => none.to_owned(),
        [one] => one.clone(),
        _ => {
            let (one, other) = conditions.split_at(conditions.len() / 2);
            format!("({} {operator} {})", joined(one, operator, none), joined(other, operator, none))
        }
    }
}
