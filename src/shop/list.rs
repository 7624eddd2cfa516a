//! The lists of the shop: from the arguments of a field to rows and an order.

use async_graphql::InputType;
use keyset::Order;
use keyset_graphql::input::InputFields;
use keyset_graphql::{
    Arguments, DateTime, FieldArgs, Filter, Keyed, Listed, Matching, OrderBy, RowEstimate, Scope, Sort, filter,
};
use sea_orm::sea_query::{Expr, Func};
use sea_orm::{ColumnTrait, DbBackend, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use super::search::{self, Search};
use crate::request::Result;

/// An object that the shop lists.
pub trait ShopObject: Listed<Args = ShopArgs<Self>> + Keyed<Key = Uuid> {
    /// The fields that its lists can be ordered by.
    type SortField: InputType + Copy;
    /// The filter of its lists.
    type Filter: Filter;
    /// The objects with the title that a search of their lists finds, and what it costs.
    const WITH_TITLE: [&str; 2];
}

/// The arguments of a list, besides those of a page.
pub struct ShopArgs<T: ShopObject> {
    pub order_by: OrderBy<T::SortField>,
    pub filter: Matching<T::Filter>,
    pub as_of: Option<DateTime>,
    pub search: Option<Search>,
}

impl<T: ShopObject> ShopArgs<T> {
    /// The whole list in this order.
    pub fn ordered_by(order_by: Option<Vec<Sort<T::SortField>>>) -> Self {
        Self { order_by: OrderBy(order_by), filter: Matching(None), as_of: None, search: None }
    }

    /// The rows that match the filter, as of the instant of this key. They are listed in this order.
    pub fn filtered(
        &self,
        rows: Select<T::Entity>,
        key: impl ColumnTrait,
        order: &Order,
        scope: &mut Scope,
    ) -> Result<Select<T::Entity>> {
        let rows = filter::matching(rows, &self.filter, scope)?;
        let Some(DateTime(instant)) = self.as_of else { return Ok(rows) };
        // A search reads what it finds, in any order.
        scope.as_of(&key, instant, self.search.is_none().then_some(order));
        let created = keyset::as_of(key, instant);
        // SQLite expects a quarter of the rows, and would skip from value to value in the index of another order.
        let is_sqlite = scope.backend == DbBackend::Sqlite;
        Ok(rows.filter(if is_sqlite { Expr::from(Func::cust("likely").arg(created)) } else { created }))
    }

    /// The rows whose book, to which this column refers, is found by the search.
    pub fn searched(
        &self,
        book: <T::Entity as EntityTrait>::Column,
        rows: Select<T::Entity>,
        order: Order,
        scope: &mut Scope,
    ) -> (Select<T::Entity>, Order) {
        let Some(search) = &self.search else { return (rows, order) };
        // The search is tested on each row: its postings, and its title.
        scope.narrow(RowEstimate::beside(1 + search.reads()));
        if scope.is_of_parent() {
            return (search.test(book, rows, scope.backend), order);
        }
        search.find(book, None, rows, order, scope.backend)
    }
}

impl<T: ShopObject> FieldArgs for ShopArgs<T> {
    fn describe(arguments: &mut InputFields<'_>) {
        arguments.field::<Option<Vec<Sort<T::SortField>>>>(
            "orderBy",
            "Sorts the list by these criteria. By default, the oldest object is first; in a search of books, the most \
             relevant. A cursor is valid only in the sort order that it was created for.",
        );
        Matching::<T::Filter>::describe(arguments);
        arguments.field::<Option<DateTime>>(
            "asOf",
            "Returns only objects created at this time or before. New objects then do not shift the pages.",
        );
        arguments.field::<Option<String>>("search", &search::description(T::WITH_TITLE[0], T::WITH_TITLE[1]));
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        Ok(Self {
            order_by: OrderBy(arguments.get("orderBy")?),
            filter: Matching::read(arguments)?,
            as_of: arguments.get("asOf")?,
            search: arguments.get::<Option<String>>("search")?.as_deref().map(Search::parse).transpose()?.flatten(),
        })
    }
}
