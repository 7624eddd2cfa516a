//! Lists of thousands, wherever a request can have a list.

use serde_json::{Value, json};

/// A place for a list.
pub struct List {
    /// The selections around it, with `$list` in its place.
    pub around: &'static str,
    /// The code of what is said to one of hundreds; none where it is answered.
    pub code: Option<&'static str>,
    /// Its type.
    kind: &'static str,
    /// One item, as GraphQL writes it. As JSON it is the same, but for the quotes.
    item: &'static str,
}

/// All of them. What is in them is right, and can only be too much; sorts that say nothing new are not.
pub const LISTS: &[List] = &[
    list("nodes(ids: $list) { id }", Some("BAD_USER_INPUT"), "[ID!]!", ID),
    list("readings(first: 1, where: { value: { in: $list } }) { nodes { id } }", TOO_LARGE, "[Int!]", "5"),
    list("repairs(first: 1, where: { sensor: { id: { notIn: $list } } }) { nodes { id } }", TOO_LARGE, "[ID!]", ID),
    list("sensors(first: 1, where: { name: { in: $list } }) { nodes { id } }", TOO_LARGE, "[String!]", r#""The""#),
    list(
        "readings(first: 1, orderBy: $list) { nodes { id } }",
        None,
        "[ReadingSort!]",
        "{ field: VALUE, nulls: FIRST }",
    ),
    list("sensors(first: 1, orderBy: $list) { nodes { id } }", None, "[SensorSort!]", "{ field: YEAR }"),
    list("readings(first: 1, where: { and: $list }) { nodes { id } }", TOO_LARGE, "[ReadingFilter!]", "{ value: {} }"),
    list("readings(first: 1, where: { and: $list }) { nodes { id } }", TOO_LARGE, "[ReadingFilter!]", "{}"),
    list(
        "sensors(first: 1, where: { or: $list }) { nodes { id } }",
        TOO_LARGE,
        "[SensorFilter!]",
        "{ year: { eq: 1900 } }",
    ),
];

const ID: &str = r#""owggAZt22qgAf16poElKqWE-BQ""#;
const TOO_LARGE: Option<&str> = Some("FILTER_TOO_LARGE");

const fn list(around: &'static str, code: Option<&'static str>, kind: &'static str, item: &'static str) -> List {
    List { around, code, kind, item }
}

impl List {
    /// A request with so many items in its text.
    pub fn literal(&self, number: usize) -> Value {
        let items = vec![self.item; number].join(", ");
        json!({ "query": format!("{{ {} }}", self.around.replace("$list", &format!("[{items}]"))) })
    }

    /// A request with so many items in a variable.
    pub fn variable(&self, number: usize) -> Value {
        let query = format!("query($list: {}) {{ {} }}", self.kind, self.around);
        json!({ "query": query, "variables": { "list": vec![self.json(); number] } })
    }

    fn json(&self) -> Value {
        let mut json = String::new();
        for token in self.item.split_inclusive([' ', ':', ',']) {
            let word = token.trim_end_matches([' ', ':', ',']);
            let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic());
            json += &if is_name { token.replace(word, &format!("{word:?}")) } else { token.to_owned() };
        }
        serde_json::from_str(&json).unwrap()
    }
}
