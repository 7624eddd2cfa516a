//! The files of the entities, in the form in which `sea-orm-cli` writes them.

use std::collections::{BTreeSet, HashMap};

use bookends_graphql::pascal;
use keyset::Column;
use sea_orm::sea_query::ColumnType;

use super::idents::{literal, raw, snake};
use super::table::{Ejected, EjectedColumn};
use super::types::{Enums, of_column};
use crate::catalog::FoundKey;

/// The defaults of columns as SQL, by their tables and names.
pub type Defaults = HashMap<(String, String), String>;

/// The file of an entity.
pub fn file(table: &Ejected<'_>, tables: &[Ejected<'_>], enums: &Enums, defaults: &Defaults) -> String {
    let mut text = format!(
        "//! The {} `{}`.\n\nuse bookends_server::sea_orm;\nuse sea_orm::entity::prelude::*;\n",
        if table.found.is_view { "view" } else { "table" },
        line(&table.found.name)
    );
    let used: BTreeSet<&str> = table.columns.iter().filter_map(|known| enum_of(known.column, enums)).collect();
    if !used.is_empty() {
        text += "\n";
    }
    for name in used {
        text += &format!("use super::enums::{name};\n");
    }
    text += &format!(
        "\n#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]\n#[sea_orm(table_name = {})]\npub struct Model {{\n",
        literal(&table.found.name)
    );
    for known in &table.columns {
        text += &field(table, known, enums, defaults);
    }
    for (name, ty) in &table.left_out {
        text += &format!("    // Without `{}`: its type, `{}`, has none in GraphQL.\n", line(name), line(ty));
    }
    text += "}\n";
    text + &relations(table, tables) + "\nimpl ActiveModelBehavior for ActiveModel {}\n"
}

fn field(table: &Ejected<'_>, known: &EjectedColumn<'_>, enums: &Enums, defaults: &Defaults) -> String {
    let column = known.column;
    let (ty, column_type) = of_column(column, enums);
    let mut said = Vec::new();
    if table.is_of_key(column) {
        said.push("primary_key".to_owned());
        if !table.object.table().generates_key() {
            said.push("auto_increment = false".to_owned());
        }
    }
    // SeaORM makes the name of the column of that of the field: with digits and signs, not always this one.
    if known.ident != column.name()
        || known.ident.split('_').any(|word| !word.starts_with(|it: char| it.is_ascii_lowercase()))
    {
        said.push(format!("column_name = {}", literal(column.name())));
    }
    if let Some(column_type) = column_type {
        said.push(format!("column_type = {}", literal(&column_type)));
    }
    if column.is_unique() && !table.is_of_key(column) {
        said.push("unique".to_owned());
    }
    if table.says_default(column) {
        let key = (table.found.name.clone(), column.name().to_owned());
        let default = defaults.get(&key).map_or("DEFAULT", String::as_str);
        said.push(format!("default_expr = {}", literal(&format!("Expr::cust({})", literal(default)))));
    }
    let said = if said.is_empty() { String::new() } else { format!("    #[sea_orm({})]\n", said.join(", ")) };
    format!("{said}    pub {}: {ty},\n", raw(&known.ident))
}

fn enum_of<'e>(column: &Column, enums: &'e Enums) -> Option<&'e str> {
    let ColumnType::Enum { name, .. } = column.item_type() else { return None };
    enums.get(&name.to_string()).map(|known| known.ident.as_str())
}

/// The relations of an entity, and what joins it to an entity to which it has one.
fn relations(table: &Ejected<'_>, tables: &[Ejected<'_>]) -> String {
    let keys = table.foreign_keys(tables);
    let mut text = "\n#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]\npub enum Relation {".to_owned();
    let (mut taken, mut related) = (Vec::new(), String::new());
    for (key, target) in &keys {
        let name = snake(&relation_name(key, target), "relation", &taken);
        taken.push(name.clone());
        let (variant, is_self) = (pascal(&name), target.module == table.module);
        let entity = if is_self { "Entity".to_owned() } else { format!("super::{}", target.entity()) };
        let to = if is_self { "Column".to_owned() } else { format!("super::{}::Column", raw(&target.module)) };
        text += &format!(
            "\n    #[sea_orm(\n        belongs_to = \"{entity}\",\n        from = \"{}\",\n        to = \"{}\"\n    )]\n    {variant},",
            columns("Column", table, &key.columns),
            columns(&to, target, &key.to)
        );
        if !is_self && keys.iter().filter(|(_, other)| other.module == target.module).count() == 1 {
            related += &format!(
                "\nimpl Related<{entity}> for Entity {{\n    fn to() -> RelationDef {{\n        Relation::{variant}.def()\n    }}\n}}\n"
            );
        }
    }
    text + if keys.is_empty() { "}\n" } else { "\n}\n" } + &related
}

/// What a foreign key calls what it refers to: its column without `id`; of several columns, the table.
fn relation_name(key: &FoundKey, target: &Ejected<'_>) -> String {
    let [column] = &key.columns[..] else { return target.module.clone() };
    let name = snake(column, "column", &[]);
    match name.strip_suffix("_id") {
        Some(stem) => stem.to_owned(),
        None => name,
    }
}

/// Columns in an attribute of a relation.
fn columns(of: &str, table: &Ejected<'_>, names: &[String]) -> String {
    let variants = names.iter().filter_map(|name| table.column(name));
    let variants: Vec<String> = variants.map(|column| format!("{of}::{}", column.variant())).collect();
    if let [only] = &variants[..] { only.clone() } else { format!("({})", variants.join(", ")) }
}

/// A name in a comment: on one line.
pub fn line(name: &str) -> String {
    name.replace(|letter: char| letter.is_control(), " ")
}
