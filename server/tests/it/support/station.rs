//! A weather station of one's own, and its program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use bookends_server::config::{Limits, Settings};
use bookends_server::db::{Blocking, Db, WriteTransaction};
use bookends_server::{Api, Application};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use uuid::Uuid;

#[path = "../../../examples/station/main.rs"]
#[expect(dead_code, reason = "it has a function `main`")]
mod app;

pub use crate::support::filled::{Filled as Station, empty, permitted, settings};
use crate::support::orders::Lists;
pub use app::rows::{Plan, fill};
pub use app::tables;

static APPLICATION: LazyLock<Application> = LazyLock::new(|| app::app().check().unwrap());

/// Enough for a few pages.
pub const SMALL: Plan = Plan { sensors: 8, readings: 25, repairs: 10 };

/// The fields that a list can be sorted by.
pub const OFFERED: Lists =
    &[("sensors", &[&["NAME"], &["YEAR"], &["YEAR", "NAME"]]), ("readings", &[&["VALUE"]]), ("repairs", &[&["COST"]])];

/// Those that can be null.
pub const NULLABLE: &[&str] = &[];

pub fn application() -> &'static Application {
    &APPLICATION
}

pub fn api(db: Db, limits: Limits) -> Api {
    application().api(db, limits)
}

pub async fn connect(settings: &Settings) -> Result<Db, bookends_server::db::ConnectError> {
    application().connect(settings).await
}

/// A transaction in which the engine alone writes.
pub async fn engine(db: &Db) -> WriteTransaction {
    db.begin_write(db.permit().await.unwrap(), None, Some(Blocking::Yes)).await.unwrap()
}

/// Sets a pragma of each connection to a SQLite file that writes.
pub async fn set_pragma(db: &Db, pragma: &str) {
    let pragma = Statement::from_string(DbBackend::Sqlite, format!("PRAGMA {pragma}"));
    db.writer.query_all_raw(pragma.clone()).await.unwrap();
    let mut transaction = engine(db).await;
    transaction.write(pragma).await.unwrap();
    transaction.commit().await.unwrap();
}

/// The global id of the object of this type with this key.
pub fn id(object: &str, key: Uuid) -> String {
    application().declaration().id(object, &[key.into()]).unwrap().to_string()
}

/// An id that no object of this type has.
pub fn unknown(object: &str) -> String {
    id(object, Uuid::from_u128(7))
}

/// The program, an example that `cargo test -p bookends-server` builds.
pub fn path() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.parent().and_then(Path::parent).unwrap().join("examples/station");
    assert!(path.exists(), "build it by `cargo build -p bookends-server --example station`");
    path
}

/// It with this database.
pub fn program(url: &str) -> Command {
    crate::support::program::program(path(), url)
}
