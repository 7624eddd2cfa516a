//! Conditions on a global id.

use std::slice::from_ref;

use async_graphql::{ID, InputObject};
use sea_orm::{ColumnTrait, Condition};
use uuid::Uuid;

use super::Scope;
use super::comparison::among;
use crate::graphql::error::Result;
use crate::graphql::node::{NodeId, NodeType};

/// Conditions on a global id: all that are given must hold.
#[derive(Clone, Debug, Default, InputObject)]
pub struct IdFilter {
    /// Equal to this.
    eq: Option<ID>,
    /// Not equal to this.
    ne: Option<ID>,
    /// Equal to one of these; an empty list matches nothing.
    r#in: Option<Vec<ID>>,
    /// Equal to none of these; an empty list matches everything.
    not_in: Option<Vec<ID>>,
}

impl IdFilter {
    /// The rows whose key passes, which is that of an object of this type.
    pub fn on(&self, key: impl ColumnTrait, node_type: NodeType, scope: &mut Scope) -> Result<Condition> {
        let (eq, ne) = (self.eq.as_ref().map(from_ref), self.ne.as_ref().map(from_ref));
        among([eq, self.r#in.as_deref()], [ne, self.not_in.as_deref()], scope, |ids| {
            let keys = ids.iter().map(|id| Ok(NodeId::parse_as(id, node_type)?.key)).collect::<Result<Vec<Uuid>>>()?;
            Ok(Condition::all().add(key.is_in(keys)))
        })
    }
}
