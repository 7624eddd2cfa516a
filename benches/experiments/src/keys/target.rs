//! A table with keys, and the cost of inserting into it.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, JsonValue, Statement};

use super::kind::Kind;
use crate::{Database, Error};

/// A table in a database.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub database: &'a Database,
    pub kind: Kind,
    pub is_indexed: bool,
}

/// What inserts cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub time: Duration,
    /// The bytes of the write-ahead log.
    pub log: u64,
    /// The pages that became dirty, each once for a transaction on SQLite, and once after a checkpoint on PostgreSQL.
    pub dirtied: u64,
}

/// The size of a page of SQLite, and of its header in the log.
const PAGE: u64 = 4096;
const FRAME_HEADER: u64 = 24;

impl Target<'_> {
    pub fn table(self) -> String {
        format!("{}_{}", self.kind.id, if self.is_indexed { "indexed" } else { "bare" })
    }

    /// The keys that wait to be inserted: a temporary table, which is in no log.
    fn staged(self) -> String {
        format!("staged_{}", self.table())
    }

    /// Creates both tables. As in the shop, SQLite orders the rows of an indexed table by their keys.
    pub async fn create(self) -> Result<(), Error> {
        let (table, staged, id) = (self.table(), self.staged(), self.kind.column_type(self.database));
        let primary_key = if self.is_indexed { " PRIMARY KEY" } else { "" };
        let clustered = if self.is_indexed && id == "BLOB" { " WITHOUT ROWID" } else { "" };
        for sql in [
            format!("CREATE TABLE {table} (id {id} NOT NULL{primary_key}, n bigint NOT NULL){clustered}"),
            format!("CREATE TEMPORARY TABLE {staged} (n integer PRIMARY KEY, id {id} NOT NULL)"),
        ] {
            self.database.run(&sql).await?;
        }
        Ok(())
    }

    /// Makes the keys of some rows, so many in each statement.
    async fn stage(self, rows: &[RangeInclusive<u64>]) -> Result<(), Error> {
        let staged = self.staged();
        self.database.run(&self.database.choose(format!("DELETE FROM {staged}"), format!("TRUNCATE {staged}"))).await?;
        let sql = format!("INSERT INTO {staged} SELECT n, {} FROM {}", self.key(), self.database.numbers("$1", "$2"));
        for rows in rows {
            self.database.db.execute_raw(self.with_numbers(&sql, rows)).await?;
        }
        Ok(())
    }

    /// Writes all changes into the files.
    pub async fn checkpoint(self) -> Result<(), Error> {
        self.database.run(self.database.choose("PRAGMA wal_checkpoint(TRUNCATE)", "CHECKPOINT")).await
    }

    /// Inserts the rows with these numbers, so many in each transaction, after a checkpoint. Their keys are made before.
    /// PostgreSQL counts what it does through `EXPLAIN ANALYZE`, which adds to the time.
    pub async fn insert(self, first: u64, last: u64, batch: u64) -> Result<Cost, Error> {
        let batches: Vec<_> = (first..=last).step_by(to_usize(batch)).map(|n| n..=last.min(n + batch - 1)).collect();
        self.stage(&batches).await?;
        self.checkpoint().await?;
        let sql = format!(
            "INSERT INTO {} SELECT id, n FROM {} WHERE n BETWEEN $1 AND $2 ORDER BY n",
            self.table(),
            self.staged()
        );
        let mut cost = Cost::default();
        for rows in &batches {
            let statement = self.with_numbers(&sql, rows);
            let start = Instant::now();
            if self.database.file().is_some() {
                self.database.db.execute_raw(statement).await?;
                cost.time += start.elapsed();
            } else {
                let plan = self.explained(statement).await?;
                cost.time += start.elapsed();
                let number = |name: &str| plan[name].as_u64().ok_or_else(|| Error::Unexpected(format!("`{name}`")));
                cost.log += number("WAL Bytes")?;
                cost.dirtied += number("Shared Dirtied Blocks")?;
            }
        }
        if let Some(file) = self.database.file() {
            let path = format!("{file}-wal");
            cost.log = std::fs::metadata(&path).map_err(|error| Error::File { path, error })?.len();
            cost.dirtied = cost.log / (PAGE + FRAME_HEADER);
        }
        Ok(cost)
    }

    /// The insert of the row with this number, which makes its key.
    pub fn statement(self, number: u64) -> Statement {
        let numbers = self.database.numbers("$1", "$2");
        let sql = format!("INSERT INTO {} SELECT {}, n FROM {numbers}", self.table(), self.key());
        self.with_numbers(&sql, &(number..=number))
    }

    /// The expression that makes a key. Where there is no generator, the key is the number of the row.
    fn key(self) -> String {
        self.kind.generator(self.database).unwrap_or_else(|| "n".to_owned())
    }

    fn with_numbers(self, sql: &str, rows: &RangeInclusive<u64>) -> Statement {
        let values = [rows.start(), rows.end()].map(|number| i64::try_from(*number).unwrap_or(i64::MAX).into());
        Statement::from_sql_and_values(self.database.db.get_database_backend(), sql, values)
    }

    /// The plan of a statement that has run.
    async fn explained(self, statement: Statement) -> Result<JsonValue, Error> {
        let sql = format!("EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, WAL, FORMAT JSON) {}", statement.sql);
        let row = self.database.db.query_one_raw(Statement { sql, ..statement }).await?;
        let plan: JsonValue = row.ok_or_else(|| Error::Unexpected("a plan".to_owned()))?.try_get_by_index(0)?;
        Ok(plan[0]["Plan"].clone())
    }

    /// The bytes of the table.
    pub async fn size(self) -> Result<u64, Error> {
        let table = self.table();
        let sql = self.database.choose(
            format!("SELECT sum(pgsize) FROM dbstat WHERE name = '{table}'"),
            format!("SELECT pg_relation_size('{table}')"),
        );
        Ok(self.database.integer(sql).await?.unsigned_abs())
    }

    /// The bytes of the index. On SQLite, the indexed table is its own index.
    pub async fn index_size(self) -> Result<Option<u64>, Error> {
        if !self.is_indexed || self.database.file().is_some() {
            return Ok(None);
        }
        let sql = format!("SELECT pg_relation_size('{}_pkey')", self.table());
        Ok(Some(self.database.integer(sql).await?.unsigned_abs()))
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
