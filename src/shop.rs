//! The schema of the book shop.
//!
//! `query`, `mutation` and `subscription` hold the root fields. `book`, `rating` and `order` each hold one object: its
//! fields, the orders and filters of its lists. `list` turns the arguments of a list field into rows and an order, which
//! [`keyset_graphql`] reads and shows as a connection.
#![allow(clippy::unused_async, reason = "async-graphql requires resolvers to be async")]

use std::sync::Arc;

use async_graphql::{SDLExportOptions, ScalarType, ValidationMode};
use keyset::ReadRows;
use keyset_graphql::{DateTime, Declaration, connection, object, root};

mod mutation;
mod query;
mod subscription;

mod book;
mod order;
mod rating;

mod node;
mod node_type;

mod decimal;
mod error_code;
mod guide;
mod key;
mod list;
mod offered;
mod readers;
mod search;

mod api;

pub use api::Api;
pub(crate) use node_type::NodeId;
pub(crate) use offered::{Offered, offered};

use book::Book;
use decimal::Decimal;
use error_code::ErrorCode;
use guide::Guided;
use mutation::Mutation;
use order::BookOrder;
use query::Query;
use rating::Rating;
use readers::Readers;
use subscription::Subscription;

use crate::config::{Documents, Limits};
use crate::db::Db;
use crate::events::Events;
use crate::request::{self, DeclaredCosts, Parts, Scalar, Tables, Trusted, TrustedError, Validator};

type Schema = Guided<async_graphql::Schema<Query, Mutation, Subscription>>;

/// The custom scalars, and the values that they accept.
const SCALARS: &[Scalar] = &[
    ("DateTime", |value| DateTime::parse(value.clone()).is_ok()),
    ("Decimal", |value| Decimal::parse(value.clone()).is_ok()),
];

/// The schema as text, as `schema.graphql` holds it.
pub fn sdl() -> String {
    guide::describe(&definitions())
}

/// The schema as text, without its description, which the parser of the library does not accept.
fn definitions() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions()
        .include_specified_by();
    builder().finish().sdl_with_options(options)
}

fn builder() -> async_graphql::SchemaBuilder<Query, Mutation, Subscription> {
    async_graphql::Schema::build(Query::default(), Mutation, Subscription).register_output_type::<ErrorCode>()
}

/// Reads documents for the schema, within these limits.
pub fn validator(limits: Limits) -> Validator {
    Validator::new(&definitions(), Declaration::of::<query::Roots>(), SCALARS, limits)
}

/// The costs of the fields of the schema, over these tables.
pub fn declared_costs(validator: &Validator, tables: Tables) -> DeclaredCosts {
    let roots = [root::costs::<query::Roots>(), mutation::COSTS.to_vec()];
    let fields = [
        mutation::COSTS_OF_PAYLOADS.to_vec(),
        object::costs::<Book>(),
        object::costs::<Rating>(),
        object::costs::<BookOrder>(),
        connection::COSTS.to_vec(),
    ];
    DeclaredCosts::new(roots, fields, validator.introspection(), tables)
}

/// The trusted documents of these settings.
///
/// # Errors
///
/// [`TrustedError`].
pub fn trusted(documents: &Documents, limits: Limits) -> Result<Trusted, TrustedError> {
    let validator = validator(limits);
    Trusted::read(documents, &validator, &declared_costs(&validator, Tables::default()), limits)
}

/// The schema over a database, behind the checks of [`request`].
fn check_schema(db: &Db, events: &Events, limits: Limits, trusted: Trusted) -> request::CheckedSchema<Schema> {
    let readers = Readers::new(db, limits);
    let schema = builder().data(db.clone()).data(events.clone());
    let validator = validator(limits);
    request::CheckedSchema::new(Parts {
        // The documents that it executes are valid.
        schema: Guided(schema.validation_mode(ValidationMode::Fast).finish()),
        costs: declared_costs(&validator, tables(db)),
        validator,
        trusted,
        limits,
        readers: Arc::new(readers),
        metrics: db.metrics.clone(),
    })
}

/// The tables that filters read.
fn tables(db: &Db) -> Tables {
    let statistics = db.statistics.clone();
    Tables { backend: db.reader.backend(), statistics: Arc::new(move || statistics.current()) }
}
