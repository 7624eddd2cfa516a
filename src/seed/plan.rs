//! How many rows to generate.

use clap::Args;

/// The number of rows to generate. The default is the sample of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Plan {
    /// Number of books, one per minute from 1 January 2020.
    #[arg(long, default_value_t = Plan::SAMPLE.books, value_name = "N", value_parser = rows())]
    pub books: u64,
    /// Number of ratings, one per minute from 1 January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.ratings, value_name = "N", value_parser = rows())]
    pub ratings: u64,
    /// Number of orders, one per minute from 1 January 2022.
    #[arg(long, default_value_t = Plan::SAMPLE.orders, value_name = "N", value_parser = rows())]
    pub orders: u64,
    /// Seed of the random numbers. The same seed gives the same rows on every database.
    #[arg(long, default_value_t = Plan::SAMPLE.rng_seed, value_name = "N")]
    pub rng_seed: u64,
}

impl Plan {
    /// Filled in a second, and large enough to page through.
    pub const SAMPLE: Self = Self { books: 1_000, ratings: 20_000, orders: 20_000, rng_seed: 0 };
}

/// At most a billion rows: at one per minute, their times fit into a `UUIDv7`.
fn rows() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=1_000_000_000)
}
