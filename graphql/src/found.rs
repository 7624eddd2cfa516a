//! What resolvers return for declared objects that something else has found, such as a search engine: the objects are read by
//! their keys, by one statement, and written by a plan.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};

use crate::connection::{connection_name, edge_name};
use crate::plan::collect::Collected;
use crate::plan::connection::{FoundPage, PlannedPage};
use crate::plan::object::Selection;
use crate::plan::writer::Writer;
use crate::plan::{Planner, Run, resolved};
use crate::{ByKey, RowObject, value};

/// The objects of a type with these keys, in the same order. An object that does not exist is left out.
#[derive(Debug)]
pub struct ByKeys<T>(pub Vec<ByKey<T>>);

/// A page of a connection of declared objects that something else has found, in its own order. An object that does not exist any
/// more is left out of the page. `pageCursors` is an error.
///
/// ```
/// # use async_graphql::Object;
/// # use bookends_graphql::{ByKey, Connection, RowObject};
/// # use sea_orm::tests_cfg::cake;
/// # enum Cake {}
/// # impl RowObject for Cake { type Entity = cake::Entity; const NAME: &str = "Cake"; }
/// # struct Hit { key: i32, position: String }
/// # async fn ask(_: &str, _: Option<String>) -> (Vec<Hit>, bool) { (Vec::new(), false) }
/// struct Search;
///
/// #[Object]
/// impl Search {
///     /// The cakes that the search engine finds.
///     async fn search(&self, text: String, after: Option<String>) -> Connection<Cake> {
///         let (hits, has_more) = ask(&text, after).await;
///         let edges = hits.into_iter().map(|hit| (ByKey::new(hit.key), hit.position));
///         Connection::with_cursors(edges).has_next_page(has_more)
///     }
/// }
/// ```
pub struct Connection<T> {
    page: FoundPage,
    of: PhantomData<fn() -> T>,
}

/// An edge of a declared object that something else has found. Null if the object does not exist any more.
#[derive(Debug)]
pub struct FoundEdge<T>(Connection<T>);

impl<T: RowObject> Connection<T> {
    /// The objects with these keys, in this order. Their cursors are those of a list in the order of the primary key:
    /// [`Declaration::order`](crate::Declaration::order) without criteria opens them.
    pub fn of_keys(keys: impl IntoIterator<Item = ByKey<T>>) -> Self {
        let page = FoundPage { keys: keys.into_iter().map(ByKey::into_values).collect(), ..FoundPage::default() };
        Self { page, of: PhantomData }
    }

    /// The objects with these keys, in this order, each with its cursor.
    pub fn with_cursors<C: Into<String>>(edges: impl IntoIterator<Item = (ByKey<T>, C)>) -> Self {
        let (keys, cursors): (Vec<_>, Vec<_>) = edges.into_iter().map(|(key, cursor)| (key, cursor.into())).unzip();
        let found = Self::of_keys(keys);
        Self { page: FoundPage { cursors: Some(cursors), ..found.page }, ..found }
    }

    /// Says whether there are objects before the page: by default, none.
    #[must_use]
    pub fn has_previous_page(mut self, has_previous: bool) -> Self {
        self.page.has_previous = has_previous;
        self
    }

    /// Says whether there are objects after the page: by default, none.
    #[must_use]
    pub fn has_next_page(mut self, has_next: bool) -> Self {
        self.page.has_next = has_next;
        self
    }

    /// Says how many objects all pages have. Without it, `totalCount` and `approximateCount` are errors.
    #[must_use]
    pub fn total_count(mut self, total: u64) -> Self {
        self.page.total = Some(total);
        self
    }
}

impl<T: RowObject> FoundEdge<T> {
    /// The edge of the object with this key, with the cursor of a list in the order of the primary key.
    pub fn of_key(key: ByKey<T>) -> Self {
        Self(Connection::of_keys([key]))
    }

    /// The edge of the object with this key, with this cursor.
    pub fn with_cursor(key: ByKey<T>, cursor: impl Into<String>) -> Self {
        Self(Connection::with_cursors([(key, cursor)]))
    }
}

impl<T: RowObject> OutputType for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        connection_name(T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        value::register(T::NAME, registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &PlannedPage, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(plan.read(&self.page, run).await?.write(0, 0, writer))
        };
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| PlannedPage::connection(T::NAME, field, planner);
        resolved::resolve(context, field, plan, show).await
    }
}

impl<T: RowObject> OutputType for FoundEdge<T> {
    fn type_name() -> Cow<'static, str> {
        edge_name(T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        value::register(T::NAME, registry);
        // The object may not exist.
        Self::type_name().into_owned()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let show = async |plan: &PlannedPage, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(plan.read(&self.0.page, run).await?.write_edge(writer))
        };
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| PlannedPage::edge(T::NAME, field, planner);
        resolved::resolve(context, field, plan, show).await
    }
}

impl<T: RowObject> OutputType for ByKeys<T> {
    fn type_name() -> Cow<'static, str> {
        format!("[{}!]", T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        value::register(T::NAME, registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| value::select(T::NAME, field, planner);
        let show = async |plan: &Selection, run: &Run<'_>, writer: &mut Writer<'_>| {
            let keys: Vec<_> = self.0.iter().map(ByKey::values).cloned().collect();
            Ok(plan.find(run, &keys).await?.write_list(&keys, writer))
        };
        resolved::resolve(context, field, plan, show).await
    }
}

impl<T> fmt::Debug for Connection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("page", &self.page).finish_non_exhaustive()
    }
}
