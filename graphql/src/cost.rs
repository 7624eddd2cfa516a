//! What a field costs, declared next to it.
//!
//! Every field costs 1, and a list costs its size times the cost of a selected object. A [`Cost`] is the price that a
//! field adds. An application collects the declarations of its types and prices a document before it runs it.

use crate::list::Scan;

/// The price that a field adds to the 1 of every field.
#[derive(Clone, Debug)]
pub enum Cost {
    /// One statement, for all objects that the field is selected of.
    Statement,
    /// This many of them.
    Statements(u32),
    /// One object. At the root of an operation it is one statement. Elsewhere it is joined to a statement, or was read
    /// already, as `node` of an edge; the price is the same.
    Lookup,
    /// A page: one statement, as many objects as `first` or `last` say, and the rows that its filter reads.
    List(Scan),
    /// As many objects as this argument lists, by one statement per type.
    Keys {
        /// The argument that lists ids.
        argument: &'static str,
        /// The number of types.
        types: usize,
    },
    /// An exact count, which reads every row; nothing where the list keeps it.
    Count,
    /// One statement that reads every row of the list.
    Scan,
    /// A count up to the argument `upTo`; nothing where the list keeps it.
    CountUpTo {
        /// The value of `upTo` where it is absent.
        default: u32,
    },
    /// The cursors of this many pages on either side.
    PageCursors {
        /// The pages.
        pages: u32,
    },
    /// One write transaction.
    Write,
}

/// The price of a field of a type.
#[derive(Clone, Debug)]
pub struct FieldCost {
    /// The type.
    pub on: String,
    /// The field.
    pub field: String,
    /// Its price.
    pub cost: Cost,
}

impl FieldCost {
    /// The price of this field of this type.
    pub fn new(on: impl Into<String>, field: impl Into<String>, cost: Cost) -> Self {
        Self { on: on.into(), field: field.into(), cost }
    }
}
