//! The objects that are related to a row, for conditions on them.

use super::RelatedObjects;
use crate::declare::declaration::Declaration;
use crate::declare::nested::NestedList;
use crate::declare::relation::{Related, Relation};

impl RelatedObjects {
    /// Whether it depends on the viewer which of them there are.
    pub fn is_ruled(&self) -> bool {
        self.can_hide || self.with.is_some()
    }

    /// The object of a relation.
    pub fn of(relation: &Relation, related: &Related) -> Self {
        let Relation { is_back: are_back, can_hide, .. } = *relation;
        Self { object: related.index, on: relation.on(), are_many: false, are_back, can_hide, with: None }
    }
}

impl Declaration {
    /// The objects of a list of each object.
    pub(crate) fn listed(&self, list: &NestedList) -> RelatedObjects {
        let on = list.key.iter().cloned().zip(list.columns.iter().cloned()).collect();
        let can_hide = self.object(list.of.index).has_rule();
        RelatedObjects {
            object: list.of.index,
            on,
            are_many: true,
            are_back: true,
            can_hide,
            with: self.node_of(list).map(Box::new),
        }
    }

    /// What the objects of a many-to-many list must refer to, if a rule can hide it: the row of a junction does not show without
    /// its node.
    pub(crate) fn node_of(&self, list: &NestedList) -> Option<RelatedObjects> {
        let (junction, through) = (self.object(list.of.index), list.through.as_ref()?);
        let relation = junction.relation_of(junction.field(&through.field)?)?;
        let related = relation.object.as_ref().filter(|_| relation.can_hide)?;
        Some(RelatedObjects::of(relation, related))
    }
}
