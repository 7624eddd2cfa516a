//! Settings of SQLite.

use clap::builder::RangedU64ValueParser;
use clap::{ArgAction, Args};

/// How a SQLite file is opened. PostgreSQL ignores these settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Database")]
pub struct Sqlite {
    /// Page cache of each connection to a SQLite file, in bytes.
    #[arg(
        long,
        env = "SQLITE_CACHE",
        default_value_t = Sqlite::DEFAULT.sqlite_cache,
        value_name = "BYTES",
        value_parser = RangedU64ValueParser::<u64>::new().range(1 << 20..=1 << 40),
        global = true
    )]
    pub sqlite_cache: u64,

    /// Number of bytes of a SQLite file to map into memory. A mapped file costs less to read, but the server dies by SIGBUS
    /// if the file shrinks or its disk fails.
    #[arg(
        long,
        env = "SQLITE_MMAP",
        default_value_t = Sqlite::DEFAULT.sqlite_mmap,
        value_name = "BYTES",
        value_parser = RangedU64ValueParser::<u64>::new().range(..=1 << 40),
        global = true
    )]
    pub sqlite_mmap: u64,

    /// Whether several servers may open one SQLite file. The subscribers of each of them miss the events of the others.
    #[arg(
        long,
        env = "ALLOW_SHARED_FILE",
        default_value_t = Sqlite::DEFAULT.allow_shared_file,
        value_name = "BOOL",
        action = ArgAction::Set,
        hide_possible_values = true,
        global = true
    )]
    pub allow_shared_file: bool,
}

impl Sqlite {
    /// For a server of its own on a file.
    pub const DEFAULT: Self = Self { sqlite_cache: 32 << 20, sqlite_mmap: 0, allow_shared_file: false };

    /// How each connection uses memory: pragmas with their values.
    pub fn pragmas(self) -> [(&'static str, String); 2] {
        // A negative number counts KiB.
        [("cache_size", format!("-{}", self.sqlite_cache >> 10)), ("mmap_size", self.sqlite_mmap.to_string())]
    }
}
