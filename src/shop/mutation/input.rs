//! Inputs of mutations, checked as a whole.

use async_graphql::{Context, ID};
use uuid::Uuid;

use super::write::Write;
use crate::request::{Error, Result};
use crate::shop::node_type::{NodeId, NodeType};

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

    /// The primary key that a global id names.
    pub fn key(&mut self, field: &'static str, id: &ID, node_type: NodeType) -> Option<Uuid> {
        self.check(field, NodeId::parse_as(id, node_type).map(|id| id.key))
    }
}

impl From<Problems> for Vec<Error> {
    fn from(problems: Problems) -> Self {
        problems.0
    }
}
