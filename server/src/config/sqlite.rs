//! Settings of SQLite.

use clap::builder::RangedU64ValueParser;
use clap::{ArgAction, Args};

use super::connections::default_connections;

/// The page cache of a connection, in bytes, and that of all connections, unless they are set.
const MAX_CACHE: u64 = 32 << 20;
const MAX_CACHES: u64 = 512 << 20;

/// How a SQLite file is opened. PostgreSQL ignores these settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Database")]
pub struct Sqlite {
    /// Page cache of each connection to a SQLite file, in bytes. By default 32 MiB, but at most 512 MiB for the default number of
    /// connections.
    #[arg(
        long,
        env = "SQLITE_CACHE",
        default_value_t = Sqlite::default().sqlite_cache,
        hide_default_value = true,
        value_name = "BYTES",
        value_parser = RangedU64ValueParser::<u64>::new().range(1 << 20..=1 << 40)
    )]
    pub sqlite_cache: u64,

    /// Number of bytes of a SQLite file to map into memory. A mapped file costs less to read, but the server dies by SIGBUS
    /// if the file shrinks or its disk fails.
    #[arg(
        long,
        env = "SQLITE_MMAP",
        default_value_t = Sqlite::default().sqlite_mmap,
        value_name = "BYTES",
        value_parser = RangedU64ValueParser::<u64>::new().range(..=1 << 40)
    )]
    pub sqlite_mmap: u64,

    /// Whether several servers may open one SQLite file. Subscribers of one server miss the events of the others.
    #[arg(
        long,
        env = "ALLOW_SHARED_FILE",
        default_value_t = Sqlite::default().allow_shared_file,
        value_name = "BOOL",
        action = ArgAction::Set,
        hide_possible_values = true
    )]
    pub allow_shared_file: bool,
}

/// For a server of its own on a file.
impl Default for Sqlite {
    fn default() -> Self {
        let sqlite_cache = MAX_CACHE.min(MAX_CACHES / u64::from(default_connections()));
        Self { sqlite_cache, sqlite_mmap: 0, allow_shared_file: false }
    }
}

impl Sqlite {
    /// How each connection uses memory: pragmas with their values.
    pub fn pragmas(self) -> [(&'static str, String); 2] {
        // A negative number counts KiB.
        [("cache_size", format!("-{}", self.sqlite_cache >> 10)), ("mmap_size", self.sqlite_mmap.to_string())]
    }
}
