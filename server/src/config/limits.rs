//! Limits of one request.

use std::num::NonZeroU32;

use clap::{ArgAction, Args};

/// Limits of one request. A request that exceeds one is rejected with the name of the setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Requests")]
pub struct Limits {
    /// Maximum number of objects on a page; at most 1,000.
    #[arg(
        long,
        env = "MAX_PAGE_SIZE",
        default_value_t = Limits::DEFAULT.max_page_size,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=Limits::MAX_OBJECTS as i64)
    )]
    pub max_page_size: u32,

    /// Maximum `offset` of a page, in objects. Pages further from the start have no number.
    #[arg(
        long,
        env = "MAX_OFFSET",
        default_value_t = Limits::DEFAULT.max_offset,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(..=i64::from(i32::MAX))
    )]
    pub max_offset: u32,

    /// Maximum cost of a request. A field costs 1, a statement 50, a mutation 200, and an exact count 1,000. A list
    /// costs its page size times its selection. 200 rows that a filter may read, or that an offset skips, cost 1.
    #[arg(
        long,
        env = "MAX_COMPLEXITY",
        default_value_t = Limits::DEFAULT.max_complexity,
        value_name = "N"
    )]
    pub max_complexity: usize,

    /// Cost that one client may request per second. After a pause, it may request up to `MAX_COMPLEXITY` at once.
    /// Further requests are rejected with 429. By default, the cost is not limited.
    #[arg(long, env = "CLIENT_BUDGET", value_name = "COST")]
    pub client_budget: Option<NonZeroU32>,

    /// Maximum depth of a request in levels; at most 32.
    #[arg(
        long,
        env = "MAX_DEPTH",
        default_value_t = Limits::DEFAULT.max_depth,
        value_name = "N",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=Limits::MAX_LEVELS as u64)
    )]
    pub max_depth: usize,

    /// Maximum number of tokens in a document, including commas, comments and the white space between tokens.
    #[arg(long, env = "MAX_TOKENS", default_value_t = Limits::DEFAULT.max_tokens, value_name = "N")]
    pub max_tokens: usize,

    /// Whether clients may read the schema with `__schema` and `__type`.
    #[arg(
        long,
        env = "INTROSPECTION",
        default_value_t = Limits::DEFAULT.introspection,
        value_name = "BOOL",
        action = ArgAction::Set
    )]
    pub introspection: bool,
}

impl Limits {
    /// Enough for a page of 100 objects with a page of 100 each, and for the introspection query of GraphiQL.
    pub const DEFAULT: Self = Self {
        max_page_size: 100,
        max_offset: 1_000_000,
        max_complexity: 50_000,
        client_budget: None,
        max_depth: 20,
        max_tokens: 15_000,
        introspection: true,
    };

    /// The number of levels of fields and fragments that the GraphQL library accepts.
    pub const MAX_LEVELS: usize = 32;
    /// The largest value of `max_page_size`.
    pub const MAX_OBJECTS: usize = 1000;

    /// The limits of page sizes.
    pub fn pages(self) -> keyset::Limits {
        keyset::Limits { max: self.max_page_size, max_offset: self.max_offset, ..keyset::Limits::default() }
    }
}
