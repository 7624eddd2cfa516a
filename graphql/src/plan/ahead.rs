//! Lists that are read with the rows whose lists they are: see [`keyset::fetch_nested`].

use keyset::{Join, ListPerRow, Page, Record, Slice, StatementCache, TableRows};
use sea_orm::DbErr;

use super::list::Parents;
use crate::Result;

/// The most lists that a statement reads with a page: PostgreSQL bounds its columns and parameters.
pub const MAX_LISTS: usize = 8;

/// The most tables that the page and these lists have together.
pub const MAX_TABLES: usize = 12;

/// How the pages of lists are read.
pub enum Pages {
    /// By a statement of their own.
    Alone,
    /// By one that also reads lists of their rows.
    WithLists,
    /// They were read.
    Read(ReadAhead),
}

/// The page of a list for each row, as the statement of the rows has read it.
pub type ReadAhead = std::result::Result<Vec<Slice<Record>>, DbErr>;

/// A list of each row of a page, which the statement of the page reads.
pub struct Ahead<'p> {
    pub rows: TableRows,
    pub page: Page,
    pub joins: Vec<Join>,
    pub parents: &'p Parents,
    pub cache: &'p StatementCache,
}

impl Ahead<'_> {
    pub fn list(&self) -> ListPerRow<'_> {
        let Self { rows, page, joins, parents: Parents { key, columns, .. }, cache } = self;
        ListPerRow { rows, key, references: columns, page, joins, cache }
    }
}

/// Of the slices of all rows, that of the first row of each number. Slices of equal rows are equal.
pub fn first_of_each(slices: Vec<Slice<Record>>, numbers: &[Result<usize>]) -> Vec<Slice<Record>> {
    let mut first = Vec::with_capacity(slices.len());
    for (slice, number) in slices.into_iter().zip(numbers) {
        if number.as_ref().is_ok_and(|number| *number == first.len()) {
            first.push(slice);
        }
    }
    first
}
