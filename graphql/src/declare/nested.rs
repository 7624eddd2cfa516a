//! Lists of the objects that refer to one: directly, or through a junction.

use keyset::{Column, Kept};

use super::declaration::Declaration;
use super::field::{Field, FieldKind};
use super::object::ObjectType;
use super::relation::Related;

/// A list of each object: of those that refer to it.
#[derive(Clone, Debug)]
pub(crate) struct NestedList {
    /// The listed objects; of a many-to-many list, those of the junction.
    pub of: Related,
    /// The columns of this object that they refer to; its primary key if none are given.
    pub key: Vec<Column>,
    /// The columns that refer to them.
    pub columns: Vec<Column>,
    /// Where the number of its objects is kept.
    pub kept: Option<Box<Kept>>,
    pub through: Option<Through>,
}

/// What makes a list many-to-many: its nodes are those that the objects of the junction refer to.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    /// What the names of its connection and its edge begin with.
    pub name: String,
    /// The field of the junction with the node.
    pub field: String,
}

impl NestedList {
    /// The list of the objects of this name whose columns refer to the primary key.
    pub fn new(of: &str, columns: Vec<Column>) -> Self {
        Self { of: Related::named(of), key: Vec::new(), columns, kept: None, through: None }
    }

    /// The fields of the junction that are on the edges: those of its row that do not refer to an end.
    pub fn edge_fields<'o>(&self, junction: &'o ObjectType) -> impl Iterator<Item = &'o Field> {
        let of_node = self.through.as_ref().and_then(|through| junction.field(&through.field));
        let of_node = of_node.and_then(|field| junction.relation_of(field)).map(|relation| relation.from.clone());
        let ends: Vec<Column> = self.columns.iter().cloned().chain(of_node.into_iter().flatten()).collect();
        junction.fields.iter().filter(|field| !field.is_hidden).filter(move |field| match &field.kind {
            FieldKind::Column(column) => !ends.contains(column) && !matches!(field.name.as_str(), "node" | "cursor"),
            FieldKind::CreatedAt(_) | FieldKind::Computed(_) => true,
            _ => false,
        })
    }
}

impl Declaration {
    /// The junction of a many-to-many list, and the object of its nodes.
    pub(crate) fn junction(&self, list: &NestedList, through: &Through) -> (&ObjectType, &ObjectType) {
        let junction = self.object(list.of.index);
        let node = junction.field(&through.field).and_then(|field| junction.relation_of(field));
        let node = node.and_then(|relation| relation.object.as_ref());
        (junction, node.map_or(junction, |related| self.object(related.index)))
    }
}
