//! What a catalogue declares: an object for each table.

use std::collections::HashMap;
use std::sync::Arc;

use bookends_graphql::{Declaring, ForeignKey, ObjectType, WriteKind, screaming};
use keyset::{Column, Indexes};
use sea_orm::sea_query::{ColumnType, IntoIden};

use crate::catalog::{Catalog, FoundTable};
use crate::counters;
use crate::names;
use crate::settings::Settings;

/// What is declared, and what was left out or renamed: a sentence for each.
#[derive(Debug)]
pub struct Declared {
    /// The objects.
    pub tables: Declaring,
    /// The sentences.
    pub report: Vec<String>,
    /// The types of tables.
    pub types: HashMap<String, String>,
}

/// An object for each table of a catalogue that has a key, as these settings change them, in which there are no faults.
pub fn declare(catalog: &Catalog, indexes: &Arc<Indexes>, settings: &Settings, write: bool) -> Declared {
    let (mut catalog, mut report) = (catalog.clone(), catalog.left_out.clone());
    settings.apply(&mut catalog);
    let counters = counters::take(&mut catalog);
    catalog.tables.iter_mut().for_each(leave_out_enums);
    catalog.tables.retain(|table| {
        if table.key.is_empty() {
            let kind = if table.is_view { "view" } else { "table" };
            report.push(format!(
                "the {kind} `{}`: no unique constraint has columns that are never NULL: name a `key` in the settings",
                table.name
            ));
        }
        !table.key.is_empty()
    });
    let (types, taken) = names::types(&catalog, &settings.types());
    report.extend(taken);
    let mut tables = Declaring::new("Query");
    for found in &catalog.tables {
        let object = tables.table(object(found, &types[&found.name], indexes, &mut report));
        if let Some(counter) = counters.get(&found.name) {
            object.counted_by(counter.clone());
        }
    }
    settings.change(&types, &mut tables);
    if write {
        for found in catalog.tables.iter().filter(|table| !table.is_view) {
            let name = &types[&found.name];
            for kind in settings.writes(&found.name) {
                match kind {
                    WriteKind::Create => tables.create(name),
                    WriteKind::Update => tables.update(name),
                    WriteKind::Delete => tables.delete(name),
                };
            }
        }
    }
    Declared { tables, report, types }
}

/// The object of a table.
fn object(found: &FoundTable, name: &str, indexes: &Arc<Indexes>, report: &mut Vec<String>) -> ObjectType {
    let table = found.table();
    let columns =
        |names: &[String]| -> Option<Vec<Column>> { names.iter().map(|name| table.column(name).cloned()).collect() };
    let keys = found.foreign_keys.iter().filter_map(|key| {
        let (table, to) = (key.table.clone(), key.to.clone());
        Some(ForeignKey { columns: columns(&key.columns)?, table, to, is_unique: key.is_unique })
    });
    let keys = keys.collect();
    let mut object = ObjectType::from_table(name, table, keys);
    object.describe(&found.comment).indexed(indexes);
    for column in &found.columns {
        match object.field_of(&column.definition.name) {
            Some(field) if !column.comment.is_empty() => {
                let comment = column.comment.clone();
                object.change(&field, move |field| {
                    field.describe(&comment);
                });
            }
            Some(_) => {}
            None => report.push(format!(
                "the column `{}.{}`: its type, `{}`, has none in GraphQL",
                found.name, column.definition.name, column.type_name
            )),
        }
    }
    object
}

/// Leaves out columns of enums whose values do not have a name each.
fn leave_out_enums(table: &mut FoundTable) {
    for column in &mut table.columns {
        let ColumnType::Enum { variants, .. } = &column.definition.column_type else { continue };
        let mut names: Vec<String> = variants.iter().map(|value| screaming(&value.to_string())).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < variants.len() {
            column.definition.column_type = ColumnType::Custom(column.type_name.clone().into_iden());
            column.type_name.push_str("` with two values that would have one name");
        }
    }
}
