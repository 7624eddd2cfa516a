//! The file that declares the objects: what the entities do not say.

use bookends_graphql::WriteKind;
use serde_json::Value as Json;

use super::changes::{Changes, FieldChanges};
use super::idents::{literal, raw};
use super::table::Ejected;
use crate::settings::{Guard, Rule, Test};

/// The file, for these tables with these changes.
pub fn file(tables: &[Ejected<'_>], changes: &[Changes]) -> String {
    let mut body = String::new();
    for (table, changes) in tables.iter().zip(changes) {
        body += &format!("    {};\n", object(table, changes));
    }
    body += &writes(tables, changes);
    let modules: Vec<String> = tables.iter().map(|table| raw(&table.module)).collect();
    let mut uses = String::from("use bookends_server::Declaring;\n");
    if body.contains(".is_null()") || body.contains(".is_not_null()") {
        uses += "use bookends_server::sea_orm::ColumnTrait;\n";
    }
    uses += &format!("\nuse crate::entity::{{{}}};\n", modules.join(", "));
    let names: Vec<&str> = ["Viewer", "in_claim", "one_of"]
        .into_iter()
        .filter(|name| body.contains(&format!("{name}{}", after(name))))
        .collect();
    if !names.is_empty() {
        uses += &format!("use crate::viewer::{{{}}};\n", names.join(", "));
    }
    format!(
        "//! The objects of the schema: what their tables do not say.\n\n{uses}\n/// The objects over the tables.\n\
         pub fn tables() -> Declaring {{\n    let mut tables = Declaring::new(\"Query\");\n{body}    tables\n}}\n"
    )
}

/// The statements that declare mutations: a loop for the objects that have all of them.
fn writes(tables: &[Ejected<'_>], changes: &[Changes]) -> String {
    let (mut all, mut text) = (Vec::new(), String::new());
    for (table, changes) in tables.iter().zip(changes) {
        let name = literal(table.object.name());
        if changes.writes.len() == 3 && changes.writes.iter().all(|(_, without)| without.is_empty()) {
            all.push(name);
            continue;
        }
        for (kind, without) in &changes.writes {
            let without: String = without.iter().map(|field| format!(".without({})", literal(field))).collect();
            text += &format!("    tables.{}({name}){without};\n", verb(*kind));
        }
    }
    if all.is_empty() {
        return text;
    }
    let kinds = [WriteKind::Create, WriteKind::Update, WriteKind::Delete];
    let each: String = kinds.map(|kind| format!("        tables.{}(object);\n", verb(kind))).concat();
    format!("    for object in [{}] {{\n{each}    }}\n{text}", all.join(", "))
}

fn verb(kind: WriteKind) -> &'static str {
    match kind {
        WriteKind::Create => "create",
        WriteKind::Update => "update",
        WriteKind::Delete => "delete",
    }
}

/// What follows a name where it is used.
fn after(name: &str) -> &'static str {
    if name == "Viewer" { "" } else { "(" }
}

/// The statement that declares an object.
fn object(table: &Ejected<'_>, changes: &Changes) -> String {
    let texts = |texts: &[String]| texts.iter().map(|text| literal(text)).collect::<Vec<_>>().join(", ");
    let mut calls = Vec::new();
    if let Some(description) = &changes.description {
        calls.push(format!("describe({})", literal(description)));
    }
    if changes.is_numbered {
        calls.push("numbered()".to_owned());
    }
    calls.extend(changes.unique.iter().map(|columns| format!("unique(&[{}])", texts(columns))));
    if changes.is_unfiltered {
        calls.push("unfiltered()".to_owned());
    }
    if changes.is_without_aggregates {
        calls.push("without_aggregates()".to_owned());
    }
    for (call, size) in ["page_size", "max_page_size"].into_iter().zip(changes.page_sizes) {
        calls.extend(size.map(|size| format!("{call}({size})")));
    }
    calls.extend(changes.sorted_by.iter().map(|fields| format!("sorted_by(&[{}])", texts(fields))));
    if !changes.orders.is_empty() {
        let orders: Vec<String> = changes.orders.iter().map(|order| format!("&[{}]", texts(order))).collect();
        calls.push(format!("orders(&[{}])", orders.join(", ")));
    }
    if changes.roots.iter().any(Option::is_some) {
        let [list, object] = changes
            .roots
            .clone()
            .map(|name| name.map_or("None".to_owned(), |name| format!("Some({})", literal(&name))));
        calls.push(format!("root_names({list}, {object})"));
    }
    calls.extend(changes.rule.iter().flat_map(|rule| rules(table, rule)));
    calls.extend(changes.fields.iter().map(field));
    let entity = table.entity();
    let begin = match &changes.name {
        Some(name) => format!("tables.entity_named::<{entity}>({})", literal(name)),
        None => format!("tables.entity::<{entity}>()"),
    };
    match &calls[..] {
        [] => begin,
        [only] if begin.len() + only.len() < 60 => format!("{begin}.{only}"),
        _ => calls.iter().fold(begin, |text, call| format!("{text}\n        .{call}")),
    }
}

/// The rules of an object: one for each comparison.
fn rules(table: &Ejected<'_>, rule: &Rule) -> Vec<String> {
    let of = |(name, test): &(String, Test)| {
        let column = format!("{}::Column::{}", raw(&table.module), table.column(name)?.variant());
        Some(match test {
            Test::Claim(claim) => {
                format!("rule_by({column}, |viewer: &Viewer| viewer.claim({column}, {}))", literal(claim))
            }
            Test::InClaim(claim) => {
                format!("rule(|viewer: Option<&Viewer>| in_claim(viewer, {column}, {}))", literal(claim))
            }
            Test::In(values) => format!("only(one_of({column}, [{}]))", values_of(values)),
            Test::IsNull(true) => format!("only({column}.is_null())"),
            Test::IsNull(false) => format!("only({column}.is_not_null())"),
        })
    };
    rule.tests.iter().filter_map(of).collect()
}

/// Values of JSON as those of a list in Rust.
fn values_of(values: &[Json]) -> String {
    let value = |value: &Json| match value {
        Json::String(text) => format!("{}.into()", literal(text)),
        other => format!("{other}.into()"),
    };
    values.iter().map(value).collect::<Vec<_>>().join(", ")
}

fn field(changes: &FieldChanges) -> String {
    let mut calls = Vec::new();
    if let Some(description) = &changes.description {
        calls.push(format!("describe({})", literal(description)));
    }
    if changes.is_unsorted {
        calls.push("unsorted()".to_owned());
    }
    match changes.filtered {
        Some(true) => calls.push("filtered()".to_owned()),
        Some(false) => calls.push("unfiltered()".to_owned()),
        None => {}
    }
    if let Some((guard, or_null)) = &changes.guard {
        calls.push(format!("{}({})", if *or_null { "guard_or_null" } else { "guard" }, allows(guard)));
    }
    if changes.is_hidden {
        calls.push("hide()".to_owned());
    }
    if let Some(name) = &changes.name {
        calls.push(format!("rename({})", literal(name)));
    }
    let calls = calls.iter().map(|call| format!(".{call}")).collect::<String>();
    format!("change({}, |field| {{\n            field{calls};\n        }})", literal(&changes.field))
}

/// Whether a viewer may read a field.
fn allows(Guard { claim, values }: &Guard) -> String {
    let (claim, values) = (literal(claim), values_of(values));
    format!("|viewer: Option<&Viewer>| viewer.is_some_and(|viewer| viewer.has({claim}, &[{values}]))")
}
