//! Relay lists for [async-graphql](async_graphql), read by the keyset engine [`keyset`].
//!
//! A type declares its fields: columns, relations, lists. A list declares its rows, their [`Order`](keyset::Order) and its
//! arguments. Each field of the query is planned as a whole. The plan reads the rows of a page, with their relations to
//! one, by one SQL statement, and writes JSON. `hasNextPage` and `hasPreviousPage` are facts. Nothing that is not selected
//! is read.
//!
//! | module | contents |
//! |---|---|
//! | [`object`], [`keyed`] | [`RowObject`], which declares the fields of an object; [`Keyed`], one with a key |
//! | [`list`] | [`Listed`], the rows, the order and the arguments of lists |
//! | [`root`] | [`RootObject`], the declared fields of a query |
//! | [`connection`] | [`Connection`] and [`PageInfo`], as the schema describes them |
//! | [`count`], [`page_cursors`] | counts, and cursors for numbered pages |
//! | [`node`] | [`Node`], [`NodeList`] and [`ByKey`], objects by their keys |
//! | [`payload`] | [`Payload`], which declares the fields of a mutation's payload |
//! | [`value`] | [`Object`] and [`Edge`], of rows that are known |
//! | [`context`] | the [`Reader`] that lists read through, and [`ContextExt`] to reach it |
//! | [`snapshot`] | [`Snapshots`]: each query reads one state of the database |
//! | `plan` | what a request selects, as it is read and written; [`Plans`] caches it |
//! | [`json`] | responses as text |
//! | [`sort`], [`filter`] | inputs: orders and conditions |
//! | [`global_id`] | ids that are unique across types |
//! | [`date_time`], [`big_int`] | the scalars `DateTime` and `BigInt` |
//! | [`cost`] | the cost of a field, declared next to it |
//! | [`error`] | errors with a code for machines |
//!
//! The crate knows no table of its own and no HTTP.

pub mod error;

pub mod context;
pub mod keyed;
pub mod object;
pub mod payload;
pub mod snapshot;
pub mod value;

mod arguments;
pub mod list;
pub mod node;
pub mod root;

pub mod connection;
pub mod count;
pub mod page_cursors;

mod plan;
mod registry;

pub mod json;

pub mod filter;
pub mod sort;

pub mod big_int;
pub mod date_time;
pub mod global_id;
pub mod input;

pub mod cost;

pub use arguments::Arguments;
pub use big_int::BigInt;
pub use connection::{Connection, PageInfo};
pub use context::{ContextExt, Execution, Reader};
pub use cost::Cost;
pub use date_time::DateTime;
pub use error::{Error, Result};
pub use filter::{
    Comparison, Conditions, Filter, IdFilter, Logic, Matching, NullableComparison, RowEstimate, Scope, TextFilter,
    Where,
};
pub use global_id::{GlobalId, NodeType};
pub use keyed::Keyed;
pub use list::{FieldArgs, ListField, Listed};
pub use node::{ByKey, Node, NodeList, Nodes, ObjectType};
pub use object::{Beside, Column, ComputedValue, Fields, Model, RowObject};
pub use payload::{Payload, PayloadFields, PayloadPlan, ShownPayload};
pub use plan::plans::Plans;
pub use plan::query::{PlannedQuery, Resolve};
pub use plan::variables::with_defaults;
pub use root::{Declaration, RootFields, RootObject, Roots};
pub use snapshot::Snapshots;
pub use sort::{NullPlacement, OrderBy, Sort, SortDirection, SortField};
pub use value::{Edge, Object};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
