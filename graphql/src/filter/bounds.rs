//! The bounds of a filter.

/// The maximum of conditions, and of values that they compare with, in the filter of a list.
pub const MAX_CONDITIONS: usize = 500;
/// The number of conditions that a condition on a related object counts for: it is a sub-query per object.
pub const RELATION: usize = 50;
/// The maximum depth of nested filters.
pub const MAX_LEVELS: usize = 10;
