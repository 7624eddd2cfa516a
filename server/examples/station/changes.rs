//! The changes of the database, which can be reverted.

use bookends_server::sea_orm_migration::prelude::*;
use sea_orm::DbBackend;

pub struct Changes;

impl MigratorTrait for Changes {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let tables = Change("m20260101_000001_tables", include_str!("tables.sql"));
        let indexes = Change("m20260101_000002_indexes", include_str!("indexes.sql"));
        vec![Box::new(tables), Box::new(indexes)]
    }
}

/// A name, and statements that create tables or indexes.
struct Change(&'static str, &'static str);

impl MigrationName for Change {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Change {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite has no decimals, and keeps the nearest double.
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let text = if is_sqlite { self.1.replace("numeric(10, 2)", "REAL") } else { self.1.to_owned() };
        manager.get_connection().execute_unprepared(&text).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for created in self.1.split("CREATE ").skip(1).collect::<Vec<_>>().into_iter().rev() {
            let [kind, name] = [0, 1].map(|word| created.split(' ').nth(word).unwrap_or_default());
            manager.get_connection().execute_unprepared(&format!("DROP {kind} {name}")).await?;
        }
        Ok(())
    }
}
