//! The cost of a request, computed from its document and variables before anything is read.
//!
//! Every field costs 1, and a list costs its size times the cost of a selected object. A field that needs a statement
//! costs 50 more, once: at any depth, that statement serves all objects. A field that counts or looks around costs what
//! it may read. A mutation costs 200, and a subscription costs what one of its events costs. Each field of a type
//! declares its [`Cost`] where it is defined. Introspection costs what it returns (`introspection`). Up to the whole of the
//! schema, the maximum does not hold for it.
//!
//! The filter of a list costs 1 for every 200 rows that it may read, in each statement over the list: a part of the table
//! if an index serves it, otherwise all of it, and for each row those of related objects. The [`Statistics`] of the
//! database say how many that is. A filter with more than eight conditions and values costs an eighth of that for each.
//!
//! A fragment costs at each place where it is spread, and is walked once. A field with a long response key costs several times:
//! the key is written for each object.

use async_graphql::Variables;
use async_graphql::parser::types::ExecutableDocument;

use super::code::Code;
use super::error::{Error, Result};
use crate::config::Limits;

mod arguments;
mod declared;
mod filter;
mod selection;
#[cfg(test)]
mod tests;
mod walk;

pub use declared::{DeclaredCosts, Tables};
use filter::{Filter, MAX_VALUES};
use walk::CostWalk;

/// The cost of a request: the maxima of the operations of its document.
#[derive(Clone, Debug, Default)]
pub struct RequestCost {
    pub total: usize,
    /// The depth, in fields.
    pub depth: usize,
    /// The maximum number of statements.
    pub statements: usize,
    /// What the maximum holds for.
    bounded: usize,
    /// What all filters cost together.
    filters: usize,
    /// The filter that costs most.
    widest: Option<Filter>,
    /// Whether the filters have more values than are counted.
    has_too_many_values: bool,
    /// Whether another request with the same document can have another cost: it depends on variables, or on the statistics
    /// of the database.
    pub varies: bool,
}

/// The cost of a request.
pub fn compute(
    document: &ExecutableDocument,
    variables: &Variables,
    declared: &DeclaredCosts,
    limits: Limits,
) -> RequestCost {
    let mut walk = CostWalk::new(document, variables, declared, limits);
    let mut request = RequestCost::default();
    for (_, operation) in document.operations.iter() {
        let cost = walk.cost(&operation.node);
        let total = cost.once.saturating_add(cost.each);
        let introspection =
            Some(cost.introspection).filter(|cost| *cost > 0 && *cost <= declared.introspection.whole());
        request.total = request.total.max(total);
        request.bounded = request.bounded.max(total - introspection.unwrap_or(0));
        request.filters = request.filters.max(cost.filters);
        request.depth = request.depth.max(cost.depth);
        request.statements = request.statements.max(cost.statements);
    }
    let (widest, varies) = (walk.widest, walk.varies);
    RequestCost { widest, has_too_many_values: walk.values > MAX_VALUES, varies, ..request }
}

impl RequestCost {
    /// The depth alone.
    pub fn only_depth(self) -> Self {
        Self { total: 0, bounded: 0, ..self }
    }

    /// Refuses a request that costs too much or is too deep.
    ///
    /// # Errors
    ///
    /// [`Code::TooComplex`] and [`Code::TooDeep`], with the cost, the limit and the setting.
    pub fn check(&self, limits: Limits) -> Result<()> {
        if self.has_too_many_values {
            let message = "the filters of the request must have at most 100,000 conditions and values";
            return Err(Error::client(Code::TooComplex, message));
        }
        let (Self { total: cost, bounded, depth, widest, .. }, Limits { max_complexity, max_depth, .. }) =
            (self, limits);
        let (cost, depth) = (*cost, *depth);
        if *bounded > max_complexity {
            let remedy = match widest {
                // Without filters, the request would fit.
                Some(filter) if bounded.saturating_sub(self.filters) <= max_complexity => filter.to_string(),
                _ => "request smaller pages or fewer fields".to_owned(),
            };
            let message = format!(
                "the request costs {cost}, above the maximum of {max_complexity} (the setting MAX_COMPLEXITY): {remedy}"
            );
            return Err(Error::client(Code::TooComplex, message));
        }
        if depth > max_depth {
            let message =
                format!("the request is {depth} levels deep, above the maximum of {max_depth} (the setting MAX_DEPTH)");
            return Err(Error::client(Code::TooDeep, message));
        }
        Ok(())
    }
}
