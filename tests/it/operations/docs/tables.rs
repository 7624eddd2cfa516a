//! The diagram of the tables in docs/data.md, derived from the SeaORM entities.

use std::fmt::Write;

use entity::{
    book, book_count, book_order, book_order_count, book_rating, book_rating_count, book_stats, book_word, book_words,
};
use sea_orm::sea_query::StringLen;
use sea_orm::{
    ColumnTrait, ColumnType, EntityTrait, IdenStatic, Iterable, PrimaryKeyToColumn, RelationDef, RelationTrait,
};

use super::{block, is_update, read, update};

const DOCUMENT: &str = "docs/data.md";

#[test]
fn the_diagram_shows_the_entities() {
    let document = read(DOCUMENT);
    let (found, expected) = (block(&document, "mermaid"), diagram());
    if found != expected && is_update() {
        return update(DOCUMENT, found, &expected);
    }
    assert_eq!(found, expected, "to correct it: `just docs`");
}

fn diagram() -> String {
    let mut text = "erDiagram\n".to_owned();
    text += &table::<book::Entity>();
    text += &table::<book_rating::Entity>();
    text += &table::<book_order::Entity>();
    text += &table::<book_stats::Entity>();
    text += &table::<book_count::Entity>();
    text += &table::<book_rating_count::Entity>();
    text += &table::<book_order_count::Entity>();
    text += &table::<book_word::Entity>();
    text += &table::<book_words::Entity>();
    text
}

/// A table with its columns, and its references to other tables.
fn table<E: EntityTrait>() -> String {
    let name = E::default().as_str().to_owned();
    let keys: Vec<String> = E::PrimaryKey::iter().map(|key| key.into_column().as_str().to_owned()).collect();
    let references: Vec<RelationDef> =
        E::Relation::iter().map(|relation| relation.def()).filter(is_reference).collect();
    let mut text = format!("    {name} {{\n");
    for column in E::Column::iter() {
        let (column, definition) = (column.as_str().to_owned(), column.def());
        let is_foreign = references.iter().any(|reference| columns(reference).contains(&column));
        let roles = [("PK", keys.contains(&column)), ("FK", is_foreign)];
        let roles: Vec<&str> = roles.iter().filter(|(_, holds)| *holds).map(|(role, _)| *role).collect();
        let (kind, detail) = kind(definition.get_column_type());
        let null = if definition.is_null() { "can be NULL" } else { "" };
        let notes: Vec<&str> = [null, &detail].into_iter().filter(|note| !note.is_empty()).collect();
        let mut line = format!("        {kind} {column}");
        if !roles.is_empty() {
            write!(line, " {}", roles.join(", ")).unwrap();
        }
        if !notes.is_empty() {
            write!(line, " \"{}\"", notes.join("; ")).unwrap();
        }
        text += &line;
        text += "\n";
    }
    text += "    }\n";
    for reference in references {
        let columns = columns(&reference);
        let is_required =
            E::Column::iter().all(|column| !columns.contains(&column.as_str().into()) || !column.def().is_null());
        let parents = if is_required { "||" } else { "|o" };
        // A reference that is the primary key names each parent once.
        let children = if columns == keys { "o|" } else { "o{" };
        let target = reference.to_tbl.sea_orm_table().to_string();
        writeln!(text, "    {target} {parents}--{children} {name} : {}", columns.join("_")).unwrap();
    }
    text
}

/// Whether the table of the relation holds the foreign key.
fn is_reference(relation: &RelationDef) -> bool {
    !relation.is_owner
}

/// The columns of the foreign key.
fn columns(reference: &RelationDef) -> Vec<String> {
    reference.from_col.iter().map(ToString::to_string).collect()
}

/// The type of a column, and its details.
fn kind(column: &ColumnType) -> (&'static str, String) {
    match column {
        ColumnType::Uuid => ("uuid", String::new()),
        ColumnType::SmallInteger => ("smallint", String::new()),
        ColumnType::Integer => ("int", String::new()),
        ColumnType::BigInteger => ("bigint", String::new()),
        ColumnType::Double => ("double", String::new()),
        ColumnType::String(StringLen::None) => ("string", String::new()),
        ColumnType::String(StringLen::N(length)) => ("string", format!("at most {length} characters")),
        ColumnType::Decimal(Some((digits, scale))) => ("decimal", format!("{digits} digits, {scale} after the point")),
        other => panic!("{other:?} has no name in the diagram"),
    }
}
