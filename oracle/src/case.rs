//! A case as a text: tables, rows, who asks, and documents. A test is its text.
//!
//! ```text
//! oak(id BigInt) key(id)
//! fir(oak_id BigInt, a Double?) key(oak_id) refers(oak_id oak oak firs) index(oak_id) sort(a) counted
//! oak ["0"]
//! fir ["0", 1.5]
//! who "a"
//! { oaks { totalCount } }
//! ```

use async_graphql::Value;
use async_graphql::parser::parse_query;

use crate::datum::Datum;
use crate::documents::Document;
use crate::interpret::{Row, Rows};
use crate::schema::{Column, Kind, OnDelete, Reference, Schema, Storage, Table};

/// How a text says what becomes of a row when the one that it refers to is deleted.
const ON_DELETE: [(&str, OnDelete); 2] = [(" cascades", OnDelete::Cascade), (" nullifies", OnDelete::SetNull)];

/// What is asked of a database, and by whom.
#[derive(Debug)]
pub struct Case {
    /// The tables.
    pub schema: Schema,
    /// Their rows.
    pub rows: Rows,
    /// The claim of the viewer.
    pub who: Datum,
    /// The documents.
    pub documents: Vec<Document>,
}

impl Case {
    /// Reads a text.
    ///
    /// # Panics
    ///
    /// If it is no case.
    pub fn parse(text: &str) -> Self {
        let (mut schema, mut rows, mut who, mut documents) = (Schema::default(), Rows::new(), Datum::Null, Vec::new());
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if line.starts_with('{') || line.starts_with("query ") {
                documents.push(Document { text: line.to_owned(), ..Document::default() });
            } else if let Some(text) = line.strip_prefix("who ") {
                who = Datum::of_argument(&literal(text), Kind::Text).expect("a text");
            } else if let Some((name, values)) = line.split_once(" [") {
                let number =
                    schema.tables.iter().position(|table| table.name == name).expect("a table before its rows");
                let Value::List(values) = literal(&format!("[{values}")) else { panic!("{line}") };
                let kinds = schema.tables[number].columns.iter().map(|column| column.kind);
                let row =
                    values.iter().zip(kinds).map(|(value, kind)| Datum::of_argument(value, kind).expect("a value"));
                rows[number].push(row.collect());
            } else {
                let table = table(line, &schema);
                schema.tables.push(table);
                rows.push(Vec::new());
            }
        }
        Self { schema, rows, who, documents }
    }

    /// Its text.
    pub fn print(&self) -> String {
        let mut lines = Vec::new();
        for table in &self.schema.tables {
            let name = |column: &usize| table.columns[*column].name.as_str();
            let names = |columns: &[usize]| columns.iter().map(name).collect::<Vec<_>>().join(" ");
            let column = |of: &Column| format!("{} {:?}{}", of.name, of.kind, if of.nullable { "?" } else { "" });
            let columns: Vec<String> = table.columns.iter().map(column).collect();
            let mut line = format!("{}({}) key({})", table.name, columns.join(", "), names(&table.key));
            for of in &table.references {
                let to = &self.schema.tables[of.to].name;
                let word = if of.unique { "unique" } else { "refers" };
                let on_delete = ON_DELETE.iter().find(|(_, it)| *it == of.on_delete).map_or("", |(word, _)| word);
                line += &format!(" {word}({} {to} {} {}{on_delete})", names(&of.columns), of.field, of.list);
            }
            table.indexes.iter().for_each(|columns| line += &format!(" index({})", names(columns)));
            table.sorts.iter().for_each(|columns| line += &format!(" sort({})", names(columns)));
            table.rule.iter().for_each(|column| line += &format!(" rule({})", name(column)));
            table.guard.iter().for_each(|column| line += &format!(" guard({})", name(column)));
            let is = [
                (table.as_of, "as_of()"),
                (table.counted, "counted()"),
                (table.storage == Storage::Partitions, "partitioned()"),
                (table.storage == Storage::View, "view()"),
            ];
            is.iter().filter(|(is, _)| *is).for_each(|(_, word)| line += &format!(" {word}"));
            lines.push(line);
        }
        for (table, rows) in self.schema.tables.iter().zip(&self.rows) {
            let shown = |row: &Row| row.iter().zip(&table.columns).map(|(value, of)| value.show(of.kind)).collect();
            lines.extend(rows.iter().map(|row| format!("{} {}", table.name, Value::List(shown(row)))));
        }
        lines.push(format!("who {}", self.who.show(Kind::Text)));
        lines.extend(self.documents.iter().map(|document| document.text.clone()));
        lines.join("\n")
    }
}

/// A value as a document writes it.
fn literal(text: &str) -> Value {
    let document = parse_query(format!("{{ a(a: {text}) }}")).expect("a value");
    let operation = document.operations.iter().next().expect("an operation").1;
    let async_graphql::parser::types::Selection::Field(field) = &operation.node.selection_set.node.items[0].node else {
        return Value::Null;
    };
    field.node.arguments[0].1.node.clone().into_const().expect("a constant")
}

fn table(line: &str, known: &Schema) -> Table {
    let (name, rest) = line.split_once('(').expect("columns");
    let (columns, mut rest) = rest.split_once(')').expect("the end of the columns");
    let columns: Vec<Column> = columns
        .split(", ")
        .map(|column| {
            let (name, kind) = column.split_once(' ').expect("a kind");
            let is = |of: &&Kind| format!("{of:?}") == kind.trim_end_matches('?');
            let kind_of = *Kind::ALL.iter().find(is).expect("a known kind");
            Column { name: name.into(), kind: kind_of, nullable: kind.ends_with('?') }
        })
        .collect();
    let mut table = Table::new(name, columns, Vec::new());
    while let Some((word, inner)) = rest.trim_start().split_once('(') {
        let (words, more) = inner.split_once(')').expect("the end");
        rest = more;
        let numbers = |words: &str| -> Vec<usize> {
            let number = |word: &str| table.columns.iter().position(|column| column.name == word).expect("a column");
            words.split(' ').map(number).collect()
        };
        match word {
            "key" => table.key = numbers(words),
            "index" => table.indexes.push(numbers(words)),
            "sort" => table.sorts.push(numbers(words)),
            "rule" => table.rule = numbers(words).first().copied(),
            "guard" => table.guard = numbers(words).first().copied(),
            "view" => table.storage = Storage::View,
            "as_of" => table.as_of = true,
            "counted" => table.counted = true,
            "partitioned" => table.storage = Storage::Partitions,
            _ => {
                let (on_delete, words) = ON_DELETE
                    .into_iter()
                    .find_map(|(word, it)| words.strip_suffix(word).map(|words| (it, words)))
                    .unwrap_or((OnDelete::Restrict, words));
                let parts: Vec<&str> = words.rsplitn(4, ' ').collect();
                let to = known.tables.iter().position(|table| table.name == parts[2]).unwrap_or(known.tables.len());
                let (field, list) = (parts[1].to_owned(), parts[0].to_owned());
                table.references.push(Reference {
                    columns: numbers(parts[3]),
                    to,
                    field,
                    list,
                    unique: word == "unique",
                    on_delete,
                });
            }
        }
    }
    table
}
