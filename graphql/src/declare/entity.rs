//! Objects that follow from entities: their columns, their keys, and their relations both ways.

use keyset::{Column, Modelled};
use sea_orm::{EntityTrait, Iterable as _, RelationTrait as _, RelationType};

use super::field::FieldKind;
use super::names::{camel, pascal, plural};
use super::nested::NestedList;
use super::object::ObjectType;
use super::relation::Relation;
use super::root::{ById, RootField, RootKind};
use crate::scalar::Scalar;

/// A foreign key of a table.
#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    columns: Vec<Column>,
    /// The table that it refers to.
    table: String,
    /// The columns that it equals there.
    to: Vec<String>,
    /// Whether no two rows have one value.
    is_unique: bool,
}

impl ObjectType {
    /// The object of an entity, with a field for each column whose values have a type in GraphQL. It is named by its table.
    ///
    /// [`Declaring::entity`](crate::Declaring::entity) adds it with its relations, and with fields of the query.
    pub fn from_entity<E: Modelled>() -> Self {
        let mut object = Self::of::<E>(pascal(&table_name::<E>()));
        if object.table.key().next().is_some() {
            object.id_by_name().describe("The global id.");
        }
        let columns: Vec<Column> =
            object.table.columns().iter().filter(|it| Scalar::of(it).is_some()).cloned().collect();
        for column in columns {
            let name = camel(column.name());
            // The global id has this name.
            let name = if name == "id" && object.tag.is_some() { "rowId".to_owned() } else { name };
            object.add(&name, FieldKind::Column(column));
        }
        object.foreign_keys =
            E::Relation::iter().filter_map(|relation| foreign_key(&object, &relation.def())).collect();
        object.is_inferred = true;
        object.has_aggregates = true;
        object
    }
}

fn table_name<E: EntityTrait>() -> String {
    E::default().table_name().to_owned()
}

/// The foreign key that a relation describes, if this table has it.
fn foreign_key(object: &ObjectType, relation: &sea_orm::RelationDef) -> Option<ForeignKey> {
    if relation.rel_type != RelationType::HasOne || relation.is_owner {
        return None;
    }
    let columns = relation.from_col.iter().map(|name| object.table.column(&name.to_string()).cloned());
    let columns: Vec<Column> = columns.collect::<Option<_>>()?;
    let key: Vec<&str> = object.table.key().map(Column::name).collect();
    let is_key = columns.iter().map(Column::name).eq(key);
    Some(ForeignKey {
        is_unique: is_key || matches!(&columns[..], [only] if only.is_unique()),
        columns,
        table: relation.to_tbl.sea_orm_table().to_string(),
        to: relation.to_col.iter().map(ToString::to_string).collect(),
    })
}

impl ForeignKey {
    /// The object that it refers to, if that follows from its entity, too.
    fn target(&self, objects: &[ObjectType]) -> Option<usize> {
        let target = objects.iter().position(|object| object.is_inferred && object.table.name() == self.table)?;
        (self.columns_of(&objects[target]).len() == self.columns.len()).then_some(target)
    }

    /// The columns of this object that it refers to.
    fn columns_of(&self, object: &ObjectType) -> Vec<Column> {
        self.to.iter().filter_map(|name| object.table.column(name).cloned()).collect()
    }

    /// What it calls the object that it refers to: its column without `Id`, or the name of the table.
    fn stem(&self) -> String {
        match &self.columns[..] {
            [column] => {
                let name = camel(column.name());
                name.strip_suffix("Id").filter(|name| !name.is_empty()).map_or(name.clone(), str::to_owned)
            }
            _ => camel(&self.table),
        }
    }

    /// The field with the object that it refers to. The column itself may have the name already.
    fn field(&self, object: &ObjectType) -> String {
        let stem = self.stem();
        let is_taken = self.columns.iter().any(|column| camel(column.name()) == stem);
        if is_taken { format!("{stem}{}", object.name) } else { stem }
    }
}

/// Adds what follows from foreign keys and from tables that are served as a whole.
pub(crate) fn infer(objects: &mut [ObjectType], roots: &mut Vec<RootField>) {
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
    for (index, object) in objects.iter().enumerate().filter(|(_, object)| object.is_inferred) {
        serve(index, object, roots);
    }
    let has_nodes = roots.iter().any(|root| matches!(root.kind, RootKind::Node));
    if !has_nodes && objects.iter().any(|object| object.is_inferred) {
        roots.extend(super::declaration::nodes());
    }
}

/// Adds the object that a foreign key refers to.
fn to_one(objects: &mut [ObjectType], index: usize, target: usize, key: &ForeignKey) {
    let (name, related) = (key.field(&objects[target]), objects[target].name.clone());
    let to = key.columns_of(&objects[target]);
    let object = &mut objects[index];
    if object.field(&name).is_none() {
        object.relations.push(Relation::to_object(&related, &key.columns, &to));
        let relation = object.relations.len() - 1;
        object.add(&name, FieldKind::One(relation));
    }
}

/// Adds the objects that refer to one by a foreign key: a list, or one object if the key is unique.
fn back(objects: &mut [ObjectType], index: usize, target: usize, key: &ForeignKey) {
    let (from, to) = (objects[index].name.clone(), camel(objects[target].table.name()));
    // Two foreign keys to one table are told apart by their names.
    let stem = key.stem();
    let by = if stem == to { String::new() } else { format!("By{}", pascal(&stem)) };
    let table = camel(objects[index].table.name());
    let own = key.columns_of(&objects[target]);
    let owner = &mut objects[target];
    if key.is_unique {
        let field = format!("{table}{by}");
        if owner.field(&field).is_none() {
            owner.relations.push(Relation::back(&from, &own, &key.columns));
            let relation = owner.relations.len() - 1;
            owner.add(&field, FieldKind::One(relation));
        }
        return;
    }
    let field = format!("{}{by}", plural(&table));
    if owner.field(&field).is_none() {
        let list = NestedList { key: own, ..NestedList::new(&from, key.columns.clone()) };
        owner.add(&field, FieldKind::List(Box::new(list))).filtered();
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
    let (name, field) = (plural(&other.stem()), other.field(&objects[node]));
    let sorts: Vec<String> = objects[node]
        .sort_fields()
        .filter(|(_, field)| field.own_column().is_some())
        .map(|(_, field)| field.name.clone())
        .collect();
    let (of, key) = (objects[junction].name.clone(), one.columns_of(&objects[owner]));
    if let Some(field) = objects[junction].fields.iter_mut().find(|known| known.name == field) {
        field.related_sorts = sorts;
    }
    if objects[owner].field(&name).is_none() {
        let added = objects[owner].through(&name, &of, &one.columns, &field).filtered();
        if let FieldKind::List(list) = &mut added.kind {
            list.key = key;
        }
    }
}

/// Adds the fields of the query that read an object.
fn serve(index: usize, object: &ObjectType, roots: &mut Vec<RootField>) {
    let one = camel(object.table.name());
    let mut add = |name: String, kind| {
        if !roots.iter().any(|root| root.name == name) {
            roots.push(RootField::new(&name, kind));
        }
    };
    add(plural(&one), RootKind::List { object: object.name.clone(), index, kept: None });
    if object.tag.is_some() {
        let key = std::sync::Arc::new(ById);
        add(one, RootKind::Object { object: object.name.clone(), index, key });
    }
}
