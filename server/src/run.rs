//! Runs the commands.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use clap_complete::Shell;
use tokio::runtime::Builder;

use crate::app::{Application, Opened};
use crate::config::{self, Asked, Command, Direction, Reproducible, Settings};
use crate::console::{Console, print_line};
use crate::db::{self, Db, History, MigrateError, Migrations};
use crate::source::Source;
use crate::telemetry::Telemetry;
use crate::threads::threads;
use crate::{health, inspect};

mod error;
mod follow;
mod sample;
mod serve;
mod stop;

use error::outdated;
pub use error::{OwnError, RunError};
use serve::{serve as serve_started, start};

/// Runs a command of an application to its end.
///
/// # Errors
///
/// [`RunError`].
pub async fn run(application: &Application, asked: Asked, console: Console) -> Result<(), RunError> {
    if let Some(settings) = asked.settings(application.identity())? {
        return observed(&settings, |stop| on_database(application, asked, &settings, console, stop)).await;
    }
    match asked {
        Asked::Command(Command::Schema) => print_line(application.sdl().trim_end()),
        Asked::Command(Command::Inspect { value, json }) => {
            print_line(inspect(application.declaration(), &value, json)?);
        }
        Asked::Command(Command::Health(at)) => health::check(at.listen_admin.unwrap_or(at.listen))?,
        Asked::Command(Command::Completions { shell }) => print_line(completions(application, shell)),
        Asked::Command(Command::Serve(_) | Command::Migrate { .. }) | Asked::Own { .. } => {}
    }
    Ok(())
}

/// The first signal.
type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work with a log and traces, which can be told to stop.
async fn observed<T, Working: Future<Output = Result<T, RunError>>>(
    settings: &Settings,
    work: impl FnOnce(Stop) -> Working,
) -> Result<T, RunError> {
    // Before anything is started or printed: from here on, a signal loses no message and no rollback.
    let stop = Box::pin(stop::signals().map_err(RunError::Signals)?);
    let telemetry = Telemetry::start(&settings.telemetry)?;
    let done = work(stop).await;
    telemetry.stop().await;
    done
}

/// Serves what comes from this source, until a signal: the program of [`App::main`](crate::App::main) for another command line.
///
/// # Errors
///
/// [`RunError`].
pub async fn serve(
    source: impl Source,
    settings: &Settings,
    reproducible: Reproducible,
    console: Console,
) -> Result<(), RunError> {
    let source = Arc::new(source);
    Box::pin(observed(settings, |stop| start_and_serve(source, settings, reproducible, console, stop))).await
}

/// Opens the database of these settings, which it does not change, and works on it until a signal.
///
/// # Errors
///
/// [`RunError`].
pub async fn with_database<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(Db) -> Result<T, OwnError>,
) -> Result<T, RunError> {
    let opened = async {
        let db = Db::connect(settings, &Migrations::default()).await?;
        let done = work(db.clone()).await.map_err(RunError::Source);
        db.close().await.map_err(RunError::Close)?;
        done
    };
    Box::pin(observed(settings, |mut stop| async move { interruptible(&mut stop, Box::pin(opened)).await })).await
}

/// Runs work to its end on the threads of a server.
///
/// # Errors
///
/// [`io::Error`] if the system gives no threads.
pub fn run_async<T>(work: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_multi_thread().worker_threads(threads() + 1).enable_all().build()?;
    Ok(runtime.block_on(work))
}

async fn start_and_serve<S: Source>(
    source: Arc<S>,
    settings: &Settings,
    reproducible: Reproducible,
    console: Console,
    mut stop: Stop,
) -> Result<(), RunError> {
    match interruptible(&mut stop, Box::pin(start(&*source, settings, reproducible, console))).await {
        // A signal is no error of `serve`.
        Err(RunError::Interrupted) => {
            console.say("stopped before the server started");
            Ok(())
        }
        Err(error) => Err(error),
        Ok(started) => Box::pin(serve_started(source, started, settings, console, stop)).await,
    }
}

/// A script for a shell.
fn completions(application: &Application, shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut config::command(application.app()), application.identity().name, &mut script);
    String::from_utf8_lossy(&script).trim_end().to_owned()
}

/// A command that works on the database, until the first signal.
async fn on_database(
    application: &Application,
    asked: Asked,
    settings: &Settings,
    console: Console,
    mut stop: Stop,
) -> Result<(), RunError> {
    match asked {
        Asked::Command(Command::Migrate { direction }) => {
            interruptible(&mut stop, Box::pin(migrate(application, settings, direction, console))).await
        }
        Asked::Own { number, matches, .. } => {
            let own = async |opened| application.app().commands[number].run(opened, &matches).await;
            interruptible(&mut stop, Box::pin(with_newest_schema(application, settings, console, own))).await
        }
        Asked::Command(command) => {
            let reproducible =
                if let Command::Serve(serve) = command { serve.reproducible } else { Reproducible::default() };
            start_and_serve(Arc::new(application.clone()), settings, reproducible, console, stop).await
        }
    }
}

/// The work, or [`RunError::Interrupted`] if a signal comes first: the work is dropped, and with it its transaction.
async fn interruptible<T>(stop: &mut Stop, work: impl Future<Output = Result<T, RunError>>) -> Result<T, RunError> {
    tokio::select! {
        biased;
        done = work => done,
        () = stop => Err(RunError::Interrupted),
    }
}

async fn migrate(
    application: &Application,
    settings: &Settings,
    direction: Direction,
    console: Console,
) -> Result<(), RunError> {
    // To read the state of a file that does not exist would create it.
    if matches!(direction, Direction::Status(_))
        && let Some(history) = db::history_of_missing(settings, application.migrations())
    {
        say_history(history, console);
        return Ok(());
    }
    let db = application.connect(settings).await?;
    let lock = db.lock().await.map_err(MigrateError::from)?;
    match direction {
        Direction::Up(_) => db.migrate().await.map_err(outdated),
        Direction::Down { steps, .. } => db.migrate_down(steps).await.map_err(RunError::Migrate),
        Direction::Status(_) => Ok(()),
    }?;
    drop(lock);
    say_history(db.history().await.map_err(MigrateError::from)?, console);
    db.close().await.map_err(RunError::Close)
}

fn say_history(History { applied, pending, unknown }: History, console: Console) {
    for (state, names) in [("applied", applied), ("pending", pending), ("unknown", unknown)] {
        for name in names {
            console.tell(&format!("{state:8} {name}"), state, &[("migration", &name)]);
        }
    }
}

/// Runs a command of the application on the newest schema.
async fn with_newest_schema(
    application: &Application,
    settings: &Settings,
    console: Console,
    run: impl AsyncFnOnce(Opened) -> Result<(), OwnError>,
) -> Result<(), RunError> {
    let db = application.connect(settings).await?;
    let lock = db.lock().await.map_err(MigrateError::from)?;
    db.migrate().await.map_err(outdated)?;
    run(Opened { db: db.clone(), console }).await.map_err(RunError::Own)?;
    drop(lock);
    db.close().await.map_err(RunError::Close)
}
