//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use bookends_server::config::{CliError, Listen, On, Secret, Serve, parse};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::IDENTITY;

/// What a person reads first.
const USAGE: &str = "bookends [DATABASE]\n       bookends COMMAND";

const HELP: &str = "Without a command, it is `serve`. DATABASE is a URL (`postgres://localhost/sakila`) or a SQLite file (`sakila.db`). \
    `bookends serve --help` lists all settings.";

/// A Relay API over any PostgreSQL or SQLite database, without code.
#[derive(Debug, Parser)]
#[command(name = IDENTITY.name, version, override_usage = USAGE, after_help = HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a database (default).
    Serve(Box<Serving>),
    /// Print the GraphQL schema of a database.
    Sdl(Box<Over>),
    /// Check that a database can be served, and print what is left out or renamed. Starts nothing.
    Check(Box<Over>),
    /// Print which indexes the database lacks.
    Advise(Box<Over>),
    /// Write the first file of settings, `bookends.toml`. An existing file stays as it is.
    Init {
        /// Print it instead.
        #[arg(long)]
        print: bool,
        /// The database.
        #[command(flatten)]
        over: Box<Over>,
    },
    /// Write the application as a project of Rust.
    Eject {
        /// The folder, which is created.
        folder: PathBuf,
        /// The database.
        #[command(flatten)]
        over: Box<Over>,
    },
    /// Check the server at the address in the settings. Exits with 1 if it is not healthy.
    Health(Listen),
    /// Decode a cursor, a global id, a UUID or a ULID, and print its parts. Does not read the database.
    Inspect {
        /// Value to decode.
        value: String,
        /// Print one line of JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// Which database, and what is made of it.
#[derive(Debug, Args)]
pub struct Place {
    /// Database: a URL (`postgres://user@host/database`), or the path of a SQLite file, which must exist. By default, that of
    /// `DATABASE_URL`. Set a URL with a password in the environment or in a file, not here.
    #[arg(value_name = "DATABASE")]
    pub database: Option<Secret>,

    /// Offer mutations. Otherwise a SQLite file is opened for reading only.
    #[arg(long, env = "BOOKENDS_WRITE", value_parser = clap::builder::FalseyValueParser::new(), help_heading = "Database")]
    pub write: bool,

    /// File of settings for the schema. By default, `bookends.toml` in the working directory, if it is there.
    #[arg(long, env = "BOOKENDS_SETTINGS", value_name = "FILE", help_heading = "Database")]
    pub settings: Option<PathBuf>,
}

/// A database that is served.
#[derive(Debug, Args)]
pub struct Serving {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub serve: Serve,
}

/// A database that a command reads.
#[derive(Debug, Args)]
pub struct Over {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub on: On,
}

/// What the arguments ask for.
#[derive(Debug)]
pub struct Asked {
    /// The command.
    pub command: Command,
    /// Whether the settings name a database: in the environment, or by a flag.
    pub has_setting: bool,
    /// Whether a flag does.
    pub has_flag: bool,
}

/// The command line.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(|below| {
        let has = |below: &clap::Command, id: &str| below.get_arguments().any(|argument| argument.get_id() == id);
        // There is no default, and no sample.
        let below = if has(&below, "database_url") {
            below.mut_arg("database_url", |argument| {
                argument.hide_default_value(true).long_help("Database, as DATABASE")
            })
        } else {
            below
        };
        if has(&below, "sample") { below.mut_arg("sample", |argument| argument.hide(true)) } else { below }
    })
}

/// Reads arguments, the first of which is the name of the program. Without a command, it is `serve`.
///
/// # Errors
///
/// [`CliError`].
pub fn read(mut arguments: Vec<OsString>) -> Result<Asked, CliError> {
    let command = command();
    let has_command = arguments.get(1).and_then(|first| first.to_str()).is_some_and(|first| {
        ["-h", "--help", "-V", "--version", "help"].contains(&first) || command.find_subcommand(first).is_some()
    });
    if !has_command {
        arguments.insert(arguments.len().min(1), "serve".into());
    }
    let matches = parse(command, &arguments)?;
    let source = |id| matches.subcommand().and_then(|(_, below)| source(below, id));
    let sources = [source("database_url"), source("database_url_file")];
    Ok(Asked {
        has_setting: sources.iter().flatten().any(|source| *source != ValueSource::DefaultValue),
        has_flag: sources.contains(&Some(ValueSource::CommandLine)),
        command: Cli::from_arg_matches(&matches)?.command,
    })
}

/// Where a value comes from, in a command that may not have it.
fn source(matches: &ArgMatches, id: &str) -> Option<ValueSource> {
    matches.try_contains_id(id).ok().and_then(|_| matches.value_source(id))
}
