//! The arguments that a cost depends on.

use async_graphql::parser::types::Field;
use async_graphql::{Value, Variables};
use async_graphql_value::{Number, Value as Written};

use crate::config::Limits;

/// The part of an argument that a cost depends on.
pub enum Given {
    Number(Number),
    /// A list of this length.
    List(usize),
    Other,
}

impl Given {
    /// Whether an argument is a variable: then what is given differs from request to request.
    pub fn varies(field: &Field, name: &str) -> bool {
        field.get_argument(name).is_some_and(|value| matches!(value.node, Written::Variable(_)))
    }

    /// An argument, its variable resolved at the top level.
    pub fn of(field: &Field, name: &str, variables: &Variables) -> Option<Self> {
        Some(match &field.get_argument(name)?.node {
            Written::Variable(name) => match variables.get(name)? {
                Value::Number(number) => Self::Number(number.clone()),
                Value::List(items) => Self::List(items.len()),
                _ => Self::Other,
            },
            Written::Number(number) => Self::Number(number.clone()),
            Written::List(items) => Self::List(items.len()),
            _ => Self::Other,
        })
    }
}

/// The number in an argument; 0 for one that is negative or has a fraction.
pub fn number(field: &Field, name: &str, variables: &Variables) -> Option<usize> {
    match Given::of(field, name, variables)? {
        Given::Number(number) => Some(number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)),
        Given::List(_) | Given::Other => None,
    }
}

/// The size of a page, which has a default, clamped: a page that is too large is refused for its size, not for its cost.
pub fn size(field: &Field, variables: &Variables, default: u32) -> usize {
    let asked = number(field, "first", variables).or_else(|| number(field, "last", variables));
    let default = usize::try_from(default).unwrap_or(usize::MAX);
    asked.unwrap_or(default).min(Limits::MAX_OBJECTS)
}

/// The number of statements that read a page: after an offset, its key is looked up first.
pub fn page_statements(field: &Field, variables: &Variables) -> usize {
    1 + usize::from(number(field, "offset", variables).is_some_and(|offset| offset > 0))
}

/// Whether a page stands around an object: then rows are read on both sides of it.
pub fn is_around(field: &Field, variables: &Variables) -> bool {
    let given = field.get_argument("around").map(|value| &value.node);
    match given {
        None | Some(Written::Null) => false,
        Some(Written::Variable(name)) => variables.get(name).is_some_and(|value| *value != Value::Null),
        Some(_) => true,
    }
}
