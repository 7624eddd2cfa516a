//! What a request may cost: counted on its text, before anything is validated or read.
//!
//! Every field costs 1, and a list its size times what is selected of its objects. A field that needs a statement costs
//! 50 more, once: at whatever depth it stands, that statement is for all objects; and one that counts or looks around
//! costs what it may read. A mutation costs 200, and a subscription what one of its events does.
//!
//! Fragments are counted where they are spread, and each is walked through once. Sixty that each name the next one
//! twice are a line for who sends them, and for whoever walks through them, as the library's validation does, a life's
//! work. It walks through everything, be it executed or not, and in part again from each level: so there is a bound to
//! all that is written.

use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Name, Value, Variables};
use async_graphql_value::{Number, Value as Written};

use super::code::Code;
use super::count;
use super::error::{Error, Result};
use super::page_cursors::REACH;
use crate::config::Limits;

/// What a statement costs.
const STATEMENT: usize = 50;
/// What a transaction costs.
const WRITE: usize = 200;
/// What an exact count costs: nobody knows how many rows it reads.
const COUNT: usize = 1000;

/// The most selections, those of a fragment at each place where it is spread: more than the complexity of any sane
/// request.
const MOST_SELECTIONS: usize = 5_000;

/// Refuses a request that costs too much, or is too deep.
///
/// # Errors
///
/// [`Code::TooComplex`] and [`Code::TooDeep`], with the cost, the limit, and the setting.
pub fn check(document: &ExecutableDocument, variables: &Variables, limits: Limits) -> Result<()> {
    let Limits { max_complexity, max_depth, .. } = limits;
    let mut walk = Walk { document, variables, known: HashMap::new() };
    let mut selections = 0_usize;
    for (_, operation) in document.operations.iter() {
        let cost = walk.set(&operation.node.selection_set.node, 0).ok_or_else(too_many_levels)?;
        selections = selections.saturating_add(cost.selections);
        let total = cost.once.saturating_add(cost.each);
        if total > max_complexity {
            let message = format!(
                "the request costs {total}, and at most {max_complexity} is allowed (the setting MAX_COMPLEXITY): ask for \
                 smaller pages or fewer fields"
            );
            return Err(Error::client(Code::TooComplex, message));
        }
        if cost.depth > max_depth {
            let message = format!(
                "the request is {} levels deep, and at most {max_depth} are allowed (the setting MAX_DEPTH)",
                cost.depth
            );
            return Err(Error::client(Code::TooDeep, message));
        }
    }
    for (name, fragment) in &document.fragments {
        if !walk.known.contains_key(name) {
            let cost = walk.set(&fragment.node.selection_set.node, 0).ok_or_else(too_many_levels)?;
            selections = selections.saturating_add(cost.selections);
        }
    }
    if selections > MOST_SELECTIONS {
        let message = format!(
            "the request has {selections} fields and fragments, those of a fragment wherever it is spread, and at most \
             {MOST_SELECTIONS} are allowed"
        );
        return Err(Error::client(Code::TooComplex, message));
    }
    Ok(())
}

fn too_many_levels() -> Error {
    let message = format!("the fields and fragments of a request are at most {} levels deep", Limits::DEEPEST);
    Error::client(Code::TooDeep, message)
}

/// What a selection costs.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Once, for all objects that it is selected of.
    once: usize,
    /// For each of these objects.
    each: usize,
    /// The levels of fields.
    depth: usize,
    /// The fields and fragments.
    selections: usize,
}

impl Cost {
    fn and(self, other: Self) -> Self {
        Self {
            once: self.once.saturating_add(other.once),
            each: self.each.saturating_add(other.each),
            depth: self.depth.max(other.depth),
            selections: self.selections.saturating_add(other.selections),
        }
    }
}

struct Walk<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    /// The fragments that have been walked through.
    known: HashMap<&'a Name, Cost>,
}

impl<'a> Walk<'a> {
    /// What these selections cost; none where they are too deep, or a fragment contains itself.
    fn set(&mut self, set: &'a SelectionSet, level: usize) -> Option<Cost> {
        let level = (level < Limits::DEEPEST).then_some(level + 1)?;
        set.items.iter().try_fold(Cost::default(), |cost, item| {
            // A fragment is something to walk through, even where nothing is in it.
            let fragment = Cost { each: 1, selections: 1, ..Cost::default() };
            Some(cost.and(match &item.node {
                Selection::Field(field) => self.field(&field.node, level)?,
                Selection::InlineFragment(inline) => fragment.and(self.set(&inline.node.selection_set.node, level)?),
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    match (self.known.get(name), self.document.fragments.get(name)) {
                        (Some(cost), _) => fragment.and(*cost),
                        // Validation will say that there is none.
                        (None, None) => fragment,
                        (None, Some(found)) => {
                            let cost = self.set(&found.node.selection_set.node, level)?;
                            self.known.insert(name, cost);
                            fragment.and(cost)
                        }
                    }
                }
            }))
        })
    }

    /// What a field costs, which its name says: no two fields of a name differ in what they read.
    fn field(&mut self, field: &'a Field, level: usize) -> Option<Cost> {
        let Cost { once, each, depth, selections } = self.set(&field.selection_set.node, level)?;
        let (more, size) = match field.name.node.as_str() {
            "books" | "ratings" | "orders" => (STATEMENT, self.size(field)),
            "nodes" => match self.argument(field, "ids") {
                Some(Given::List(ids)) => (3 * STATEMENT, ids),
                // A value is a list of one.
                Some(_) => (3 * STATEMENT, 1),
                // Those of a connection, which counts them.
                None => (0, 1),
            },
            "previousEdgeCursor"
            | "previousEdgeCursorOfBook"
            | "node"
            | "book"
            | "averageRating"
            | "ratingCount"
            | "totalRevenue"
            | "orderCount" => (STATEMENT, 1),
            "totalCount" => (COUNT, 1),
            "approximateCount" => {
                (STATEMENT + self.number(field, "upTo").unwrap_or(count::DEFAULT.unsigned_abs() as usize) / 10, 1)
            }
            // Pages of keys: those to either side, and the last one.
            "pageCursors" => (STATEMENT + (2 * REACH as usize + 1) * self.size(field), 1),
            // A mutation: nothing else has an input.
            _ if field.get_argument("input").is_some() => (WRITE, 1),
            _ => (0, 1),
        };
        let each = each.max(usize::from(size > 1)).saturating_mul(size.max(1)).saturating_add(1);
        let selections = selections.saturating_add(1);
        Some(Cost { once: once.saturating_add(more), each, depth: depth + 1, selections })
    }

    /// The size of a page. One that is refused for its size should not be refused for its cost.
    fn size(&self, field: &Field) -> usize {
        let asked = self.number(field, "first").or_else(|| self.number(field, "last"));
        let default = usize::try_from(keyset::Limits::default().default).unwrap_or(usize::MAX);
        asked.unwrap_or(default).min(Limits::LARGEST_PAGE)
    }

    fn number(&self, field: &Field, name: &str) -> Option<usize> {
        match self.argument(field, name)? {
            Given::Number(number) => Some(number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)),
            Given::List(_) | Given::Other => None,
        }
    }

    /// An argument, with its variable in it. Whatever it holds is not walked through.
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

/// What matters of an argument.
enum Given {
    Number(Number),
    /// A list, and how long it is.
    List(usize),
    Other,
}
