//! The application that a server follows: that of the catalogue, and of the file of settings.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bookends_server::db::Db;
use bookends_server::{Application, Console, Identity, OwnError, Source};
use sea_orm::DbErr;
use tokio::time::timeout;

use crate::IDENTITY;
use crate::catalog::Seen;
use crate::discover::{DiscoverError, Discovered, Options, discover};

/// How long the catalogue is read in silence.
const SILENCE: Duration = Duration::from_secs(1);

/// A database that says what is served.
pub struct Catalogue {
    options: Options,
    /// The lines of the last report.
    said: Mutex<Vec<String>>,
    /// The catalogue when it was last looked at.
    seen: Mutex<Option<Seen>>,
}

impl Catalogue {
    /// A database with these options.
    pub fn new(options: Options) -> Self {
        Self { options, said: Mutex::default(), seen: Mutex::default() }
    }

    /// Says the lines of a report that the last one had not.
    fn say(&self, report: Vec<String>, console: Console) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        report.iter().filter(|line| !said.contains(line)).for_each(|line| console.say(line));
        *said = report;
    }
}

/// The application of a database. If that takes long, the console says what happens.
///
/// # Errors
///
/// [`DiscoverError`].
pub async fn discovered(db: &Db, options: &Options, console: Console) -> Result<Discovered, DiscoverError> {
    let mut work = Box::pin(discover(db, options));
    if let Ok(discovered) = timeout(SILENCE, &mut work).await {
        return discovered;
    }
    console.say("reading the catalogue of the database");
    work.await
}

impl Source for Catalogue {
    fn identity(&self) -> Identity {
        IDENTITY
    }

    async fn application(&self, db: &Db, console: Console) -> Result<Application, OwnError> {
        let Discovered { app, report, .. } = discovered(db, &self.options, console).await?;
        let application = app.check()?;
        self.say(report, console);
        Ok(application)
    }

    /// That of the catalogue, with the text of the settings.
    async fn version(&self, db: &Db) -> Result<Option<String>, DbErr> {
        let last = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seen = Seen::now(&db.writer, last).await?;
        let mut version = seen.fingerprint().to_owned();
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        if let Some(file) = &self.options.settings {
            // A file that cannot be read is another version, too: discovery says why.
            version.push_str(&tokio::fs::read_to_string(file).await.unwrap_or_default());
        }
        Ok(Some(version))
    }

    fn may_write(&self, _: &Application) -> bool {
        self.options.write
    }
}
