//! The changes of the schema that an application declares, and those that a database has had.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoDatabaseExecutor};
use sea_orm_migration::{
    MigrationName, MigrationTrait, MigratorTrait, MigratorTraitSelf, SchemaManager, seaql_migrations,
};

/// Every change of the schema of an application, in order. Cheap to clone. By default there are none: the application does not
/// manage its schema.
#[derive(Clone)]
pub struct Migrations(Arc<dyn Fn() -> Vec<Box<dyn MigrationTrait>> + Send + Sync>);

impl Migrations {
    /// The changes of a migrator of SeaORM.
    pub fn of<M: MigratorTrait + 'static>() -> Self {
        Self(Arc::new(M::migrations))
    }

    /// These changes and one more: its statements run in one transaction. It cannot be reverted.
    #[must_use]
    pub fn and_sql(self, name: &'static str, statements: impl Into<Sql>) -> Self {
        let statements = statements.into();
        Self(Arc::new(move || {
            let mut changes = (self.0)();
            changes.push(Box::new(Change { name, statements }));
            changes
        }))
    }

    /// The names of the changes.
    pub fn names(&self) -> Vec<String> {
        (self.0)().iter().map(|change| change.name().to_owned()).collect()
    }
}

impl MigratorTraitSelf for Migrations {
    fn migrations(&self) -> Vec<Box<dyn MigrationTrait>> {
        (self.0)()
    }
}

impl Default for Migrations {
    fn default() -> Self {
        Self(Arc::new(Vec::new))
    }
}

impl fmt::Debug for Migrations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Migrations").field(&self.names()).finish()
    }
}

/// Statements of SQL: one text, or one for each database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sql {
    /// On SQLite.
    pub sqlite: &'static str,
    /// On PostgreSQL.
    pub postgres: &'static str,
}

impl From<&'static str> for Sql {
    fn from(both: &'static str) -> Self {
        Self { sqlite: both, postgres: both }
    }
}

/// A change that is a text of SQL.
struct Change {
    name: &'static str,
    statements: Sql,
}

impl MigrationName for Change {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait]
impl MigrationTrait for Change {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Sql { sqlite, postgres } = self.statements;
        let statements = if manager.get_database_backend() == DbBackend::Postgres { postgres } else { sqlite };
        manager.get_connection().execute_unprepared(statements).await.map(drop)
    }
}

/// The names of the changes of a schema, each in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Those of this version that were applied.
    pub applied: Vec<String>,
    /// Those of this version that were not applied yet.
    pub pending: Vec<String>,
    /// Those that were applied by another version, and that this one does not know.
    pub unknown: Vec<String>,
}

impl History {
    /// Reads it, and writes nothing: a database without the table of changes has had none.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read<'c>(migrations: &Migrations, db: impl IntoDatabaseExecutor<'c>) -> Result<Self, DbErr> {
        let (table, manager) = (migrations.migration_table_name().to_string(), SchemaManager::new(db));
        if !manager.has_table(table).await? {
            return Ok(Self::compare(migrations.names(), Vec::new()));
        }
        let models = seaql_migrations::Entity::find().all(manager.get_connection()).await?;
        Ok(Self::compare(migrations.names(), models.into_iter().map(|model| model.version).collect()))
    }

    /// That of a database without any change.
    pub fn of_empty(migrations: &Migrations) -> Self {
        Self { pending: migrations.names(), ..Self::default() }
    }

    fn compare(own: Vec<String>, found: Vec<String>) -> Self {
        // Sorted here: databases sort text by different rules.
        let found: BTreeSet<String> = found.into_iter().collect();
        let unknown = found.iter().filter(|name| !own.contains(name)).cloned().collect();
        let (applied, pending) = own.into_iter().partition(|name| found.contains(name));
        Self { applied, pending, unknown }
    }

    /// Whether every change of this version was applied, and the unknown ones follow them: a newer version has expanded
    /// the schema.
    pub fn is_ahead(&self) -> bool {
        self.pending.is_empty() && self.unknown.first().is_some_and(|first| Some(first) > self.applied.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<String> {
        ["m20260101_000001_a", "m20260101_000002_b", "m20260102_000001_c"].map(String::from).into()
    }

    #[test]
    fn only_a_schema_with_all_changes_and_later_ones_is_ahead() {
        let with = |names: &[&str]| own().into_iter().chain(names.iter().map(ToString::to_string)).collect::<Vec<_>>();
        let compare = |found| History::compare(own(), found);
        assert!(!compare(own()).is_ahead());
        let ahead = compare(with(&["m99991231_000002_b", "m99991231_000001_a"]));
        assert!(ahead.is_ahead());
        assert_eq!(ahead.unknown, ["m99991231_000001_a", "m99991231_000002_b"]);
        assert!(!compare(with(&["m00010101_000001_a"])).is_ahead(), "it comes before");
        let mut lacks_one = with(&["m99991231_000001_a"]);
        lacks_one.remove(1);
        assert!(!compare(lacks_one).is_ahead());
    }
}
