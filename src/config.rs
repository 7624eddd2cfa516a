//! Command line and settings: the only code that reads the environment.

use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

mod bounds;
mod command;
mod connections;
mod database;
mod documents;
mod environment;
mod limits;
mod listen;
mod origin;
mod pooler;
mod replicas;
mod secret;
mod serve;
mod settings;
mod sqlite;
mod telemetry;

pub use bounds::{Bounds, Seconds};
pub use command::{Command, Direction, On, Plan};
pub use documents::Documents;
pub use limits::Limits;
pub use listen::Listen;
pub use origin::{AllowedOrigin, InvalidOrigin, Origin};
pub use pooler::{Pooler, StatementMode};
pub use replicas::Replicas;
pub use secret::{Secret, SecretError};
pub use serve::{Reproducible, Serve};
pub use settings::Settings;
pub use sqlite::Sqlite;
pub use telemetry::{LogFormat, Telemetry};

/// A GraphQL server that pages through tables of any size at a constant cost.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "The default command is `serve`. `bookends serve --help` lists all settings.\n\n\
        Mutations require the token in the environment variable BOOKENDS_WRITE_TOKEN, or in a file (--write-token-file). If neither \
        is set, a server on a loopback address generates a token, and prints it in the URL of its page. On other addresses, \
        mutations are then disabled."
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Why the arguments are no command. The text is one line.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// They are invalid, or ask for help.
    #[error("{}", first_line(.0))]
    Arguments(#[from] clap::Error),
    /// A password is on the command line.
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl CliError {
    /// The exit status of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            // As clap has it.
            Self::Arguments(_) => 2,
            Self::Secret(_) => 1,
        }
    }
}

/// What is wrong, without the hints below it.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let (first, _) = text.split_once("\n\n").unwrap_or((&text, ""));
    first.trim_start_matches("error: ").trim_end().replace('\n', " ")
}

impl Cli {
    /// The arguments of this process. Without a command, it is `serve`.
    ///
    /// # Errors
    ///
    /// [`CliError`].
    pub fn of_process() -> Result<Self, CliError> {
        let mut arguments: Vec<OsString> = std::env::args_os().collect();
        let has_command = arguments.get(1).is_some_and(|first| {
            !first.as_encoded_bytes().starts_with(b"-")
                || ["-h", "--help", "-V", "--version"].iter().any(|general| first == general)
        });
        if !has_command {
            arguments.insert(arguments.len().min(1), "serve".into());
        }
        let mut command = Self::command();
        let matches = command
            .try_get_matches_from_mut(&arguments)
            .map_err(|error| environment::named(error, &command, &arguments))?;
        check_secrets(&matches)?;
        Ok(Self::from_arg_matches(&matches)?)
    }
}

/// Refuses a password on the command line.
fn check_secrets(mut matches: &ArgMatches) -> Result<(), SecretError> {
    while let Some((_, below)) = matches.subcommand() {
        matches = below;
    }
    for (id, setting) in [
        ("database_url", "DATABASE_URL"),
        ("database_replica_urls", "DATABASE_REPLICA_URLS"),
        ("database_listen_url", "DATABASE_LISTEN_URL"),
    ] {
        if matches.ids().any(|known| *known == id)
            && matches.value_source(id) == Some(ValueSource::CommandLine)
            && matches.get_many(id).into_iter().flatten().any(Secret::has_password)
        {
            return Err(SecretError::Shown { setting });
        }
    }
    Ok(())
}

/// Whether the environment has this variable.
#[expect(clippy::disallowed_methods, reason = "settings are read here")]
fn is_set(variable: &OsStr) -> bool {
    std::env::var_os(variable).is_some()
}
