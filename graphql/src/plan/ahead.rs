//! Lists that are read with the rows whose lists they are: see [`keyset::fetch_nested`].

use keyset::{Join, ListPerRow, Page, Record, Slice, StatementCache, TableRows};
use sea_orm::DbErr;

use super::Run;
use super::list::{Parents, PlannedList};
use super::object::{Objects, Selection};
use crate::Result;

/// The most lists that a statement reads with its rows: PostgreSQL bounds its columns and parameters.
const MAX_LISTS: usize = 8;

/// The most tables that the rows and these lists have together.
const MAX_TABLES: usize = 12;

/// How the pages of lists are read.
pub enum Pages<'p> {
    /// By a statement of their own.
    Alone,
    /// By one that also reads lists of their rows.
    WithLists(Nesting<'p>),
    /// They were read.
    Read(ReadAhead),
}

/// The page of a list for each row, as the statement of the rows has read it.
pub type ReadAhead = std::result::Result<Vec<Slice<Record>>, DbErr>;

/// A list of each of its parents, which the statement of these reads.
pub struct Ahead<'p> {
    pub rows: TableRows,
    pub page: Page,
    pub joins: Vec<Join>,
    pub parents: &'p Parents,
    pub cache: &'p StatementCache,
}

impl Ahead<'_> {
    /// The list of each row of a page, or of this relation of it.
    pub fn list<'a>(&'a self, of: Option<&'a Join>) -> ListPerRow<'a> {
        let Self { rows, page, joins, parents: Parents { key, columns, .. }, cache } = self;
        ListPerRow { rows, key, of, references: columns, page, joins, cache }
    }
}

/// Whose lists a statement reads with its rows.
#[derive(Clone, Copy, PartialEq)]
pub enum Owners {
    /// Those of the rows.
    Rows,
    /// Also those of the rows that the only row refers to. Where many rows refer to one, its lists would be read for each of them.
    RowAndRelated,
}

/// The lists that one statement reads with its rows.
pub struct Nesting<'p>(Vec<(usize, SelectedList<'p>)>);

/// A list, and the object whose it is.
pub struct SelectedList<'p> {
    pub list: &'p PlannedList,
    /// Its number among those of its object.
    pub number: usize,
    /// The relations that lead to its object, by their numbers.
    pub path: Vec<usize>,
    /// The last of them.
    pub of: Option<&'p Join>,
}

impl<'p> Nesting<'p> {
    /// Those of objects with these selections; `None` if there are none, or too many.
    pub fn of(selections: impl Iterator<Item = &'p Selection> + Clone, owners: Owners, run: &Run<'_>) -> Option<Self> {
        let numbered = selections.clone().enumerate();
        let lists: Vec<_> =
            numbered.flat_map(|(of, it)| it.lists(owners, run).into_iter().map(move |it| (of, it))).collect();
        let tables = || {
            let of_lists = lists.iter().map(|(_, found)| found.list.tables(run.variables));
            selections.map(|of| of.tables(run.variables)).chain(of_lists).sum::<usize>()
        };
        ((1..=MAX_LISTS).contains(&lists.len()) && tables() <= MAX_TABLES).then_some(Self(lists))
    }

    /// Reads a page, and these lists: one statement. The objects are those of the selections.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn fetch(
        &self,
        run: &Run<'_>,
        rows: &TableRows,
        page: &Page,
        joins: &[Join],
        cache: &StatementCache,
        objects: &mut [&mut Objects<'_>],
    ) -> std::result::Result<Slice<Record>, DbErr> {
        let ahead = self.0.iter().filter_map(|(of, found)| Some((*of, found, found.list.ahead(run)?)));
        let ahead: Vec<(usize, &SelectedList<'_>, Ahead<'_>)> = ahead.collect();
        let lists: Vec<_> = ahead.iter().map(|(_, found, list)| list.list(found.of)).collect();
        // On the heap: otherwise each page would have room for it.
        let (slice, read) = Box::pin(keyset::fetch_nested(run, rows, page, joins, cache, &lists)).await?;
        for ((of, found, _), read) in ahead.iter().zip(read) {
            objects[*of].read_ahead(&found.path, found.number, read);
        }
        Ok(slice)
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
