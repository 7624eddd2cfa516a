//! The schema of the book shop.
//!
//! `book`, `rating` and `order` each declare one object: its fields, the orders and arguments of its lists. `query` declares the
//! fields that read them, and [`bookends_graphql`] reads them. `mutation` and `subscription` are written by hand.
#![allow(clippy::unused_async, reason = "async-graphql requires resolvers to be async")]

use std::sync::Arc;

use async_graphql::{SDLExportOptions, ScalarType, ValidationMode};
use bookends_graphql::{DateTime, Decimal};
use keyset::ReadRows;

mod mutation;
mod query;
mod subscription;

mod book;
mod order;
mod rating;

mod error_code;
mod guide;
mod key;
mod readers;
mod search;

mod api;

pub use api::Api;
pub use query::declaration;

use error_code::ErrorCode;
use guide::Guided;
use mutation::Mutation;
use query::Query;
use readers::Readers;
use subscription::Subscription;

use crate::config::{Documents, Limits};
use crate::db::Db;
use crate::events::Events;
use crate::request::{self, DeclaredCosts, Parts, Scalar, Tables, Trusted, TrustedError, Validator};

/// The description of `orderBy`.
const ORDER_BY: &str = "Sorts the list by these criteria. By default, the oldest object is first; in a search of books, the most \
    relevant. A cursor is valid only in the sort order that it was created for.";

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
    declaration().schema(Query::default(), Mutation, Subscription).register_output_type::<ErrorCode>()
}

/// Reads documents for the schema, within these limits.
pub fn validator(limits: Limits) -> Validator {
    Validator::new(&definitions(), declaration().clone(), SCALARS, limits)
}

/// The costs of the fields of the schema, over these tables.
pub fn declared_costs(validator: &Validator, tables: Tables) -> DeclaredCosts {
    let fields = declaration().costs().into_iter().chain(mutation::costs());
    DeclaredCosts::new(fields, validator.introspection(), tables)
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
