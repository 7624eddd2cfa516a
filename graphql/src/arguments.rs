//! The arguments of a field that no macro parses.

use async_graphql::parser::types::Field;
use async_graphql::{InputType, Name, Value, Variables};
use async_graphql_value::Value as Written;
use keyset::Args;

use crate::error::code;
use crate::plan::variables::{constant, has_variable};
use crate::scalar::refused;
use crate::{Error, Result};

/// The arguments as the document has them.
pub(crate) struct Given(Vec<(Name, Written)>);

impl Given {
    pub fn of(field: &Field) -> Self {
        Self(field.arguments.iter().map(|(name, value)| (name.node.clone(), value.node.clone())).collect())
    }

    /// Whether no variable decides an argument with such a name.
    pub fn are_fixed(&self, names: impl Fn(&str) -> bool) -> bool {
        !self.0.iter().any(|(name, value)| names(name) && has_variable(value))
    }

    pub fn bind<'a>(&'a self, variables: &'a Variables) -> Arguments<'a> {
        Arguments { given: self, variables }
    }
}

/// The arguments of a field, with the variables of a request.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    given: &'a Given,
    variables: &'a Variables,
}

impl Arguments<'_> {
    /// The value of an argument.
    ///
    /// # Errors
    ///
    /// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) if it does not have this type.
    pub fn get<T: InputType>(&self, name: &str) -> Result<T> {
        let given = self.given.0.iter().find(|(given, _)| given == name);
        let value = given.and_then(|(_, value)| constant(value, self.variables));
        let wrong =
            |error: Error| Error::client(code::BAD_USER_INPUT, format!("the argument `{name}`: {}", error.message()));
        T::parse(value).map_err(refused).map_err(wrong)
    }

    /// The value of an argument, with its variables; `None` for an absent one and for null.
    pub fn value(&self, name: &str) -> Option<Value> {
        let given = self.given.0.iter().find(|(given, _)| given == name);
        given.and_then(|(_, value)| constant(value, self.variables)).filter(|value| *value != Value::Null)
    }

    /// Whether no other argument than these has a value, or only null.
    pub(crate) fn are_among(&self, names: &[&str]) -> bool {
        !self.given.0.iter().any(|(name, value)| !names.contains(&name.as_str()) && self.is_value(value))
    }

    /// Whether one of these arguments has a value other than null.
    pub(crate) fn have_any(&self, names: &[&str]) -> bool {
        self.given.0.iter().any(|(name, value)| names.contains(&name.as_str()) && self.is_value(value))
    }

    fn is_value(&self, value: &Written) -> bool {
        constant(value, self.variables).is_some_and(|value| value != Value::Null)
    }

    /// The arguments of a page.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn page(&self) -> Result<Args> {
        Ok(Args {
            first: self.get::<Option<i32>>("first")?.map(Into::into),
            after: self.get("after")?,
            last: self.get::<Option<i32>>("last")?.map(Into::into),
            before: self.get("before")?,
            offset: self.get::<Option<i32>>("offset")?.map(Into::into),
        })
    }
}

/// The number of values in a value with its variables, counted up to a bound.
pub(crate) fn size(value: &Written, variables: &Variables, bound: usize) -> usize {
    fn of_value(value: &Value, bound: usize) -> usize {
        match value {
            Value::List(items) => sum(items, bound, of_value),
            Value::Object(fields) => sum(fields.values(), bound, of_value),
            _ => 1,
        }
    }

    match value {
        Written::Variable(name) => variables.get(name).map_or(0, |value| of_value(value, bound)),
        Written::List(items) => sum(items, bound, |item, bound| size(item, variables, bound)),
        Written::Object(fields) => sum(fields.values(), bound, |field, bound| size(field, variables, bound)),
        _ => 1,
    }
}

fn sum<T>(parts: impl IntoIterator<Item = T>, bound: usize, size: impl Fn(T, usize) -> usize) -> usize {
    let mut sum = 1;
    for part in parts {
        if sum >= bound {
            break;
        }
        sum += size(part, bound - sum);
    }
    sum
}
