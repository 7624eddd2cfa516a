//! What a database says about its changes, compared with the changes of this version.

use std::collections::BTreeSet;

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{EntityTrait, IntoDatabaseExecutor};
use sea_orm_migration::seaql_migrations;

use crate::Migrator;

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
    pub async fn read<'c>(db: impl IntoDatabaseExecutor<'c>) -> Result<Self, DbErr> {
        let (table, manager) = (Migrator::migration_table_name().to_string(), SchemaManager::new(db));
        if !manager.has_table(table).await? {
            return Ok(Self::compare(Vec::new()));
        }
        let models = seaql_migrations::Entity::find().all(manager.get_connection()).await?;
        Ok(Self::compare(models.into_iter().map(|model| model.version).collect()))
    }

    fn compare(found: Vec<String>) -> Self {
        let own: Vec<String> = Migrator::migrations().iter().map(|change| change.name().to_owned()).collect();
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
        History::compare(Vec::new()).pending
    }

    #[test]
    fn names_of_changes_ascend() {
        assert!(own().is_sorted_by(|one, next| one < next), "{:?}", own());
    }

    #[test]
    fn only_a_schema_with_all_changes_and_later_ones_is_ahead() {
        let with = |names: &[&str]| own().into_iter().chain(names.iter().map(ToString::to_string)).collect::<Vec<_>>();
        assert!(!History::compare(own()).is_ahead());
        let ahead = History::compare(with(&["m99991231_000002_b", "m99991231_000001_a"]));
        assert!(ahead.is_ahead());
        assert_eq!(ahead.unknown, ["m99991231_000001_a", "m99991231_000002_b"]);
        assert!(!History::compare(with(&["m00010101_000001_a"])).is_ahead(), "it comes before");
        let mut lacks_one = with(&["m99991231_000001_a"]);
        lacks_one.remove(3);
        assert!(!History::compare(lacks_one).is_ahead());
    }
}
