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

/// What lies around a page.
#[derive(SimpleObject)]
pub struct PageInfo {
    /// Whether there are objects before this page. It is exact. With `last` and `after` it is about those between the
    /// cursor and the page, else about the whole list.
    has_previous_page: bool,
    /// Whether there are objects after this page. It is exact. With `first` and `before` it is about those between the
    /// page and the cursor, else about the whole list.
    has_next_page: bool,
    /// The cursor of the first edge; null where there is none.
    start_cursor: Option<String>,
    /// The cursor of the last edge; null where there is none.
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
        let description = "One page of a list, and what lies around it. What is not selected is not read.";
        registry::object::<Self>(registry, description, |fields| {
            fields
                .field::<Vec<Edge<T>>>("edges", "The objects of this page with their places in the list.")
                .field::<Vec<Object<T>>>("nodes", "The objects of this page.")
                .field::<PageInfo>("pageInfo", "What lies around this page.")
                .field::<i32>(
                    "totalCount",
                    "How many objects the whole list holds, exactly. Of a filtered list it reads them all: ask for it only where it \
                     is shown.",
                );
            let up_to = "Count up to this, 0 to 10,000. Of a longer list the answer is at least one more.";
            let mut arguments = InputFields::new(fields.registry);
            arguments.field_with_default("upTo", up_to, &Some(count::DEFAULT));
            let arguments = arguments.finish();
            let ty = ApproximateCount::create_type_info(fields.registry);
            fields
                .field_of(
                    "approximateCount",
                    "How many objects the whole list holds: exact up to a bound, and beyond it an estimate, or at least so many. Without a filter \
                     it can be exact beyond the bound, too.",
                    ty,
                    arguments,
                )
                .field::<PageCursors>(
                    "pageCursors",
                    "The cursors of the pages around this one, for numbered pages; all of them of this page's size.",
                );
        })
    }

    async fn resolve(&self, _: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        match self.0 {}
    }
}

pub(crate) fn register_edge<T: RowObject>(registry: &mut Registry) -> String {
    registry::object::<Edge<T>>(registry, "An object and its place in the list.", |fields| {
        let cursor = "The object's place, for `after` and `before`: opaque, and valid even when the object is gone.";
        fields.field::<Object<T>>("node", "The object.").field::<String>("cursor", cursor);
    })
}
