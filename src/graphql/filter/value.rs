//! Conditions on the value of a field. An operator that is null is one that is not given.

use async_graphql::{ID, InputObject, InputType};
use chrono::TimeDelta;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{ColumnTrait, Condition, DbBackend, Value};
use uuid::Uuid;

use super::{Scope, complement, never};
use crate::graphql::date_time::DateTime;
use crate::graphql::decimal::Decimal;
use crate::graphql::error::{Code, Error, Result};
use crate::graphql::node::{NodeId, NodeType};

/// Conditions on a value: all that are given must hold.
#[derive(Clone, Debug, Default, InputObject)]
#[graphql(
    concrete(name = "IntFilter", params(i32)),
    concrete(name = "FloatFilter", params(f64)),
    concrete(name = "DecimalFilter", params(Decimal)),
    concrete(name = "DateTimeFilter", params(DateTime)),
    concrete(name = "StringComparison", params(String))
)]
pub struct Comparison<T: InputType> {
    /// Equal to this.
    eq: Option<T>,
    /// Not equal to this.
    ne: Option<T>,
    /// Equal to one of these; of an empty list there is none.
    r#in: Option<Vec<T>>,
    /// Equal to none of these.
    not_in: Option<Vec<T>>,
    /// Less than this.
    lt: Option<T>,
    /// Less than this, or equal.
    lte: Option<T>,
    /// Greater than this.
    gt: Option<T>,
    /// Greater than this, or equal.
    gte: Option<T>,
}

/// Conditions on a number that can be missing: all that are given must hold. A missing one is neither less nor greater than
/// any, and equal to none.
#[derive(Clone, Debug, Default, InputObject)]
pub struct NullableFloatFilter {
    #[graphql(flatten)]
    comparison: Comparison<f64>,
    /// Whether it is missing.
    is_null: Option<bool>,
}

/// Conditions on a number that can be missing: all that are given must hold. A missing one is neither less nor greater than
/// any, and equal to none.
#[derive(Clone, Debug, Default, InputObject)]
pub struct NullableDecimalFilter {
    #[graphql(flatten)]
    comparison: Comparison<Decimal>,
    /// Whether it is missing.
    is_null: Option<bool>,
}

/// Conditions on a text: all that are given must hold. Case and diacritics matter; texts are compared by code point.
#[derive(Clone, Debug, Default, InputObject)]
#[graphql(name = "StringFilter")]
pub struct TextFilter {
    #[graphql(flatten)]
    comparison: Comparison<String>,
    /// Begins with this.
    starts_with: Option<String>,
    /// Has this in it.
    contains: Option<String>,
}

/// Conditions on a global id: all that are given must hold.
#[derive(Clone, Debug, Default, InputObject)]
pub struct IdFilter {
    /// Equal to this.
    eq: Option<ID>,
    /// Not equal to this.
    ne: Option<ID>,
    /// Equal to one of these; of an empty list there is none.
    r#in: Option<Vec<ID>>,
    /// Equal to none of these.
    not_in: Option<Vec<ID>>,
}

/// One comparison with a value.
enum Test<'a, T> {
    In(&'a [T]),
    Lt(&'a T),
    Lte(&'a T),
    Gt(&'a T),
    Gte(&'a T),
}

impl<T: InputType> Comparison<T> {
    fn condition(&self, scope: &mut Scope, rows: impl Fn(Test<'_, T>) -> Condition) -> Result<Condition> {
        let tests = [
            one(self.eq.as_ref()).map(Test::In),
            self.r#in.as_deref().map(Test::In),
            self.lt.as_ref().map(Test::Lt),
            self.lte.as_ref().map(Test::Lte),
            self.gt.as_ref().map(Test::Gt),
            self.gte.as_ref().map(Test::Gte),
        ];
        let mut all = Condition::all();
        for test in tests.into_iter().flatten() {
            scope.count(if let Test::In(values) = &test { values.len() } else { 1 })?;
            all = all.add(rows(test));
        }
        for values in [one(self.ne.as_ref()), self.not_in.as_deref()].into_iter().flatten() {
            scope.count(values.len())?;
            all = all.add(complement(rows(Test::In(values))));
        }
        Ok(all)
    }

    /// The rows whose column passes.
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition>
    where
        T: Clone + Into<Value>,
    {
        self.condition(scope, |test| {
            let value = |value: &T| -> Value { value.clone().into() };
            Condition::all().add(match test {
                Test::In([one]) => column.eq(value(one)),
                Test::In(values) => column.is_in(values.iter().map(value)),
                Test::Lt(than) => column.lt(value(than)),
                Test::Lte(than) => column.lte(value(than)),
                Test::Gt(than) => column.gt(value(than)),
                Test::Gte(than) => column.gte(value(than)),
            })
        })
    }
}

impl Comparison<DateTime> {
    /// The rows whose key was made then.
    pub fn on_key(&self, key: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        // Keys hold whole milliseconds, and no instant is closer to another than this.
        let step = TimeDelta::nanoseconds(1);
        let until = |instant| keyset::as_of(key, instant);
        let since = |instant| keyset::since(key, instant);
        let at = |DateTime(instant): &DateTime| Condition::all().add(since(*instant)).add(until(*instant));
        self.condition(scope, |test| match test {
            Test::In(instants) => {
                instants.iter().fold(Condition::any().add(never()), |any, instant| any.add(at(instant)))
            }
            Test::Lt(DateTime(than)) => Condition::all().add(until(*than - step)),
            Test::Lte(DateTime(than)) => Condition::all().add(until(*than)),
            Test::Gt(DateTime(than)) => Condition::all().add(since(*than + step)),
            Test::Gte(DateTime(than)) => Condition::all().add(since(*than)),
        })
    }
}

impl NullableFloatFilter {
    /// The rows whose column passes.
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        Ok(self.comparison.on(column, scope)?.add_option(missing(self.is_null, column)))
    }
}

impl NullableDecimalFilter {
    /// The rows whose column passes.
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        Ok(self.comparison.on(column, scope)?.add_option(missing(self.is_null, column)))
    }
}

fn missing(is_null: Option<bool>, column: impl ColumnTrait) -> Option<Expr> {
    is_null.map(|is_null| if is_null { column.is_null() } else { column.is_not_null() })
}

impl TextFilter {
    /// The rows whose column passes. An index on the column finds those that begin with a text.
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        let Comparison { eq, ne, r#in, not_in, lt, lte, gt, gte } = &self.comparison;
        let ones = [eq, ne, lt, lte, gt, gte, &self.starts_with, &self.contains].into_iter().flatten();
        let lists = [r#in, not_in].into_iter().flatten().flatten();
        if ones.chain(lists).any(|text| text.contains('\0')) {
            return Err(Error::client(Code::BadUserInput, "a text holds no NUL character"));
        }
        let mut all = self.comparison.on(column, scope)?;
        if let Some(prefix) = self.starts_with.as_deref().filter(|prefix| !prefix.is_empty()) {
            scope.count(1)?;
            all = all.add(column.gte(prefix)).add_option(successor(prefix).map(|end| column.lt(end)));
        }
        if let Some(part) = &self.contains {
            scope.count(1)?;
            let place = if scope.backend == DbBackend::Sqlite { "instr" } else { "strpos" };
            all = all.add(Func::cust(place).arg(column.into_expr()).arg(part).gt(0));
        }
        Ok(all)
    }
}

/// The first text that is greater than all that begin with this one, by code point; none where there is none.
fn successor(prefix: &str) -> Option<String> {
    let mut text: Vec<char> = prefix.chars().collect();
    while let Some(last) = text.pop() {
        // The range of characters steps over what is none.
        if let Some(next) = (last..=char::MAX).nth(1) {
            text.push(next);
            return Some(text.into_iter().collect());
        }
    }
    None
}

impl IdFilter {
    /// The rows whose key passes, which is that of an object of this type.
    pub fn on(&self, key: impl ColumnTrait, node_type: NodeType, scope: &mut Scope) -> Result<Condition> {
        let mut one_of = |ids: &[ID]| -> Result<Condition> {
            scope.count(ids.len())?;
            let keys = ids.iter().map(|id| Ok(NodeId::parse_as(id, node_type)?.key)).collect::<Result<Vec<Uuid>>>()?;
            Ok(Condition::all().add(key.is_in(keys)))
        };
        let mut all = Condition::all();
        for ids in [one(self.eq.as_ref()), self.r#in.as_deref()].into_iter().flatten() {
            all = all.add(one_of(ids)?);
        }
        for ids in [one(self.ne.as_ref()), self.not_in.as_deref()].into_iter().flatten() {
            all = all.add(complement(one_of(ids)?));
        }
        Ok(all)
    }
}

/// A value as a list of one.
fn one<T>(value: Option<&T>) -> Option<&[T]> {
    value.map(std::slice::from_ref)
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(successor("ab").as_deref(), Some("ac"));
        assert_eq!(successor("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(successor("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(successor("\u{10ffff}"), None);
    }
}
