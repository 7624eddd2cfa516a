//! Objects that follow from entities: their columns, their keys, and their relations both ways.

use keyset::{Column, Kind, Modelled, Table};
use sea_orm::{Iterable as _, RelationTrait as _, RelationType};

use super::field::FieldKind;
use super::foreign_key::ForeignKey;
use super::names::{camel, free_name, type_name};
use super::object::ObjectType;

impl ObjectType {
    /// The object of an entity, with a field for each column whose values have a type in GraphQL. It is named by its table.
    ///
    /// [`Declaring::entity`](crate::Declaring::entity) adds it with its relations, and with fields of the query.
    pub fn from_entity<E: Modelled>() -> Self {
        Self::from_entity_named::<E>(type_name(Table::of::<E>().name()))
    }

    /// The same with a name of its own.
    ///
    /// [`Declaring::entity_named`](crate::Declaring::entity_named) adds it with all that follows from it.
    pub fn from_entity_named<E: Modelled>(name: impl Into<String>) -> Self {
        let mut object = Self::from_table(name, Table::of::<E>(), Vec::new());
        object.foreign_keys =
            E::Relation::iter().filter_map(|relation| foreign_key(&object, &relation.def())).collect();
        object
    }

    /// The object of a table with these foreign keys, with a field for each column whose values have a type in GraphQL.
    ///
    /// [`Declaring::table`](crate::Declaring::table) adds it with its relations, and with fields of the query.
    pub fn from_table(name: impl Into<String>, table: Table, foreign_keys: Vec<ForeignKey>) -> Self {
        let mut object = Self::new(name, table);
        if object.table.key().next().is_some() {
            object.id_by_name().describe("The global id.");
        }
        let columns: Vec<Column> =
            object.table.columns().iter().filter(|it| it.kind() != Kind::Unsupported).cloned().collect();
        for column in columns {
            // The global id has the name `id`.
            let name = match camel(column.name()).as_str() {
                "id" if object.tag.is_some() => "rowId".to_owned(),
                name => name.to_owned(),
            };
            let free = free_name(&name, |name| object.field(name).is_some());
            if free != name {
                object.renamed.push(format!("`{}.{name}` is taken: the field of {column:?} is `{free}`", object.name));
            }
            object.add(&free, FieldKind::Column(column));
        }
        object.foreign_keys = foreign_keys;
        object.is_inferred = true;
        object.has_aggregates = true;
        object
    }
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
