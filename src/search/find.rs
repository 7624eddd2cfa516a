//! The rows that a search finds.
//!
//! Each word is a list of postings, in the order of the keys of books, and so is a prefix. A page in this order leaps from
//! key to key among them: see [`keyset::Postings`]. What the lists do not say is tested on the folded title of a book that
//! they have in common: phrases, exclusions, and what is beyond the first few words.

use std::collections::BTreeSet;

use ::entity::{book_word, book_words};
use bookends_server::never;
use chrono::{DateTime, Utc};
use keyset::{Column, Order, PostingList, Postings, TableRows};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query};
use sea_orm::{ColumnTrait, DbBackend, EntityTrait, QueryFilter};

use super::Search;
use super::term::Term;

/// The number of lists among which a page leaps: those of the longest words, which are likely the rarest, before prefixes.
const MAX_LISTS: usize = 8;

/// The leaps that a page of several words is priced as, for each of its lists. Words that are both frequent and seldom
/// together take more, as do words of which a filter finds more than the mean.
const LEAPS: u64 = 100_000;

impl Search {
    /// The rows whose `book`, the key of a book, is found. With an instant, only books that were created by then: the keys
    /// of younger ones are not read.
    pub fn find(
        &self,
        book: &Column,
        as_of: Option<DateTime<Utc>>,
        mut rows: TableRows,
        order: Order,
        backend: DbBackend,
    ) -> (TableRows, Order) {
        if self.finds_nothing() {
            rows.0.and_where(never());
            return (rows, order);
        }
        let (words, prefixes) = self.parts();
        let postings = || match as_of {
            None => book_word::Entity::find(),
            Some(instant) => book_word::Entity::find().filter(keyset::as_of(book_word::Column::BookId, instant)),
        };
        let word = |word: &str| {
            PostingList::new(postings().filter(book_word::Column::Word.eq(word)), book_word::Column::BookId)
        };
        let prefix = |prefix: &str| {
            PostingList::with_prefix(postings(), book_word::Column::BookId, book_word::Column::Word, prefix)
        };
        let lists = words.into_iter().map(word).chain(prefixes.into_iter().map(prefix)).take(MAX_LISTS);
        let postings = Postings::new(book.clone(), lists);
        if !self.is_exact() {
            rows.0.and_where(self.title(book, backend));
        }
        postings.find(rows, order)
    }

    /// The rows whose `book` is found, by a look at the title of each row's book. It suits rows that are few already: no
    /// posting is read.
    pub fn test(&self, book: &Column, mut rows: TableRows, backend: DbBackend) -> TableRows {
        rows.0.and_where(if self.finds_nothing() { never() } else { self.title(book, backend) });
        rows
    }

    /// Whether no title can be found: there is no term, or one is excluded, too.
    fn finds_nothing(&self) -> bool {
        self.terms.is_empty() || self.excluded.iter().any(|term| self.terms.contains(term))
    }

    /// What it reads for each book: a list of postings for each word and prefix, and the title where these do not tell.
    pub fn reads(&self) -> u64 {
        let (words, prefixes) = self.parts();
        (words.len() + prefixes.len()).min(MAX_LISTS) as u64 + u64::from(!self.is_exact())
    }

    /// Whether the lists of postings tell which titles are found.
    fn is_exact(&self) -> bool {
        let is_cut = self.parts().0.len() > MAX_LISTS;
        self.excluded.is_empty() && !is_cut && !self.terms.iter().any(Term::is_more_than_words)
    }

    /// The rows that a page by time of creation is priced as, beside its own; `None` for all books.
    pub fn leaps(&self) -> Option<u64> {
        let (words, prefixes) = self.parts();
        match (words.len(), prefixes.is_empty()) {
            (_, false) => None,
            (1, _) if self.excluded.is_empty() => Some(0),
            _ => Some(LEAPS),
        }
    }

    /// The different words, the longest first, and the different prefixes.
    fn parts(&self) -> (Vec<&str>, BTreeSet<&str>) {
        let (mut words, mut prefixes) = (BTreeSet::new(), BTreeSet::new());
        for term in &self.terms {
            let (whole, prefix) = term.parts();
            words.extend(whole);
            prefixes.extend(prefix);
        }
        let mut words: Vec<&str> = words.into_iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        (words, prefixes)
    }

    /// Whether the folded title of a book has all terms, and none of the excluded ones.
    fn title(&self, book: &Column, backend: DbBackend) -> Expr {
        let mut title = Query::select();
        title.expr(Expr::cust("1")).from(book_words::Entity);
        title.and_where(book_words::Column::BookId.into_expr().eq(book.expr()));
        for term in &self.terms {
            title.and_where(has(term, backend));
        }
        for term in &self.excluded {
            title.and_where(has(term, backend).not());
        }
        Expr::exists(title)
    }
}

/// Whether a folded title has a term.
pub fn has(term: &Term, backend: DbBackend) -> Expr {
    let position = if backend == DbBackend::Sqlite { "instr" } else { "strpos" };
    let title = Expr::cust("' ' || book_words.words || ' '");
    Expr::from(Func::cust(position).args([title, term.needle().into()])).gt(Expr::cust("0"))
}
