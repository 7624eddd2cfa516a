//! What was found.

use crate::bracket::WITNESS;
use crate::{End, Key, Page};

/// One page of a list, and what lies around it.
///
/// | page | `has_previous` | `has_next` |
/// |---|---|---|
/// | from the front | a row stands at or before `after` | the window holds more |
/// | from the back | the window holds more | a row stands at or after `before` |
///
/// Without the cursor that is named there is nothing on its side. All four are exact on an empty page too.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice<M> {
    /// The rows, in the order that was asked for, whichever end they were counted from.
    pub rows: Vec<Row<M>>,
    /// Whether there is more before these rows.
    pub has_previous: bool,
    /// Whether there is more after these rows.
    pub has_next: bool,
}

/// A row and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<M> {
    /// Where the row stands.
    pub key: Key,
    /// The row itself.
    pub item: M,
}

/// A row as a [bracket](crate::bracket) returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<M> {
    /// Which branch it comes from: 0 for a witness, else the range, from the nearest.
    pub segment: i32,
    /// Whether it lies short of the far cursor; `true` where there is none.
    pub inside: bool,
    /// The row and its key.
    pub row: Row<M>,
}

impl<M> Slice<M> {
    /// Cuts a page out of its bracket: what [`fetch`](crate::fetch) does with the rows, for those who run the statement
    /// by means of their own. The rows come in the order of the statement.
    pub fn cut(found: Vec<Found<M>>, page: &Page) -> Self {
        let behind = found.iter().any(|found| found.segment == WITNESS);
        let mut ahead = found.into_iter().filter(|found| found.segment != WITNESS && found.inside);
        let mut rows: Vec<_> = ahead.by_ref().take(page.size as usize).map(|found| found.row).collect();
        let more = ahead.next().is_some();

        let (has_previous, has_next) = match page.end {
            End::Front => (behind, more),
            End::Back => {
                rows.reverse();
                (more, behind)
            }
        };
        Self { rows, has_previous, has_next }
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::tests_cfg::cake;

    use super::*;
    use crate::{Args, Limits, Order};

    /// Rows as (segment, inside, item), and the page that is cut out of them.
    #[track_caller]
    fn check(args: Args, found: &[(i32, bool, char)], expected: (&str, bool, bool)) {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let page = Page::new(&args, &order, Limits::default()).unwrap();
        let row = |item| Row { key: Key::new(&order, vec![0.into()]).unwrap(), item };
        let found =
            found.iter().map(|(segment, inside, item)| Found { segment: *segment, inside: *inside, row: row(*item) });
        let slice = Slice::cut(found.collect(), &page);
        let items: String = slice.rows.iter().map(|row| row.item).collect();
        assert_eq!((items.as_str(), slice.has_previous, slice.has_next), expected, "{args:?}");
    }

    fn first(size: i64) -> Args {
        Args { first: Some(size), ..Args::default() }
    }

    fn last(size: i64) -> Args {
        Args { last: Some(size), ..Args::default() }
    }

    #[test]
    fn a_witness_and_a_row_too_many_are_the_flags() {
        let rows = [(0, true, 'w'), (1, true, 'a'), (1, true, 'b'), (2, true, 'c')];
        check(first(3), &rows, ("abc", true, false));
        check(first(2), &rows, ("ab", true, true));
        check(first(2), &rows[1..], ("ab", false, true));
        check(last(3), &rows, ("cba", false, true));
        check(last(2), &rows, ("ba", true, true));
        check(last(3), &rows[1..], ("cba", false, false));
    }

    #[test]
    fn an_empty_page_has_flags_too() {
        check(first(2), &[], ("", false, false));
        check(first(0), &[(1, true, 'a')], ("", false, true));
        check(first(2), &[(0, true, 'w')], ("", true, false));
        check(last(0), &[(0, true, 'w'), (1, true, 'a')], ("", true, true));
    }

    #[test]
    fn beyond_the_far_cursor_there_is_no_page() {
        let rows = [(0, true, 'w'), (1, true, 'a'), (1, false, 'b'), (1, false, 'c')];
        check(first(2), &rows, ("a", true, false));
        check(last(1), &rows, ("a", false, true));
    }
}
