//! Types of Rust, from types of columns.

use std::collections::BTreeMap;

use bookends_graphql::pascal;
use keyset::{Column, Kind};
use sea_orm::sea_query::{ColumnType, StringLen};

use super::idents::{literal, type_ident};
use super::table::Ejected;

/// An enum of the database.
#[derive(Debug)]
pub struct EjectedEnum {
    /// Its name in Rust.
    pub ident: String,
    /// Its variants in Rust, and its values.
    pub variants: Vec<(String, String)>,
}

/// The enums of columns, by their names in the database.
pub type Enums = BTreeMap<String, EjectedEnum>;

/// The enums of all tables.
pub fn enums(tables: &[Ejected<'_>]) -> Enums {
    let mut enums = Enums::new();
    let columns = tables.iter().flat_map(|table| &table.columns);
    for column in columns {
        let ColumnType::Enum { name, variants } = column.column.item_type() else { continue };
        let name = name.to_string();
        if enums.contains_key(&name) {
            continue;
        }
        let taken: Vec<String> = enums.values().map(|known| known.ident.clone()).collect();
        let mut idents = Vec::new();
        for value in variants {
            let value = value.to_string();
            idents.push((
                type_ident(&value, &idents.iter().map(|(known, _): &(String, _)| known.clone()).collect::<Vec<_>>()),
                value,
            ));
        }
        enums.insert(name.clone(), EjectedEnum { ident: type_ident(&pascal(&name), &taken), variants: idents });
    }
    enums
}

/// An enum with a value that is a keyword as the name that SeaORM makes of it.
pub fn unfit(enums: &Enums) -> Option<(String, String)> {
    let values = enums.iter().flat_map(|(name, of)| of.variants.iter().map(move |(_, value)| (name, value)));
    let mut unfit = values.filter(|(_, value)| value.eq_ignore_ascii_case("self"));
    unfit.next().map(|(name, value)| (name.clone(), value.clone()))
}

/// The type of a column in Rust, and its `column_type` where the type does not say it.
pub fn of_column(column: &Column, enums: &Enums) -> (String, Option<String>) {
    let (ty, column_type) = of(column.column_type(), enums);
    (if column.is_nullable() { format!("Option<{ty}>") } else { ty }, column_type)
}

fn of(column_type: &ColumnType, enums: &Enums) -> (String, Option<String>) {
    let plain = |ty: &str| (ty.to_owned(), None);
    let with = |ty: &str, said: &str| (ty.to_owned(), Some(said.to_owned()));
    match column_type {
        ColumnType::Boolean => plain("bool"),
        ColumnType::SmallInteger => plain("i16"),
        ColumnType::Integer => plain("i32"),
        ColumnType::BigInteger => plain("i64"),
        ColumnType::Float => plain("f32"),
        ColumnType::Double => plain("f64"),
        ColumnType::Decimal(None) => plain("Decimal"),
        ColumnType::Decimal(Some((precision, scale))) => {
            with("Decimal", &format!("Decimal(Some(({precision}, {scale})))"))
        }
        ColumnType::Text => with("String", "Text"),
        ColumnType::String(StringLen::N(length)) => with("String", &format!("String(StringLen::N({length}))")),
        ColumnType::String(_) => plain("String"),
        ColumnType::Char(length) => with("String", &format!("Char({length:?})")),
        ColumnType::Blob => with("Vec<u8>", "Blob"),
        ColumnType::Date => plain("Date"),
        ColumnType::Time => plain("Time"),
        ColumnType::DateTime => plain("DateTime"),
        ColumnType::TimestampWithTimeZone => plain("DateTimeWithTimeZone"),
        ColumnType::Uuid => plain("Uuid"),
        ColumnType::Json => with("Json", "Json"),
        ColumnType::JsonBinary => with("Json", "JsonBinary"),
        ColumnType::Enum { name, .. } => {
            plain(enums.get(&name.to_string()).map_or("String", |known| known.ident.as_str()))
        }
        ColumnType::Array(items) => {
            let (ty, said) = of(items, enums);
            let said = said.filter(|_| Kind::of(items) != Kind::Text);
            (format!("Vec<{ty}>"), said.map(|said| format!("Array(RcOrArc::new(ColumnType::{said}))")))
        }
        other => {
            let name = if let ColumnType::Custom(name) = other { name.to_string() } else { format!("{other:?}") };
            with("String", &format!("custom({})", literal(&name)))
        }
    }
}

/// The file of the enums.
pub fn file(enums: &Enums) -> String {
    let mut text =
        "//! The enums of the database.\n\nuse bookends_server::sea_orm;\nuse sea_orm::entity::prelude::*;\n"
            .to_owned();
    for (name, of) in enums {
        text += &format!(
            "\n#[derive(Clone, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]\n#[sea_orm(rs_type = \"String\", db_type = \
             \"Enum\", enum_name = {})]\npub enum {} {{\n",
            literal(name),
            of.ident
        );
        for (ident, value) in &of.variants {
            text += &format!("    #[sea_orm(string_value = {})]\n    {ident},\n", literal(value));
        }
        text += "}\n";
    }
    text
}
