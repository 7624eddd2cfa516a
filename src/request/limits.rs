//! The price of a request, computed from its document and variables before anything is read.
//!
//! Every field costs 1, and a list costs its size times the cost of a selected object. A field that needs a statement
//! costs 50 more, once: at any depth, that statement serves all objects. A field that counts or looks around costs what
//! it may read. A mutation costs 200, and a subscription costs what one of its events costs. Each field declares its
//! [`Cost`] where it is defined.
//!
//! A fragment costs at each place where it is spread, and is walked once.

use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Field, SelectionSet};
use async_graphql::{Name, Positioned, Value, Variables};
use async_graphql_value::{Number, Value as Written};
use keyset_graphql::Cost as Declared;

use super::code::Code;
use super::error::{Error, Result};
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

/// The price of a statement.
const STATEMENT: usize = 50;
/// The price of a write transaction.
const WRITE: usize = 200;
/// The price of an exact count: the number of rows is unknown.
const COUNT: usize = 1000;

/// The declared prices of a schema, by the names of fields.
#[derive(Clone, Debug)]
pub struct Prices(HashMap<&'static str, Declared>);

impl Prices {
    /// Collects the declarations of the types of a schema.
    ///
    /// # Panics
    ///
    /// Panics if two fields of one name declare different prices.
    pub fn new(declared: impl IntoIterator<Item = Vec<(&'static str, Declared)>>) -> Self {
        let mut prices = HashMap::new();
        for (field, cost) in declared.into_iter().flatten() {
            let earlier = prices.insert(field, cost);
            assert!(earlier.is_none_or(|earlier| earlier == cost), "`{field}` declares two prices");
        }
        Self(prices)
    }
}

/// Refuses a request that costs too much or is too deep. Returns the maximum number of statements that one of its
/// operations runs.
///
/// # Errors
///
/// [`Code::TooComplex`] and [`Code::TooDeep`], with the cost, the limit and the setting.
pub fn check(document: &ExecutableDocument, variables: &Variables, prices: &Prices, limits: Limits) -> Result<usize> {
    let Limits { max_complexity, max_depth, .. } = limits;
    let mut pricing = Pricing { variables, prices, level: 0, open: Vec::new(), known: HashMap::new() };
    let mut statements = 0;
    for (_, operation) in document.operations.iter() {
        let cost = pricing.price(document, &operation.node.selection_set.node);
        statements = statements.max(cost.statements);
        let total = cost.once.saturating_add(cost.each);
        if total > max_complexity {
            let message = format!(
                "the request costs {total}, above the maximum of {max_complexity} (the setting MAX_COMPLEXITY): request \
                 smaller pages or fewer fields"
            );
            return Err(Error::client(Code::TooComplex, message));
        }
        if cost.depth > max_depth {
            let message = format!(
                "the request is {} levels deep, above the maximum of {max_depth} (the setting MAX_DEPTH)",
                cost.depth
            );
            return Err(Error::client(Code::TooDeep, message));
        }
    }
    Ok(statements)
}

/// The price of a selection.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Once, for all objects.
    once: usize,
    /// For each object.
    each: usize,
    /// The depth, in fields.
    depth: usize,
    /// The maximum number of statements.
    statements: usize,
}

impl Cost {
    fn and(self, other: Self) -> Self {
        Self {
            once: self.once.saturating_add(other.once),
            each: self.each.saturating_add(other.each),
            depth: self.depth.max(other.depth),
            statements: self.statements.saturating_add(other.statements),
        }
    }
}

struct Pricing<'a> {
    variables: &'a Variables,
    prices: &'a Prices,
    /// The number of fields that the walk is in.
    level: usize,
    /// The prices so far of the selections that the walk is in, the innermost last.
    open: Vec<Cost>,
    /// The prices of the fragments that were walked.
    known: HashMap<&'a Name, Cost>,
}

/// The price of a fragment, beside its contents: the library walks also an empty one.
const FRAGMENT: Cost = Cost { once: 0, each: 1, depth: 0, statements: 0 };

impl<'a> Visitor<'a> for Pricing<'a> {
    fn enter_field(&mut self, _: &'a Positioned<Field>) {
        self.open.push(Cost::default());
        self.level += 1;
    }

    fn leave_field(&mut self, field: &'a Positioned<Field>) {
        self.level -= 1;
        let selected = self.close();
        self.add(self.field(&field.node, selected));
    }

    fn enter_fragment(&mut self, fragment: Fragment<'a>) -> bool {
        if let Some(known) = fragment.name.and_then(|name| self.known.get(name).copied()) {
            self.add(FRAGMENT.and(known));
            return false;
        }
        self.open.push(Cost::default());
        true
    }

    fn leave_fragment(&mut self, fragment: Fragment<'a>) {
        let cost = self.close();
        if let Some(name) = fragment.name {
            self.known.insert(name, cost);
        }
        self.add(FRAGMENT.and(cost));
    }
}

impl<'a> Pricing<'a> {
    fn price(&mut self, document: &'a ExecutableDocument, set: &'a SelectionSet) -> Cost {
        self.open.push(Cost::default());
        // Deeper selections have been refused already.
        let _ = walk(document, set, Limits::MAX_LEVELS + 1, self);
        self.close()
    }

    fn close(&mut self) -> Cost {
        self.open.pop().unwrap_or_default()
    }

    fn add(&mut self, cost: Cost) {
        if let Some(open) = self.open.last_mut() {
            *open = open.and(cost);
        }
    }

    /// The price of a field with these selections.
    fn field(&self, field: &Field, Cost { once, each, depth, statements }: Cost) -> Cost {
        let declared = self.prices.0.get(field.name.node.as_str());
        let (more, size) = match declared {
            None => (0, 1),
            Some(Declared::Statement | Declared::Lookup) => (STATEMENT, 1),
            Some(Declared::List) => (STATEMENT, self.size(field)),
            Some(Declared::Keys { argument, types }) => match self.argument(field, argument) {
                Some(Given::List(keys)) => (types * STATEMENT, keys),
                // A single value is a list of one.
                Some(_) => (types * STATEMENT, 1),
                // A field of the same name without the argument.
                None => (0, 1),
            },
            Some(Declared::Count) => (COUNT, 1),
            Some(Declared::CountUpTo { default }) => {
                (STATEMENT + self.number(field, "upTo").unwrap_or(*default as usize) / 10, 1)
            }
            // Keys of the pages on either side, and of the last page.
            Some(Declared::PageCursors { pages }) => (STATEMENT + (2 * *pages as usize + 1) * self.size(field), 1),
            Some(Declared::Write) => (WRITE, 1),
        };
        let each = each.max(usize::from(size > 1)).saturating_mul(size.max(1)).saturating_add(1);
        let reads = match declared {
            Some(Declared::Lookup) => usize::from(self.level == 0),
            Some(Declared::Keys { types, .. }) if more > 0 => *types,
            Some(Declared::Keys { .. } | Declared::Write) | None => 0,
            // Beyond the bound the planner is asked too.
            Some(Declared::CountUpTo { .. }) => 2,
            Some(Declared::Statement | Declared::List | Declared::Count | Declared::PageCursors { .. }) => 1,
        };
        Cost { once: once.saturating_add(more), each, depth: depth + 1, statements: statements.saturating_add(reads) }
    }

    /// The size of a page, clamped: a page that is too large is refused for its size, not for its cost.
    fn size(&self, field: &Field) -> usize {
        let asked = self.number(field, "first").or_else(|| self.number(field, "last"));
        let default = usize::try_from(keyset::Limits::default().default).unwrap_or(usize::MAX);
        asked.unwrap_or(default).min(Limits::MAX_OBJECTS)
    }

    fn number(&self, field: &Field, name: &str) -> Option<usize> {
        match self.argument(field, name)? {
            Given::Number(number) => Some(number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)),
            Given::List(_) | Given::Other => None,
        }
    }

    /// An argument, its variable resolved at the top level.
    fn argument(&self, field: &Field, name: &str) -> Option<Given> {
        Some(match &field.get_argument(name)?.node {
            Written::Variable(name) => match self.variables.get(name)? {
                Value::Number(number) => Given::Number(number.clone()),
                Value::List(items) => Given::List(items.len()),
                _ => Given::Other,
            },
            Written::Number(number) => Given::Number(number.clone()),
            Written::List(items) => Given::List(items.len()),
            _ => Given::Other,
        })
    }
}

/// The part of an argument that a price depends on.
enum Given {
    Number(Number),
    /// A list of this length.
    List(usize),
    Other,
}
