//! A weather station, the application of `tests/it`: `cargo run -p bookends-server --example station`.
#![allow(missing_docs, clippy::missing_errors_doc, clippy::disallowed_methods, reason = "an example")]

pub mod changes;
pub mod rows;
pub mod tables;

use bookends_server::app::{Opened, OwnCommand, Sample};
use bookends_server::db::Migrations;
use bookends_server::{App, Declaring};
use changes::Changes;
use rows::{Plan, fill};
use tables::{reading, repair, sensor};

fn check_value(value: i32) -> std::result::Result<(), String> {
    if (1..=5).contains(&value) { Ok(()) } else { Err(format!("expected a value from 1 to 5, not {value}")) }
}

pub fn app() -> App {
    let mut tables = Declaring::new("Query");
    let sensor = tables.entity::<sensor::Entity>().describe("A sensor.").as_of();
    sensor.orders(&[&["NAME"], &["YEAR"], &["YEAR", "NAME"]]).created_at("createdAt");
    tables.entity::<reading::Entity>().describe("A value that a sensor read.").as_of().created_at("createdAt");
    tables.entity::<repair::Entity>().describe("A repair of a sensor.").as_of().created_at("createdAt");
    tables.create("Sensor");
    tables.create("Reading").check("value", check_value);
    tables.create("Repair");
    tables.created("Reading");
    for object in ["Sensor", "Reading", "Repair"] {
        tables.update(object);
        tables.delete(object);
    }
    let command = clap::Command::new("fill").about("Fill an empty database with rows");
    App::new("station", env!("CARGO_PKG_VERSION"), tables)
        .about("A weather station: sensors, what they read, and their repairs.")
        .migrations(Migrations::of::<Changes>())
        .sample(Sample::new(async |Opened { db, .. }| fill(&db, Plan::SAMPLE).await))
        .command(OwnCommand::new(command, async |Opened { db, .. }, plan| fill(&db, plan).await))
}

fn main() -> std::process::ExitCode {
    app().main()
}
