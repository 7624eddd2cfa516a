//! Lists as Relay connections.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject, TypeName};
use keyset::{Key, Order, Row, Slice};
use sea_orm::EntityTrait;

use super::count::{self, ApproximateCount};
use super::error::Result;
use super::list::List;
use super::object::{Listed, RowObject};
use super::page_cursors::PageCursors;

/// A page of a list; or of one of many lists that are read together, the one at this place.
pub struct Connection<T: Listed> {
    list: Arc<List<T>>,
    place: usize,
}

/// An object and its place: borrowed from a list, or by itself.
pub struct Edge<'a, T: RowObject> {
    order: Order,
    row: Cow<'a, Row<T>>,
}

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

impl<T: Listed> Connection<T> {
    /// The page of the list at this place among those that are read together.
    pub fn new(list: Arc<List<T>>, place: usize) -> Self {
        Self { list, place }
    }

    async fn slice(&self, context: &Context<'_>) -> Result<&Slice<T>> {
        Ok(&self.list.slices(context).await?[self.place])
    }

    fn edge<'a>(&'a self, row: &'a Row<T>) -> Edge<'a, T> {
        Edge::new(self.list.order(), Cow::Borrowed(row))
    }
}

/// One page of a list, and what lies around it. What is not selected is not read.
#[Object(name_type)]
impl<T: Listed> Connection<T> {
    /// The objects of this page with their places in the list.
    async fn edges(&self, context: &Context<'_>) -> Result<Vec<Edge<'_, T>>> {
        Ok(self.slice(context).await?.rows.iter().map(|row| self.edge(row)).collect())
    }

    /// The objects of this page.
    async fn nodes(&self, context: &Context<'_>) -> Result<Vec<&T>> {
        Ok(self.slice(context).await?.rows.iter().map(|row| &row.item).collect())
    }

    /// What lies around this page.
    async fn page_info(&self, context: &Context<'_>) -> Result<PageInfo> {
        let slice = self.slice(context).await?;
        let cursor = |row: Option<&Row<T>>| row.map(|row| self.edge(row).seal()).transpose();
        Ok(PageInfo {
            has_previous_page: slice.has_previous,
            has_next_page: slice.has_next,
            start_cursor: cursor(slice.rows.first())?,
            end_cursor: cursor(slice.rows.last())?,
        })
    }

    /// How many objects the whole list holds, exactly. It reads them all: ask for it only where it is shown.
    async fn total_count(&self, context: &Context<'_>) -> Result<i32> {
        count::int(self.list.counts(context).await?[self.place])
    }

    /// How many objects the whole list holds: exact up to a bound, and beyond it an estimate, or at least so many.
    async fn approximate_count(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Count up to this, 0 to 10,000. Of a longer list the answer is at least one more.",
            default_with = "Some(count::DEFAULT)"
        )]
        up_to: Option<i32>,
    ) -> Result<ApproximateCount> {
        self.list.approximate_count(context, self.place, up_to.unwrap_or(count::DEFAULT)).await?.try_into()
    }

    /// The cursors of the pages around this one, for numbered pages; all of them of this page's size.
    async fn page_cursors(&self, context: &Context<'_>) -> Result<PageCursors> {
        let found = &self.list.page_cursors(context).await?[self.place];
        PageCursors::new(found, self.slice(context).await?, self.list.order())
    }
}

/// An object and its place in the list.
#[Object(name_type)]
impl<T: Listed> Edge<'_, T> {
    /// The object.
    async fn node(&self) -> &T {
        &self.row.item
    }

    /// The object's place, for `after` and `before`: opaque, and valid even when the object is gone.
    async fn cursor(&self) -> Result<String> {
        self.seal()
    }
}

impl<'a, T: RowObject> Edge<'a, T> {
    /// The edge of this row under this order.
    pub fn new(order: &Order, row: Cow<'a, Row<T>>) -> Self {
        Self { order: order.clone(), row }
    }

    /// The edge of a row that is at hand, such as one that has just been added, under an order by columns of its table.
    pub fn of_row(order: &Order, row: <T::Entity as EntityTrait>::Model) -> Result<Self> {
        let key = Key::of(order, &row)?;
        Ok(Self::new(order, Cow::Owned(Row { key, item: T::from_row(row) })))
    }

    fn seal(&self) -> Result<String> {
        Ok(self.order.seal(&self.row.key)?.into())
    }
}

impl<T: Listed> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", T::type_name()).into()
    }
}

impl<T: Listed> TypeName for Edge<'_, T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", T::type_name()).into()
    }
}
