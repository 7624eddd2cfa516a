//! What is selected of a connection.

use async_graphql::Variables;
use keyset::{Around, ColumnSet, Join, Page, StatementCache};

use super::ahead::{Nesting, Owners};
use super::collect::{Collected, Sets, When, collect};
use super::fields::PlannedFields;
use super::object::Selection;
use super::plain::Plain;
use super::{Planner, Run};
use crate::arguments::Given;
use crate::connection;
use crate::declare::field::Field as Declared;
use crate::declare::nested::NestedList;
use crate::declare::object::ObjectType;

mod aggregates;
mod found;
mod read;
mod write;

use aggregates::Aggregates;
pub use found::{FoundPage, PlannedPage};
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
    /// What its name begins with.
    name: String,
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
    Aggregates(Box<Aggregates>),
}

enum EdgeField {
    TypeName,
    Cursor,
    /// The node, or a field of the junction, by the number of the selection.
    Selected(usize),
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
    /// What is selected of a connection of the objects with this index: of a list of all, or of this list of each parent.
    pub fn new(object: usize, list: Option<&NestedList>, sets: &Sets<'_>, planner: &mut Planner<'_>) -> Self {
        let mut nodes = Nodes::new(object, list, planner);
        let name = connection::connection_name(&nodes.name);
        let fields = PlannedFields::new(&collect(sets, planner.fragments, &|on| on == name), |field| {
            Some(match field.name() {
                "__typename" => Field::TypeName,
                "edges" => Field::Edges(nodes.edges(field, planner)),
                "nodes" => Field::Nodes(nodes.node(field, planner)),
                "pageInfo" => Field::PageInfo(page_info(field, planner)),
                "totalCount" => Field::TotalCount,
                "approximateCount" => Field::ApproximateCount(
                    Given::of(&field.field().node),
                    Plain::new(&field.sets(), planner.fragments),
                ),
                "pageCursors" => Field::PageCursors(Plain::new(&field.sets(), planner.fragments)),
                "aggregates" => {
                    Field::Aggregates(Box::new(Aggregates::new(planner.declaration.object(object), field, planner)))
                }
                _ => return None,
            })
        });
        Self { name: nodes.name, fields, selections: nodes.selections, cache: StatementCache::default() }
    }

    /// The columns of the rows that are selected.
    pub fn columns(&self, variables: &Variables) -> ColumnSet {
        self.selected(variables).map(|of| of.columns(variables)).collect()
    }

    /// The joins of its page.
    pub fn joins(&self, run: &Run<'_>) -> Vec<Join> {
        let mut joins = Vec::new();
        self.selected(run.variables).for_each(|of| of.joins(run, &mut joins));
        joins
    }

    /// The number of tables that its page is read from.
    pub fn tables(&self, variables: &Variables) -> usize {
        self.selected(variables).map(|of| of.tables(variables)).sum()
    }

    /// The lists that the statement of its page can read.
    pub fn nesting(&self, run: &Run<'_>) -> Option<Nesting<'_>> {
        Nesting::of(self.selected(run.variables), Owners::Rows, run)
    }

    fn selected(&self, variables: &Variables) -> impl Iterator<Item = &Selection> + Clone {
        self.selections.iter().filter(|(when, _)| when.holds(variables)).map(|(_, of)| of)
    }

    /// The texts of its statements.
    pub fn cache(&self) -> &StatementCache {
        &self.cache
    }

    /// Whether its page is read.
    pub fn needs_page(&self, variables: &Variables) -> bool {
        self.fields.selected(variables).any(Field::needs_page)
    }

    /// Whether one statement reads it, for a page that has neither an offset nor an object in its middle. `are_read_once` says so of the
    /// selected objects.
    pub fn reads_once(&self, variables: &Variables, are_read_once: impl Fn(&Selection) -> bool) -> bool {
        let is_selected = |wanted: fn(&Field) -> bool| self.fields.selected(variables).any(wanted);
        let reads_more = is_selected(|field| {
            matches!(field, Field::ApproximateCount(..) | Field::PageCursors(_) | Field::Aggregates(_))
        }) || is_selected(Field::needs_page)
            && is_selected(|field| matches!(field, Field::TotalCount));
        !reads_more && self.selected(variables).all(are_read_once)
    }
}

impl Field {
    fn needs_page(&self) -> bool {
        matches!(self, Self::Edges(_) | Self::Nodes(_) | Self::PageInfo(_) | Self::PageCursors(_))
    }

    /// Whether it takes more than the page.
    fn is_beside(&self) -> bool {
        matches!(self, Self::TotalCount | Self::ApproximateCount(..) | Self::Aggregates(_) | Self::PageCursors(_))
    }
}

/// The nodes of a connection, and the fields of its edges.
struct Nodes<'a> {
    /// What the names of the connection and of the edge begin with.
    name: String,
    /// The listed object.
    object: usize,
    /// The junction of a many-to-many list, the field with the node, and the fields on the edges.
    junction: Option<(&'a ObjectType, &'a Declared, Vec<&'a Declared>)>,
    selections: Vec<(When, Selection)>,
}

impl<'a> Nodes<'a> {
    fn new(object: usize, list: Option<&NestedList>, planner: &Planner<'a>) -> Self {
        let of = planner.declaration.object(object);
        let through = list.and_then(|list| Some((list, list.through.as_ref()?)));
        let junction =
            through.and_then(|(list, through)| Some((of, of.field(&through.field)?, list.edge_fields(of).collect())));
        let name = through.map_or(&of.name, |(_, through)| &through.name).clone();
        Self { name, object, junction, selections: Vec::new() }
    }

    /// Adds what is selected of the nodes, and returns its number.
    fn node(&mut self, field: &Collected<'_>, planner: &mut Planner<'_>) -> usize {
        let selection = match &self.junction {
            None => Selection::new(self.object, &field.sets(), None, planner),
            Some((junction, node, _)) => Selection::of_field(junction, node, field, planner),
        };
        self.selections.push((field.when(), selection));
        self.selections.len() - 1
    }

    /// Adds the field of the junction of this name, and returns its number.
    fn own(&mut self, field: &Collected<'_>, planner: &mut Planner<'_>) -> Option<usize> {
        let (junction, _, own) = self.junction.as_ref()?;
        let declared = own.iter().find(|own| own.name == field.name())?;
        self.selections.push((field.when(), Selection::of_field(junction, declared, field, planner)));
        Some(self.selections.len() - 1)
    }

    fn edges(&mut self, edges: &Collected<'_>, planner: &mut Planner<'_>) -> PlannedFields<EdgeField> {
        let name = connection::edge_name(&self.name);
        PlannedFields::new(&collect(&edges.sets(), planner.fragments, &|on| on == name), |field| {
            Some(match field.name() {
                "__typename" => EdgeField::TypeName,
                "cursor" => EdgeField::Cursor,
                "node" => EdgeField::Selected(self.node(field, planner)),
                _ => EdgeField::Selected(self.own(field, planner)?),
            })
        })
    }
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
