//! Conditions on the value of a field. A null operator is an absent one.

use std::borrow::Cow;
use std::slice::from_ref;

use async_graphql::registry::Registry;
use async_graphql::{InputObjectType, InputType, InputValueResult, Value as Input};
use chrono::TimeDelta;
use keyset::KeyRanges;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, Value};

use super::{Scope, complement};
use crate::{DateTime, Result, input};

/// Conditions on a value of a scalar `T`: all given ones must hold. `IntFilter` for `i32`, and `BigIntFilter` for
/// [`BigInt`](crate::BigInt), which compares columns of 64 bits.
#[derive(Clone, Debug)]
pub struct Comparison<T> {
    eq: Option<T>,
    ne: Option<T>,
    one_of: Option<Vec<T>>,
    not_in: Option<Vec<T>>,
    lt: Option<T>,
    lte: Option<T>,
    gt: Option<T>,
    gte: Option<T>,
}

/// Conditions on a value that can be missing: `NullableFloatFilter` for `f64`.
#[derive(Clone, Debug)]
pub struct NullableComparison<T> {
    comparison: Comparison<T>,
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
    /// All values that it compares with.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        let Self { eq, ne, one_of, not_in, lt, lte, gt, gte } = self;
        let lists = [one_of, not_in].into_iter().flatten().flatten();
        [eq, ne, lt, lte, gt, gte].into_iter().flatten().chain(lists)
    }

    fn condition(&self, scope: &mut Scope, rows: impl Fn(Test<'_, T>, &Scope) -> Condition) -> Result<Condition> {
        let (eq, ne) = (self.eq.as_ref(), self.ne.as_ref());
        let (one_of, none_of) = (self.one_of.as_deref(), self.not_in.as_deref());
        let mut all = among([eq.map(from_ref), one_of], [ne.map(from_ref), none_of], scope, |values, scope| {
            Ok(rows(Test::In(values), scope))
        })?;
        let tests = [
            self.lt.as_ref().map(Test::Lt),
            self.lte.as_ref().map(Test::Lte),
            self.gt.as_ref().map(Test::Gt),
            self.gte.as_ref().map(Test::Gte),
        ];
        for test in tests.into_iter().flatten() {
            scope.count(1)?;
            all = all.add(rows(test, scope));
        }
        Ok(all)
    }

    /// Says what an index on the column finds.
    fn narrow(&self, column: &impl ColumnTrait, scope: &mut Scope) {
        if self.eq.is_some() {
            scope.equals(column, 1);
        }
        if let Some(values) = &self.one_of {
            scope.equals(column, values.len());
        }
        if [&self.lt, &self.lte, &self.gt, &self.gte].into_iter().any(Option::is_some) {
            scope.bounds(column);
        }
    }

    /// The rows whose column matches.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](crate::error::code::FILTER_TOO_LARGE).
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition>
    where
        T: Clone + Into<Value>,
    {
        self.narrow(&column, scope);
        self.condition(scope, |test, _| {
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
    /// The rows whose UUIDv7 key was created at a matching time.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](crate::error::code::FILTER_TOO_LARGE).
    pub fn on_key(&self, key: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
        self.narrow(&key, scope);
        let ranges = |instants: &[DateTime]| {
            KeyRanges::new(key, instants.iter().map(|DateTime(instant)| keyset::created_at(*instant)))
        };
        for instants in [self.eq.as_ref().map(from_ref), self.one_of.as_deref()].into_iter().flatten() {
            scope.confine(ranges(instants));
        }
        // Keys hold whole milliseconds, and a `DateTime` resolves nanoseconds.
        let step = TimeDelta::nanoseconds(1);
        let until = |instant| Condition::all().add(keyset::as_of(key, instant));
        let since = |instant| Condition::all().add(keyset::since(key, instant));
        self.condition(scope, |test, scope| match test {
            Test::In(instants) => scope.within(&ranges(instants)),
            Test::Lt(DateTime(than)) => until(*than - step),
            Test::Lte(DateTime(than)) => until(*than),
            Test::Gt(DateTime(than)) => since(*than + step),
            Test::Gte(DateTime(than)) => since(*than),
        })
    }
}

impl<T: InputType> NullableComparison<T> {
    /// The rows whose column matches.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](crate::error::code::FILTER_TOO_LARGE).
    pub fn on(&self, column: impl ColumnTrait, scope: &mut Scope) -> Result<Condition>
    where
        T: Clone + Into<Value>,
    {
        scope.count(usize::from(self.is_null.is_some()))?;
        let missing = |is_null| -> Expr { if is_null { column.is_null() } else { column.is_not_null() } };
        Ok(self.comparison.on(column, scope)?.add_option(self.is_null.map(missing)))
    }
}

/// The rows whose value is in each of the first lists and in none of the others.
pub fn among<T>(
    one_of: [Option<&[T]>; 2],
    none_of: [Option<&[T]>; 2],
    scope: &mut Scope,
    rows: impl Fn(&[T], &Scope) -> Result<Condition>,
) -> Result<Condition> {
    let mut all = Condition::all();
    for values in one_of.into_iter().flatten() {
        scope.count(values.len())?;
        all = all.add(rows(values, scope)?);
    }
    for values in none_of.into_iter().flatten() {
        scope.count(values.len())?;
        all = all.add(complement(rows(values, scope)?));
    }
    Ok(all)
}

impl<T: InputType> InputType for Comparison<T> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        match &*T::type_name() {
            // `StringFilter` is a `TextFilter`, which has more conditions.
            "String" => "StringComparison".into(),
            name => format!("{name}Filter").into(),
        }
    }

    fn create_type_info(registry: &mut Registry) -> String {
        register_all_widths::<Self, T>(registry);
        input::register::<Self>(
            registry,
            "Conditions on a value. All given conditions must match. A null condition is ignored.",
            |fields| {
                fields
                    .field::<Option<T>>("eq", "Equal to this value.")
                    .field::<Option<T>>("ne", "Not equal to this value.")
                    .field::<Option<Vec<T>>>("in", "Equal to one of these values. An empty list matches nothing.")
                    .field::<Option<Vec<T>>>(
                        "notIn",
                        "Equal to none of these values. An empty list matches everything.",
                    )
                    .field::<Option<T>>("lt", "Less than this value.")
                    .field::<Option<T>>("lte", "Less than or equal to this value.")
                    .field::<Option<T>>("gt", "Greater than this value.")
                    .field::<Option<T>>("gte", "Greater than or equal to this value.");
            },
        )
    }

    fn parse(value: Option<Input>) -> InputValueResult<Self> {
        let fields = input::object(value)?;
        Ok(Self {
            eq: input::read(&fields, "eq")?,
            ne: input::read(&fields, "ne")?,
            one_of: input::read(&fields, "in")?,
            not_in: input::read(&fields, "notIn")?,
            lt: input::read(&fields, "lt")?,
            lte: input::read(&fields, "lte")?,
            gt: input::read(&fields, "gt")?,
            gte: input::read(&fields, "gte")?,
        })
    }

    fn to_value(&self) -> Input {
        input::value([
            ("eq", self.eq.to_value()),
            ("ne", self.ne.to_value()),
            ("in", self.one_of.to_value()),
            ("notIn", self.not_in.to_value()),
            ("lt", self.lt.to_value()),
            ("lte", self.lte.to_value()),
            ("gt", self.gt.to_value()),
            ("gte", self.gte.to_value()),
        ])
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<T: InputType> InputObjectType for Comparison<T> {}

/// Lets numbers of several widths share the input type of their scalar.
///
/// # Panics
///
/// Panics for integers that `Int` does not hold.
fn register_all_widths<C: InputType, T: InputType>(registry: &mut Registry) {
    let width = std::any::type_name::<T>();
    let is_wide = ["i64", "isize", "u32", "u64", "usize"].contains(&width);
    assert!(!is_wide, "expected a comparison of `BigInt`: `Int` does not hold every `{width}`");
    if ["Int", "Float"].contains(&&*T::type_name()) {
        registry.ignore_name_conflicts.insert(C::type_name().into_owned());
    }
}

const NULLABLE: &str =
    "Conditions on a number that can be null. All given conditions must match. A null condition is ignored. Null is neither less nor greater than any
number, and equal to none: only `ne`, `notIn` and `isNull` match it.";

impl<T: InputType> InputType for NullableComparison<T> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        format!("Nullable{}Filter", T::type_name()).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        register_all_widths::<Self, T>(registry);
        input::register::<Self>(registry, NULLABLE, |fields| {
            fields
                .flatten::<Comparison<T>>()
                .field::<Option<bool>>("isNull", "Is null if true, and is not null if false.");
        })
    }

    fn parse(value: Option<Input>) -> InputValueResult<Self> {
        let fields = input::object(value)?;
        let comparison = Comparison::parse(Some(Input::Object(fields.clone())));
        Ok(Self {
            comparison: comparison.map_err(async_graphql::InputValueError::propagate)?,
            is_null: input::read(&fields, "isNull")?,
        })
    }

    fn to_value(&self) -> Input {
        let mut value = self.comparison.to_value();
        if let Input::Object(fields) = &mut value {
            fields.insert(async_graphql::Name::new("isNull"), self.is_null.to_value());
        }
        value
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<T: InputType> InputObjectType for NullableComparison<T> {}
