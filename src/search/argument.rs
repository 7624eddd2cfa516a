//! The argument `search` of lists.

use ::entity::book;
use async_graphql::registry::Registry;
use async_graphql::{InputType, Value};
use bookends_server::{
    DateTime, Error, Estimates, GivenArgument, ListArgument, ListEstimate, ListRows, OwnOrders, RowEstimate,
};
use keyset::{Column, Order, TableRows};
use sea_orm::DbBackend;

use super::{Search, description};
use bookends_server::request::{Code, Result};

/// What lists of books can be sorted by with a search alone.
const RELEVANCE: &str = "RELEVANCE";

const SORTS: &[(&str, &str)] = &[(
    RELEVANCE,
    "The relevance to the search. It is the share of the characters of the title that the terms cover, plus 1 if the terms\nform a \
     phrase. Allowed only with `search`.",
)];

/// The argument `search`: the words of titles.
#[derive(Debug)]
pub struct SearchArgument {
    /// The key of the book.
    book: Column,
    objects: String,
    cost: &'static str,
    is_of_books: bool,
}

impl SearchArgument {
    /// Of lists of books.
    pub fn of_books() -> Self {
        let cost = "Sorted by `CREATED_AT` and without `where`, a search for one word reads only the rows of the page. The cost \
            of other searches can grow with the number of books.";
        Self { book: book::Column::Id.into(), objects: "books whose title".into(), cost, is_of_books: true }
    }

    /// Of lists of these objects, whose book this column names.
    pub fn of(objects: &str, book: impl Into<Column>) -> Self {
        let objects = format!("{objects} of a book whose title");
        Self { book: book.into(), objects, cost: "A search can read the whole list.", is_of_books: false }
    }
}

impl ListArgument for SearchArgument {
    fn name(&self) -> &'static str {
        "search"
    }

    fn description(&self) -> String {
        description(&self.objects, self.cost)
    }

    fn register(&self, registry: &mut Registry) -> String {
        <Option<String> as InputType>::create_type_info(registry)
    }

    fn sorts(&self) -> &[(&'static str, &'static str)] {
        if self.is_of_books { SORTS } else { &[] }
    }

    fn read(&self, value: Value) -> Result<Option<Box<dyn GivenArgument>>> {
        let Value::String(text) = value else {
            return Err(Error::client(Code::BadUserInput, "expected a text to search for"));
        };
        let given = |search| Box::new(Given { search, book: self.book.clone(), is_of_books: self.is_of_books });
        Ok(Search::parse(&text)?.map(|search| given(search) as Box<dyn GivenArgument>))
    }
}

/// A search in a list.
struct Given {
    search: Search,
    book: Column,
    is_of_books: bool,
}

impl GivenArgument for Given {
    fn orders(&self, backend: DbBackend) -> Option<OwnOrders> {
        let relevance = || (RELEVANCE, self.search.relevance(backend));
        self.is_of_books.then(|| OwnOrders { sorts: vec![relevance()], default: RELEVANCE })
    }

    fn restrict(&self, list: ListRows<'_>) -> (TableRows, Order) {
        let ListRows { rows, order, backend, as_of, is_of_parent } = list;
        if is_of_parent {
            return (self.search.test(&self.book, rows, backend), order);
        }
        let as_of = as_of.filter(|_| self.is_of_books).map(|DateTime(instant)| *instant);
        self.search.find(&self.book, as_of, rows, order, backend)
    }

    fn estimate(&self, list: &ListEstimate<'_>, estimates: &mut Estimates) {
        if !self.is_of_books {
            // The search is tested on each row: its postings, and its title.
            estimates.narrow(RowEstimate::beside(1 + self.search.reads()));
            return;
        }
        // It may find every title.
        estimates.narrow(RowEstimate::beside(self.search.reads()));
        if !list.order.is_computed() {
            match self.search.leaps() {
                Some(leaps) if !list.is_filtered => estimates.walk(leaps),
                _ => estimates.walk(u64::MAX),
            }
        }
    }
}
