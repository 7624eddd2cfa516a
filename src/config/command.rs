//! Commands.

use chrono::{DateTime, Datelike, Utc};
use clap::{Args, Subcommand};

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Migrate the database, fill an empty one with sample rows, and start the server (default).
    Serve(Reproducible),
    /// Change the database schema, or show its state.
    Migrate {
        /// The direction.
        #[command(subcommand)]
        direction: Direction,
    },
    /// Fill an empty database with generated rows. The same options give the same rows.
    Seed(Plan),
    /// Print the GraphQL schema.
    Schema,
    /// Print what a value means: a cursor, a global id, a UUID of any version, or a ULID; also a cursor of
    /// django-universal-paginator. The database is not read.
    Inspect {
        /// The value.
        value: String,
        /// Print one line of JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Check the server that listens on the address in the settings. Exits with 1 if it is not healthy.
    Health,
}

/// The direction of a migration.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Direction {
    /// Apply all pending migrations.
    Up,
    /// Revert the latest migrations.
    Down {
        /// Number of migrations to revert.
        #[arg(long, default_value_t = 1, value_name = "N")]
        steps: u32,
    },
    /// List migrations: applied, pending, and unknown ones, which a newer version has applied.
    Status,
}

/// Keys and times that are the same at each start, for snapshot tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct Reproducible {
    /// Time of the first new row, such as `2026-01-01T00:00:00Z`. Each further row is a millisecond later. The address must be
    /// a loopback address, and the database without rows from that time on.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub at: Option<DateTime<Utc>>,
    /// Seed of the random bits in the keys of new rows.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "at")]
    pub rng_seed: u64,
}

/// The number of rows to generate. The default is the sample that `serve` fills an empty database with.
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

/// A time from which on there are enough milliseconds for keys.
fn time(text: &str) -> Result<DateTime<Utc>, &'static str> {
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    let is_valid = |time: &DateTime<Utc>| (1970..9999).contains(&time.year());
    time.filter(is_valid).ok_or("expected a time such as `2026-01-01T00:00:00Z`, from 1970 to 9998")
}

/// At most a billion rows: at one per minute, their times fit into a `UUIDv7`.
fn rows() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=1_000_000_000)
}
