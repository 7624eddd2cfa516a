//! Conditions on the value of a field. An operator that is null is one that is not given.

use std::slice::from_ref;

use async_graphql::{InputObject, InputType};
use chrono::TimeDelta;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, Value};

use super::{Scope, complement, never};
use crate::graphql::date_time::DateTime;
use crate::graphql::decimal::Decimal;
use crate::graphql::error::Result;

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
    /// Equal to one of these; an empty list matches nothing.
    r#in: Option<Vec<T>>,
    /// Equal to none of these; an empty list matches everything.
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

/// Conditions on a number that can be missing: all that are given must hold. A missing one is neither less nor greater
/// than any, and equal to none.
#[derive(Clone, Debug, Default, InputObject)]
pub struct NullableFloatFilter {
    #[graphql(flatten)]
    comparison: Comparison<f64>,
    /// Whether it is missing.
    is_null: Option<bool>,
}

/// Conditions on a number that can be missing: all that are given must hold. A missing one is neither less nor greater
/// than any, and equal to none.
#[derive(Clone, Debug, Default, InputObject)]
pub struct NullableDecimalFilter {
    #[graphql(flatten)]
    comparison: Comparison<Decimal>,
    /// Whether it is missing.
    is_null: Option<bool>,
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
    /// All that is compared with.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        let Self { eq, ne, r#in, not_in, lt, lte, gt, gte } = self;
        let lists = [r#in, not_in].into_iter().flatten().flatten();
        [eq, ne, lt, lte, gt, gte].into_iter().flatten().chain(lists)
    }

    fn condition(&self, scope: &mut Scope, rows: impl Fn(Test<'_, T>) -> Condition) -> Result<Condition> {
        let (eq, ne) = (self.eq.as_ref(), self.ne.as_ref());
        let (one_of, none_of) = (self.r#in.as_deref(), self.not_in.as_deref());
        let mut all =
            among([eq.map(from_ref), one_of], [ne.map(from_ref), none_of], scope, |values| Ok(rows(Test::In(values))))?;
        let tests = [
            self.lt.as_ref().map(Test::Lt),
            self.lte.as_ref().map(Test::Lte),
            self.gt.as_ref().map(Test::Gt),
            self.gte.as_ref().map(Test::Gte),
        ];
        for test in tests.into_iter().flatten() {
            scope.count(1)?;
            all = all.add(rows(test));
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

/// The rows whose value is one of each of these lists, and none of those.
pub fn among<T>(
    one_of: [Option<&[T]>; 2],
    none_of: [Option<&[T]>; 2],
    scope: &mut Scope,
    rows: impl Fn(&[T]) -> Result<Condition>,
) -> Result<Condition> {
    let mut all = Condition::all();
    for values in one_of.into_iter().flatten() {
        scope.count(values.len())?;
        all = all.add(rows(values)?);
    }
    for values in none_of.into_iter().flatten() {
        scope.count(values.len())?;
        all = all.add(complement(rows(values)?));
    }
    Ok(all)
}
