//! Where the application of a server comes from: a program has it, or its database says it.

use std::future::ready;

use sea_orm::DbErr;

use crate::app::Application;
use crate::console::Console;
use crate::db::{Db, Migrations};
use crate::identity::Identity;
use crate::run::OwnError;

/// Where the application of a server comes from. An [`Application`] is its own source, and never changes.
///
/// The server opens the database first, and then asks for the application. While it serves, it asks for the
/// [version](Self::version) from time to time. Where that has changed, it asks for the application again, and serves it from then on:
/// see [`Api::replace`](crate::Api::replace). One that cannot be had, or whose trusted documents are invalid, changes nothing.
pub trait Source: Send + Sync + 'static {
    /// The name and the version of the program.
    fn identity(&self) -> Identity;

    /// The changes of the schema that the server makes before it starts. By default there are none, and nothing is written.
    fn migrations(&self) -> Migrations {
        Migrations::default()
    }

    /// The application for this database. The console is for what people should know of it.
    ///
    /// # Errors
    ///
    /// [`OwnError`]: the server does not start, or goes on with the last application. One whose cause is a [`DbErr`] of an outage is
    /// no news: the server asks again.
    fn application(&self, db: &Db, console: Console) -> impl Future<Output = Result<Application, OwnError>> + Send;

    /// A text that is another one when the application may be another one. `None` if it never is. It is cheap: the server asks each
    /// second.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails: then the server asks again.
    fn version(&self, db: &Db) -> impl Future<Output = Result<Option<String>, DbErr>> + Send;

    /// Whether this application, or one that takes its place, can have mutations.
    fn may_write(&self, application: &Application) -> bool {
        application.has_mutations()
    }
}

impl Source for Application {
    fn identity(&self) -> Identity {
        Self::identity(self)
    }

    fn migrations(&self) -> Migrations {
        Self::migrations(self).clone()
    }

    fn application(&self, _: &Db, _: Console) -> impl Future<Output = Result<Application, OwnError>> + Send {
        ready(Ok(self.clone()))
    }

    fn version(&self, _: &Db) -> impl Future<Output = Result<Option<String>, DbErr>> + Send {
        ready(Ok(None))
    }
}
