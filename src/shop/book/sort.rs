//! The orders of books.

use ::entity::{book, book_stats};
use async_graphql::{Enum, InputType};
use keyset::Order;
use keyset_graphql::Sort;
use sea_orm::DbBackend;

use crate::request::{Code, Error, Result};
use crate::shop::search::Search;

/// The fields by which books can be sorted.
///
/// With `search`, every sort order is allowed. Without it, a sort order needs an index, so that all pages cost the same. These
/// have one: `CREATED_AT`, `NAME`, `YEAR`, `YEAR` then `NAME`, `AVERAGE_RATING`, `RATING_COUNT`, `TOTAL_REVENUE` and
/// `ORDER_COUNT`. `CREATED_AT` can follow each of them. Each field can have either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum BookSortField {
    /// The time when the book was added.
    CreatedAt,
    /// The title, compared by code point.
    Name,
    /// The year of publication.
    Year,
    /// The average of the ratings. Null if there are none.
    AverageRating,
    /// The number of ratings.
    RatingCount,
    /// The sum of the prices of all orders. Null if there are none.
    TotalRevenue,
    /// The number of orders.
    OrderCount,
    /// The relevance to the search. It is the share of the characters of the title that the terms cover, plus 1 if the terms
    /// form a phrase. Allowed only with `search`.
    Relevance,
}

use BookSortField::{AverageRating, CreatedAt, Name, OrderCount, RatingCount, Relevance, TotalRevenue, Year};

/// The orders that have an index. `CREATED_AT` can follow each.
///
/// `YEAR` with `AVERAGE_RATING` is not among them: it needs the year in the table of the sums, and four indexes there, which
/// every rating would change. With those of the other orders, a rating changes nine already.
const OFFERED: [&[BookSortField]; 8] =
    [&[], &[Name], &[Year], &[Year, Name], &[AverageRating], &[RatingCount], &[TotalRevenue], &[OrderCount]];

/// The order of a list of books: by default the oldest first, or in a search the most relevant first.
///
/// # Errors
///
/// [`Code::OrderNotOffered`].
pub fn order(sorts: &[Sort<BookSortField>], search: Option<&Search>, backend: DbBackend) -> Result<Order> {
    let most_relevant = [Sort::desc(Relevance)];
    let sorts = if search.is_some() && sorts.is_empty() { &most_relevant } else { sorts };
    let fields = fields(sorts);
    if search.is_none() && !OFFERED.contains(&fields.as_slice()) {
        return Err(not_offered(&fields));
    }

    let by_stats = needs_stats(sorts);
    // An index holds the columns of one table: an order by sums ends in the key of their table.
    let in_stats = by_stats && search.is_none();
    let engine = |sort: &Sort<BookSortField>| {
        let by = match (sort.field, search) {
            (CreatedAt, _) if in_stats => keyset::Sort::asc(book_stats::Column::BookId),
            (CreatedAt, _) => keyset::Sort::asc(book::Column::Id),
            (Name, _) => keyset::Sort::asc(book::Column::Name).by_code_point(),
            (Year, _) => keyset::Sort::asc(book::Column::Year),
            (AverageRating, _) => keyset::Sort::asc(book_stats::Column::AverageRating),
            (RatingCount, _) => keyset::Sort::asc(book_stats::Column::RatingCount),
            (OrderCount, _) => keyset::Sort::asc(book_stats::Column::OrderCount),
            (TotalRevenue, _) => keyset::Sort::asc(book_stats::Column::TotalRevenue),
            (Relevance, Some(search)) => search.relevance(backend),
            (Relevance, None) => return Err(not_offered(&fields)),
        };
        // Postings are in the order of the key; no index holds another order of search results.
        let by = if search.is_some() && !fields.is_empty() { by.computed() } else { by };
        Ok(sort.apply(by))
    };
    let sorts = sorts.iter().map(engine).collect::<Result<Vec<_>>>()?;
    Ok(if in_stats { Order::of::<book_stats::Entity>(sorts)? } else { Order::of::<book::Entity>(sorts)? })
}

/// Whether books are ordered by their sums: then the query joins them.
pub fn needs_stats(sorts: &[Sort<BookSortField>]) -> bool {
    fields(sorts).iter().any(|field| matches!(field, AverageRating | RatingCount | TotalRevenue | OrderCount))
}

/// The fields that name an index: each once, and none after `CREATED_AT`, which is unique and always offered at the end.
fn fields(sorts: &[Sort<BookSortField>]) -> Vec<BookSortField> {
    let mut fields = Vec::new();
    for field in sorts.iter().map(|sort| sort.field).take_while(|field| *field != CreatedAt) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

fn not_offered(fields: &[BookSortField]) -> Error {
    let names = |fields: &[BookSortField]| {
        let names: Vec<String> = fields.iter().map(|field| field.to_value().to_string()).collect();
        names.join(", ")
    };
    if fields.contains(&Relevance) {
        return Error::client(Code::OrderNotOffered, "the order RELEVANCE requires `search`");
    }
    let offered: Vec<String> = OFFERED[1..].iter().map(|fields| names(fields)).collect();
    let message = format!(
        "no index supports the order {}: without `search`, sort books by CREATED_AT, or by one of {}, optionally followed \
         by CREATED_AT",
        names(fields),
        offered.join("; "),
    );
    Error::client(Code::OrderNotOffered, message)
}
