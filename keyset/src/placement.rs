//! Where the tables of a database are.

/// On which servers PostgreSQL has the tables that lists read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// In the one that is asked.
    #[default]
    Here,
    /// Some are foreign tables, or have foreign partitions.
    ///
    /// PostgreSQL sends no comparison of row values, `(a, b) > (v, w)`, to another server. So a page has a range for each sort,
    /// `a = v AND b > w` and `a > v`.
    Foreign,
    /// Some are distributed by [Citus](https://www.citusdata.com).
    ///
    /// Citus plans no list of each of many parents, and reads all rows of a table that is joined to a page. So each parent is asked
    /// for its page by a statement of its own, which the server of its rows runs alone where they are distributed by the parent.
    /// Related rows are found by the keys in the page. Citus has no estimates: numbers are counted up to a bound.
    Distributed,
}
