//! Finds what differs between the discovered objects and those that follow from the entities.

use std::collections::BTreeSet;

use bookends_graphql::{DeclarationError, Field, ObjectType, WriteKind, screaming, type_name};
use keyset::Indexes;

use super::changes::{Changes, FieldChanges, declaring};
use super::table::Ejected;
use crate::discover::Discovered;

/// The changes of each table.
///
/// # Errors
///
/// [`DeclarationError`] if nothing can follow from the entities.
pub fn changes(
    discovered: &Discovered,
    tables: &[Ejected<'_>],
    indexes: &Indexes,
) -> Result<Vec<Changes>, DeclarationError> {
    let mut all: Vec<Changes> = tables.iter().map(|table| of_object(discovered, table, tables, indexes)).collect();
    let plain = declaring(tables, &all).check()?;
    let [found, writes, _] = discovered.declaration.root_fields();
    let [named, ..] = plain.root_fields();
    for (number, (table, changes)) in tables.iter().zip(&mut all).enumerate() {
        let differs = |at: usize| found.get(at).filter(|name| named.get(at) != Some(name)).map(|&name| name.to_owned());
        changes.roots = [differs(2 * number), differs(2 * number + 1)];
        let name = table.object.name();
        if let Some(object) = plain.object_named(name) {
            of_fields(discovered, table, object, changes);
        }
        changes.writes = of_writes(table, &writes);
    }
    Ok(all)
}

/// The mutations of an object, and what their inputs do not have: what the database computes.
fn of_writes(table: &Ejected<'_>, writes: &[&str]) -> Vec<(WriteKind, Vec<String>)> {
    let (object, of) = (table.object, table.object.table());
    let is_computed = |name: &str| of.column(name).is_some_and(|it| it.is_computed() && !table.is_of_key(it));
    let fields = object.fields().iter().filter(|field| !field.is_hidden());
    let computed = fields.filter(|field| field.column_name().is_some_and(is_computed));
    let computed: Vec<String> = computed.map(|field| field.name().to_owned()).collect();
    let kinds = [(WriteKind::Create, "create"), (WriteKind::Update, "update"), (WriteKind::Delete, "delete")];
    let offered = kinds.into_iter().filter(|(_, verb)| writes.contains(&&*format!("{verb}{}", object.name())));
    let without = |kind| if kind == WriteKind::Delete { Vec::new() } else { computed.clone() };
    offered.map(|(kind, _)| (kind, without(kind))).collect()
}

/// What is said of an object itself.
fn of_object(discovered: &Discovered, table: &Ejected<'_>, tables: &[Ejected<'_>], indexes: &Indexes) -> Changes {
    let (object, said) = (table.object, discovered.settings.said(&table.found.name));
    let plain = table.plain(tables);
    let keys = table.foreign_keys(tables);
    let unique = keys.iter().filter(|(key, _)| key.is_unique && !table.says_unique(key));
    let mut unique: Vec<Vec<String>> = unique.map(|(key, _)| key.columns.clone()).chain(table.unique()).collect();
    unique.sort_unstable();
    unique.dedup();
    let described = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Changes {
        name: (type_name(&table.found.name) != object.name()).then(|| object.name().to_owned()),
        description: described(object.description()),
        is_numbered: object.renamed().len() > plain.renamed().len(),
        unique,
        is_unfiltered: said.is_unfiltered,
        is_without_aggregates: said.is_without_aggregates,
        page_sizes: said.page_sizes,
        orders: orders(table, indexes, &said.sorts),
        rule: said.rule,
        ..Changes::default()
    }
}

/// The orders by several items, with each item alone: those that an index holds, also of the objects of one parent.
fn orders(table: &Ejected<'_>, indexes: &Indexes, also: &[Vec<String>]) -> Vec<Vec<String>> {
    let item = |column: &str| {
        let field = table.object.fields().iter().find(|field| field.column_name() == Some(column));
        field.filter(|field| field.is_sorted()).map(|field| screaming(field.name()))
    };
    let mut orders = BTreeSet::new();
    let of_indexes = indexes.of(&table.found.name);
    let mut held: Vec<Vec<String>> =
        of_indexes.map(|index| index.iter().map(|(column, ..)| (*column).to_owned()).collect()).collect();
    for key in &table.found.foreign_keys {
        let rest = held.iter().filter_map(|index| Some(index.strip_prefix(&key.columns[..])?.to_vec()));
        let rest: Vec<Vec<String>> = rest.collect();
        held.extend(rest);
    }
    for columns in held.iter().chain(also) {
        let mut items: Vec<String> = columns.iter().map_while(|column| item(column)).collect();
        // The key can follow each order.
        if let [key] = &table.key()[..]
            && let Some(at) = columns.iter().position(|column| column == key)
        {
            items.truncate(at);
        }
        orders.extend((2..=items.len()).map(|length| items[..length].to_vec()));
    }
    if orders.is_empty() {
        return Vec::new();
    }
    let is_key = |column: &str| table.key() == [column];
    let columns = table.object.fields().iter().filter_map(Field::column_name).filter(|column| !is_key(column));
    let each = columns.filter_map(item).map(|item| vec![item]);
    each.chain(orders).collect()
}

/// What is said of the fields of an object, by those of the object that follows.
fn of_fields(discovered: &Discovered, table: &Ejected<'_>, plain: &ObjectType, changes: &mut Changes) {
    let (said, mut is_sorted_by_all) = (discovered.settings.said(&table.found.name), true);
    let (mut sorted_by, mut rest) = (Vec::new(), table.object.fields());
    for field in plain.fields() {
        // The fields of both have one order, unless a table that refers to this one is left out.
        let found = rest.split_first();
        let is_known = plain.fields().len() == table.object.fields().len();
        let found = found.filter(|(found, _)| is_known || found.name() == field.name());
        let Some((found, others)) = found else {
            changes.fields.push(FieldChanges {
                field: field.name().to_owned(),
                is_hidden: true,
                ..FieldChanges::default()
            });
            continue;
        };
        rest = others;
        if field.column_name().is_some() && found.is_sorted() {
            sorted_by.push(field.name().to_owned());
        }
        let is_column = field.column_name().is_some();
        let is_unsorted = field.is_sorted() && !found.is_sorted() && !found.is_hidden();
        is_sorted_by_all &= !(is_column && is_unsorted);
        let is_guarded = |name: &str| name == field.name() || Some(name) == field.column_name();
        let guard = said.guards.iter().find(|(name, ..)| is_guarded(name));
        let change = FieldChanges {
            field: field.name().to_owned(),
            description: (field.description() != found.description()).then(|| found.description().to_owned()),
            is_unsorted: is_unsorted && !is_column,
            filtered: (field.is_filtered() != found.is_filtered() && !found.is_hidden()).then(|| found.is_filtered()),
            guard: guard.map(|(_, guard, or_null)| (guard.clone(), *or_null)),
            is_hidden: found.is_hidden(),
            name: (field.name() != found.name()).then(|| found.name().to_owned()),
        };
        if change.says_anything() {
            changes.fields.push(change);
        }
    }
    changes.sorted_by = (!is_sorted_by_all).then_some(sorted_by);
}
