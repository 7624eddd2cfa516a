//! Commands of an application beside `serve`.

use std::fmt;

use clap::ArgMatches;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::console::Console;
use crate::db::Db;
use crate::run::OwnError;

/// A command that works on the database. It has the settings of the database and of the log, and runs on the newest schema, under
/// the lock of migrations. Ctrl-C drops its future. Its statements have the time limits of the settings, as those of a
/// [`Sample`](super::Sample).
pub struct OwnCommand {
    pub(crate) command: clap::Command,
    run: Box<Run>,
}

type Run = dyn Fn(Opened, &ArgMatches) -> BoxFuture<'static, Result<(), OwnError>> + Send + Sync;

/// A database with the newest schema.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The database.
    pub db: Db,
    /// For messages.
    pub console: Console,
}

impl OwnCommand {
    /// A command with these arguments.
    pub fn new<A: clap::Args, F>(command: clap::Command, run: impl Fn(Opened, A) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), OwnError>> + Send + 'static,
    {
        let run = move |opened: Opened, matches: &ArgMatches| match A::from_arg_matches(matches) {
            Ok(arguments) => run(opened, arguments).boxed(),
            Err(error) => std::future::ready(Err(OwnError::from(error))).boxed(),
        };
        Self { command: A::augment_args(command), run: Box::new(run) }
    }

    pub(crate) fn run(&self, opened: Opened, matches: &ArgMatches) -> BoxFuture<'static, Result<(), OwnError>> {
        (self.run)(opened, matches)
    }
}

impl fmt::Debug for OwnCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnCommand").field(&self.command.get_name()).finish()
    }
}
