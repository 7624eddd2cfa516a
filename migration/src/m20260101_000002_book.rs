//! The books.

use sea_orm_migration::prelude::*;

use crate::dialect::run;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, UP_POSTGRES, UP_SQLITE).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, "DROP TABLE book", "DROP TABLE book").await
    }
}

const UP_POSTGRES: &str = "
CREATE TABLE book (
    id   uuid PRIMARY KEY DEFAULT uuidv7(),
    name varchar(100) NOT NULL CHECK (name <> ''),
    year integer NOT NULL CHECK (year BETWEEN -9999 AND 9999)
);

-- ORDER BY name, id: both ways
CREATE INDEX book_by_name ON book (name, id);
-- ORDER BY year, id: both ways
CREATE INDEX book_by_year ON book (year, id);
";

const UP_SQLITE: &str = "
CREATE TABLE book (
    id   BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    year INTEGER NOT NULL CHECK (year BETWEEN -9999 AND 9999)
) STRICT, WITHOUT ROWID;

-- ORDER BY name, id: both ways
CREATE INDEX book_by_name ON book (name, id);
-- ORDER BY year, id: both ways
CREATE INDEX book_by_year ON book (year, id);
";
