//! What follows from foreign keys: objects and lists of each object, and fields of the query.

use std::collections::HashSet;
use std::sync::Arc;

use keyset::Column;

use super::field::{Field, FieldKind};
use super::foreign_key::ForeignKey;
use super::names::{camel, free_name, list_name, pascal, plural, singular};
use super::nested::NestedList;
use super::object::ObjectType;
use super::relation::Relation;
use super::root::{ById, RootField, RootKind};
use crate::global_id::Tag;

/// Adds what follows from foreign keys and from tables that are served as a whole.
pub(crate) fn infer(objects: &mut [ObjectType], roots: &mut Vec<RootField>) {
    tag(objects);
    for index in 0..objects.len() {
        for key in objects[index].foreign_keys.clone() {
            if let Some(target) = key.target(objects) {
                to_one(objects, index, target, &key);
                back(objects, index, target, &key);
            }
        }
    }
    for index in 0..objects.len() {
        if let [one, other] = &objects[index].foreign_keys.clone()[..]
            && is_junction(&objects[index], one, other)
        {
            many_to_many(objects, index, one, other);
            many_to_many(objects, index, other, one);
        }
    }
    for (index, object) in objects.iter_mut().enumerate().filter(|(_, object)| object.is_inferred) {
        serve(index, object, roots);
    }
    let has_nodes = roots.iter().any(|root| matches!(root.kind, RootKind::Node));
    if !has_nodes && objects.iter().any(|object| object.is_inferred) {
        roots.extend(super::declaration::nodes());
    }
}

/// Gives each object whose names get a number what its ids begin with. Of many tables, two have names with the same bits: the second one takes those
/// of its name with a number.
fn tag(objects: &mut [ObjectType]) {
    let mut taken = HashSet::new();
    for object in objects {
        let Some(tag) = object.tag else { continue };
        if !taken.insert(tag) && object.is_numbered {
            let name = free_name(&object.name, |name| taken.contains(&Tag::of_name(name)));
            object
                .renamed
                .push(format!("the ids of `{}` begin as those of another type: it has those of `{name}`", object.name));
            let tag = Tag::of_name(&name);
            taken.insert(tag);
            object.tag = Some(tag);
        }
    }
}

/// Adds the object that a foreign key refers to.
fn to_one(objects: &mut [ObjectType], index: usize, target: usize, key: &ForeignKey) {
    let (name, related) = (key.field(&objects[target]), objects[target].name.clone());
    let to = key.columns_of(&objects[target]);
    let object = &mut objects[index];
    object.relations.push(Relation::to_object(&related, &key.columns, &to));
    let relation = object.relations.len() - 1;
    object.infer(&name, FieldKind::One(relation));
}

/// Adds the objects that refer to one by a foreign key: a list, or one object if the key is unique.
fn back(objects: &mut [ObjectType], index: usize, target: usize, key: &ForeignKey) {
    let (from, to) = (objects[index].name.clone(), singular(&camel(objects[target].table.name())));
    // Two foreign keys to one table are told apart by their names.
    let stem = key.stem();
    let by = if stem == to { String::new() } else { format!("By{}", pascal(&stem)) };
    let table = objects[index].table.name().to_owned();
    let own = key.columns_of(&objects[target]);
    let owner = &mut objects[target];
    if key.is_unique {
        owner.relations.push(Relation::back(&from, &own, &key.columns));
        let relation = owner.relations.len() - 1;
        owner.infer(&format!("{}{by}", singular(&camel(&table))), FieldKind::One(relation));
        return;
    }
    let list = NestedList { key: own, ..NestedList::new(&from, key.columns.clone()) };
    if let Some(field) = owner.infer(&format!("{}{by}", list_name(&table)), FieldKind::List(Box::new(list))) {
        field.filtered();
    }
}

/// Whether the primary key of a table is two foreign keys: each row is a pair.
fn is_junction(object: &ObjectType, one: &ForeignKey, other: &ForeignKey) -> bool {
    let mut pair: Vec<&str> = one.columns.iter().chain(&other.columns).map(Column::name).collect();
    let mut key: Vec<&str> = object.table.key().map(Column::name).collect();
    pair.sort_unstable();
    key.sort_unstable();
    pair == key
}

/// Adds to the object that one foreign key of a junction refers to the list of those that the other refers to. Its pages can be
/// sorted by the columns of both.
fn many_to_many(objects: &mut [ObjectType], junction: usize, one: &ForeignKey, other: &ForeignKey) {
    let (Some(owner), Some(node)) = (one.target(objects), other.target(objects)) else { return };
    let Some(field) = field_of(&objects[junction], &other.columns) else { return };
    // No index holds the order of another table.
    let sorts: Vec<String> = objects[node]
        .sort_fields()
        .filter(|(_, field)| field.own_column().is_some() && objects[node].indexed.is_none())
        .map(|(_, field)| field.name.clone())
        .collect();
    let (of, key) = (objects[junction].name.clone(), one.columns_of(&objects[owner]));
    if let Some(field) = objects[junction].fields.iter_mut().find(|known| known.name == field) {
        field.related_sorts = sorts;
    }
    let owner = &mut objects[owner];
    let name = owner.free_field(&plural(&other.stem()));
    if let Some(name) = name {
        let added = owner.through(&name, &of, &one.columns, &field).filtered();
        if let FieldKind::List(list) = &mut added.kind {
            list.key = key;
        }
    }
}

/// The field with the object to which these columns refer.
fn field_of(object: &ObjectType, columns: &[Column]) -> Option<String> {
    let refers = |field: &&Field| object.relation_of(field).is_some_and(|it| !it.is_back && it.from == *columns);
    object.fields.iter().find(refers).map(|field| field.name.clone())
}

impl ObjectType {
    /// The name for a field that follows from a foreign key: none if the application has declared one of this name, unless names get a
    /// number.
    fn free_field(&mut self, name: &str) -> Option<String> {
        if !self.is_numbered {
            return self.field(name).is_none().then(|| name.to_owned());
        }
        let free = free_name(name, |name| self.field(name).is_some());
        if free != name {
            self.renamed.push(format!("`{}.{name}` is taken: the field is `{free}`", self.name));
        }
        Some(free)
    }

    fn infer(&mut self, name: &str, kind: FieldKind) -> Option<&mut Field> {
        let name = self.free_field(name)?;
        Some(self.add(&name, kind))
    }
}

/// Adds the fields of the query that read an object.
fn serve(index: usize, object: &mut ObjectType, roots: &mut Vec<RootField>) {
    let table = object.table.name();
    let name = object.name.clone();
    let [list, one] = object.roots.clone();
    let (list, one) = (list.unwrap_or_else(|| list_name(table)), one.unwrap_or_else(|| singular(&camel(table))));
    let list = (list, RootKind::List { object: name.clone(), index, kept: object.kept.clone() });
    let one = object.tag.map(|_| (one, RootKind::Object { object: name, index, key: Arc::new(ById) }));
    for (name, kind) in std::iter::once(list).chain(one) {
        let is_taken = |name: &str| matches!(name, "node" | "nodes") || roots.iter().any(|root| root.name == name);
        if !is_taken(&name) {
            roots.push(RootField::new(&name, kind));
        } else if object.is_numbered {
            let free = free_name(&name, is_taken);
            object
                .renamed
                .push(format!("the field `{name}` of the query is taken: that of `{}` is `{free}`", object.name));
            roots.push(RootField::new(&free, kind));
        }
    }
}
