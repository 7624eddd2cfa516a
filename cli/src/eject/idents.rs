//! Names of Rust, from names of the database.

use bookends_graphql::{free_name, pascal, screaming};

/// Words that Rust keeps for itself.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types that each file of an entity has or imports.
const TYPES: &[&str] = &[
    "ActiveModel",
    "Column",
    "Date",
    "DateTime",
    "DateTimeWithTimeZone",
    "Decimal",
    "Entity",
    "Expr",
    "Json",
    "Model",
    "Option",
    "PrimaryKey",
    "RcOrArc",
    "Related",
    "Relation",
    "RelationDef",
    "Self",
    "Some",
    "None",
    "String",
    "StringLen",
    "Time",
    "Uuid",
    "Vec",
];

/// A name in snake case, which is free if no other has the same in Pascal case: SeaORM makes that of it. A name without letters is
/// that of its kind.
pub fn snake(name: &str, kind: &str, taken: &[String]) -> String {
    let words = screaming(name).to_lowercase();
    let words = match words.strip_prefix('_') {
        None => words,
        Some("") => kind.to_owned(),
        Some(rest) => format!("{kind}_{rest}"),
    };
    // These cannot be raw.
    let words = if ["crate", "self", "super"].contains(&&*words) { format!("{words}_{kind}") } else { words };
    free_name(&words, |free| taken.iter().any(|known| pascal(known) == pascal(free)))
}

/// The name as code has it.
pub fn raw(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// A type or a variant of this name.
pub fn type_ident(name: &str, taken: &[String]) -> String {
    let name = match pascal(name) {
        empty if empty == "_" => "Empty".to_owned(),
        name => name,
    };
    free_name(&name, |free| TYPES.contains(&free) || taken.iter().any(|known| known == free))
}

/// The name of a package that holds the project in a folder of this name.
pub fn package(folder: &str) -> String {
    let name = snake(folder, "api", &[]);
    let is_taken = |name: &str| {
        KEYWORDS.contains(&name)
            || ["alloc", "bookends_server", "core", "proc_macro", "std", "test", "tokio"].contains(&name)
    };
    if is_taken(&name) { format!("{name}_api") } else { name }
}

/// A text as a literal of Rust.
pub fn literal(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_of_rust() {
        let names = ["film_id", "FilmId", "type", "self", "Größe", "2nd", "", "a b", "__x", "名前"];
        let expected =
            ["film_id", "film_id", "type", "self_column", "grosse", "column_2nd", "column", "a_b", "x", "ming_qian"];
        assert_eq!(names.map(|name| snake(name, "column", &[])), expected);
        assert_eq!(raw("type"), "r#type");
        assert_eq!(snake("a_1", "column", &["a1".into()]), "a_12");
        assert_eq!(
            ["PG-13", "", "option", "3d"].map(|name| type_ident(name, &[])),
            ["Pg13", "Empty", "Option2", "_3d"]
        );
        assert_eq!(["my-shop", "test", "7"].map(package), ["my_shop", "test_api", "api_7"]);
    }
}
