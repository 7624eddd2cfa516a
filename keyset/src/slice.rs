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

/// A row as a bracket returns it.
pub(crate) struct Found<M> {
    pub(crate) segment: i32,
    pub(crate) inside: bool,
    pub(crate) row: Row<M>,
}

impl<M> Slice<M> {
    /// Cuts a page out of its bracket.
    pub(crate) fn cut(found: Vec<Found<M>>, page: &Page) -> Self {
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
