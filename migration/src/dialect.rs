//! One text for each database.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Runs the text that is for this database.
pub async fn run(manager: &SchemaManager<'_>, postgres: &str, sqlite: &str) -> Result<(), DbErr> {
    let text = match manager.get_database_backend() {
        DbBackend::Postgres => postgres,
        _ => sqlite,
    };
    manager.get_connection().execute_unprepared(text).await?;
    Ok(())
}
