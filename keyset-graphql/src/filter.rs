//! Inputs for the conditions on the objects of a list.
//!
//! A filter is true or false for every object: `not`, `ne` and `notIn` match exactly the objects that the condition
//! without them does not match. An object without a value is not equal to 5. (In SQL it is neither equal nor unequal.)

use std::borrow::Cow;

use async_graphql::registry::Registry;
use async_graphql::{InputObjectType, InputType, InputValueResult, Value};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, EntityTrait, QueryFilter, Select};

mod bounds;
mod comparison;
mod id;
mod row_estimate;
mod scope;
mod text;
mod whole;

pub use bounds::{MAX_CONDITIONS, MAX_LEVELS, RELATION};
pub use comparison::{Comparison, NullableComparison};
pub use id::IdFilter;
pub use row_estimate::RowEstimate;
pub use scope::Scope;
pub use text::TextFilter;
pub use whole::{Conditions, Where};

use crate::{Result, input};

/// `and`, `or` and `not`: flatten it into a filter. `F` is that filter.
#[derive(Clone, Debug)]
pub struct Logic<F> {
    and: Option<Vec<F>>,
    or: Option<Vec<F>>,
    not: Option<Box<F>>,
}

impl<F> Logic<F> {
    /// The filters that it combines.
    pub fn filters(&self) -> impl Iterator<Item = &F> {
        let Self { and, or, not } = self;
        and.iter().flatten().chain(or.iter().flatten()).chain(not.as_deref())
    }
}

impl<F: InputType> InputType for Logic<F> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        format!("{}Logic", F::type_name()).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        input::register::<Self>(registry, "A combination of filters.", |fields| {
            fields
                .field::<Option<Vec<F>>>("and", "Matches if all of these match. An empty list matches everything.")
                .field::<Option<Vec<F>>>("or", "Matches if any of these matches. An empty list matches nothing.")
                .field::<Option<Box<F>>>("not", "Matches if this filter does not match.");
        })
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let fields = input::object(value)?;
        Ok(Self {
            and: input::read(&fields, "and")?,
            or: input::read(&fields, "or")?,
            not: input::read(&fields, "not")?,
        })
    }

    fn to_value(&self) -> Value {
        input::value([("and", self.and.to_value()), ("or", self.or.to_value()), ("not", self.not.to_value())])
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<F: InputType> InputObjectType for Logic<F> {}

/// The filter of a list: all given conditions must hold.
pub trait Filter: InputType {
    /// The filters that this one combines.
    fn logic(&self) -> &Logic<Self>;

    /// The rows that fulfil its own conditions.
    ///
    /// # Errors
    ///
    /// As [`condition`](Self::condition).
    fn fields(&self, scope: &mut Scope) -> Result<Condition>;

    /// The rows that match.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](crate::error::code::FILTER_TOO_LARGE), [`ID_INVALID`](crate::error::code::ID_INVALID) and
    /// [`BAD_USER_INPUT`](crate::error::code::BAD_USER_INPUT).
    fn condition(&self, scope: &mut Scope) -> Result<Condition> {
        scope.descend()?;
        let mut all = Condition::all().add(self.fields(scope)?);
        let Logic { and, or, not } = self.logic();
        for filter in and.iter().flatten() {
            all = all.add(filter.condition(scope)?);
        }
        if let Some(filters) = or {
            all = all.add(any(filters, scope)?);
        }
        if let Some(filter) = not {
            let (condition, estimate, _) = scope.apart(|scope| filter.condition(scope))?;
            scope.narrow(estimate.negated());
            all = all.add(complement(condition));
        }
        scope.ascend();
        Ok(all)
    }
}

/// The rows that match any of these filters.
fn any<F: Filter>(filters: &[F], scope: &mut Scope) -> Result<Condition> {
    let (mut any, mut estimate, mut ranges) = (Condition::any(), RowEstimate::NOTHING, None);
    for (number, filter) in filters.iter().enumerate() {
        let (condition, of_filter, in_ranges) = scope.apart(|scope| filter.condition(scope))?;
        any = any.add(holds(condition));
        estimate = estimate.or(of_filter);
        ranges = if number == 0 { in_ranges } else { ranges.zip(in_ranges).and_then(|(all, these)| all.or(these)) };
    }
    if filters.is_empty() {
        scope.narrow(estimate);
        return Ok(Condition::all().add(never()));
    }
    // A database seeks few alternatives only. Where all of them lie in ranges of one key, it seeks these.
    let Some(ranges) = ranges else {
        scope.either(estimate);
        return Ok(any);
    };
    scope.narrow(estimate);
    let found = scope.within(&ranges);
    scope.confine(ranges);
    Ok(found.add(any))
}

/// The argument `where`: a filter.
// Boxed, because it is large and moved often.
#[derive(Clone, Debug)]
pub struct Matching<F>(pub Option<Box<F>>);

impl<F> Matching<F> {
    /// The filter, if there is one.
    pub fn filter(&self) -> Option<&F> {
        self.0.as_deref()
    }
}

/// The rows that match a filter; all of them without one.
///
/// # Errors
///
/// As [`Filter::condition`].
pub fn matching<E, F>(rows: Select<E>, filter: &Matching<F>, scope: &mut Scope) -> Result<Select<E>>
where
    E: EntityTrait,
    F: Filter,
{
    match filter.filter() {
        None => Ok(rows),
        Some(filter) => Ok(rows.filter(filter.condition(scope)?)),
    }
}

/// The conjunction of the conditions that are given.
///
/// # Errors
///
/// The first error among them.
pub fn all(given: impl IntoIterator<Item = Option<Result<Condition>>>) -> Result<Condition> {
    given.into_iter().flatten().try_fold(Condition::all(), |all, condition| Ok(all.add(condition?)))
}

/// The rows for which a condition does not hold, including those for which SQL says "unknown".
fn complement(condition: Condition) -> Expr {
    if condition.is_empty() {
        return never();
    }
    Expr::from(condition).is_not(Expr::custom_keyword("TRUE"))
}

/// A condition as part of an `OR`, where an empty one must not vanish.
fn holds(condition: Condition) -> Condition {
    if condition.is_empty() { Condition::all().add(Expr::cust("TRUE")) } else { condition }
}

/// No row.
pub fn never() -> Expr {
    Expr::cust("FALSE")
}
