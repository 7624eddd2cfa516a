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
    /// The columns that refer.
    pub columns: &'a [Column],
    /// The field with the one.
    pub field: String,
    /// The one.
    pub to: &'a ObjectType,
    /// Its field with the list of those that refer.
    pub back: String,
}

/// A many-to-many list of an object.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    /// The object.
    pub of: &'a ObjectType,
    /// The field with the list.
    pub field: String,
    /// The objects of the junction.
    pub junction: &'a ObjectType,
    /// The columns of the junction that refer to the object.
    pub columns: &'a [Column],
    /// Those that refer to the node.
    pub node_columns: &'a [Column],
    /// The nodes.
    pub node: &'a ObjectType,
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

    /// The field of the query with the object of this name that arguments name.
    pub fn finder_of(&self, object: &str) -> Option<String> {
        let is_object = |kind: &RootKind| matches!(kind, RootKind::Object { object: of, .. } if of == object);
        self.roots().iter().find(|root| is_object(&root.kind)).map(|root| root.name.clone())
    }

    /// The relations that have a field on both sides.
    pub fn links(&self) -> Vec<Link<'_>> {
        let mut links = Vec::new();
        for to in self.objects() {
            for back in &to.fields {
                let FieldKind::List(list) = &back.kind else { continue };
                let (from, columns) = (self.object(list.of.index), &list.columns);
                let refers = |relation: &usize| from.relations[*relation].from == *columns;
                let field = from.fields.iter().find(|field| matches!(&field.kind, FieldKind::One(it) if refers(it)));
                if let Some(field) = field.filter(|_| list.through.is_none()) {
                    links.push(Link { from, columns, field: field.name.clone(), to, back: back.name.clone() });
                }
            }
        }
        links
    }

    /// The many-to-many lists.
    pub fn pairs(&self) -> Vec<Pairs<'_>> {
        let mut pairs = Vec::new();
        for of in self.objects() {
            for field in &of.fields {
                let FieldKind::List(list) = &field.kind else { continue };
                let Some(through) = &list.through else { continue };
                let (junction, node) = self.junction(list, through);
                let to = junction.field(&through.field).and_then(|field| junction.relation_of(field));
                let node_columns = to.map_or(&[][..], |relation| &relation.from);
                pairs.push(Pairs {
                    of,
                    field: field.name.clone(),
                    junction,
                    columns: &list.columns,
                    node_columns,
                    node,
                });
            }
        }
        pairs
    }
}

impl ObjectType {
    /// The items of the enum of sorts.
    pub fn sort_items(&self) -> Vec<String> {
        let related = self.related_sorts.iter().map(|sort| sort.item.clone());
        self.sort_fields().map(|(item, _)| item).chain(related).collect()
    }

    /// The field with the value of a column.
    pub fn field_of(&self, column: &str) -> Option<String> {
        let is_of = |kind: &FieldKind| matches!(kind, FieldKind::Column(it) if it.name() == column);
        self.fields.iter().find(|field| is_of(&field.kind)).map(|field| field.name.clone())
    }
}
