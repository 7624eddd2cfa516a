//! Cursors for numbered pages.

use async_graphql::SimpleObject;
use keyset::{Key, Order, Reach, Slice};
use serde::Serialize;

use crate::Result;
use crate::plan::Run;
use crate::plan::plain::Plain;

/// The number of pages shown on either side.
const SHOWN: usize = 2;
/// The number of pages looked for on either side: one more, to know whether the list ends with those that are shown.
pub const REACH: u32 = 3;

/// The pages around this page, for numbered pagination. To open one, pass its cursor as the argument `after`, and the
/// requested page size as the argument `first`. On an empty page, `around` is empty, and `previous`, `next` and `last` are null.
///
/// The server reads the keys of three pages on each side, however long the list is. If `page` is selected, it also counts the
/// objects before this page. If `last` is selected, it counts those before and after. Each count stops at the maximum of
/// `offset`.
#[derive(Serialize, SimpleObject)]
#[serde(tag = "__typename", rename_all = "camelCase")]
pub struct PageCursors {
    /// The first page of the list.
    first: PageCursor,
    /// The previous page. Null on the first page.
    previous: Option<PageCursor>,
    /// This page, with up to two pages before it and two after it, in the order of the list.
    around: Vec<PageCursor>,
    /// The next page. Null on the last page.
    next: Option<PageCursor>,
    /// The last page of the list. Null if this page is empty. If counting stopped before the end, `page` of the last page is null.
    /// The last page then has the requested page size, and can overlap the page before it.
    last: Option<PageCursor>,
}

/// The cursor and the number of a page.
#[derive(Clone, Serialize, SimpleObject)]
#[serde(tag = "__typename", rename_all = "camelCase")]
pub struct PageCursor {
    /// The cursor to pass as `after`. It is empty for the first page: `after` ignores an empty cursor.
    cursor: String,
    /// The number of the page, from 1. Null if counting stopped before this page.
    ///
    /// If the number of objects before this page is not a multiple of the requested page size, `page` is rounded up. The numbers
    /// of the pages around it continue from there.
    page: Option<i32>,
    /// Whether this is the requested page.
    is_current: bool,
}

/// How far the engine looks for what is selected.
pub(crate) fn reach(selected: &Plain, run: &Run<'_>) -> Reach {
    let counted =
        |names: &[&str]| if selected.selects(names, run.variables) { run.reader.limits().max_offset } else { 0 };
    Reach { pages: REACH, before: counted(&["page", "last"]), after: counted(&["last"]) }
}

impl PageCursors {
    /// The pages around this slice, from what the engine found.
    ///
    /// # Errors
    ///
    /// `INTERNAL` for a key that no cursor can represent.
    pub fn new<M>(found: &keyset::PageCursors, slice: &Slice<M>, order: &Order) -> Result<Self> {
        let page = |key: Option<&Key>, distance: i64| -> Result<PageCursor> {
            let number = found.number.and_then(|number| number.checked_add_signed(distance));
            Ok(PageCursor {
                cursor: key.map(|key| order.seal(key)).transpose()?.map_or_else(String::new, String::from),
                page: number.and_then(|number| i32::try_from(number).ok()),
                is_current: distance == 0,
            })
        };
        let previous: Vec<PageCursor> =
            (1..).zip(&found.previous).map(|(back, key)| page(key.as_ref(), -back)).collect::<Result<_>>()?;
        let current = (!slice.rows.is_empty()).then(|| page(found.current.as_ref(), 0)).transpose()?;
        let next: Vec<PageCursor> =
            (1..).zip(&found.next).map(|(on, key)| page(Some(key), on)).collect::<Result<_>>()?;

        let is_first = current.is_some() && found.current.is_none();
        let last = match &found.last {
            Some(last) if next.len() > SHOWN => {
                let number = found.last_number.and_then(|number| i32::try_from(number).ok());
                Some(PageCursor { page: number, is_current: false, ..page(Some(last), 0)? })
            }
            _ => next.last().or(current.as_ref()).cloned(),
        };
        let around = previous.iter().take(SHOWN).rev().chain(&current).chain(next.iter().take(SHOWN));
        Ok(Self {
            first: PageCursor { cursor: String::new(), page: Some(1), is_current: is_first },
            previous: previous.first().cloned(),
            around: around.cloned().collect(),
            next: next.first().cloned(),
            last,
        })
    }
}
