//! The command line and the settings: the only place that reads the environment.

use std::net::SocketAddr;

use clap::{Args, Parser, Subcommand};

/// A GraphQL server that pages through tables of any size at a constant cost.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = false)]
pub struct Cli {
    /// What to do; without it, the server starts.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Where and how.
    #[command(flatten)]
    pub settings: Settings,
}

/// Every setting; a flag goes before the environment, the environment before the default.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The database: a SQLite file, made where it is missing, or a PostgreSQL server
    /// (`postgres://user:password@host/database`).
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite://bookends.db",
        value_name = "URL",
        global = true
    )]
    pub database_url: String,

    /// The most connections to the database that are open at a time, two or more.
    #[arg(
        long,
        env = "DATABASE_CONNECTIONS",
        default_value_t = 16,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..=1000),
        global = true
    )]
    pub database_connections: u32,

    /// The address to serve on.
    #[arg(long, env = "LISTEN", default_value = "127.0.0.1:8000", value_name = "ADDRESS", global = true)]
    pub listen: SocketAddr,

    /// What a request may ask for.
    #[command(flatten)]
    pub limits: Limits,
}

/// What a request may ask for: more is refused, with the name of the setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Limits {
    /// The most objects that a page may hold.
    #[arg(
        long,
        env = "MAX_PAGE_SIZE",
        default_value_t = Limits::DEFAULT.max_page_size,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=Limits::LARGEST_PAGE as i64),
        global = true
    )]
    pub max_page_size: u32,

    /// The most that a request may cost: 1 for each field, a list its size times what is selected of it, 50 for each
    /// statement, 1,000 for an exact count.
    #[arg(
        long,
        env = "MAX_COMPLEXITY",
        default_value_t = Limits::DEFAULT.max_complexity,
        value_name = "N",
        global = true
    )]
    pub max_complexity: usize,

    /// The most levels that a request may be deep, 32 at most.
    #[arg(
        long,
        env = "MAX_DEPTH",
        default_value_t = Limits::DEFAULT.max_depth,
        value_name = "N",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=Limits::DEEPEST as u64),
        global = true
    )]
    pub max_depth: usize,
}

impl Limits {
    /// Enough for a page of a hundred objects with a page of a hundred each, and for the introspection of GraphiQL.
    pub const DEFAULT: Self = Self { max_page_size: 100, max_complexity: 50_000, max_depth: 20 };

    /// The most levels of fields and fragments that the GraphQL library walks through.
    pub const DEEPEST: usize = 32;
    /// The largest size of a page that a server can be configured for.
    pub const LARGEST_PAGE: usize = 1000;

    /// The sizes of pages.
    pub fn pages(self) -> keyset::Limits {
        keyset::Limits { max: self.max_page_size, ..keyset::Limits::default() }
    }
}

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
