//! Which objects of a list: conditions on their fields, combined at will.
//!
//! A filter says of each object yes or no, and `not`, `ne` and `notIn` find exactly the objects that the condition
//! without them does not: an object without a value is not equal to 5. (In SQL it would be neither equal nor unequal.)

use async_graphql::{InputObject, InputType};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, ConnectionTrait, DbBackend};

mod comparison;
mod id;
mod text;

pub use comparison::{Comparison, NullableDecimalFilter, NullableFloatFilter};
pub use id::IdFilter;
pub use text::TextFilter;

use super::book::BookFilter;
use super::code::Code;
use super::error::{Error, Result};
use super::order::OrderFilter;
use super::rating::RatingFilter;

/// The most conditions, and values that they compare with, that a list's filter may have.
const MOST_CONDITIONS: usize = 500;
/// As how many of them a condition on a related object counts, which is looked up for each object of the list.
pub const RELATION: usize = 50;
/// The most filters that may stand in each other.
const MOST_LEVELS: usize = 10;

/// What combines filters of a kind.
#[derive(Clone, Debug, InputObject)]
#[graphql(
    concrete(name = "BookLogic", params(BookFilter)),
    concrete(name = "RatingLogic", params(RatingFilter)),
    concrete(name = "OrderLogic", params(OrderFilter))
)]
pub struct Logic<F: InputType> {
    /// Matches if all of these match; an empty list matches everything.
    and: Option<Vec<F>>,
    /// Matches if any of these matches; an empty list matches nothing.
    or: Option<Vec<F>>,
    /// Matches if this does not match.
    not: Option<Box<F>>,
}

impl<F: InputType> Logic<F> {
    /// The filters that it combines.
    pub fn filters(&self) -> impl Iterator<Item = &F> {
        let Self { and, or, not } = self;
        and.iter().flatten().chain(or.iter().flatten()).chain(not.as_deref())
    }
}

/// The filter of a list: all conditions that are given must hold.
pub trait Filter: InputType {
    /// The filters in this one.
    fn logic(&self) -> &Logic<Self>;

    /// The rows that fulfil its own conditions.
    fn fields(&self, scope: &mut Scope) -> Result<Condition>;

    /// The rows that pass.
    ///
    /// # Errors
    ///
    /// [`Code::FilterTooLarge`], [`Code::IdInvalid`] and [`Code::BadUserInput`].
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

/// The conditions that are given, of which all must hold.
pub fn all(given: impl IntoIterator<Item = Option<Result<Condition>>>) -> Result<Condition> {
    given.into_iter().flatten().try_fold(Condition::all(), |all, condition| Ok(all.add(condition?)))
}

/// What filters are written for, and how much of them there has been.
#[derive(Debug)]
pub struct Scope {
    pub backend: DbBackend,
    conditions: usize,
    level: usize,
}

impl Scope {
    pub fn new(db: &impl ConnectionTrait) -> Self {
        Self { backend: db.get_database_backend(), conditions: 0, level: 0 }
    }

    /// Counts conditions.
    pub fn count(&mut self, conditions: usize) -> Result<()> {
        self.conditions += conditions;
        if self.conditions > MOST_CONDITIONS {
            let message = format!(
                "a filter has at most {MOST_CONDITIONS} conditions and values; one on a related object counts as {RELATION}"
            );
            return Err(Error::client(Code::FilterTooLarge, message));
        }
        Ok(())
    }

    fn descend(&mut self) -> Result<()> {
        self.level += 1;
        // An empty filter, too, is something to write down.
        self.count(1)?;
        if self.level > MOST_LEVELS {
            let message = format!("at most {MOST_LEVELS} filters stand in each other");
            return Err(Error::client(Code::FilterTooLarge, message));
        }
        Ok(())
    }

    fn ascend(&mut self) {
        self.level -= 1;
    }
}

/// The rows for which a condition does not hold: those for which it is unknown among them.
fn complement(condition: Condition) -> Expr {
    if condition.is_empty() {
        return never();
    }
    Expr::from(condition).is_not(Expr::custom_keyword("TRUE"))
}

/// A condition as a part of an alternative, where one that demands nothing must not vanish.
fn holds(condition: Condition) -> Condition {
    if condition.is_empty() { Condition::all().add(Expr::cust("TRUE")) } else { condition }
}

/// No row.
pub fn never() -> Expr {
    Expr::cust("FALSE")
}
