//! The conditions on a book.

use ::entity::book;
use ::entity::book_stats::{self, Column as Stats};
use async_graphql::InputObject;
use keyset_graphql::filter::all;
use keyset_graphql::{Comparison, DateTime, Filter, IdFilter, Logic, NullableComparison, Scope, TextFilter};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition};

use crate::request::Result;
use crate::shop::decimal::Decimal;
use crate::shop::node_type::NodeType;

/// Conditions on a book. All given conditions must match. A null condition is ignored.
#[derive(Clone, Debug, InputObject)]
pub struct BookFilter {
    /// The global id.
    id: Option<IdFilter>,
    /// The title.
    name: Option<TextFilter>,
    /// The year of publication.
    year: Option<Comparison<i32>>,
    /// The time when the book was added.
    created_at: Option<Comparison<DateTime>>,
    /// The average of the ratings.
    average_rating: Option<NullableComparison<f64>>,
    /// The number of ratings.
    rating_count: Option<Comparison<i32>>,
    /// The sum of the prices of all orders.
    total_revenue: Option<NullableComparison<Decimal>>,
    /// The number of orders.
    order_count: Option<Comparison<i32>>,
    #[graphql(flatten)]
    logic: Logic<BookFilter>,
}

impl BookFilter {
    /// Whether it has a condition on the sums of a book: then the query joins them.
    pub fn needs_stats(&self) -> bool {
        self.average_rating.is_some()
            || self.rating_count.is_some()
            || self.total_revenue.is_some()
            || self.order_count.is_some()
            || self.logic.filters().any(Self::needs_stats)
    }
}

impl Filter for BookFilter {
    fn logic(&self) -> &Logic<Self> {
        &self.logic
    }

    fn fields(&self, scope: &mut Scope) -> Result<Condition> {
        let Self { id, name, year, created_at, average_rating, rating_count, total_revenue, order_count, logic: _ } =
            self;
        all([
            id.as_ref().map(|ids| ids.on(book::Column::Id, NodeType::Book, scope)),
            name.as_ref().map(|texts| texts.on(book::Column::Name, scope)),
            year.as_ref().map(|years| years.on(book::Column::Year, scope)),
            created_at.as_ref().map(|instants| instants.on_key(book::Column::Id, scope)),
            average_rating.as_ref().map(|means| means.on(Stats::AverageRating, scope)),
            rating_count.as_ref().map(|counts| counts.on(Stats::RatingCount, scope)),
            total_revenue.as_ref().map(|sums| sums.on(Stats::TotalRevenue, scope)),
            order_count.as_ref().map(|counts| counts.on(Stats::OrderCount, scope)),
        ])
    }
}

/// The rows of another table whose book matches.
pub fn match_book(filter: &BookFilter, book_id: impl ColumnTrait, scope: &mut Scope) -> Result<Condition> {
    // The reference is the id of the book, and has an index.
    let mut rest = filter.clone();
    let id = rest.id.take().map(|ids| ids.on(book_id, NodeType::Book, scope)).transpose()?;

    // The book, and its sums.
    let tables = 1 + u64::from(rest.needs_stats());
    let condition = scope.related(tables, |scope| rest.condition(scope))?;
    let book = (!condition.is_empty()).then(|| {
        let mut books = Query::select();
        books.expr(Expr::cust("1")).from(book::Entity).and_where(book::Column::Id.into_expr().eq(book_id.into_expr()));
        if rest.needs_stats() {
            books.inner_join(book_stats::Entity, Stats::BookId.into_expr().eq(book::Column::Id.into_expr()));
        }
        Expr::exists(books.cond_where(condition).take())
    });
    Ok(Condition::all().add_option(id).add_option(book))
}
