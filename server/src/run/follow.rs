//! Follows the database while a server serves: where its application is another one, that is served from then on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use sea_orm::DbErr;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::error::OwnError;
use crate::Api;
use crate::config::Settings;
use crate::console::Console;
use crate::db::Failure;
use crate::source::Source;

/// The pause between two looks. It is longer where a look takes long: this many times as long.
const PAUSE: Duration = Duration::from_secs(1);
const SHARE: u32 = 20;

/// The pause after a statement has met another schema: many may do so at a time.
const SHORT_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause before an application that could not be served is asked for again.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// What follows the database.
pub struct Following<S> {
    pub source: Arc<S>,
    pub api: Api,
    pub settings: Settings,
    pub console: Console,
}

/// An application that could not be served.
struct Failed {
    version: String,
    /// How often, and when it is asked for again.
    times: u32,
    again: Instant,
}

impl<S: Source> Following<S> {
    /// Follows the database from this version on, for ever.
    pub async fn run(self, mut served: String) {
        let db = self.api.db().clone();
        let mut failed: Option<Failed> = None;
        let mut pause = PAUSE;
        loop {
            if timeout(pause, db.liveness.other_schema()).await.is_ok() {
                sleep(SHORT_PAUSE).await;
            }
            let begun = Instant::now();
            let version = AssertUnwindSafe(self.source.version(&db)).catch_unwind().await;
            pause = PAUSE.max(begun.elapsed().min(MAX_PAUSE) * SHARE).min(MAX_PAUSE);
            let version = match version {
                Ok(Ok(Some(version))) => version,
                Ok(Ok(None)) => return,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "cannot read whether the schema of the database has changed");
                    continue;
                }
                Err(_) => continue,
            };
            if version == served {
                failed = None;
                continue;
            }
            let last = failed.take_if(|failed| failed.version == version);
            if last.as_ref().is_some_and(|last| Instant::now() < last.again) {
                failed = last;
                continue;
            }
            match self.serve_next().await {
                Ok(()) => {
                    self.console.say("the schema of the database has changed: serving the new one");
                    served = version;
                }
                Err(error) if is_outage(&*error) => {
                    tracing::debug!(%error, "cannot read the schema of the database");
                }
                Err(error) => failed = Some(Failed::say(last, version, &*error)),
            }
        }
    }

    /// Serves the application that the database has now.
    async fn serve_next(&self) -> Result<(), OwnError> {
        let db = self.api.db();
        let asked = AssertUnwindSafe(self.source.application(db, self.console)).catch_unwind();
        let application = asked.await.map_err(|_| "the schema cannot be read: this is an error of the program")??;
        db.require_schema().await?;
        // For the prices of new tables. The old ones still say something.
        if let Err(error) = db.statistics.read(&db.reader).await {
            tracing::debug!(%error, "cannot read the sizes of tables");
        }
        db.liveness.outdate();
        let (api, documents, limits) = (self.api.clone(), self.settings.documents.clone(), self.settings.limits);
        let replaced = spawn_blocking(move || {
            let trusted = application.trusted(&documents, limits)?;
            api.replace(application, trusted);
            Ok(())
        });
        replaced.await.map_err(|_| "the schema cannot be served: this is an error of the program")?
    }
}

impl Failed {
    /// Says that an application cannot be served, the first time.
    fn say(last: Option<Self>, version: String, error: &(dyn std::error::Error + 'static)) -> Self {
        let times = last.map_or(0, |last| last.times + 1);
        if times == 0 {
            tracing::warn!(
                %error,
                "the schema of the database has changed and cannot be served: the server goes on with the last one"
            );
        }
        let pause = MAX_PAUSE.min(PAUSE * 2_u32.saturating_pow(times));
        Self { version, times, again: Instant::now() + pause }
    }
}

/// Whether an error is that of a database that does not answer.
fn is_outage(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let of = |error: &DbErr| {
            matches!(Failure::of(error), Failure::TimedOut | Failure::InTheWay) || Failure::of(error).is_outage()
        };
        cause.downcast_ref().is_some_and(of)
    })
}
