mod city;
mod river;
use bookends_server::{App, Declaring};

fn main() -> std::process::ExitCode {
    let mut tables = Declaring::new("Query");
    tables.entity::<river::Entity>().describe("A river.");
    tables.entity::<city::Entity>().describe("A city on a river.");
    tables.create("City").describe("Adds a city to a river.");
    tables.update("City").describe("Changes a city.");
    tables.delete("City").describe("Deletes a city.");
    tables.created("City").describe("Each new city.");
    App::new("rivers", env!("CARGO_PKG_VERSION"), tables)
        .about("Rivers and the cities on them.")
        .migration("m0001_tables", include_str!("tables.sql"))
        .main()
}
