//! Experiments: what pages and keys cost, on SQLite and PostgreSQL side by side.
//!
//! ```sh
//! cargo run --profile dist -p experiments -- depth --postgres postgres://postgres@127.0.0.1/postgres
//! ```
//!
//! Each experiment creates its own databases, takes the compared ways in turns, and prints a table. It counts work where
//! the database can count it: SQLite the instructions of its virtual machine, PostgreSQL the buffers that it reads.
//! Times are medians or sums over rounds, and mean something only as ratios within one run.

mod aggregates;
mod count;
mod cursors;
mod database;
mod depth;
mod error;
mod experiment;
mod flags;
mod items;
mod keys;
mod machine;
mod measure;
mod plot;
mod report;
mod shop;
mod table;

pub use database::{Bench, Database};
pub use error::Error;
pub use experiment::{Experiment, Plot, Run};
pub use machine::Machine;
pub use report::Report;
pub use table::{Measure, Row, Table, Unit};

/// All experiments.
pub const ALL: [&Experiment; 6] = [
    &count::EXPERIMENT,
    &aggregates::EXPERIMENT,
    &depth::EXPERIMENT,
    &flags::EXPERIMENT,
    &keys::EXPERIMENT,
    &cursors::EXPERIMENT,
];
