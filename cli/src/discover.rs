//! From a database to an application.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use bookends_graphql::{Declaration, DeclarationError};
use bookends_server::App;
use bookends_server::app::Asking;
use bookends_server::db::Db;
use keyset::Indexes;
use sea_orm::DbErr;

use crate::catalog::Catalog;
use crate::declare::{Declared, declare};
use crate::settings::{Settings, SettingsError, Viewer};

/// What the program is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The settings file.
    pub settings: Option<PathBuf>,
    /// Whether rows can be created, changed and deleted.
    pub write: bool,
}

/// A database as an application.
#[derive(Debug)]
pub struct Discovered {
    /// The application.
    pub app: App,
    /// What it declares.
    pub declaration: Arc<Declaration>,
    /// What was left out or renamed: a sentence for each.
    pub report: Vec<String>,
    /// The catalogue.
    pub catalog: Catalog,
    /// The types of its tables.
    pub types: HashMap<String, String>,
    /// What changed that.
    pub settings: Settings,
    /// The description of the schema.
    pub guide: String,
}

/// Why a database cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The settings file.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The catalogue cannot be read.
    #[error("cannot read the catalogue of the database: {0}")]
    Database(#[from] DbErr),
    /// The objects of its tables.
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    /// There is nothing to serve.
    #[error("the database has no table that can be served:\n{}", .0.join("\n"))]
    Nothing(Vec<String>),
}

/// Reads a database as an application.
///
/// # Errors
///
/// [`DiscoverError`].
pub async fn discover(db: &Db, options: &Options) -> Result<Discovered, DiscoverError> {
    let settings = match &options.settings {
        Some(file) => Settings::read(file)?,
        None => Settings::default(),
    };
    // Requests read in roles of their own, which may read other tables.
    let catalog = Catalog::read(&db.writer, db.roles.is_some()).await?;
    let indexes = Arc::new(Indexes::read(&db.reader).await?);
    let Declared { tables, mut report, types } = declared(&catalog, &indexes, &settings, options.write)?;
    if types.is_empty() {
        return Err(DiscoverError::Nothing(report));
    }
    let declaration = tables.check()?;
    report.extend(declaration.remarks().map(str::to_owned));
    let guide = format!("The tables of the database {}.", db.name);
    let app = App::new("bookends", env!("CARGO_PKG_VERSION"), &declaration)
        .about("A Relay API over any PostgreSQL or SQLite database")
        .guide(guide.clone());
    let app =
        if settings.asks_who() { app.viewer(|asking: Asking<'_>| Ok(Viewer(asking.claims.cloned()))) } else { app };
    Ok(Discovered { app, declaration, report, catalog, types, settings, guide })
}

/// What a catalogue declares, as these settings change it.
///
/// # Errors
///
/// [`SettingsError`], and [`DeclarationError`].
pub fn declared(
    catalog: &Catalog,
    indexes: &Arc<Indexes>,
    settings: &Settings,
    write: bool,
) -> Result<Declared, DiscoverError> {
    let of = |settings: &Settings| declare(catalog, indexes, settings, write);
    let faults = settings.faults(catalog);
    if !faults.is_empty() {
        return Err(SettingsError::Faults(faults).into());
    }
    if settings.names_fields(catalog) {
        // The fields that follow from foreign keys are known once all tables are.
        let plain = of(&settings.without_fields());
        let declaration = plain.tables.check()?;
        let fields = |name: &str| {
            declaration.object_named(name).map(|object| object.field_names().collect()).unwrap_or_default()
        };
        let faults = settings.unknown_fields(&plain.types, fields, catalog);
        if !faults.is_empty() {
            return Err(SettingsError::Faults(faults).into());
        }
    }
    Ok(of(settings))
}
