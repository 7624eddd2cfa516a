//! What the program can do.

use clap::{Args, Subcommand};

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Brings the database up to date, fills an empty one with a small sample, and serves (the default).
    Serve,
    /// Changes the schema of the database, or says where it stands.
    Migrate {
        /// Which way.
        #[command(subcommand)]
        direction: Direction,
    },
    /// Fills an empty database with rows that depend on nothing but these numbers.
    Seed(Plan),
    /// Prints the GraphQL schema.
    Schema,
    /// Asks the server that listens on the address in the settings whether it is well, and fails if not.
    Health,
}

/// Which way to migrate.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Direction {
    /// Applies every change that is pending.
    Up,
    /// Takes changes back, the last one first.
    Down {
        /// How many.
        #[arg(long, default_value_t = 1, value_name = "N")]
        steps: u32,
    },
    /// Lists the changes, applied and pending.
    Status,
}

/// How much to fill a database with. The default is the sample that an empty database is served with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Plan {
    /// Books, one a minute from the first of January 2020.
    #[arg(long, default_value_t = Plan::SAMPLE.books, value_name = "N", value_parser = rows())]
    pub books: u64,
    /// Ratings, one a minute from the first of January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.ratings, value_name = "N", value_parser = rows())]
    pub ratings: u64,
    /// Orders, one a minute from the first of January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.orders, value_name = "N", value_parser = rows())]
    pub orders: u64,
    /// The seed of the random numbers: the same seed gives the same rows, byte for byte, on every database.
    #[arg(long, default_value_t = Plan::SAMPLE.rng_seed, value_name = "N")]
    pub rng_seed: u64,
}

impl Plan {
    /// Small enough for a second, large enough to page through.
    pub const SAMPLE: Self = Self { books: 1_000, ratings: 20_000, orders: 20_000, rng_seed: 0 };
}

/// Up to a billion rows: one a minute, they end within the two thousand years that a `UUIDv7` comfortably holds.
fn rows() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=1_000_000_000)
}
