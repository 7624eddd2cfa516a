//! What the settings change of an object.

use bookends_graphql::{Field, ObjectType, Visible};
use keyset::Column;

use super::expression::{Guard, Rule, Viewer, by_claim, condition};
use super::{FieldSettings, TableSettings};

pub fn object(object: &mut ObjectType, settings: &TableSettings) {
    if let Some(description) = &settings.description {
        object.describe(description);
    }
    let name = |name: &Option<toml::Spanned<String>>| name.as_ref().map(|name| name.get_ref().clone());
    object.root_names(name(&settings.list).as_deref(), name(&settings.object).as_deref());
    for columns in &settings.sorts {
        let fields: Vec<String> = columns.get_ref().iter().filter_map(|column| object.field_of(column)).collect();
        object.also_sorted_by(&fields.iter().map(String::as_str).collect::<Vec<_>>());
    }
    if settings.aggregates == Some(false) {
        object.without_aggregates();
    }
    let [size, max] = settings.page_sizes();
    if let Some(size) = size {
        object.page_size(size);
    }
    if let Some(max) = max {
        object.max_page_size(max);
    }
    if settings.filters == Some(false) {
        object.unfiltered();
    }
    if let Some(rule) = settings.rule.as_ref().and_then(|rule| Rule::parse(rule.get_ref()).ok()) {
        self::rule(object, rule);
    }
    for (name, settings) in &settings.field {
        let (name, settings) = (object.field_of(name).unwrap_or_else(|| name.clone()), settings.get_ref().clone());
        object.change(&name, move |known| field(known, &settings));
    }
}

fn field(field: &mut Field, settings: &FieldSettings) {
    if let Some(description) = &settings.description {
        field.describe(description);
    }
    if settings.sort == Some(false) {
        field.unsorted();
    }
    match settings.filter {
        Some(true) => field.filtered(),
        Some(false) => field.unfiltered(),
        None => field,
    };
    if let Some(guard) = settings.guard.as_ref().and_then(|guard| Guard::parse(guard.get_ref()).ok()) {
        let allows = move |viewer: Option<&Viewer>| guard.allows(viewer);
        if settings.or_null {
            field.guard_or_null(allows)
        } else {
            field.guard(allows)
        };
    }
    if settings.hide {
        field.hide();
    }
    if let Some(name) = &settings.name {
        field.rename(name.get_ref());
    }
}

/// Gives an object a rule: each comparison with one claim is a rule of its own, whose column can come first in an index.
fn rule(object: &mut ObjectType, rule: Rule) {
    for (name, test) in rule.tests {
        let Some(column) = object.table().column(&name).cloned() else { continue };
        match test.claim() {
            Some(claim) => {
                let (claim, of): (String, Column) = (claim.to_owned(), column.clone());
                object.rule_by(column, move |viewer: &Viewer| by_claim(&of, viewer, &claim));
            }
            None => {
                object.rule(move |viewer: Option<&Viewer>| match condition(&column, &test, viewer) {
                    Some(condition) => Visible::Only(condition),
                    None => Visible::None,
                });
            }
        }
    }
}
