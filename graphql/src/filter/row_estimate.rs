//! How many rows a filter reads.
//!
//! Conditions that must all hold read the rows that the most selective index among them finds, and each of them is tested
//! on these rows. Of alternatives, each reads its own rows. A negation tests every row.

/// The rows that a condition reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowEstimate {
    /// The rows of the list that an index finds; all of them where none serves the condition.
    rows: u64,
    /// The rows of other tables that are read for each row of the list.
    beside: u64,
}

impl RowEstimate {
    /// No condition: it narrows nothing.
    pub const ALL: Self = Self { rows: u64::MAX, beside: 0 };

    /// A condition that no row fulfils.
    pub const NOTHING: Self = Self { rows: 0, beside: 0 };

    /// A condition for which an index finds this many rows.
    pub fn found(rows: u64) -> Self {
        Self { rows, beside: 0 }
    }

    /// A condition that reads this many rows of other tables for each row of the list.
    pub fn beside(rows: u64) -> Self {
        Self { beside: rows, ..Self::ALL }
    }

    /// The same condition, tested on this many rows.
    #[must_use]
    pub fn of_rows(self, rows: u64) -> Self {
        Self { rows, ..self }
    }

    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { rows: self.rows.min(other.rows), beside: self.beside.saturating_add(other.beside) }
    }

    /// Either condition.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { rows: self.rows.saturating_add(other.rows), beside: self.beside.saturating_add(other.beside) }
    }

    /// The condition that does not hold.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { rows: u64::MAX, ..self }
    }

    /// The condition as part of another one, for each of whose rows this many rows are read, and the condition tested.
    #[must_use]
    pub fn of_related(self, rows: u64) -> Self {
        Self::beside(rows.saturating_add(self.beside))
    }

    /// The condition of this many rows of another table, in place of one.
    #[must_use]
    pub fn times(self, rows: u64) -> Self {
        Self { beside: self.beside.saturating_mul(rows), ..self }
    }

    /// The number of rows that an index finds in a table of this many; `None` if no index serves the condition, or if rows of
    /// other tables decide which of them match.
    pub fn finds(self, table: u64) -> Option<u64> {
        (self.rows < u64::MAX && self.beside == 0).then(|| self.rows.min(table))
    }

    /// The number of rows that a statement reads at most in a table of this many rows.
    pub fn reads(self, table: u64) -> u64 {
        self.rows.min(table).saturating_mul(self.beside.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::RowEstimate;

    const TABLE: u64 = 1000;

    #[test]
    fn the_most_selective_condition_decides_and_each_is_tested() {
        let both = RowEstimate::found(10).and(RowEstimate::found(300)).and(RowEstimate::beside(2));
        assert_eq!(both.reads(TABLE), 30);
        assert_eq!(RowEstimate::ALL.reads(TABLE), TABLE);
    }

    #[test]
    fn only_an_index_tells_how_many_rows_match() {
        assert_eq!(RowEstimate::found(10).and(RowEstimate::found(2 * TABLE)).finds(TABLE), Some(10));
        assert_eq!(RowEstimate::found(2 * TABLE).finds(TABLE), Some(TABLE));
        assert_eq!(RowEstimate::ALL.finds(TABLE), None);
        assert_eq!(RowEstimate::found(10).and(RowEstimate::beside(1)).finds(TABLE), None);
    }

    #[test]
    fn each_alternative_reads_its_own_rows() {
        let either = RowEstimate::NOTHING.or(RowEstimate::found(10)).or(RowEstimate::found(300));
        assert_eq!(either.reads(TABLE), 310);
        assert_eq!(either.or(RowEstimate::beside(1)).reads(TABLE), 2 * TABLE);
        assert_eq!(RowEstimate::NOTHING.reads(TABLE), 0);
    }

    #[test]
    fn a_negation_tests_every_row() {
        assert_eq!(RowEstimate::found(1).and(RowEstimate::beside(4)).negated().reads(TABLE), 5 * TABLE);
    }

    #[test]
    fn a_related_row_is_read_for_each_row() {
        let of_related = RowEstimate::found(1).and(RowEstimate::beside(1)).of_related(2);
        assert_eq!(of_related.reads(TABLE), 4 * TABLE);
    }

    #[test]
    fn no_number_is_too_large() {
        assert_eq!(RowEstimate::beside(u64::MAX).or(RowEstimate::beside(u64::MAX)).reads(u64::MAX), u64::MAX);
    }
}
