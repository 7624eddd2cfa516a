//! Conditions on a global id.

use std::slice::from_ref;

use async_graphql::{ID, InputObject};
use sea_orm::{ColumnTrait, Condition};

use super::Scope;
use super::comparison::among;
use crate::{GlobalId, Nodes, Result};

/// Conditions on a global id. All given conditions must match. A null condition is ignored.
#[derive(Clone, Debug, Default, InputObject)]
pub struct IdFilter {
    /// Equal to this id.
    eq: Option<ID>,
    /// Not equal to this id.
    ne: Option<ID>,
    /// Equal to one of these ids. An empty list matches nothing.
    r#in: Option<Vec<ID>>,
    /// Equal to none of these ids. An empty list matches everything.
    not_in: Option<Vec<ID>>,
}

impl IdFilter {
    /// The rows whose key matches: the key of an object of this type. It takes the ids that `node` takes for this type.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](crate::error::code::ID_INVALID) for a malformed id, and for the id of another type.
    /// [`FILTER_TOO_LARGE`](crate::error::code::FILTER_TOO_LARGE) for too many ids.
    pub fn on<N: Nodes>(&self, key: impl ColumnTrait, node_type: N, scope: &mut Scope) -> Result<Condition> {
        let (eq, ne) = (self.eq.as_ref().map(from_ref), self.ne.as_ref().map(from_ref));
        for ids in [eq, self.r#in.as_deref()].into_iter().flatten() {
            scope.equals(&key, ids.len());
        }
        among([eq, self.r#in.as_deref()], [ne, self.not_in.as_deref()], scope, |ids, _| {
            let key_of = |id| Ok(GlobalId::<N, N::Key>::parse_as(id, node_type)?.key);
            let keys = ids.iter().map(key_of).collect::<Result<Vec<N::Key>>>()?;
            Ok(Condition::all().add(key.is_in(keys)))
        })
    }
}
