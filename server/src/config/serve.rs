//! The settings of the server.

use std::path::PathBuf;

use chrono::{DateTime, Datelike, Utc};
use clap::{ArgAction, Args};

use super::database::Database;
use super::secret::{self, Secret, SecretError};
use super::{Authentication, Bounds, Documents, Limits, Listen, Roles, Settings, Telemetry};
use crate::identity::Identity;

/// Every setting. A flag overrides the environment; the environment overrides the default.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Keys and times that are always the same.
    #[command(flatten)]
    pub reproducible: Reproducible,

    /// The database.
    #[command(flatten)]
    database: Database,

    /// Whether to fill an empty database with sample rows. By default, only if `DATABASE_URL` is not set.
    #[arg(
        long,
        env = "SAMPLE",
        default_missing_value = "true",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        action = ArgAction::Set,
        hide_possible_values = true,
        help_heading = "Database"
    )]
    sample: Option<bool>,

    /// Where the server listens.
    #[command(flatten)]
    listen: Listen,

    /// The token that mutations need: `WRITE_TOKEN`. It has no flag, because every user of a machine can read command lines.
    #[arg(skip = Secret::from_environment(WRITE_TOKEN).or_else(|| Secret::from_environment(OLD_WRITE_TOKEN)))]
    write_token: Option<Secret>,

    /// File that contains the token for mutations. Set either it or `WRITE_TOKEN`, not both.
    #[arg(long, env = "WRITE_TOKEN_FILE", value_name = "PATH", help_heading = "Server")]
    write_token_file: Option<PathBuf>,

    /// The former name of `WRITE_TOKEN_FILE`.
    #[arg(long, env = "BOOKENDS_WRITE_TOKEN_FILE", value_name = "PATH", hide = true)]
    bookends_write_token_file: Option<PathBuf>,

    /// Tokens of users, and the headers of a proxy.
    #[command(flatten)]
    authentication: Authentication,

    /// The roles of the database in which requests read and write.
    #[command(flatten)]
    roles: Roles,

    /// Limits of one request.
    #[command(flatten)]
    limits: Limits,

    /// Trusted documents.
    #[command(flatten)]
    documents: Documents,

    /// Limits of the server.
    #[command(flatten)]
    bounds: Bounds,

    /// Log and traces.
    #[command(flatten)]
    telemetry: Telemetry,
}

const WRITE_TOKEN: &str = "WRITE_TOKEN";

/// The former name of `WRITE_TOKEN`, which counts for one more release.
const OLD_WRITE_TOKEN: &str = "BOOKENDS_WRITE_TOKEN";

/// Keys and times that are the same at each start, for snapshot tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct Reproducible {
    /// Time of the first new row, such as `2026-01-01T00:00:00Z`. Each further row is a millisecond later. Requires a
    /// loopback address, and a database without rows from this time or later.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub at: Option<DateTime<Utc>>,
    /// Seed of the random bits in the keys of new rows.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "at")]
    pub rng_seed: u64,
}

impl Serve {
    /// The settings, including those from files.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if a file cannot be read, or a setting is set twice.
    pub fn settings(&self, identity: Identity) -> Result<Settings, SecretError> {
        let database = self.database.settings(identity)?;
        Ok(Settings {
            sample: self.sample.unwrap_or(database.database_url.expose() == Settings::default_url(identity)),
            listen: self.listen.listen,
            listen_admin: self.listen.listen_admin,
            write_token: self.write_token()?,
            authentication: self.authentication.clone(),
            roles: self.roles.clone(),
            limits: self.limits,
            documents: self.documents.clone(),
            bounds: self.bounds.clone(),
            telemetry: self.telemetry.clone(),
            ..database
        })
    }

    fn write_token(&self) -> Result<Option<Secret>, SecretError> {
        match (&self.write_token, self.write_token_file.as_ref().or(self.bookends_write_token_file.as_ref())) {
            (Some(_), Some(_)) => Err(SecretError::Both { setting: WRITE_TOKEN }),
            (token, None) => Ok(token.clone()),
            (None, Some(path)) => Ok(Some(Secret::new(secret::read(WRITE_TOKEN, path)?))),
        }
    }
}

/// A time from which on there are enough milliseconds for keys.
fn time(text: &str) -> Result<DateTime<Utc>, &'static str> {
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    let is_valid = |time: &DateTime<Utc>| (1970..9999).contains(&time.year());
    time.filter(is_valid).ok_or("expected a time such as `2026-01-01T00:00:00Z`, from 1970 to 9998")
}
