//! What is selected of a connection.

use async_graphql::Variables;
use keyset::{Around, ColumnSet, Page, StatementCache};

use super::Planner;
use super::collect::{Collected, Sets, When, collect};
use super::fields::PlannedFields;
use super::object::Selection;
use super::plain::Plain;
use crate::arguments::Given;
use crate::connection;

mod read;
mod write;

pub use read::Counting;
pub use write::Connections;

/// What is asked of a list.
pub enum Asked {
    /// This page.
    Page(Page),
    /// The page around an object.
    Around(Around),
}

impl Asked {
    /// The page, as far as it is known without the object.
    pub fn page(&self) -> &Page {
        match self {
            Self::Page(page) => page,
            Self::Around(around) => around.page(),
        }
    }
}

/// What is selected of a connection.
pub struct Connection {
    /// The name of its objects.
    object: String,
    fields: PlannedFields<Field>,
    /// What is selected of the objects, at each place where they are.
    selections: Vec<(When, Selection)>,
    cache: StatementCache,
}

enum Field {
    TypeName,
    Edges(PlannedFields<EdgeField>),
    /// By the number of the selection.
    Nodes(usize),
    PageInfo(PlannedFields<PageInfoField>),
    TotalCount,
    /// The number of the count, its bound, and what is selected.
    ApproximateCount(Given, Plain),
    PageCursors(Plain),
}

enum EdgeField {
    TypeName,
    Cursor,
    /// By the number of the selection.
    Node(usize),
}

#[derive(Clone, Copy)]
enum PageInfoField {
    TypeName,
    HasPreviousPage,
    HasNextPage,
    StartCursor,
    EndCursor,
}

impl Connection {
    /// What is selected of a connection of the objects with this index.
    pub fn new(object: usize, sets: &Sets<'_>, planner: &mut Planner<'_>) -> Self {
        let mut selections = Vec::new();
        let of = planner.declaration.object(object);
        let name = connection::connection_name(&of.name);
        let fields = PlannedFields::new(&collect(sets, planner.fragments, &|on| on == name), |field| {
            Some(match field.name() {
                "__typename" => Field::TypeName,
                "edges" => Field::Edges(edges(object, field, &mut selections, planner)),
                "nodes" => Field::Nodes(objects(object, field, &mut selections, planner)),
                "pageInfo" => Field::PageInfo(page_info(field, planner)),
                "totalCount" => Field::TotalCount,
                "approximateCount" => Field::ApproximateCount(
                    Given::of(&field.field().node),
                    Plain::new(&field.sets(), planner.fragments),
                ),
                "pageCursors" => Field::PageCursors(Plain::new(&field.sets(), planner.fragments)),
                _ => return None,
            })
        });
        Self { object: of.name.clone(), fields, selections, cache: StatementCache::default() }
    }

    /// The columns of the rows that are selected.
    pub fn columns(&self, variables: &Variables) -> ColumnSet {
        let selections = self.selections.iter().filter(|(when, _)| when.holds(variables));
        selections.map(|(_, of)| of.columns(variables)).collect()
    }

    /// Whether one statement reads it, for a page that has neither an offset nor an object in its middle.
    pub fn reads_once(&self, variables: &Variables) -> bool {
        let is_selected = |wanted: fn(&Field) -> bool| self.fields.selected(variables).any(wanted);
        let reads_more = is_selected(|field| matches!(field, Field::ApproximateCount(..) | Field::PageCursors(_)))
            || is_selected(Field::needs_page) && is_selected(|field| matches!(field, Field::TotalCount));
        !reads_more && !self.selections.iter().any(|(when, of)| when.holds(variables) && of.reads_lists(variables))
    }
}

impl Field {
    fn needs_page(&self) -> bool {
        matches!(self, Self::Edges(_) | Self::Nodes(_) | Self::PageInfo(_) | Self::PageCursors(_))
    }
}

fn objects(
    object: usize,
    field: &Collected<'_>,
    selections: &mut Vec<(When, Selection)>,
    planner: &mut Planner<'_>,
) -> usize {
    selections.push((field.when(), Selection::new(object, &field.sets(), None, planner)));
    selections.len() - 1
}

fn edges(
    object: usize,
    edges: &Collected<'_>,
    selections: &mut Vec<(When, Selection)>,
    planner: &mut Planner<'_>,
) -> PlannedFields<EdgeField> {
    let name = connection::edge_name(&planner.declaration.object(object).name);
    PlannedFields::new(&collect(&edges.sets(), planner.fragments, &|on| on == name), |field| {
        Some(match field.name() {
            "__typename" => EdgeField::TypeName,
            "cursor" => EdgeField::Cursor,
            "node" => EdgeField::Node(objects(object, field, selections, planner)),
            _ => return None,
        })
    })
}

fn page_info(page_info: &Collected<'_>, planner: &Planner<'_>) -> PlannedFields<PageInfoField> {
    PlannedFields::new(&collect(&page_info.sets(), planner.fragments, &|on| on == "PageInfo"), |field| {
        Some(match field.name() {
            "__typename" => PageInfoField::TypeName,
            "hasPreviousPage" => PageInfoField::HasPreviousPage,
            "hasNextPage" => PageInfoField::HasNextPage,
            "startCursor" => PageInfoField::StartCursor,
            "endCursor" => PageInfoField::EndCursor,
            _ => return None,
        })
    })
}
