//! Which columns of a table are read.

use std::ops::{BitAnd, BitOr};

use crate::Kind;

/// Some of a table's columns, by their numbers: see [`Column::number`](crate::Column::number).
///
/// The columns from the 128th on are in every set, so that a set is two machine words.
///
/// ```
/// use keyset::ColumnSet;
///
/// let columns = ColumnSet::of(0) | ColumnSet::of(2);
/// assert!(columns.contains(2) && !columns.contains(1) && ColumnSet::ALL.contains(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// All columns.
    pub const ALL: Self = Self(u128::MAX);

    /// The column with this number.
    pub fn of(column: usize) -> Self {
        Self(bit(column).unwrap_or_default())
    }

    /// What is read for the value of the column with this number and this kind. What has no kind is read as a part of its
    /// model only, which needs all columns.
    pub fn of_value(column: usize, kind: Kind) -> Self {
        if kind == Kind::Unsupported { Self::ALL } else { Self::of(column) }
    }

    /// The first of them, short of the 128th.
    pub(crate) fn first(self) -> Option<usize> {
        (self.0 != 0).then_some(self.0.trailing_zeros() as usize)
    }

    /// Whether the column with this number is among them.
    pub fn contains(self, column: usize) -> bool {
        bit(column).is_none_or(|bit| self.0 & bit != 0)
    }
}

fn bit(column: usize) -> Option<u128> {
    1_u128.checked_shl(u32::try_from(column).ok()?)
}

impl BitOr for ColumnSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for ColumnSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl FromIterator<Self> for ColumnSet {
    /// The columns of all of these sets.
    fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
        sets.into_iter().fold(Self::default(), Self::bitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_from_the_128th_on_are_in_every_set() {
        let last = ColumnSet::of(127);
        assert!(last.contains(127) && !last.contains(126) && last.contains(128) && last.contains(usize::MAX));
        assert_eq!(ColumnSet::of(128), ColumnSet::default());
        assert_eq!(last | ColumnSet::ALL, ColumnSet::ALL);
    }

    #[test]
    fn the_first_of_a_set_is_that_with_the_smallest_number() {
        let set = ColumnSet::of(127) | ColumnSet::of(3);
        assert_eq!((set.first(), (set & ColumnSet::of(127)).first()), (Some(3), Some(127)));
        assert_eq!(((set & ColumnSet::of(4)).first(), ColumnSet::default().first()), (None, None));
    }
}
