//! Restricting a query to the rows whose keys stand in all lists.

use std::sync::Arc;

use sea_orm::QueryTrait;
use sea_orm::sea_query::{ExprTrait, Query, SelectStatement, UnionType, WithClause};

use super::Postings;
use super::list::PostingList;
use super::sql::{KEY, POSTINGS, table};
use crate::Order;

impl Postings {
    /// Restricts a query to these rows.
    ///
    /// If the order is by the key alone, in either direction, the pages under the returned order leap: they read a few
    /// descents of each list for each row. Under another order, and in a count, the lists are intersected as a whole; their
    /// sizes are what it costs, and the sorts of the order must be [computed](crate::Sort::computed) unless an index holds
    /// them.
    ///
    /// The returned query defines a table by `WITH`, in place of any other that it defined. Cursors are those of the order
    /// as it was given. Use the returned order with the returned query only.
    pub fn find<Q>(self, mut rows: Q, order: Order) -> (Q, Order)
    where
        Q: QueryTrait<QueryStatement = SelectStatement>,
    {
        if self.lists.is_empty() {
            return (rows, order);
        }
        let among = Query::select().column(KEY).from(POSTINGS).take();
        let query = QueryTrait::query(&mut rows);
        query.cond_where(self.key.clone().in_subquery(among)).with_cte(self.whole());
        let by_key = matches!(order.sorts(), [sort] if sort.name() == self.name && !sort.computed);
        (rows, if by_key { order.leaping(Arc::new(self)) } else { order })
    }

    /// The keys that all lists have, computed at once.
    fn whole(&self) -> WithClause {
        let mut lists = self.lists.iter().map(PostingList::whole);
        let mut all = lists.next().unwrap_or_default();
        for list in lists {
            all.union(UnionType::Intersect, list);
        }
        WithClause::new().cte(table(POSTINGS, all)).to_owned()
    }
}
