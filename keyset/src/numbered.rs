//! Numbered pages by keys: the cursors that open the pages around a page, and their numbers.

use sea_orm::DbErr;
use sea_orm::sea_query::SelectStatement;

use crate::batch::{run, run_each, tagged, tagged_each};
use crate::bracket::select;
use crate::count::COUNT;
use crate::dialect::Dialect;
use crate::keyed_rows::counts_beyond;
use crate::range::Index;
use crate::row_order::RowOrder;
use crate::{End, Key, Page, ReadRows, Record, Slice, Source};

/// The largest number of pages on each side whose cursors [`page_cursors`] finds.
pub const MAX_PAGES: u32 = 5;

/// How far [`page_cursors`] looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The number of pages on each side whose cursors it finds; at most [`MAX_PAGES`], and a larger number counts as that.
    pub pages: u32,
    /// The number of rows before a page up to which it counts them, for the number of the page.
    pub before: u32,
    /// The number of rows after a page up to which it counts them, for the last page.
    pub after: u32,
}

/// The keys that open the pages around a page of size n. `first: n` after a key is its page; `None` is the beginning of
/// the list. The default has no keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageCursors {
    /// The number of this page, from 1. `None` if more rows stand before it than were counted.
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
    /// The last page, which begins a multiple of n after this one ends. If more rows follow than were counted, the last n
    /// rows instead: they can overlap the page before them.
    pub last: Option<Key>,
    /// The number of the last page. `None` unless the rows before and after this page were counted.
    pub last_number: Option<u64>,
}

/// Finds the cursors of the pages on each side of a slice, and of the last page: numbered pagination by keys. For
/// [`Lists`](crate::Lists), pass the vector of slices that [`fetch`](crate::fetch) returned.
///
/// One statement reads keys only, about (2 × `pages` + 1) × n of them. The pages are those of the whole list, whichever
/// window the page was cut from. Around an empty page, or a page of size 0, there are no cursors. Under a computed order the
/// rows are computed once for each of the three directions.
///
/// The pages near the beginning of the list have numbers. For others, another statement counts the keys before the page, and
/// for the last page those after it, up to the bounds of the [`Reach`]. Rows that the page's [offset](Page::offset) skipped
/// are not counted again.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<cake::Entity>([])?;
/// let page = Page::first(&order, 10);
/// let slice = fetch(db, cake::Entity::find(), &page).await?;
/// let reach = Reach { pages: 3, before: 1_000_000, after: 0 };
/// let around = page_cursors(db, cake::Entity::find(), &page, &slice, reach).await?;
/// if let Some(key) = around.next.get(1) {
///     println!("the page after the next one opens after {}", order.seal(key)?);
/// }
/// # Ok(())
/// # }
/// ```
///
/// One statement of each kind serves up to 133 lists whose slices have rows, or fewer if the query has many parameters
/// or the order has NULLs.
///
/// # Errors
///
/// [`DbErr`] if the database fails. [`DbErr::Custom`] unless there is one slice for each list.
pub async fn page_cursors<C, S, M>(
    db: &C,
    source: S,
    page: &Page,
    slices: &S::Of<Slice<M>>,
    reach: Reach,
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
    let pages = Pages { page, reach, index: parts.index(), dialect };
    S::wrap(pages.around(db, &lists).await?)
}

/// The pages to find.
struct Pages<'a> {
    page: &'a Page,
    reach: Reach,
    index: Index,
    dialect: Dialect,
}

/// The rows ahead of a slice, behind it, and at the end of the list.
type Sides<T> = [T; 3];

/// The numbers of rows before and after a page; `None` for one that is too large.
type Counts = [Option<u64>; 2];

impl Pages<'_> {
    /// The cursors around the slice of each query.
    async fn around<C, M>(&self, db: &C, lists: &[(SelectStatement, &Slice<M>)]) -> Result<Vec<PageCursors>, DbErr>
    where
        C: ReadRows + ?Sized,
    {
        let sides: Vec<Option<Sides<Page>>> =
            lists.iter().map(|(_, slice)| self.sides(slice)).collect::<Result<_, DbErr>>()?;
        let looks: Vec<&Page> = sides.iter().flatten().flatten().collect();
        let mut brackets = Vec::with_capacity(looks.len());
        for ((query, _), sides) in lists.iter().zip(&sides) {
            let keys = query.clone().clear_selects().take();
            let side = |side| {
                let order = RowOrder::in_union(&keys, &[], side);
                (select(&keys, side, &order, self.index, self.dialect), order)
            };
            brackets.extend(sides.iter().flatten().map(side));
        }
        let mut found = run(db, tagged(brackets, self.dialect), &looks, self.dialect).await?.into_iter();
        let mut next_side = || found.next().ok_or_else(|| DbErr::Custom("a bracket without a slice".into()));
        let found: Vec<Option<Sides<Slice<Record>>>> = sides
            .iter()
            .map(|sides| sides.is_some().then(|| Ok([next_side()?, next_side()?, next_side()?])).transpose())
            .collect::<Result<_, DbErr>>()?;

        let counts = self.counts(db, lists, &found).await?;
        let cursors = |(((_, slice), sides), counts): ((&(_, &Slice<M>), _), Counts)| match (sides, slice.rows.last()) {
            (Some(sides), Some(last)) => self.cursors(&last.key, slice.rows.len(), sides, counts),
            _ => PageCursors::default(),
        };
        Ok(lists.iter().zip(found).zip(counts).map(cursors).collect())
    }

    fn pages(&self) -> u32 {
        self.reach.pages.min(MAX_PAGES)
    }

    /// The pages ahead of a slice, behind it, and at the end of the list. `None` around an empty page.
    fn sides<M>(&self, slice: &Slice<M>) -> Result<Option<Sides<Page>>, DbErr> {
        let (Some(first), Some(last), size @ 1..) = (slice.rows.first(), slice.rows.last(), self.page.size) else {
            return Ok(None);
        };
        let order = &self.page.order;
        let many = self.pages().saturating_mul(size);
        Ok(Some([
            Page { after: Some(last.key.readable(order)?.clone()), ..Page::first(order, many) },
            Page { before: Some(first.key.readable(order)?.clone()), ..Page::last(order, many.saturating_add(1)) },
            Page::last(order, size.saturating_add(1)),
        ]))
    }

    /// The numbers of rows before and after each page: what was found beside it, and what lies beyond that.
    async fn counts<C, M>(
        &self,
        db: &C,
        lists: &[(SelectStatement, &Slice<M>)],
        found: &[Option<Sides<Slice<Record>>>],
    ) -> Result<Vec<Counts>, DbErr>
    where
        C: ReadRows + ?Sized,
    {
        let mut counts: Vec<Counts> = vec![[None; 2]; lists.len()];
        let (order, back) = (self.page.order.clone(), self.page.order.backward());
        let (mut terms, mut counted) = (Vec::new(), Vec::new());
        for (list, sides) in found.iter().enumerate() {
            let Some([ahead, behind, _]) = sides else { continue };
            let offset = u64::from(self.page.offset);
            let ends = [
                (behind, behind.has_previous, behind.rows.first(), &back, End::Front, self.reach.before),
                (ahead, ahead.has_next, ahead.rows.last(), &order, End::Back, self.reach.after),
            ];
            for (side, (near, has_more, furthest, order, end, reach)) in ends.into_iter().enumerate() {
                let known = near.rows.len() as u64;
                counts[list][side] = match furthest {
                    _ if !has_more => Some(known),
                    _ if offset > 0 && self.page.end == end => Some(offset),
                    Some(row) if reach > 0 => {
                        let query = &lists[list].0;
                        let limit = u64::from(reach) + 1;
                        let more =
                            counts_beyond(query, order, row.key.readable(order)?, limit, self.index, self.dialect);
                        counted.extend(more.iter().map(|_| (list, side, u64::from(reach))));
                        terms.extend(more);
                        Some(known)
                    }
                    _ => None,
                };
            }
        }
        for (place, row) in run_each(db, tagged_each(terms.into_iter(), self.dialect), self.dialect).await? {
            let (list, side, reach) = counted[place];
            let count = row.count(COUNT)?;
            let sum = counts[list][side].map(|known| known + count);
            counts[list][side] = sum.filter(|sum| *sum <= reach);
        }
        Ok(counts)
    }

    /// The cursors around a page of this many rows that ends with this key.
    fn cursors(
        &self,
        last: &Key,
        rows: usize,
        [ahead, behind, end]: Sides<Slice<Record>>,
        [before, after]: Counts,
    ) -> PageCursors {
        let (size, pages, each) = (self.page.size as usize, self.pages() as usize, u64::from(self.page.size));
        let number = before.map(|before| 1 + before.div_ceil(each));
        // Where no rows follow, this page is the last.
        let on_last = match after {
            Some(0) => rows as u64,
            Some(after) => (after - 1) % each + 1,
            None => each,
        };
        let before_last = end.rows.iter().rev().nth(usize::try_from(on_last).unwrap_or(usize::MAX));
        let last_number = number.zip(after).map(|(number, after)| number + after.div_ceil(each));
        PageCursors {
            number,
            current: behind.rows.last().map(|row| row.key.clone()),
            previous: previous(&behind, size, pages),
            next: next(last, &ahead, size, pages),
            last: before_last.map(|row| row.key.clone()),
            last_number,
        }
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
