//! How much a request may ask for.

use clap::Args;

/// What a request may ask for: more is refused, with the name of the setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct Limits {
    /// The most objects that a page may hold, 1,000 at most.
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
    /// statement, 1,000 for an exact count, 200 for a mutation.
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
