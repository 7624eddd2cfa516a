//! Numbered pages by keys: the cursors that open the pages around a page.

use sea_orm::DbErr;
use sea_orm::sea_query::SelectStatement;

use crate::batch::{run, tagged};
use crate::bracket::select;
use crate::dialect::Dialect;
use crate::range::Index;
use crate::{End, Key, Page, ReadRows, Record, Slice, Source};

/// The largest number of pages on each side whose cursors [`page_cursors`] finds.
pub const MAX_PAGES: u32 = 5;

/// The keys that open the pages around a page of size n. `first: n` after a key is its page; `None` is the beginning of
/// the list. The default has no keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageCursors {
    /// The number of this page, from 1. `None` if the list begins further away than `pages` pages.
    ///
    /// If the page does not begin a multiple of n after the beginning of the list, the number is rounded up.
    pub number: Option<u64>,
    /// This page: the key of the row before its first row.
    ///
    /// A page that was cut short, by `before` or by `last` at the beginning of the list, becomes longer.
    pub current: Option<Key>,
    /// The pages before this one, nearest first. The page that opens the list can overlap the next.
    pub previous: Vec<Option<Key>>,
    /// The pages after this one, nearest first. If there are fewer than `pages`, the list ends with the last of them.
    pub next: Vec<Key>,
    /// The last n rows. They overlap the page before them unless the length of the list is a multiple of n.
    pub last: Option<Key>,
}

/// Finds the cursors of up to `pages` pages on each side of a slice, and of the last page: numbered pagination without
/// `OFFSET` and without `COUNT`. For [`Lists`](crate::Lists), pass the vector of slices that [`fetch`](crate::fetch)
/// returned.
///
/// One statement reads keys only, about (2 × `pages` + 1) × n of them. `pages` is at most [`MAX_PAGES`]; a larger
/// number counts as that. The pages are those of the whole list, whichever window the page was cut from. Around an
/// empty page, or a page of size 0, there are no cursors. Under a computed order the rows are computed once for each of
/// the three directions.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<cake::Entity>([])?;
/// let page = Page::first(&order, 10);
/// let slice = fetch(db, cake::Entity::find(), &page).await?;
/// let around = page_cursors(db, cake::Entity::find(), &page, &slice, 3).await?;
/// if let Some(key) = around.next.get(1) {
///     println!("the page after the next one opens after {}", order.seal(key)?);
/// }
/// # Ok(())
/// # }
/// ```
///
/// One statement serves up to 133 lists whose slices have rows, or fewer if the query has many parameters.
///
/// # Errors
///
/// [`DbErr`] if the database fails. [`DbErr::Custom`] unless there is one slice for each list.
pub async fn page_cursors<C, S, M>(
    db: &C,
    source: S,
    page: &Page,
    slices: &S::Of<Slice<M>>,
    pages: u32,
) -> Result<S::Of<PageCursors>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let (dialect, parts, slices) = (Dialect::of(db)?, source.parts(), S::each(slices));
    let queries = parts.queries();
    if queries.len() != slices.len() {
        return Err(DbErr::Custom(format!(
            "expected a slice for each of {} lists, not {}",
            queries.len(),
            slices.len()
        )));
    }
    let lists: Vec<_> = queries.into_iter().zip(slices).collect();
    S::wrap(around(db, &lists, page, pages.min(MAX_PAGES), parts.index(), dialect).await?)
}

/// The cursors around the slice of each query.
async fn around<C, M>(
    db: &C,
    lists: &[(SelectStatement, &Slice<M>)],
    page: &Page,
    pages: u32,
    index: Index,
    dialect: Dialect,
) -> Result<Vec<PageCursors>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let sides: Vec<_> = lists.iter().map(|(_, slice)| sides(page, slice, pages)).collect();
    let looks: Vec<&Page> = sides.iter().flatten().flatten().collect();
    let mut brackets = Vec::with_capacity(looks.len());
    for ((query, _), sides) in lists.iter().zip(&sides) {
        let keys = query.clone().clear_selects().take();
        brackets.extend(sides.iter().flatten().map(|side| (select(&keys, side, index, dialect), side.travel().0)));
    }
    // A key with NULLs has fewer parameters than others.
    let parameters = brackets.iter().map(|(bracket, _)| dialect.parameters(bracket)).max().unwrap_or_default();
    let statements = tagged(brackets.into_iter(), dialect.terms(parameters), dialect);
    let mut found = run(db, statements, &looks, dialect).await?.into_iter();

    let mut next_side = || found.next().ok_or_else(|| DbErr::Custom("a bracket without a slice".into()));
    let cursors = |((_, slice), sides): (&(_, &Slice<M>), &Option<_>)| match (sides, slice.rows.last()) {
        (Some(_), Some(last)) => {
            Ok(cursors(&last.key, [next_side()?, next_side()?, next_side()?], page.size as usize, pages as usize))
        }
        _ => Ok(PageCursors::default()),
    };
    lists.iter().zip(&sides).map(cursors).collect()
}

/// The pages ahead of a slice, behind it, and at the end of the list. `None` around an empty page.
fn sides<M>(page: &Page, slice: &Slice<M>, pages: u32) -> Option<[Page; 3]> {
    let (Some(first), Some(last), size @ 1..) = (slice.rows.first(), slice.rows.last(), page.size) else { return None };
    let look = |end, size, after: Option<&Key>, before: Option<&Key>| Page {
        order: page.order.clone(),
        end,
        size,
        after: after.cloned(),
        before: before.cloned(),
    };
    Some([
        look(End::Front, pages.saturating_mul(size), Some(&last.key), None),
        look(End::Back, pages.saturating_mul(size).saturating_add(1), None, Some(&first.key)),
        look(End::Back, size.saturating_add(1), None, None),
    ])
}

/// The cursors around a page that ends with this key, from the slices on its three sides.
fn cursors(last: &Key, [ahead, behind, end]: [Slice<Record>; 3], size: usize, pages: usize) -> PageCursors {
    PageCursors {
        number: (!behind.has_previous).then(|| 1 + behind.rows.len().div_ceil(size) as u64),
        current: behind.rows.last().map(|row| row.key.clone()),
        previous: previous(&behind, size, pages),
        next: next(last, &ahead, size, pages),
        last: end.rows.first().filter(|_| end.rows.len() > size).map(|row| row.key.clone()),
    }
}

/// Backward from this page, a page begins after every n-th row, or with the list.
fn previous(behind: &Slice<Record>, size: usize, pages: usize) -> Vec<Option<Key>> {
    let back: Vec<&Key> = behind.rows.iter().rev().map(|row| &row.key).collect();
    let exists = |page: &usize| back.len() > (page - 1) * size;
    (1..=pages).take_while(exists).map(|page| back.get(page * size).map(|key| (*key).clone())).collect()
}

/// Forward from this page, a page begins after every n-th row that is not the last row.
fn next(last: &Key, ahead: &Slice<Record>, size: usize, pages: usize) -> Vec<Key> {
    let exists = |page: &usize| ahead.rows.len() > page * size;
    let after = |rows: usize| rows.checked_sub(1).map_or(last.clone(), |place| ahead.rows[place].key.clone());
    (0..pages).take_while(exists).map(|page| after(page * size)).collect()
}
