//! Command line and settings: the only code that reads the environment.

use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};

use crate::app::App;
use crate::identity::Identity;

mod authentication;
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
mod roles;
mod secret;
mod serve;
mod settings;
mod sqlite;
mod telemetry;

pub(crate) use authentication::JWT_SECRET;
pub use authentication::{Authentication, ProxyClaim};
pub use bounds::{Bounds, Seconds};
pub use command::{Command, Direction, On};
pub use documents::Documents;
pub use limits::Limits;
pub use listen::Listen;
pub use origin::{AllowedOrigin, InvalidOrigin, Origin};
pub use pooler::{Pooler, StatementMode};
pub use replicas::Replicas;
pub use roles::Roles;
pub use secret::{Secret, SecretError};
pub use serve::{Reproducible, Serve};
pub use settings::Settings;
pub use sqlite::Sqlite;
pub use telemetry::{LogFormat, Telemetry};

/// The command line of every application.
#[derive(Debug, Parser)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// What the arguments of the process ask for.
pub enum Asked {
    /// A command that every application has.
    Command(Command),
    /// A command of the application.
    Own {
        /// Its number among them.
        number: usize,
        /// Its arguments.
        matches: ArgMatches,
        /// The settings of the database and of the log.
        on: Box<On>,
    },
}

impl Asked {
    /// The settings of a command that opens a database, with those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub(crate) fn settings(&self, identity: Identity) -> Result<Option<Settings>, SecretError> {
        match self {
            Self::Command(command) => command.settings(identity),
            Self::Own { on, .. } => on.settings(identity).map(Some),
        }
    }
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

/// The command line of an application, with its own commands and defaults.
pub fn command(app: &App) -> clap::Command {
    let name = app.identity.name;
    let help = format!(
        "The default command is `serve`. `{name} serve --help` lists all settings.\n\n\
        Mutations require the token in the environment variable WRITE_TOKEN, or in a file (--write-token-file). If neither is set, \
        a server on a loopback address generates a token, and prints it in the URL of its page. On other addresses, mutations are \
        then disabled."
    );
    // Once in a process: clap keeps defaults for ever.
    let url: &'static str = Settings::default_url(app.identity).leak();
    let command = Cli::command().name(name).version(app.identity.version).about(app.about.clone()).after_help(help);
    let own = app.commands.iter().map(|own| On::augment_args(own.command.clone()));
    let mut command = with_defaults(command.subcommands(own), name, url);
    if app.sample.is_none() {
        command = command.mut_subcommand("serve", |serve| serve.mut_arg("sample", |sample| sample.hide(true)));
    }
    command
}

/// The same, where the defaults are those of an application.
fn with_defaults(mut command: clap::Command, name: &'static str, url: &'static str) -> clap::Command {
    for (id, default) in [("database_url", url), ("otel_service_name", name)] {
        if command.get_arguments().any(|argument| argument.get_id() == id) {
            command = command.mut_arg(id, |argument| argument.default_value(default));
        }
    }
    command.mut_subcommands(|below| with_defaults(below, name, url))
}

/// Reads the arguments of this process. Without a command, it is `serve`.
///
/// # Errors
///
/// [`CliError`].
pub(crate) fn read_process(app: &App) -> Result<Asked, CliError> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let has_command = arguments.get(1).is_some_and(|first| {
        !first.as_encoded_bytes().starts_with(b"-")
            || ["-h", "--help", "-V", "--version"].iter().any(|general| first == general)
    });
    if !has_command {
        arguments.insert(arguments.len().min(1), "serve".into());
    }
    let matches = parse(command(app), &arguments)?;
    if let Some((name, matches)) = matches.subcommand()
        && let Some(number) = app.commands.iter().position(|own| own.command.get_name() == name)
    {
        let on = Box::new(On::from_arg_matches(matches)?);
        return Ok(Asked::Own { number, matches: matches.clone(), on });
    }
    Ok(Asked::Command(Cli::from_arg_matches(&matches)?.command))
}

/// Reads arguments, the first of which is the name of the program. A password among them is refused: in a setting of [`On`] or
/// [`Serve`], or in an argument `database`.
///
/// # Errors
///
/// [`CliError`], which names the environment variable of a value that comes from there.
pub fn parse(mut command: clap::Command, arguments: &[OsString]) -> Result<ArgMatches, CliError> {
    let matches =
        command.try_get_matches_from_mut(arguments).map_err(|error| environment::named(error, &command, arguments))?;
    check_secrets(&matches)?;
    Ok(matches)
}

/// Refuses a password on the command line.
fn check_secrets(mut matches: &ArgMatches) -> Result<(), SecretError> {
    while let Some((_, below)) = matches.subcommand() {
        matches = below;
    }
    for (id, setting) in [
        ("database", "DATABASE_URL"),
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
