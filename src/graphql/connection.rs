//! Lists as Relay connections.

use std::borrow::Cow;

use async_graphql::{Context, Object, SimpleObject, TypeName};
use keyset::{Args, Key, Limits, Order, Page};
use sea_orm::{EntityTrait, Select};

use super::error::Result;
use super::node::RowObject;
use crate::db::Db;

/// One page of a list, and what lies around it.
pub struct Connection<T: RowObject> {
    query: Select<T::Entity>,
    edges: Vec<Edge<T>>,
    has_previous: bool,
    has_next: bool,
}

/// An object and its place in the list.
pub struct Edge<T> {
    order: Order,
    key: Key,
    node: T,
}

/// What lies around a page.
#[derive(SimpleObject)]
pub struct PageInfo {
    /// Whether the list goes on before this page: a fact, whichever way it was paged.
    has_previous_page: bool,
    /// Whether the list goes on after this page: a fact, whichever way it was paged.
    has_next_page: bool,
    /// The cursor of the first edge; null where there is none.
    start_cursor: Option<String>,
    /// The cursor of the last edge; null where there is none.
    end_cursor: Option<String>,
}

/// The page that the arguments ask for, of these rows in this order: one statement.
pub async fn connection<T: RowObject>(
    context: &Context<'_>,
    query: Select<T::Entity>,
    order: Order,
    args: Args,
) -> Result<Connection<T>> {
    let page = Page::new(&args, &order, Limits::default())?;
    let db = &context.data_unchecked::<Db>().reader;
    let slice = keyset::fetch(db, query.clone(), &order, &page).await?;
    let edge = |row: keyset::Row<<T::Entity as EntityTrait>::Model>| Edge {
        order: order.clone(),
        key: row.key,
        node: row.item.into(),
    };
    let edges = slice.rows.into_iter().map(edge).collect();
    Ok(Connection { query, edges, has_previous: slice.has_previous, has_next: slice.has_next })
}

/// One page of a list, and what lies around it.
#[Object(name_type)]
impl<T: RowObject> Connection<T> {
    /// The objects of this page with their places in the list.
    async fn edges(&self) -> &[Edge<T>] {
        &self.edges
    }

    /// The objects of this page.
    async fn nodes(&self) -> Vec<&T> {
        self.edges.iter().map(|edge| &edge.node).collect()
    }

    /// What lies around this page.
    async fn page_info(&self) -> Result<PageInfo> {
        Ok(PageInfo {
            has_previous_page: self.has_previous,
            has_next_page: self.has_next,
            start_cursor: self.edges.first().map(Edge::seal).transpose()?,
            end_cursor: self.edges.last().map(Edge::seal).transpose()?,
        })
    }

    /// How many objects the whole list holds, exactly. It reads them all: ask for it only where it is shown.
    async fn total_count(&self, context: &Context<'_>) -> Result<u64> {
        let db = &context.data_unchecked::<Db>().reader;
        Ok(keyset::count(db, self.query.clone()).await?)
    }
}

/// An object and its place in the list.
#[Object(name_type)]
impl<T: RowObject> Edge<T> {
    /// The object.
    async fn node(&self) -> &T {
        &self.node
    }

    /// The object's place, for `after` and `before`: opaque, and valid even when the object is gone.
    async fn cursor(&self) -> Result<String> {
        self.seal()
    }
}

impl<T> Edge<T> {
    fn seal(&self) -> Result<String> {
        Ok(self.order.seal(&self.key)?.into())
    }
}

impl<T: RowObject> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", T::type_name()).into()
    }
}

impl<T: RowObject> TypeName for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", T::type_name()).into()
    }
}
