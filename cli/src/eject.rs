//! `bookends eject`: a project in Rust that serves the same schema, for the day when its users want code.
//!
//! Each table becomes an entity. From the entities follows what follows from the catalogue, but for changes, which are
//! found by comparing both declarations. What is written is declared here, too, and its schema compared, before a file is.

#![expect(clippy::format_push_string, clippy::format_collect, reason = "texts of files, each of which is written once")]

use std::path::{Path, PathBuf};

use bookends_graphql::DeclarationError;
use bookends_server::App;
use bookends_server::db::Db;
use keyset::Indexes;
use sea_orm::{DatabaseConnection, DbBackend, DbErr};

use crate::discover::Discovered;

mod changes;
mod ddl;
mod declared;
mod differ;
mod entity;
mod idents;
mod project;
mod table;
mod types;

use project::Project;

/// Why a project cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum EjectError {
    /// The folder has files already.
    #[error("the folder {} is not empty: name another", .0.display())]
    NotEmpty(PathBuf),
    /// A file cannot be written.
    #[error("cannot write {}: {error}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The catalogue cannot be read.
    #[error("cannot read the catalogue of the database: {0}")]
    Database(#[from] DbErr),
    /// The entities declare no schema.
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    /// An enum has a value of which SeaORM derives no variant.
    #[error("SeaORM has no variant for the value `{value}` of the enum `{name}`: give it another name")]
    Enum {
        /// The enum.
        name: String,
        /// The value.
        value: String,
    },
    /// The entities declare another schema.
    #[error("entities cannot say the whole schema: {0}; nothing is written")]
    Differs(String),
}

/// Writes a Rust project that serves the same schema. What it does not have is said on the standard error and in its README.
///
/// # Errors
///
/// [`EjectError`]. A folder that is not empty is not changed.
pub async fn eject(db: &Db, discovered: &Discovered, folder: &Path) -> Result<(), EjectError> {
    for note in eject_with(&db.writer, discovered, folder, None).await? {
        eprintln!("{note}");
    }
    Ok(())
}

/// The same over any connection. The project depends on the published `bookends-server`, or on that of a checkout of Bookends. Returns what the project does not have: a sentence for each.
///
/// # Errors
///
/// [`EjectError`].
pub async fn eject_with(
    db: &DatabaseConnection,
    discovered: &Discovered,
    folder: &Path,
    checkout: Option<&Path>,
) -> Result<Vec<String>, EjectError> {
    let write = |file: &Path, error| EjectError::Write { file: file.to_owned(), error };
    if folder.exists() && folder.read_dir().map_err(|error| write(folder, error))?.next().is_some() {
        return Err(EjectError::NotEmpty(folder.to_owned()));
    }
    let tables = table::tables(discovered);
    if let Some((name, value)) = types::unfit(&types::enums(&tables)) {
        return Err(EjectError::Enum { name, value });
    }
    let indexes = Indexes::read(db).await?;
    let changes = differ::changes(discovered, &tables, &indexes)?;
    let schema = schema(discovered, changes::declaring(&tables, &changes))?;
    let ddl = ddl::read(db).await?;
    let is_postgres = db.get_database_backend() == DbBackend::Postgres;
    let project =
        Project { discovered, tables: &tables, changes: &changes, schema, ddl, folder, checkout, is_postgres };
    for (name, text) in project.files() {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|error| write(parent, error))?;
        std::fs::write(&file, text).map_err(|error| write(&file, error))?;
    }
    project::format(folder);
    Ok(project.notes())
}

/// The schema, if it is the discovered one.
fn schema(discovered: &Discovered, ejected: bookends_graphql::Declaring) -> Result<String, EjectError> {
    let of = |app: App| Ok::<_, EjectError>(app.guide(discovered.guide.clone()).check()?.sdl());
    let expected = of(App::new("bookends", "", &discovered.declaration))?;
    let found = of(App::new("bookends", "", &ejected.check()?))?;
    let mut lines = expected.lines().zip(found.lines());
    match lines.find(|(expected, found)| expected != found) {
        Some((expected, found)) => {
            Err(EjectError::Differs(format!("`{}` would be `{}`", expected.trim(), found.trim())))
        }
        None if expected != found => Err(EjectError::Differs("the end differs".into())),
        None => Ok(expected),
    }
}
