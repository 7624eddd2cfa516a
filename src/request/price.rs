//! The price of a request, computed from its document and variables before anything is read.
//!
//! Every field costs 1, and a list costs its size times the cost of a selected object. A field that needs a statement
//! costs 50 more, once: at any depth, that statement serves all objects. A field that counts or looks around costs what
//! it may read. A mutation costs 200, and a subscription costs what one of its events costs. Each field declares its
//! [`Cost`] where it is defined. Introspection costs what it returns (`introspection`).
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
mod cost;
mod declared;
mod filter;
mod walk;

pub use declared::{Prices, Tables};
use filter::{Filter, MAX_VALUES};
use walk::Pricing;

/// The price of a request: the maxima of the operations of its document.
#[derive(Clone, Debug, Default)]
pub struct Price {
    pub cost: usize,
    /// The depth, in fields.
    pub depth: usize,
    /// The maximum number of statements.
    pub statements: usize,
    /// What all filters cost together.
    filters: usize,
    /// The filter that costs most.
    widest: Option<Filter>,
    /// Whether the filters have more values than are priced.
    has_too_many_values: bool,
    /// Whether another request with the same document can have another price: it depends on variables, or on the statistics
    /// of the database.
    pub varies: bool,
}

/// The price of a request.
pub fn price(document: &ExecutableDocument, variables: &Variables, prices: &Prices, limits: Limits) -> Price {
    let mut pricing = Pricing::new(document, variables, prices, limits);
    let mut price = Price::default();
    for (_, operation) in document.operations.iter() {
        let cost = pricing.price(&operation.node.selection_set.node);
        price.cost = price.cost.max(cost.once.saturating_add(cost.each));
        price.filters = price.filters.max(cost.filters);
        price.depth = price.depth.max(cost.depth);
        price.statements = price.statements.max(cost.statements);
    }
    let (widest, varies) = (pricing.widest, pricing.varies);
    Price { widest, has_too_many_values: pricing.values > MAX_VALUES, varies, ..price }
}

impl Price {
    /// The depth alone.
    pub fn without_cost(self) -> Self {
        Self { cost: 0, ..self }
    }

    /// Refuses a request that costs too much or is too deep.
    ///
    /// # Errors
    ///
    /// [`Code::TooComplex`] and [`Code::TooDeep`], with the cost, the limit and the setting.
    pub fn check(&self, limits: Limits) -> Result<()> {
        if self.has_too_many_values {
            let message = "the filters of a request have at most 100,000 conditions and values";
            return Err(Error::client(Code::TooComplex, message));
        }
        let (Self { cost, depth, widest, .. }, Limits { max_complexity, max_depth, .. }) = (self, limits);
        let (cost, depth) = (*cost, *depth);
        if cost > max_complexity {
            let remedy = match widest {
                // Without filters, the request would fit.
                Some(filter) if cost - self.filters.min(cost) <= max_complexity => filter.to_string(),
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
