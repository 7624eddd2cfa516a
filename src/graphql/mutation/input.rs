//! Inputs: all that is wrong with one is said at once.

use async_graphql::{Context, ID};
use uuid::Uuid;

use super::write::Write;
use crate::graphql::error::{Error, Result};
use crate::graphql::node::{NodeId, NodeType};

/// The input of a mutation.
pub trait Input {
    /// What it asks for.
    type Write: Write;

    /// What it asks for; none where something is wrong with it, which is noted.
    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<Self::Write>;
}

/// What is wrong with an input.
#[derive(Debug, Default)]
pub struct Problems(Vec<Error>);

impl Problems {
    /// The value of a field; none where it is wrong, which is noted.
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
