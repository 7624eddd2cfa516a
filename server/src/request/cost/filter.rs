//! What a filter costs, and the message that names it.

use std::fmt;

/// The maximum number of conditions and values in the filters of a request, as often as they are used.
pub const MAX_VALUES: usize = 100_000;

/// A filter that reads rows.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The response key of its list.
    pub list: String,
    /// The rows that a statement reads.
    pub rows: u64,
    /// The cost of all statements.
    pub cost: usize,
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { list, rows, .. } = self;
        write!(
            formatter,
            "the filter of `{list}` may read {rows} rows: filter by `id`, `createdAt` or another field with an index, \
             outside of `or` and `not`, or list the related objects instead"
        )
    }
}
