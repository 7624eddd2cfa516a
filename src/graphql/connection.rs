//! Lists as Relay connections.

use std::borrow::Cow;

use async_graphql::{Context, Object, SimpleObject, TypeName};
use keyset::{Args, Key, Limits, Order, Page};
use sea_orm::Select;

use super::error::{Code, Error, Result};
use super::node::RowObject;
use crate::db::Db;

pub struct Connection<T: RowObject> {
    query: Select<T::Entity>,
    edges: Vec<Edge<T>>,
    has_previous: bool,
    has_next: bool,
}

pub struct Edge<T> {
    order: Order,
    key: Key,
    node: T,
}

/// What lies around a page.
#[derive(SimpleObject)]
pub struct PageInfo {
    /// Whether there is more before this page: a fact, never a guess. With `last` and `after`, more between the cursor and
    /// the page; else more in the whole list.
    has_previous_page: bool,
    /// Whether there is more after this page: a fact, never a guess. With `first` and `before`, more between the page and
    /// the cursor; else more in the whole list.
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
    let slice = keyset::fetch(db, query.clone(), &page).await?;
    let (keys, mut nodes): (Vec<Key>, Vec<T>) = slice.rows.into_iter().map(|row| (row.key, row.item.into())).unzip();
    T::prepare(context, &mut nodes).await?;
    let edges = keys.into_iter().zip(nodes).map(|(key, node)| Edge { order: order.clone(), key, node }).collect();
    Ok(Connection { query, edges, has_previous: slice.has_previous, has_next: slice.has_next })
}

/// Whether the objects of a connection that is being resolved have this field selected.
pub fn selects(context: &Context<'_>, field: &str) -> bool {
    let connection = context.look_ahead();
    connection.field("edges").field("node").field(field).exists() || connection.field("nodes").field(field).exists()
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
    async fn total_count(&self, context: &Context<'_>) -> Result<i32> {
        let db = &context.data_unchecked::<Db>().reader;
        let count = keyset::count(db, self.query.clone()).await?;
        i32::try_from(count)
            .map_err(|_| Error::client(Code::OutOfRange, format!("{count} is more than an Int can say")))
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
