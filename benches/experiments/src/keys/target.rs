//! A table with keys, and the cost of inserting into it.

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

    pub fn index(self) -> String {
        format!("{}_id", self.table())
    }

    pub async fn create(self) -> Result<(), Error> {
        let (table, id) = (self.table(), self.kind.column_type(self.database));
        self.database.run(&format!("CREATE TABLE {table} (id {id} NOT NULL, n bigint NOT NULL)")).await?;
        if self.is_indexed {
            self.database.run(&format!("CREATE UNIQUE INDEX {} ON {table} (id)", self.index())).await?;
        }
        Ok(())
    }

    /// Inserts the rows with these numbers, so many in each transaction, after a checkpoint. PostgreSQL counts what it does
    /// through `EXPLAIN ANALYZE`, which adds to the time.
    pub async fn insert(self, first: u64, last: u64, batch: u64) -> Result<Cost, Error> {
        self.database.run(self.database.choose("PRAGMA wal_checkpoint(TRUNCATE)", "CHECKPOINT")).await?;
        let mut cost = Cost::default();
        let mut begin = first;
        while begin <= last {
            let end = last.min(begin + batch - 1);
            let statement = self.statement(begin, end);
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
            begin = end + 1;
        }
        if let Some(file) = self.database.file() {
            let path = format!("{file}-wal");
            cost.log = std::fs::metadata(&path).map_err(|error| Error::File { path, error })?.len();
            cost.dirtied = cost.log / (PAGE + FRAME_HEADER);
        }
        Ok(cost)
    }

    /// The insert of the rows with these numbers.
    pub fn statement(self, first: u64, last: u64) -> Statement {
        // The key of SQLite's row ids is their number.
        let key = self.kind.generator(self.database).unwrap_or_else(|| "n".to_owned());
        let sql = format!("INSERT INTO {} SELECT {key}, n FROM {}", self.table(), self.database.numbers("$1", "$2"));
        let values = [first, last].map(|number| i64::try_from(number).unwrap_or(i64::MAX).into());
        Statement::from_sql_and_values(self.database.db.get_database_backend(), sql, values)
    }

    /// The plan of a statement that has run.
    async fn explained(self, statement: Statement) -> Result<JsonValue, Error> {
        let sql = format!("EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, WAL, FORMAT JSON) {}", statement.sql);
        let row = self.database.db.query_one_raw(Statement { sql, ..statement }).await?;
        let plan: JsonValue = row.ok_or_else(|| Error::Unexpected("a plan".to_owned()))?.try_get_by_index(0)?;
        Ok(plan[0]["Plan"].clone())
    }

    /// The size of the table and of its index in bytes.
    pub async fn sizes(self) -> Result<[u64; 2], Error> {
        let mut sizes = [0; 2];
        for (name, size) in [self.table(), self.index()].into_iter().zip(&mut sizes) {
            let sql = self.database.choose(
                format!("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = '{name}'"),
                format!("SELECT coalesce(pg_relation_size(to_regclass('{name}')), 0)"),
            );
            *size = self.database.integer(sql).await?.unsigned_abs();
        }
        Ok(sizes)
    }
}
