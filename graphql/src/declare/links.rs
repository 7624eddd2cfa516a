//! What a declaration says of its objects: their lists, and the relations between them.

use keyset::Column;

use super::declaration::Declaration;
use super::field::FieldKind;
use super::object::ObjectType;
use super::root::RootKind;

/// A relation of objects: many refer to one.
#[derive(Clone, Debug)]
pub struct Link<'a> {
    /// Those that refer.
    pub from: &'a ObjectType,
    /// The column that refers.
    pub column: &'a Column,
    /// The field with the one.
    pub field: String,
    /// The one.
    pub to: &'a ObjectType,
    /// Its field with the list of those that refer.
    pub back: String,
}

impl Declaration {
    /// The objects.
    pub fn object_types(&self) -> impl Iterator<Item = &ObjectType> {
        self.objects().iter()
    }

    /// The field of the query with the list of all objects of the type of this name.
    pub fn list_of(&self, object: &str) -> Option<String> {
        let is_list = |kind: &RootKind| matches!(kind, RootKind::List { object: of, .. } if of == object);
        self.roots().iter().find(|root| is_list(&root.kind)).map(|root| root.name.clone())
    }

    /// The relations that have a field on both sides.
    pub fn links(&self) -> Vec<Link<'_>> {
        let mut links = Vec::new();
        for to in self.objects() {
            for back in &to.fields {
                let FieldKind::List { index, column, .. } = &back.kind else { continue };
                let from = self.object(*index);
                let refers = |relation: &usize| from.relations[*relation].from == [column.clone()];
                let field = from.fields.iter().find(|field| matches!(&field.kind, FieldKind::One(it) if refers(it)));
                if let Some(field) = field {
                    links.push(Link { from, column, field: field.name.clone(), to, back: back.name.clone() });
                }
            }
        }
        links
    }
}

impl ObjectType {
    /// The field with the value of a column.
    pub fn field_of(&self, column: &str) -> Option<String> {
        let is_of = |kind: &FieldKind| matches!(kind, FieldKind::Column(it) if it.name() == column);
        self.fields.iter().find(|field| is_of(&field.kind)).map(|field| field.name.clone())
    }
}
