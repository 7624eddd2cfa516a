//! Connections and edges, as the schema describes them.

use std::borrow::Cow;
use std::convert::Infallible;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, SimpleObject, Value};

use crate::cost::{Cost, Costs};
use crate::count::{self, ApproximateCount};
use crate::input::InputFields;
use crate::object::RowObject;
use crate::page_cursors::{self, PageCursors};
use crate::registry;
use crate::value::{Edge, Object};

/// The prices of the fields of a connection.
pub const COSTS: Costs = &[
    ("totalCount", Cost::Count),
    ("approximateCount", Cost::CountUpTo { default: count::DEFAULT.unsigned_abs() }),
    ("pageCursors", Cost::PageCursors { pages: page_cursors::REACH }),
];

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

/// The type of the lists of `T` in the schema. It has no values: a plan reads and writes the lists.
pub struct Connection<T>(Infallible, PhantomData<fn() -> T>);

pub(crate) fn connection_name(object: &str) -> String {
    format!("{object}Connection")
}

pub(crate) fn edge_name(object: &str) -> String {
    format!("{object}Edge")
}

impl<T: RowObject> OutputType for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        connection_name(T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let description = "A page of a list, as a Relay connection. Only selected fields are read from the database.";
        registry::object::<Self>(registry, description, |fields| {
            fields
                .field::<Vec<Edge<T>>>("edges", "The edges of this page: its objects with their cursors.")
                .field::<Vec<Object<T>>>("nodes", "The objects of this page.")
                .field::<PageInfo>("pageInfo", "The cursors of this page, and whether there are objects before and after it.")
                .field::<i32>(
                    "totalCount",
                    "The exact number of objects on all pages of the list. With `where`, `asOf` or `search`, the server reads all matching \
                     objects: select it only if needed.",
                );
            let up_to = "Counts up to this number, from 0 to 10,000. For a longer list, `value` is greater than this.";
            let mut arguments = InputFields::new(fields.registry);
            arguments.field_with_default("upTo", up_to, &Some(count::DEFAULT));
            let arguments = arguments.finish();
            let ty = ApproximateCount::create_type_info(fields.registry);
            fields
                .field_of(
                    "approximateCount",
                    "The number of objects on all pages of the list. It is exact up to `upTo`. Beyond `upTo`, it is a lower bound or \
                     an estimate. Without `where`, `asOf` and `search`, it can be exact beyond `upTo`, too.",
                    ty,
                    arguments,
                )
                .field::<PageCursors>(
                    "pageCursors",
                    "The cursors of the pages around this page, for numbered pagination.",
                );
        })
    }

    async fn resolve(&self, _: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        match self.0 {}
    }
}

pub(crate) fn register_edge<T: RowObject>(registry: &mut Registry) -> String {
    registry::object::<Edge<T>>(registry, "An object and its cursor.", |fields| {
        let cursor = "The cursor of the object, for `after` and `before`. It is opaque, and remains valid after the object is deleted.";
        fields.field::<Object<T>>("node", "The object.").field::<String>("cursor", cursor);
    })
}
