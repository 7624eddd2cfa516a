//! The tables that are ejected, with their names in Rust.

use std::collections::HashSet;

use bookends_graphql::{Declaration, ForeignKey, ObjectType, pascal};
use keyset::{Column, ColumnDefinition, Kind, Table, TableDefinition};

use super::idents::{raw, snake};
use crate::catalog::{FoundKey, FoundTable};
use crate::discover::Discovered;

/// A table that becomes an entity.
#[derive(Debug)]
pub struct Ejected<'d> {
    /// What the catalogue says of it.
    pub found: &'d FoundTable,
    /// Its object in the discovered schema.
    pub object: &'d ObjectType,
    /// The name of its module.
    pub module: String,
    /// The columns of the entity.
    pub columns: Vec<EjectedColumn<'d>>,
    /// The others, with the types that they have in the database.
    pub left_out: Vec<(&'d str, &'d str)>,
}

/// A column of an entity.
#[derive(Debug)]
pub struct EjectedColumn<'d> {
    pub column: &'d Column,
    /// The name of its field in snake case.
    pub ident: String,
}

impl EjectedColumn<'_> {
    /// The name of its variant.
    pub fn variant(&self) -> String {
        pascal(&self.ident)
    }
}

/// The tables of what was discovered, in its order.
pub fn tables(discovered: &Discovered) -> Vec<Ejected<'_>> {
    let served = |name: &str| discovered.types.contains_key(name);
    let keys =
        discovered.catalog.tables.iter().flat_map(|table| table.foreign_keys.iter().map(move |key| (table, key)));
    // No field shows a column without a type in GraphQL. A foreign key can have one all the same.
    let referring: HashSet<(&str, &str)> = keys
        .filter(|(table, key)| served(&table.name) && served(&key.table))
        .flat_map(|(table, key)| {
            let to = key.to.iter().map(|column| (key.table.as_str(), column.as_str()));
            key.columns.iter().map(|column| (table.name.as_str(), column.as_str())).chain(to)
        })
        .collect();
    // These are modules already, or would be the file of another.
    let mut modules = ["bookends_server", "enums", "mod"].map(str::to_owned).to_vec();
    let found = discovered.catalog.tables.iter();
    let tables = found.filter_map(|found| {
        let object = object(&discovered.declaration, discovered.types.get(&found.name)?)?;
        let module = snake(&found.name, "table", &modules);
        modules.push(module.clone());
        let (mut columns, mut left_out, mut idents) = (Vec::new(), Vec::new(), Vec::new());
        for column in object.table().columns() {
            if column.kind() == Kind::Unsupported && !referring.contains(&(&*found.name, column.name())) {
                left_out.push((column.name(), found.column(column.name()).map_or("", |known| &known.type_name)));
                continue;
            }
            let ident = snake(column.name(), "column", &idents);
            idents.push(ident.clone());
            columns.push(EjectedColumn { column, ident });
        }
        Some(Ejected { found, object, module, columns, left_out })
    });
    tables.collect()
}

fn object<'d>(declaration: &'d Declaration, name: &str) -> Option<&'d ObjectType> {
    declaration.object_named(name)
}

impl Ejected<'_> {
    /// The entity as code has it.
    pub fn entity(&self) -> String {
        format!("{}::Entity", raw(&self.module))
    }

    /// A column of the entity.
    pub fn column(&self, name: &str) -> Option<&EjectedColumn<'_>> {
        self.columns.iter().find(|known| known.column.name() == name)
    }

    /// Whether a column is of the primary key.
    pub fn is_of_key(&self, column: &Column) -> bool {
        self.object.table().key().any(|key| key == column)
    }

    /// The columns of the key in the order of the entity: that of its fields.
    pub fn key(&self) -> Vec<String> {
        let columns = self.columns.iter().filter(|known| self.is_of_key(known.column));
        columns.map(|known| known.column.name().to_owned()).collect()
    }

    /// Whether new rows have a value where none is given, as the entity says it: a generated key needs no other word for it.
    pub fn says_default(&self, column: &Column) -> bool {
        let refers = self.found.foreign_keys.iter().any(|key| key.columns.iter().any(|known| known == column.name()));
        let is_generated = self.object.table().generates_key() && self.is_of_key(column) && !refers;
        (column.has_default() || column.is_computed() && !column.is_nullable()) && !is_generated
    }

    /// The foreign keys that relations of the entity say.
    pub fn foreign_keys<'t>(&'t self, tables: &'t [Ejected<'_>]) -> Vec<(&'t FoundKey, &'t Ejected<'t>)> {
        let found = self.found.foreign_keys.iter().filter_map(|key| {
            let target = tables.iter().find(|table| table.found.name == key.table)?;
            let has_all = key.columns.iter().all(|column| self.column(column).is_some())
                && key.to.iter().all(|column| target.column(column).is_some())
                && key.to.len() == key.columns.len();
            has_all.then_some((key, target))
        });
        found.collect()
    }

    /// Whether the entity says that no two rows have one value of a foreign key.
    pub fn says_unique(&self, key: &FoundKey) -> bool {
        let is_unique = |name: &str| self.column(name).is_some_and(|known| known.column.is_unique());
        key.columns == self.key() || matches!(&key.columns[..], [only] if is_unique(only))
    }

    /// Columns of it that are unique together, which the entity does not say.
    pub fn unique(&self) -> impl Iterator<Item = Vec<String>> {
        let has = |name: &String| self.column(name).is_some();
        self.found.unique.iter().filter(move |columns| columns.iter().all(has)).cloned()
    }

    /// The object that follows from the entity, without the entity.
    pub fn plain(&self, tables: &[Ejected<'_>]) -> ObjectType {
        let definition = |known: &EjectedColumn<'_>| ColumnDefinition {
            name: known.column.name().to_owned(),
            column_type: known.column.column_type().clone(),
            is_nullable: known.column.is_nullable(),
            is_unique: known.column.is_unique(),
            is_indexed: false,
            has_default: self.says_default(known.column),
            is_computed: false,
        };
        let table = Table::defined(TableDefinition {
            name: self.found.name.clone(),
            columns: self.columns.iter().map(definition).collect(),
            key: self.key(),
            unique: Vec::new(),
            generates_key: self.object.table().generates_key(),
        });
        let keys = self.foreign_keys(tables).into_iter().map(|(key, _)| ForeignKey {
            columns: key.columns.iter().filter_map(|name| table.column(name).cloned()).collect(),
            table: key.table.clone(),
            to: key.to.clone(),
            is_unique: self.says_unique(key),
        });
        let keys = keys.collect();
        ObjectType::from_table(self.object.name(), table, keys)
    }
}
