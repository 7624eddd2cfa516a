//! Tables as Relay lists of [async-graphql](async_graphql), read by the keyset engine [`keyset`].
//!
//! An object is a value: [`ObjectType`] has the columns, the relations and the lists of a table. The sorts, the filters and the
//! types of the schema follow from it. Each field of a query is planned as a whole. The plan reads the rows of a page, with their
//! relations to one, by one SQL statement, and writes JSON. `hasNextPage` and `hasPreviousPage` are facts. Nothing that is not
//! selected is read.
//!
//! | module | contents |
//! |---|---|
//! | `declare` | [`ObjectType`], [`Declaring`] and [`Declaration`]: objects, their fields, and the fields of the query |
//! | `order`, `filter` | [`Criterion`] and the argument `where`, as data |
//! | `list` | the rows of a list and their order, from its arguments |
//! | `plan` | what a request selects, as it is read and written; [`Plans`] caches it |
//! | [`connection`], [`count`], [`page_cursors`] | the fields of lists |
//! | [`value`], [`payload`] | [`Object`] and [`Edge`] of rows that are known, and payloads of mutations |
//! | [`resolvers`] | what hand-written resolvers return: [`ByKey`], [`Node`], [`NodeList`] |
//! | [`found`] | the same for what something else has found: [`Connection`], [`FoundEdge`], [`ByKeys`] |
//! | [`context`] | the [`Reader`] that lists read through, and [`ContextExt`] to reach it |
//! | `visible` | rows that are known, as a viewer sees them |
//! | [`row_write`], [`row_event`] | [`DeclaredMutation`] and [`DeclaredSubscription`] |
//! | [`snapshot`] | [`Snapshots`]: each query reads one state of the database |
//! | [`json`] | responses as text |
//! | `global_id` | ids that are unique across types |
//! | [`scalar`] | the types of values: `BigInt`, `DateTime`, `Decimal` |
//! | [`cost`] | the cost of a field |
//! | [`error`] | errors with a code for machines |
//!
//! The crate knows no table of its own and no HTTP.

pub mod error;

pub mod context;
pub mod found;
pub mod object;
pub mod payload;
pub mod resolvers;
pub mod snapshot;
pub mod value;
mod visible;

mod arguments;
mod declare;
mod filter;
mod global_id;
mod list;
mod order;
mod resolving;
pub mod row_event;
mod row_key;
pub mod row_write;

pub mod connection;
pub mod count;
pub mod page_cursors;

mod plan;
mod registry;

pub mod json;

pub mod input;
pub mod scalar;

pub mod cost;

pub use arguments::Arguments;
pub use connection::PageInfo;
pub use context::{ContextExt, Execution, Reader};
pub use cost::{Cost, FieldCost};
pub use declare::advice::{Advice, LeftOut};
pub use declare::argument::{GivenArgument, ListArgument, ListEstimate, ListRows, OwnOrders};
pub use declare::beside::Beside;
pub use declare::check::DeclarationError;
pub use declare::declaration::{Declaration, Declaring};
pub use declare::event::EventField;
pub use declare::field::Field;
pub use declare::foreign_key::ForeignKey;
pub use declare::links::{Link, Pairs};
pub use declare::names::{free_name, pascal, screaming, type_name};
pub use declare::object::ObjectType;
pub use declare::offered::Offered;
pub use declare::resolver::ResolvedValues;
pub use declare::root::{KeyArguments, RootField};
pub use declare::rule::Visible;
pub use declare::write::{WriteField, WriteKind};
pub use error::{Error, Result};
pub use filter::{Estimates, MAX_CONDITIONS, MAX_LEVELS, RELATION, RowEstimate, never};
pub use found::{ByKeys, Connection, FoundEdge};
pub use list::Scan;
pub use object::{Model, RowObject};
pub use order::{Criterion, NullPlacement, SortDirection};
pub use payload::{Payload, PayloadFields, PayloadPlan, ShownPayload};
pub use plan::plans::Plans;
pub use plan::query::{PlannedQuery, Resolve};
pub use plan::row_payload::RowWritten;
pub use plan::variables::{constant, has_variable, with_defaults};
pub use resolvers::{ByKey, DeclaredQuery, Node, NodeList, SortBy};
pub use resolving::{RequestData, Resolving};
pub use row_event::{Chooses, DeclaredSubscription, EventRow, RowEvents};
pub use row_write::{DeclaredMutation, Locked, RowFault, RowWrite, RowWriter, ShownRow, WriteRows};
pub use scalar::{BigInt, Bytes, Date, DateTime, Decimal, Json, LeafValue, LocalDateTime, Time, read_column};
pub use snapshot::Snapshots;
pub use value::{Edge, Object};
pub use visible::{Assumed, RULED_ROWS};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
