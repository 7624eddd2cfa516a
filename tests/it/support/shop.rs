//! A shop of one's own, and its program.

use std::panic::Location;
use std::process::Command;

use bookends_server::db::Db;
use bookshop::seed::{self, Plan, Progress, SeedError};
use migration::{Migrator, MigratorTrait};
use serde_json::Value;

use crate::support::filled::succeeded;
pub use crate::support::filled::{Filled as Shop, empty, permitted, settings};
use crate::support::orders::Lists;
use crate::support::program::program;

/// Enough for a few pages.
pub const SMALL: Plan = Plan { books: 8, ratings: 25, orders: 10, rng_seed: 0 };

/// The fields that a list can be sorted by.
pub const OFFERED: Lists = &[
    (
        "books",
        &[
            &["NAME"],
            &["YEAR"],
            &["YEAR", "NAME"],
            &["AVERAGE_RATING"],
            &["RATING_COUNT"],
            &["TOTAL_REVENUE"],
            &["ORDER_COUNT"],
        ],
    ),
    ("ratings", &[&["RATING"]]),
    ("orders", &[&["TOTAL_PRICE"]]),
];

/// Those that can be null.
pub const NULLABLE: &[&str] = &["AVERAGE_RATING", "TOTAL_REVENUE"];

/// The program with this database.
pub fn bookshop(url: &str) -> Command {
    program(env!("CARGO_BIN_EXE_bookshop"), url)
}

pub async fn fill(db: &Db, plan: Plan) -> Result<(), SeedError> {
    seed::fill(db, plan, Progress::Lines).await
}

/// Reverts this change of the schema, and those after it.
pub async fn down(db: &Db, change: &str) {
    let changes = Migrator::migrations();
    let position = changes.iter().position(|other| other.name() == change).unwrap();
    db.migrate_down(u32::try_from(changes.len() - position).unwrap()).await.unwrap();
}

impl Shop {
    /// Executes a request that must succeed, with variables; its data.
    #[track_caller]
    pub fn data_of(&self, query: &str, variables: Value) -> impl Future<Output = Value> {
        let caller = Location::caller();
        async move { succeeded(self.execute(query, variables).await, query, caller) }
    }
}
