//! Runs the commands.

use std::path::PathBuf;
use std::process::ExitCode;

use bookends_server::config::{SecretError, Settings};
use bookends_server::db::Db;
use bookends_server::{
    Application, Console, Declaring, HealthError, InspectError, OwnError, RunError, check_health, inspect, print_line,
};

use crate::arguments::{self, Asked, Command, Over, Place, Serving};
use crate::database::{self, DatabaseError};
use crate::discover::{Discovered, Options};
use crate::source::{Catalogue, discovered};
use crate::{IDENTITY, advise, eject, init};

/// The file of settings, if it is there.
const SETTINGS: &str = "bookends.toml";

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// No database is named that is there.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A setting in a file.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The server, or the work on the database.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The server is not healthy.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// The value cannot be inspected.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// There is no such file.
    #[error("there is no file of settings `{}`", .0.display())]
    Settings(PathBuf),
    /// Anything else.
    #[error(transparent)]
    Other(OwnError),
}

impl CommandError {
    /// The exit status of the program.
    pub fn exit_code(&self) -> ExitCode {
        if let Self::Run(error) = self { error.exit_code() } else { ExitCode::FAILURE }
    }
}

/// Runs a command to its end.
///
/// # Errors
///
/// [`CommandError`].
pub async fn run(Asked { command, has_setting, has_flag }: Asked, console: Console) -> Result<(), CommandError> {
    let named = Named { has_setting, has_flag };
    match command {
        Command::Serve(serving) => {
            let Serving { place, serve } = *serving;
            let settings = named.database(&place, serve.settings(IDENTITY)?, place.write)?;
            let source = Catalogue::new(options(place)?);
            Ok(bookends_server::serve(source, &settings, serve.reproducible, console).await?)
        }
        Command::Sdl(over) => {
            let print = async |_, (application, _)| {
                print_line(Application::sdl(&application).trim_end());
                Ok(())
            };
            named.read(*over, console, print).await
        }
        Command::Check(over) => {
            let print = async |_, (_, Report(report)): (Application, Report)| {
                for line in report {
                    console.say(line);
                }
                console.say("the database can be served");
                Ok(())
            };
            named.read(*over, console, print).await
        }
        Command::Advise(over) => {
            let print = async |db: Db, (application, _): (Application, Report)| {
                print_line(advise::advise(&db, &application).await?.trim_end());
                Ok(())
            };
            named.read(*over, console, print).await
        }
        Command::Init { print, over } => named.init(*over, print, console).await,
        Command::Eject { folder, over } => {
            let (settings, options) = named.open(*over)?;
            let work = async |db: Db| {
                let discovered = discovered(&db, &options, console).await?;
                eject::eject(&db, &discovered, &folder).await?;
                Ok(())
            };
            Ok(bookends_server::with_database(&settings, work).await?)
        }
        Command::Health(at) => Ok(check_health(at.listen_admin.unwrap_or(at.listen))?),
        Command::Inspect { value, json } => {
            let nothing = Declaring::new("Query").check().map_err(|error| CommandError::Other(error.into()))?;
            print_line(inspect(&nothing, &value, json)?);
            Ok(())
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut arguments::command(), IDENTITY.name, &mut script);
            print_line(String::from_utf8_lossy(&script).trim_end());
            Ok(())
        }
    }
}

/// The lines that say what was left out or renamed.
struct Report(Vec<String>);

/// Where a database is named, beside the arguments of a command.
struct Named {
    has_setting: bool,
    has_flag: bool,
}

impl Named {
    /// These settings with the database that is named.
    fn database(&self, place: &Place, settings: Settings, write: bool) -> Result<Settings, CommandError> {
        let named = match &place.database {
            Some(_) if self.has_flag => return Err(DatabaseError::Two.into()),
            Some(named) => named,
            None if self.has_setting => &settings.database_url,
            None => return Err(DatabaseError::None.into()),
        };
        let database_url = database::url(named.expose(), write)?;
        Ok(Settings { database_url, sample: false, ..settings })
    }

    /// The settings of a command that only reads the database.
    fn open(&self, Over { place, on }: Over) -> Result<(Settings, Options), CommandError> {
        let settings = self.database(&place, on.settings(IDENTITY)?, false)?;
        Ok((settings, options(place)?))
    }

    /// Reads a database, and does something with its application.
    async fn read(
        &self,
        over: Over,
        console: Console,
        work: impl AsyncFnOnce(Db, (Application, Report)) -> Result<(), OwnError>,
    ) -> Result<(), CommandError> {
        let (settings, options) = self.open(over)?;
        let read = async |db: Db| {
            let Discovered { app, report, .. } = discovered(&db, &options, console).await?;
            work(db, (app.check()?, Report(report))).await
        };
        Ok(bookends_server::with_database(&settings, read).await?)
    }

    /// Writes or prints a file of settings.
    async fn init(&self, over: Over, print: bool, console: Console) -> Result<(), CommandError> {
        let Over { place, on } = over;
        let settings = self.database(&place, on.settings(IDENTITY)?, false)?;
        let file = place.settings.unwrap_or_else(|| SETTINGS.into());
        let options = Options { settings: None, write: place.write };
        let text = bookends_server::with_database(&settings, async |db: Db| init::init(&db, &options).await).await?;
        if print {
            print_line(text.trim_end());
            return Ok(());
        }
        let failed = |error| CommandError::Other(format!("cannot write `{}`: {error}", file.display()).into());
        let mut created = std::fs::File::create_new(&file).map_err(failed)?;
        std::io::Write::write_all(&mut created, text.as_bytes()).map_err(failed)?;
        console.say(format_args!("wrote {}", file.display()));
        Ok(())
    }
}

/// What the application is made of: a file of settings that is named must be there.
fn options(Place { settings, write, .. }: Place) -> Result<Options, CommandError> {
    let settings = match settings {
        Some(file) if !file.exists() => return Err(CommandError::Settings(file)),
        Some(file) => Some(file),
        None => Some(PathBuf::from(SETTINGS)).filter(|file| file.exists()),
    };
    Ok(Options { settings, write })
}
