//! Inputs of mutations, checked as a whole.

use async_graphql::Context;

use super::write::Write;
use crate::request::{Error, Result};

/// The input of a mutation.
pub trait Input {
    /// The write that it asks for.
    type Write: Write;

    /// The text to return in the payload.
    fn client_mutation_id(&self) -> Option<String>;

    /// The write, or `None` after adding every problem.
    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<Self::Write>;
}

/// The problems of an input.
#[derive(Debug, Default)]
pub struct Problems(Vec<Error>);

impl Problems {
    /// The value of a field, or `None` after adding its problem.
    pub fn check<T>(&mut self, field: &'static str, value: Result<T>) -> Option<T> {
        value.map_err(|error| self.0.push(error.of_field(field))).ok()
    }
}

impl From<Problems> for Vec<Error> {
    fn from(problems: Problems) -> Self {
        problems.0
    }
}
