//! What differs between the discovered objects and those that follow from the entities.

use bookends_graphql::{Declaring, ObjectType, Visible, WriteKind};

use super::table::Ejected;
use crate::settings::{Guard, Rule, Viewer};

/// What is said of an object.
#[derive(Debug, Default)]
pub struct Changes {
    /// Its name, where that is not the one of its table.
    pub name: Option<String>,
    pub description: Option<String>,
    pub is_numbered: bool,
    /// Columns that are unique together.
    pub unique: Vec<Vec<String>>,
    pub is_unfiltered: bool,
    pub is_without_aggregates: bool,
    /// The size of a page, and the largest one.
    pub page_sizes: [Option<u32>; 2],
    /// The fields of columns by which lists are sorted, if not by all.
    pub sorted_by: Option<Vec<String>>,
    /// The orders, if more than those by one item.
    pub orders: Vec<Vec<String>>,
    /// The names of the list and of the object in the query.
    pub roots: [Option<String>; 2],
    pub rule: Option<Rule>,
    pub fields: Vec<FieldChanges>,
    /// The mutations, and what their inputs do not have.
    pub writes: Vec<(WriteKind, Vec<String>)>,
}

/// What is said of a field.
#[derive(Debug, Default)]
pub struct FieldChanges {
    /// The name that follows.
    pub field: String,
    pub description: Option<String>,
    pub is_unsorted: bool,
    pub filtered: Option<bool>,
    pub guard: Option<(Guard, bool)>,
    pub is_hidden: bool,
    pub name: Option<String>,
}

impl FieldChanges {
    /// Whether the field differs at all.
    pub fn says_anything(&self) -> bool {
        let Self { description, is_unsorted, filtered, guard, is_hidden, name, .. } = self;
        description.is_some() || *is_unsorted || filtered.is_some() || guard.is_some() || *is_hidden || name.is_some()
    }
}

/// The objects of these tables with these changes: what the project declares, without its entities.
pub fn declaring(tables: &[Ejected<'_>], changes: &[Changes]) -> Declaring {
    let mut declaring = Declaring::new("Query");
    for (table, changes) in tables.iter().zip(changes) {
        changes.apply(declaring.table(table.plain(tables)));
    }
    for (table, changes) in tables.iter().zip(changes) {
        for (kind, without) in &changes.writes {
            let name = table.object.name();
            let write = match kind {
                WriteKind::Create => declaring.create(name),
                WriteKind::Update => declaring.update(name),
                WriteKind::Delete => declaring.delete(name),
            };
            for field in without {
                write.without(field);
            }
        }
    }
    declaring
}

impl Changes {
    fn apply(&self, object: &mut ObjectType) {
        object.describe(self.description.clone().unwrap_or_default());
        if self.is_numbered {
            object.numbered();
        }
        for columns in &self.unique {
            object.unique(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        }
        if self.is_unfiltered {
            object.unfiltered();
        }
        if self.is_without_aggregates {
            object.without_aggregates();
        }
        if let Some(size) = self.page_sizes[0] {
            object.page_size(size);
        }
        if let Some(max) = self.page_sizes[1] {
            object.max_page_size(max);
        }
        if let Some(fields) = &self.sorted_by {
            object.sorted_by(&fields.iter().map(String::as_str).collect::<Vec<_>>());
        }
        object.root_names(self.roots[0].as_deref(), self.roots[1].as_deref());
        for (column, test) in self.rule.iter().flat_map(|rule| &rule.tests) {
            let column = object.table().column(column).cloned();
            match (test.claim(), column) {
                (Some(_), Some(column)) => {
                    object.rule_by(column, |_: &Viewer| None::<i32>);
                }
                _ => {
                    object.only(Visible::None);
                }
            }
        }
        for FieldChanges { field, description, is_unsorted, filtered, guard, is_hidden, name } in &self.fields {
            let (description, name, is_unsorted) = (description.clone(), name.clone(), *is_unsorted);
            let (filtered, is_guarded, is_hidden) = (*filtered, guard.is_some(), *is_hidden);
            object.change(field, move |field| {
                if let Some(description) = &description {
                    field.describe(description);
                }
                if is_unsorted {
                    field.unsorted();
                }
                match filtered {
                    Some(true) => field.filtered(),
                    Some(false) => field.unfiltered(),
                    None => field,
                };
                if is_guarded {
                    field.guard(|_: Option<&Viewer>| false);
                }
                if is_hidden {
                    field.hide();
                }
                if let Some(name) = &name {
                    field.rename(name);
                }
            });
        }
    }
}
