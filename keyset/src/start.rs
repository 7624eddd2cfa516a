//! Where a bracket starts to read: at the end of the list, at a cursor, or at a row that the statement itself looks up.

use sea_orm::Condition;
use sea_orm::sea_query::{Expr, ExprTrait, SelectStatement};

use crate::dialect::Dialect;
use crate::range::{self, Edge, Place, Range};
use crate::{Order, Page};

/// Where reading starts.
pub(crate) struct Start {
    /// The end of the list without one.
    place: Option<Place>,
    /// Whether the place has these NULLs, if it is not known before.
    pub(crate) exists: Option<Condition>,
}

impl Start {
    /// One start; around a row, one for each way in which its values can be NULL.
    pub(crate) fn of(query: &SelectStatement, page: &Page, dialect: Dialect) -> Vec<Self> {
        match &page.around {
            None => vec![Self { place: page.near().map(|key| key.bind(&page.order, dialect)), exists: None }],
            Some(row) => {
                let start = |(place, exists)| Self { place: Some(place), exists: Some(exists) };
                places(query, &page.order, row).into_iter().map(start).collect()
            }
        }
    }

    /// The ranges of the witnesses and those of the page.
    pub(crate) fn ranges(&self, order: &Order, back: &Order, dialect: Dialect) -> (Vec<Range>, Vec<Range>) {
        match &self.place {
            None => (Vec::new(), range::all(order)),
            Some(place) => (
                range::beyond(back, place, Edge::Inclusive, dialect),
                range::beyond(order, place, Edge::Exclusive, dialect),
            ),
        }
    }
}

/// The position of a row for each combination of NULLs that it can have, and the condition under which it has them.
fn places(query: &SelectStatement, order: &Order, row: &Condition) -> Vec<(Place, Condition)> {
    let value = |expr: &Expr| {
        let mut alone = match order.postings() {
            None => query.clone().cond_where(row.clone()).take(),
            Some(postings) => postings.row_of(query, row),
        };
        alone.clear_selects().clear_order_by().reset_offset().expr(expr.clone()).limit(1);
        Expr::SubQuery(None, Box::new(alone.into()))
    };
    // The last sort is never NULL: it is there if the row is.
    let mut places = vec![(Place::new(), Condition::all())];
    for (number, sort) in (1..).zip(order.sorts()) {
        let value = value(&sort.expr);
        let is_last = number == order.sorts().len();
        let with = |(place, exists): &(Place, Condition), value: Option<Expr>, condition: Option<Expr>| {
            ([place.as_slice(), &[value]].concat(), exists.clone().add_option(condition))
        };
        let exists = (is_last || sort.nullable).then(|| value.clone().is_not_null());
        let nulls =
            sort.nullable.then(|| places.iter().map(|so_far| with(so_far, None, Some(value.clone().is_null()))));
        let nulls: Vec<_> = nulls.into_iter().flatten().collect();
        places = places.iter().map(|so_far| with(so_far, Some(value.clone()), exists.clone())).chain(nulls).collect();
    }
    places
}
