//! Inputs for the conditions on the objects of a list.
//!
//! A filter is true or false for every object: `not`, `ne` and `notIn` match exactly the objects that the condition
//! without them does not match. An object without a value is not equal to 5. (In SQL it is neither equal nor unequal.)

use std::borrow::Cow;

use async_graphql::registry::Registry;
use async_graphql::{InputObjectType, InputType, InputValueResult, Value};
use keyset::ReadRows;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, DbBackend, EntityTrait, QueryFilter, Select};

mod comparison;
mod id;
mod text;
mod whole;

pub use comparison::{Comparison, NullableComparison};
pub use id::IdFilter;
pub use text::TextFilter;
pub use whole::{Conditions, Where};

use crate::error::code;
use crate::{Error, Matching, Result, input};

/// The maximum of conditions, and of values that they compare with, in the filter of a list.
pub const MAX_CONDITIONS: usize = 500;
/// The number of conditions that a condition on a related object counts for: it is a sub-query per object.
pub const RELATION: usize = 50;
/// The maximum depth of nested filters.
pub const MAX_LEVELS: usize = 10;

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
        input::register::<Self>(registry, "Combines filters.", |fields| {
            fields
                .field::<Option<Vec<F>>>("and", "Matches if all of these match; an empty list matches everything.")
                .field::<Option<Vec<F>>>("or", "Matches if any of these matches; an empty list matches nothing.")
                .field::<Option<Box<F>>>("not", "Matches if this does not match.");
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
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE), [`ID_INVALID`](code::ID_INVALID) and
    /// [`BAD_USER_INPUT`](code::BAD_USER_INPUT).
    fn condition(&self, scope: &mut Scope) -> Result<Condition> {
        scope.descend()?;
        let mut all = Condition::all().add(self.fields(scope)?);
        let Logic { and, or, not } = self.logic();
        for filter in and.iter().flatten() {
            all = all.add(filter.condition(scope)?);
        }
        if let Some(filters) = or {
            let mut any = Condition::any().add(never());
            for filter in filters {
                any = any.add(holds(filter.condition(scope)?));
            }
            all = all.add(any);
        }
        if let Some(filter) = not {
            all = all.add(complement(filter.condition(scope)?));
        }
        scope.ascend();
        Ok(all)
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

/// The database that filters are written for, and the size of the filter so far.
#[derive(Debug)]
pub struct Scope {
    /// The database.
    pub backend: DbBackend,
    conditions: usize,
    level: usize,
}

impl Scope {
    /// An empty filter for this database.
    pub fn new(db: &impl ReadRows) -> Self {
        Self { backend: db.backend(), conditions: 0, level: 0 }
    }

    /// Counts conditions.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE) above [`MAX_CONDITIONS`].
    pub fn count(&mut self, conditions: usize) -> Result<()> {
        self.conditions += conditions;
        if self.conditions > MAX_CONDITIONS {
            let message = format!(
                "a filter has at most {MAX_CONDITIONS} conditions and values; a condition on a related object counts \
                 as {RELATION}"
            );
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    fn descend(&mut self) -> Result<()> {
        self.level += 1;
        // An empty filter takes space in the statement too.
        self.count(1)?;
        if self.level > MAX_LEVELS {
            let message = format!("filters are nested at most {MAX_LEVELS} levels deep");
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    fn ascend(&mut self) {
        self.level -= 1;
    }
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
