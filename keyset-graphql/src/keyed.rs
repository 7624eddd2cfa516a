//! Objects that are found by their primary keys.

use crate::global_id::NodeKey;
use crate::object::{Column, Model, RowObject};

/// An object whose table has a primary key of one column, which a global id can hold.
pub trait Keyed: RowObject {
    /// The type of the primary key.
    type Key: NodeKey;

    /// The column of the primary key.
    fn key_column() -> Column<Self>;

    /// The primary key of a row.
    fn key(row: &Model<Self>) -> Self::Key;
}
