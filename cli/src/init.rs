//! The first settings file: everything that was found, as comments.

use std::fmt::Write as _;

use bookends_graphql::ObjectType;
use bookends_server::db::Db;
use bookends_server::{Declaration, OwnError};

use crate::discover::{Discovered, Options, discover};

const HEAD: &str = "\
# Settings of `bookends`. Each line that is a comment shows what holds without it.
#
# Settings of a table:
#   hide = true                              leaves it out
#   name, list, object = \"…\"                 its type, its list and its object by id in the query
#   description = \"…\"
#   key = [\"column\"]                         tells rows apart where the database has no constraint that does
#   sorts = [[\"column\", \"column\"]]           orders that no index holds: each page reads its whole list, and is priced so
#   filters = false                          lists without `where`
#   aggregates = false                       lists without `aggregates`
#   page_size, max_page_size = 50            rows of a page without `first` and `last`, and at most
#   rule = 'tenant_id = claim(\"tenant\")'     which rows show; `and`, `in`, `is null` and `is not null` are known
#   write = [\"create\", \"update\"]             what `--write` offers, or false
# Settings of a field, by the name of its column or by its own name:
#   hide, name, description, sort = false, filter = false
#   guard = 'claim(\"role\") = \"admin\"'        who may read it; with `or_null = true`, it is null to others
";

/// The text of a settings file for a database.
///
/// # Errors
///
/// [`OwnError`] if the database cannot be read.
pub async fn init(db: &Db, options: &Options) -> Result<String, OwnError> {
    let Discovered { declaration, report, types, .. } = discover(db, options).await?;
    let mut text = HEAD.to_owned();
    for line in report {
        let _ = writeln!(text, "\n# Left out or renamed: {line}");
    }
    let mut tables: Vec<(&String, &String)> = types.iter().collect();
    tables.sort_unstable();
    for (table, name) in tables {
        let Some(object) = declaration.object_named(name) else { continue };
        write_table(&mut text, table, object, &declaration);
    }
    Ok(text)
}

fn write_table(text: &mut String, table: &str, object: &ObjectType, declaration: &Declaration) {
    let table = key(table);
    let _ = writeln!(text, "\n# [table.{table}]\n# name = {:?}", object.name());
    let [list, one] = [declaration.list_of(object.name()), declaration.finder_of(object.name())];
    for (setting, name) in [("list", list), ("object", one)] {
        if let Some(name) = name {
            let _ = writeln!(text, "# {setting} = {name:?}");
        }
    }
    let columns: Vec<(String, String)> = object
        .table()
        .columns()
        .iter()
        .filter_map(|column| Some((column.name().to_owned(), object.field_of(column.name())?)))
        .collect();
    for (column, field) in &columns {
        let _ = writeln!(text, "# field.{}.name = {field:?}", key(column));
    }
    let is_column = |field: &str| field == "id" || columns.iter().any(|(_, known)| known == field);
    for field in object.field_names().filter(|field| !is_column(field)) {
        let _ = writeln!(text, "# field.{}.name = {field:?}", key(field));
    }
}

/// A key of TOML.
fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { format!("{name:?}") }
}
