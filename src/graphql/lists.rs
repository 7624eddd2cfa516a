//! The fields that are lists, and their arguments: the same for all, so they are said once.

use async_graphql::{Context, Object};

use super::book::Book;
use super::connection::Connection;
use super::date_time::DateTime;
use super::error::Result;
use super::list::List;
use super::object::{ListArgs, Listed, OfBook};
use super::order::Order;
use super::query::Query;
use super::rating::Rating;
use super::sort::Sort;

/// Gives an object fields that are lists, null beside their error where they cannot be had: `fn name() -> Item = resolver`.
/// Some have an argument of their own, with its description.
macro_rules! lists {
    ($lists:ident of $owner:ident { $(
        #[doc = $doc:literal]
        fn $name:ident($($own:ident: $own_type:ty = $own_doc:literal)?) -> $item:ident = $resolver:path;
    )+ }) => {
        /// Its fields that are lists.
        pub struct $lists<'a>(pub &'a $owner);

        #[Object]
        impl $lists<'_> { $(
            #[doc = $doc]
            #[expect(clippy::too_many_arguments, reason = "GraphQL's arguments cannot be grouped")]
            async fn $name(
                &self,
                context: &Context<'_>,
                #[graphql(desc = "At most this many, from the front: from 0 to the server's cap, which is 100 unless configured; \
                    20 where neither end is named.")]
                first: Option<i32>,
                #[graphql(desc = "Only objects after this cursor.")]
                after: Option<String>,
                #[graphql(desc = "At most this many, from the back, in the order of the list. Not together with `first`.")]
                last: Option<i32>,
                #[graphql(desc = "Only objects before this cursor.")]
                before: Option<String>,
                #[graphql(desc = "The order of the list; without it, the oldest first, or of a search the most relevant. A \
                    cursor belongs to the order that it was read under.")]
                order_by: Option<Vec<Sort<<$item as Listed>::SortField>>>,
                #[graphql(desc = "Only objects that match this filter.", name = "where")]
                filter: Option<Box<<$item as Listed>::Filter>>,
                #[graphql(desc = "Only objects created at this instant or before: new ones then do not shift the pages of a walk.")]
                as_of: Option<DateTime>,
                $(#[graphql(desc = $own_doc)] $own: $own_type,)?
            ) -> Option<Result<Connection<$item>>> {
                let page = keyset::Args { first: first.map(i64::from), after, last: last.map(i64::from), before };
                let order_by = order_by.unwrap_or_default();
                let own = lists!(@own $($own)?);
                let field = concat!(stringify!($owner), ".", stringify!($name));
                let args = ListArgs { page, order_by, filter, as_of, own };
                Some($resolver(self.0, context, field, args))
            }
        )+ }
    };
    (@own) => { () };
    (@own $own:ident) => { $own };
}

lists! {
    RootLists of Query {
        /// The books of the shop. Without `orderBy` they come as they were created; of a search, the most relevant first.
        fn books(
            search: Option<String> = "Only books whose title has all of these: words, \"quoted phrases\", and beginnings of \
                words, `symph*`; case and diacritics do not matter. At most 200 characters; a blank text is an absent one. \
                A page of a search costs as much as the search finds books."
        ) -> Book = root;
        /// The ratings of all books.
        fn ratings() -> Rating = root;
        /// The orders of all books.
        fn orders() -> Order = root;
    }
}

lists! {
    BookLists of Book {
        /// The ratings of this book.
        fn ratings() -> Rating = of_book;
        /// The orders of this book.
        fn orders() -> Order = of_book;
    }
}

/// A list of its own.
fn root<T: Listed>(_: &Query, context: &Context<'_>, field: &'static str, args: ListArgs<T>) -> Result<Connection<T>> {
    Ok(Connection::new(List::new(context, field, args)?.into(), 0))
}

/// The list of a book, read with those of the books around it.
fn of_book<T: OfBook>(
    book: &Book,
    context: &Context<'_>,
    field: &'static str,
    args: ListArgs<T>,
) -> Result<Connection<T>> {
    let siblings = &book.siblings;
    let list = T::lists(siblings).get(context, || List::of_books(context, field, args, siblings.keys.clone()))?;
    Ok(Connection::new(list, book.place))
}
