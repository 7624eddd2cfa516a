//! Conditions on a global id.

use async_graphql::{ID, InputObject};
use sea_orm::{ColumnTrait, Condition};
use uuid::Uuid;

use super::comparison::one;
use super::{Scope, complement};
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
        let mut one_of = |ids: &[ID]| -> Result<Condition> {
            scope.count(ids.len())?;
            let keys = ids.iter().map(|id| Ok(NodeId::parse_as(id, node_type)?.key)).collect::<Result<Vec<Uuid>>>()?;
            Ok(Condition::all().add(key.is_in(keys)))
        };
        let mut all = Condition::all();
        for ids in [one(self.eq.as_ref()), self.r#in.as_deref()].into_iter().flatten() {
            all = all.add(one_of(ids)?);
        }
        for ids in [one(self.ne.as_ref()), self.not_in.as_deref()].into_iter().flatten() {
            all = all.add(complement(one_of(ids)?));
        }
        Ok(all)
    }
}
