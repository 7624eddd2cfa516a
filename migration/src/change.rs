//! A change of the schema of the database: a text for each database and each way, run in a transaction.

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

pub struct Change {
    pub up_postgres: String,
    pub up_sqlite: String,
    pub down_postgres: String,
    pub down_sqlite: String,
}

/// A change under the name by which the database remembers that it was applied.
pub struct Named {
    name: &'static str,
    change: Change,
}

impl Named {
    pub(crate) fn new(name: &'static str, change: Change) -> Self {
        Self { name, change }
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.name
    }

    pub(crate) async fn up(&self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        run(db, &self.change.up_postgres, &self.change.up_sqlite).await
    }

    pub(crate) async fn down(&self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        run(db, &self.change.down_postgres, &self.change.down_sqlite).await
    }
}

async fn run(db: &impl ConnectionTrait, postgres: &str, sqlite: &str) -> Result<(), DbErr> {
    let text = if db.get_database_backend() == DbBackend::Postgres { postgres } else { sqlite };
    db.execute_unprepared(text).await?;
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
