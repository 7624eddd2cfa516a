//! The request for a page: which end, how many rows, after which key, before which key.

use std::sync::Arc;

use sea_orm::Condition;

use crate::{CursorError, Key, KeyError, Order};

/// The arguments of a page as a client sends them, named as in the GraphQL Cursor Connections specification. They are
/// checked by [`Page::new`].
///
/// | arguments | the page |
/// |---|---|
/// | none | the first [`Limits::default`] rows |
/// | `first: n` | the first n rows of the window |
/// | `last: n` | the last n rows of the window, in the order of the list |
/// | `after`, `before` | define the window: the rows strictly between the two cursors |
/// | `offset: k` with `first` | n rows after the first k rows of the list |
/// | `offset: k` with `last` | n rows before the last k rows of the list |
/// | `first` and `last` | rejected |
/// | `offset` and `after` or `before` | rejected |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// The number of rows, from the front.
    pub first: Option<i64>,
    /// Only rows beyond this cursor. An empty text counts as absent.
    pub after: Option<String>,
    /// The number of rows, from the back.
    pub last: Option<i64>,
    /// Only rows short of this cursor. An empty text counts as absent.
    pub before: Option<String>,
    /// The number of rows to skip from the page's end of the list.
    pub offset: Option<i64>,
}

/// The bounds of a page: by default 20 rows, at most 100, and at most 1,000,000 rows to skip.
///
/// ```
/// use keyset::Limits;
///
/// let limits = Limits { max: 500, ..Limits::default() };
/// assert_eq!(limits.default, 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of a page without `first` and `last`.
    pub default: u32,
    /// The largest size. A larger one is rejected, never clamped.
    pub max: u32,
    /// The largest offset. The database reads the keys of all rows that it skips.
    pub max_offset: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { default: 20, max: 100, max_offset: 1_000_000 }
    }
}

impl Limits {
    /// The size of a page without `first` and `last`: never more than the largest.
    pub fn size(&self) -> u32 {
        self.default.min(self.max)
    }
}

/// The end of the window at which a page lies: the front for `first`, the back for `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The first rows of the window between the cursors.
    Front,
    /// The last rows of the window, in the same order.
    Back,
}

/// A valid request for one page of a list in an order.
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
    /// The number of rows to skip from the end.
    pub(crate) offset: u32,
    /// The row that it shows in its middle.
    pub(crate) around: Option<Arc<Condition>>,
}

/// The error for arguments that make no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// Both `first` and `last`, which the specification discourages and does not define.
    #[error("`first` and `last` are both set: set only one of them")]
    BothEnds,
    /// A size that is negative or above [`Limits::max`].
    #[error("`{argument}` must be 0 to {max}, not {asked}")]
    Size {
        /// `first` or `last`.
        argument: &'static str,
        /// The requested size.
        asked: i64,
        /// The largest size.
        max: u32,
    },
    /// An offset that is negative or above [`Limits::max_offset`].
    #[error(
        "`offset` must be 0 to {max}, not {asked}: to go further, continue after a cursor, count from the other end with \
         `last`, or filter the list"
    )]
    Offset {
        /// The requested offset.
        asked: i64,
        /// The largest offset.
        max: u32,
    },
    /// An offset together with a cursor.
    #[error("`offset` is not allowed with `{0}`")]
    OffsetWithCursor(&'static str),
    /// A page around a row together with another argument than `first`.
    #[error("`{0}` is not allowed for a page around an object")]
    AroundWith(&'static str),
    /// A page around a row that holds no row.
    #[error("`first` must be at least 1 for a page around an object")]
    AroundNothing,
    /// A text that is not a cursor of the order.
    #[error("`{argument}`: {error}")]
    Cursor {
        /// `after` or `before`.
        argument: &'static str,
        /// The error of the cursor.
        error: CursorError,
    },
}

impl Page {
    /// The page for the arguments that a client sent. For a page built in code, see [`Page::first`].
    ///
    /// # Errors
    ///
    /// [`PageError`] for `first` with `last`, a size out of bounds, or a cursor that does not open under this order.
    pub fn new(args: &Args, order: &Order, limits: Limits) -> Result<Self, PageError> {
        let (argument, asked, end) = match (args.first, args.last) {
            (Some(_), Some(_)) => return Err(PageError::BothEnds),
            (None, Some(last)) => ("last", last, End::Back),
            (first, None) => ("first", first.unwrap_or(limits.size().into()), End::Front),
        };
        let max = limits.max;
        let size = u32::try_from(asked).ok().filter(|size| *size <= max);
        let size = size.ok_or(PageError::Size { argument, asked, max })?;
        let page = Self {
            after: open(order, "after", args.after.as_deref())?,
            before: open(order, "before", args.before.as_deref())?,
            ..Self::at(end, order, size)
        };
        let (asked, max) = (args.offset.unwrap_or_default(), limits.max_offset);
        let offset = u32::try_from(asked).ok().filter(|offset| *offset <= max);
        match (offset.ok_or(PageError::Offset { asked, max })?, args.offset) {
            (_, None) => Ok(page),
            (offset, Some(_)) => page.offset(offset),
        }
    }

    /// The first `size` rows of the list. [`Page::after`] and [`Page::before`] narrow the list to a window.
    ///
    /// No [`Limits`] apply: the size comes from code, not from a client.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// use keyset::{Key, Order, Page};
    ///
    /// let order = Order::of::<cake::Entity>([])?;
    /// let key = Key::new(&order, vec![7.into()])?;
    /// let page = Page::first(&order, 20).after(key)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first(order: &Order, size: u32) -> Self {
        Self::at(End::Front, order, size)
    }

    /// The last `size` rows of the list, in the order of the list. See [`Page::first`].
    pub fn last(order: &Order, size: u32) -> Self {
        Self::at(End::Back, order, size)
    }

    fn at(end: End, order: &Order, size: u32) -> Self {
        Self { order: order.clone(), end, size, after: None, before: None, offset: 0, around: None }
    }

    /// The same page after skipping this many rows from its end of the list.
    ///
    /// The page is found in two statements. The first skips over the keys of the rows, in the index of the order, and
    /// returns the last of them. The second is the [bracket](crate::bracket) at that key, so the page, its flags and its
    /// keys are those of a walk by cursors. A sort that can be NULL takes two statements more if the page lies among its
    /// NULLs. Beyond the end of the list the page is empty.
    ///
    /// The statements see one state of the database only in a transaction that does. The query must not group, nor select
    /// distinct rows.
    ///
    /// # Errors
    ///
    /// [`PageError::OffsetWithCursor`] for a page of a window.
    pub fn offset(self, rows: u32) -> Result<Self, PageError> {
        match (&self.after, &self.before) {
            (Some(_), _) => Err(PageError::OffsetWithCursor("after")),
            (_, Some(_)) => Err(PageError::OffsetWithCursor("before")),
            (None, None) => Ok(Self { offset: rows, ..self }),
        }
    }

    /// The same page of the rows beyond this key, without an offset.
    ///
    /// # Errors
    ///
    /// [`KeyError::Arity`] and [`KeyError::Type`] for a key of another order. The number of values and their types are
    /// checked: two orders whose sorts have the same types cannot be told apart by a key.
    pub fn after(self, key: Key) -> Result<Self, KeyError> {
        key.check(&self.order)?;
        Ok(Self { after: Some(key), offset: 0, ..self })
    }

    /// The same page of the rows short of this key, without an offset.
    ///
    /// # Errors
    ///
    /// As [`Page::after`].
    pub fn before(self, key: Key) -> Result<Self, KeyError> {
        key.check(&self.order)?;
        Ok(Self { before: Some(key), offset: 0, ..self })
    }

    /// The order of the list.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The end of the window at which it lies.
    pub fn end(&self) -> End {
        self.end
    }

    /// The maximum number of rows.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The order in which rows are read, from the near cursor towards the far one, and its reverse.
    pub(crate) fn travel(&self) -> (Order, Order) {
        let (front, back) = (self.order.clone(), self.order.backward());
        match self.end {
            End::Front => (front, back),
            End::Back => (back, front),
        }
    }

    /// The number of rows on the near side of its key that its bracket reads: one that proves that there are rows, or the
    /// rows up to the middle of the page and one more.
    pub(crate) fn witnesses(&self) -> u64 {
        if self.around.is_some() { u64::from(self.size) + 1 } else { 1 }
    }

    /// The key at which reading starts.
    pub(crate) fn near(&self) -> Option<&Key> {
        match self.end {
            End::Front => self.after.as_ref(),
            End::Back => self.before.as_ref(),
        }
    }

    /// The key at which reading stops.
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
    use sea_orm::sea_query::Expr;
    use sea_orm::tests_cfg::cake;

    use super::*;
    use crate::{Kind, Sort};

    #[track_caller]
    fn check(args: Args, expected: Result<(End, u32), &str>) {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let found = Page::new(&args, &order, Limits { default: 2, max: 5, max_offset: 9 });
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
        check(args(Some(1), Some(1)), Err("`first` and `last` are both set: set only one of them"));
    }

    #[test]
    fn a_size_is_refused_and_never_clamped() {
        check(args(Some(0), None), Ok((End::Front, 0)));
        check(args(None, Some(5)), Ok((End::Back, 5)));
        check(args(Some(6), None), Err("`first` must be 0 to 5, not 6"));
        check(args(None, Some(-1)), Err("`last` must be 0 to 5, not -1"));
        check(args(Some(i64::MAX), None), Err("`first` must be 0 to 5, not 9223372036854775807"));
    }

    #[test]
    fn an_offset_is_bounded_and_stands_alone() {
        let offset = |offset, args| Args { offset: Some(offset), ..args };
        check(offset(9, args(None, Some(3))), Ok((End::Back, 3)));
        check(offset(0, args(None, None)), Ok((End::Front, 2)));
        let far = "`offset` must be 0 to 9, not 10: to go further, continue after a cursor, count from the other end \
                   with `last`, or filter the list";
        check(offset(10, args(None, None)), Err(far));
        check(offset(-1, args(None, None)), Err(&far.replace("10", "-1")));
        let order = Order::of::<cake::Entity>([]).unwrap();
        let cursor = || Some(order.seal(&Key::new(&order, vec![7.into()]).unwrap()).unwrap().into());
        let message = "`offset` is not allowed with `after`";
        check(offset(0, Args { after: cursor(), ..args(Some(1), None) }), Err(message));
        check(offset(1, Args { before: cursor(), ..args(None, Some(1)) }), Err(&message.replace("after", "before")));
        check(offset(1, Args { before: Some(String::new()), ..args(None, Some(1)) }), Ok((End::Back, 1)));
    }

    #[test]
    fn a_page_built_in_code_is_the_page_of_the_arguments() {
        let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)]).unwrap();
        let key = |name: &str, id: i32| Key::new(&order, vec![name.into(), id.into()]).unwrap();
        let (low, high) = (key("Guglhupf", 3), key("Sachertorte", 7));
        let cursor = |key| Some(order.seal(key).unwrap().into());
        let (after, before) = (cursor(&low), cursor(&high));

        let args = Args { first: Some(4), after: after.clone(), before: before.clone(), ..Args::default() };
        let built = Page::first(&order, 4).after(low.clone()).unwrap().before(high.clone()).unwrap();
        assert_eq!(format!("{built:?}"), format!("{:?}", Page::new(&args, &order, Limits::default()).unwrap()));

        let args = Args { last: Some(4), after, before, ..Args::default() };
        let built = Page::last(&order, 4).after(low).unwrap().before(high).unwrap();
        assert_eq!(format!("{built:?}"), format!("{:?}", Page::new(&args, &order, Limits::default()).unwrap()));
    }

    #[test]
    fn a_key_of_another_order_is_refused() {
        let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)]).unwrap();
        let by_id = Order::of::<cake::Entity>([]).unwrap();
        let key = |order, values| Key::new(order, values).unwrap();
        let short = key(&by_id, vec![7.into()]);
        let page = || Page::first(&order, 1);
        assert_eq!(page().after(short.clone()).unwrap_err(), KeyError::Arity { found: 1, expected: 2 });
        assert_eq!(page().before(short).unwrap_err(), KeyError::Arity { found: 1, expected: 2 });
        let named = key(&order, vec!["Sachertorte".into(), 7.into()]);
        let length = Sort::expression("length", Expr::cust("1"), Kind::Int).never_null();
        let by_length = Order::of::<cake::Entity>([length]).unwrap();
        assert_eq!(Page::last(&by_length, 1).after(named).unwrap_err(), KeyError::Type(0));
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
