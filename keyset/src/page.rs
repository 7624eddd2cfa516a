//! What was asked: which end, how many, after what, before what.

use crate::{CursorError, Key, Order};

/// The arguments of a connection, as the GraphQL Cursor Connections specification names them, unchecked.
///
/// | arguments | the page |
/// |---|---|
/// | none | the first [`Limits::default`] rows |
/// | `first: n` | the first n rows of the window |
/// | `last: n` | the last n rows of the window, in the order of the list |
/// | `after`, `before` | make the window: the rows strictly between the two cursors |
/// | `first` and `last` | refused |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// At most this many rows, from the front.
    pub first: Option<i64>,
    /// Only rows beyond this cursor. An empty text is an absent one.
    pub after: Option<String>,
    /// At most this many rows, from the back.
    pub last: Option<i64>,
    /// Only rows short of this cursor. An empty text is an absent one.
    pub before: Option<String>,
}

/// How many rows a page can hold: 20 unless asked for more, and 100 at most, where nothing else is said.
///
/// ```
/// use keyset::Limits;
///
/// let limits = Limits { max: 500, ..Limits::default() };
/// assert_eq!(limits.default, 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of a page that says neither `first` nor `last`.
    pub default: u32,
    /// The largest size: more is refused, never clamped.
    pub max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { default: 20, max: 100 }
    }
}

/// Which end of the window a page lies at: `first` is the front, `last` the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The first rows of the window between the cursors.
    Front,
    /// The last rows of it, in the same order.
    Back,
}

/// A request for one page of a list in this order, validated: it cannot be wrong.
///
/// ```
/// # use sea_orm::tests_cfg::cake;
/// use keyset::{Args, Limits, Order, Page, PageError};
///
/// let order = Order::of::<cake::Entity>([])?;
/// let args = Args { last: Some(20), before: Some("?".into()), ..Args::default() };
/// let refused = Page::new(&args, &order, Limits::default()).unwrap_err();
/// assert_eq!(refused.to_string(), "`before`: the cursor is malformed");
/// # Ok::<(), keyset::OrderError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    pub(crate) order: Order,
    pub(crate) end: End,
    pub(crate) size: u32,
    pub(crate) after: Option<Key>,
    pub(crate) before: Option<Key>,
}

/// Why there is no such page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// A page has one end: the specification leaves the meaning of both open, and discourages it.
    #[error("a page has one end: `first` or `last`, not both")]
    BothEnds,
    /// Negative, or above [`Limits::max`].
    #[error("a page holds 0 to {max} items, not {asked}")]
    Size {
        /// What was asked for.
        asked: i64,
        /// The largest size that is served.
        max: u32,
    },
    /// A cursor that is none of this order.
    #[error("`{argument}`: {error}")]
    Cursor {
        /// `after` or `before`.
        argument: &'static str,
        /// What is wrong with it.
        error: CursorError,
    },
}

impl Page {
    /// The one door for arguments.
    ///
    /// # Errors
    ///
    /// [`PageError`] for `first` with `last`, a size out of bounds, or a cursor that does not open under this order.
    pub fn new(args: &Args, order: &Order, limits: Limits) -> Result<Self, PageError> {
        let (size, end) = match (args.first, args.last) {
            (Some(_), Some(_)) => return Err(PageError::BothEnds),
            (None, Some(last)) => (last, End::Back),
            (first, None) => (first.unwrap_or(limits.default.min(limits.max).into()), End::Front),
        };
        let max = limits.max;
        let size = u32::try_from(size).ok().filter(|size| *size <= max).ok_or(PageError::Size { asked: size, max })?;
        Ok(Self {
            order: order.clone(),
            end,
            size,
            after: open(order, "after", args.after.as_deref())?,
            before: open(order, "before", args.before.as_deref())?,
        })
    }

    /// The order of the list.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The end of the window that it lies at.
    pub fn end(&self) -> End {
        self.end
    }

    /// The most rows that it holds.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The same page, of the children of a parent.
    pub(crate) fn of_parent(&self) -> Self {
        Self { order: self.order.of_parent(), ..self.clone() }
    }

    /// The order in which the page's reader travels, away from the near cursor and towards the far one; and its
    /// reverse.
    pub(crate) fn travel(&self) -> (Order, Order) {
        let (front, back) = (self.order.clone(), self.order.turned());
        match self.end {
            End::Front => (front, back),
            End::Back => (back, front),
        }
    }

    /// The cursor that the reader starts from.
    pub(crate) fn near(&self) -> Option<&Key> {
        match self.end {
            End::Front => self.after.as_ref(),
            End::Back => self.before.as_ref(),
        }
    }

    /// The cursor that the reader stops at.
    pub(crate) fn far(&self) -> Option<&Key> {
        match self.end {
            End::Front => self.before.as_ref(),
            End::Back => self.after.as_ref(),
        }
    }
}

fn open(order: &Order, argument: &'static str, cursor: Option<&str>) -> Result<Option<Key>, PageError> {
    cursor
        .filter(|text| !text.is_empty())
        .map(|text| order.open(text).map_err(|error| PageError::Cursor { argument, error }))
        .transpose()
}

#[cfg(test)]
mod tests {
    use sea_orm::tests_cfg::cake;

    use super::*;

    #[track_caller]
    fn check(args: Args, expected: Result<(End, u32), &str>) {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let found = Page::new(&args, &order, Limits { default: 2, max: 5 });
        let found = found.map(|page| (page.end(), page.size())).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(String::from), "{args:?}");
    }

    fn args(first: Option<i64>, last: Option<i64>) -> Args {
        Args { first, last, ..Args::default() }
    }

    #[test]
    fn a_page_has_one_end() {
        check(args(Some(1), None), Ok((End::Front, 1)));
        check(args(None, Some(1)), Ok((End::Back, 1)));
        check(args(None, None), Ok((End::Front, 2)));
        check(args(Some(1), Some(1)), Err("a page has one end: `first` or `last`, not both"));
    }

    #[test]
    fn a_size_is_refused_and_never_clamped() {
        check(args(Some(0), None), Ok((End::Front, 0)));
        check(args(None, Some(5)), Ok((End::Back, 5)));
        check(args(Some(6), None), Err("a page holds 0 to 5 items, not 6"));
        check(args(None, Some(-1)), Err("a page holds 0 to 5 items, not -1"));
        check(args(Some(i64::MAX), None), Err("a page holds 0 to 5 items, not 9223372036854775807"));
    }

    #[test]
    fn an_empty_cursor_is_an_absent_one() {
        let empty = Some(String::new());
        check(Args { after: empty.clone(), before: empty, ..args(None, None) }, Ok((End::Front, 2)));
    }

    #[test]
    fn a_cursor_error_names_its_argument() {
        let before = Some("?".to_owned());
        check(Args { before, ..args(None, None) }, Err("`before`: the cursor is malformed"));
    }
}
