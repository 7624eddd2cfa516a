//! A change of the schema of the database: a text for each database and each way, run in a transaction.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

pub struct Change {
    pub up_postgres: String,
    pub up_sqlite: String,
    pub down_postgres: String,
    pub down_sqlite: String,
}

/// A change under the name by which the database remembers that it was applied.
pub struct Named(pub &'static str, pub Change);

impl MigrationName for Named {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Named {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, &self.1.up_postgres, &self.1.up_sqlite).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, &self.1.down_postgres, &self.1.down_sqlite).await
    }
}

async fn run(manager: &SchemaManager<'_>, postgres: &str, sqlite: &str) -> Result<(), DbErr> {
    let text = match manager.get_database_backend() {
        DbBackend::Postgres => postgres,
        _ => sqlite,
    };
    manager.get_connection().execute_unprepared(text).await?;
    Ok(())
}

/// Locks tables of PostgreSQL in this mode, in any order of other transactions: some lock a rating before its book, others
/// the book first. What is locked while another table is not free is given back after a tenth of a second. So there is no
/// deadlock.
pub fn lock_postgres(tables: &[&str], mode: &str) -> String {
    format!(
        "
DO $do$
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    LOOP
        BEGIN
            LOCK TABLE {} IN {mode} MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END
$do$;
",
        tables.join(", ")
    )
}
