//! Connections and edges, as the schema describes them.

use async_graphql::registry::Registry;
use async_graphql::{OutputType, SimpleObject};

use crate::cost::{Cost, FieldCost};
use crate::count::{self, ApproximateCount};
use crate::declare::object::ObjectType;
use crate::page_cursors::{self, PageCursors};
use crate::registry::{self, ObjectFields};

/// The prices of the fields of the connection of this name, which lists these objects.
pub(crate) fn costs(name: &str, of: &ObjectType) -> Vec<FieldCost> {
    let aggregates = of.has_aggregates.then_some(Cost::Scan);
    let of = |field, cost| FieldCost::new(connection_name(name), field, cost);
    let costs = [
        of("totalCount", Cost::Count),
        of("approximateCount", Cost::CountUpTo { default: count::DEFAULT.unsigned_abs() }),
        of("pageCursors", Cost::PageCursors { pages: page_cursors::REACH }),
    ];
    costs.into_iter().chain(aggregates.map(|cost| of("aggregates", cost))).collect()
}

/// The cursors of a page, and whether there are objects before and after it.
#[derive(SimpleObject)]
pub struct PageInfo {
    /// Whether there are objects before this page. The answer is exact. With `last` and `after`, it considers only objects
    /// between the cursor and the page.
    has_previous_page: bool,
    /// Whether there are objects after this page. The answer is exact. With `before` and without `last`, it considers only objects
    /// between the page and the cursor.
    has_next_page: bool,
    /// The cursor of the first edge. Null if the page is empty.
    start_cursor: Option<String>,
    /// The cursor of the last edge. Null if the page is empty.
    end_cursor: Option<String>,
}

pub(crate) fn connection_name(object: &str) -> String {
    format!("{object}Connection")
}

pub(crate) fn edge_name(object: &str) -> String {
    format!("{object}Edge")
}

/// Registers the connection of this name, with aggregates of this type, and its edges: their nodes, and fields of their own.
pub(crate) fn register(
    registry: &mut Registry,
    name: &str,
    node: &str,
    aggregates: Option<String>,
    own: impl FnOnce(&mut ObjectFields<'_>),
) {
    let description = "A page of a list, as a Relay connection. Only selected fields are read from the database.";
    let edge = edge_name(name);
    registry::object(registry, &connection_name(name), description, |fields| {
        let page_info = PageInfo::create_type_info(fields.registry);
        fields
            .plain("edges", "The edges of this page: its objects with their cursors.", format!("[{edge}!]!"))
            .plain("nodes", "The objects of this page.", format!("[{node}!]!"))
            .plain("pageInfo", "The cursors of this page, and whether there are objects before and after it.", page_info)
            .field::<i32>(
                "totalCount",
                "The exact number of objects on all pages of the list. With `where`, `asOf` or `search`, the server reads all \
                 matching objects: select it only if needed.",
            );
        let up_to = "Counts up to this number, from 0 to 10,000. For a longer list, `value` is greater than this.";
        let count = "The number of objects on all pages of the list. It is exact up to `upTo`. Beyond `upTo`, it is a lower bound or \
                     an estimate. Without `where`, `asOf` and `search`, it can be exact beyond `upTo`, too.";
        let ty = ApproximateCount::create_type_info(fields.registry);
        fields
            .with_arguments("approximateCount", count, ty, |arguments| {
                arguments.field_with_default("upTo", up_to, &Some(count::DEFAULT));
            })
            .field::<PageCursors>("pageCursors", "The cursors of the pages around this page, for numbered pagination.");
        if let Some(aggregates) = aggregates {
            let description = "Aggregates of the objects on all pages of the list. The server reads all of them: select it only if needed.";
            fields.plain("aggregates", description, aggregates);
        }
    });
    registry::object(registry, &edge, "An object and its cursor.", |fields| {
        let cursor = "The cursor of the object, for `after` and `before`. It is opaque, and remains valid after the object is deleted.";
        fields.plain("node", "The object.", format!("{node}!")).field::<String>("cursor", cursor);
        own(fields);
    });
}
