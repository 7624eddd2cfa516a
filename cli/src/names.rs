//! The names of types, from the names of tables.
//!
//! Tables get their names in the order of the alphabet, so that they are the same at each start. A name that is taken gets the least
//! number from 2 on that makes it free.

use std::collections::{HashMap, HashSet};

use bookends_graphql::{free_name, pascal, type_name};
use sea_orm::sea_query::ColumnType;

use crate::catalog::Catalog;

/// Types that every schema can have.
const KNOWN: &[&str] = &[
    "ApproximateCount",
    "BigInt",
    "Boolean",
    "Bytes",
    "CountRelation",
    "Date",
    "DateTime",
    "Decimal",
    "ErrorCode",
    "Float",
    "ID",
    "Int",
    "JSON",
    "LocalDateTime",
    "Mutation",
    "Node",
    "NullPlacement",
    "PageCursor",
    "PageCursors",
    "PageInfo",
    "Query",
    "SortDirection",
    "String",
    "Subscription",
    "Time",
    "UUID",
];

/// What the names of the types that belong to an object end in.
const BELONGING: &[&str] = &[
    "",
    "Aggregates",
    "Average",
    "Connection",
    "Edge",
    "Filter",
    "ListFilter",
    "Max",
    "Min",
    "Sort",
    "SortField",
    "Sum",
];

/// The names of the scalars by which columns are filtered.
const FILTERED: &[&str] = &[
    "BigInt",
    "Boolean",
    "Bytes",
    "Date",
    "DateTime",
    "Decimal",
    "Float",
    "Id",
    "Int",
    "Json",
    "LocalDateTime",
    "String",
    "Time",
    "Uuid",
];

/// The types of tables, by the names of these. `given` are those that the settings name.
///
/// Returns a sentence for each name that was taken.
pub fn types(catalog: &Catalog, given: &HashMap<String, String>) -> (HashMap<String, String>, Vec<String>) {
    let mut taken: HashSet<String> = KNOWN.iter().map(|name| (*name).to_owned()).collect();
    for scalar in FILTERED {
        taken.extend(["", "Nullable"].map(|nullable| format!("{nullable}{scalar}Filter")));
        taken.extend(["", "Nullable"].map(|nullable| format!("{nullable}{scalar}ListFilter")));
    }
    let columns = catalog.tables.iter().flat_map(|table| &table.columns);
    for column in columns {
        if let Some(name) = enum_of(&column.definition.column_type) {
            taken.insert(name.clone());
            taken.extend(["", "Nullable"].map(|nullable| format!("{nullable}{name}Filter")));
        }
    }
    let (mut types, mut report) = (HashMap::new(), Vec::new());
    let is_given = |name: &str| given.contains_key(name);
    // Those of the settings come first.
    let mut tables: Vec<&str> = catalog.tables.iter().map(|table| table.name.as_str()).collect();
    tables.sort_by_key(|name| !is_given(name));
    for table in tables {
        let wanted = given.get(table).cloned().unwrap_or_else(|| type_name(table));
        let is_taken = |name: &str| BELONGING.iter().any(|end| taken.contains(&format!("{name}{end}")));
        let name = free_name(&wanted, is_taken);
        if name != wanted {
            report.push(format!("the type `{wanted}` is taken: that of the table `{table}` is `{name}`"));
        }
        taken.extend(BELONGING.iter().map(|end| format!("{name}{end}")));
        for input in ["Create", "Update", "Delete"] {
            taken.extend([format!("{input}{name}Input"), format!("{input}{name}Payload")]);
        }
        types.insert(table.to_owned(), name);
    }
    (types, report)
}

/// The type of an enum, or of the items of its arrays.
pub fn enum_of(column_type: &ColumnType) -> Option<String> {
    match column_type {
        ColumnType::Enum { name, .. } => Some(pascal(&name.to_string())),
        ColumnType::Array(items) => enum_of(items),
        _ => None,
    }
}
