//! A GraphQL server over SeaORM entities: exact Relay pages, limits, snapshots, subscriptions, GraphiQL and metrics.
//!
//! [`App`] is an application: what it declares, its mutations, its events, its migrations. [`App::main`] is its program.
//! [`Application::api`] is its schema alone, as an [`Executor`](async_graphql::Executor).
//!
//! A request enters through [`http`], is checked by [`request`], executed by a plan of [`bookends_graphql`], and reads the [`db`].

mod identity;

pub mod app;
mod program;

mod api;
mod claims;
mod error_code;
mod guide;
mod readers;
mod schema;

pub mod mutation;
pub mod subscription;

pub mod config;
mod console;
pub mod db;
pub mod events;
mod health;
pub mod http;
mod inspect;
mod invisible;
pub mod metrics;
pub mod request;
mod run;
mod source;
mod telemetry;
mod threads;

pub use api::Api;
pub use app::{App, Application};
pub use bookends_graphql::{self, *};
pub use claims::Claims;
pub use console::{Console, print_line};
pub use health::{HealthError, check as check_health};
pub use identity::Identity;
pub use inspect::{InspectError, inspect};
pub use invisible::is_invisible;
pub use run::{OwnError, RunError, run_async, serve, with_database};
pub use source::Source;
pub use telemetry::EndpointError;
pub use threads::{cores, threads};
pub use {async_graphql, axum, clap, keyset, sea_orm, sea_orm_migration};

/// What reads the traces that are sent, for tests.
#[cfg(feature = "otlp")]
#[doc(hidden)]
pub use {opentelemetry_proto, prost};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

#[cfg(doctest)]
#[doc = include_str!("../../docs/application.md")]
struct ApplicationExamples;

#[cfg(doctest)]
#[doc = include_str!("../../docs/viewer.md")]
struct ViewerExamples;
