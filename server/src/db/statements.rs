//! Metrics and traces of statements.

use std::sync::Arc;

use sea_orm::metric::Info;

use super::pool::Callback;
use super::{role, tally};
use crate::metrics::Metrics;
use crate::telemetry::statement;

pub const READER: &str = "reader";
pub const WRITER: &str = "writer";

/// Counts and traces the statements that write.
pub fn record_writes(metrics: &Metrics) -> Callback {
    Arc::new(record_statements(WRITER, metrics.clone()))
}

/// Counts and traces the statements of a pool.
pub fn record_statements(pool: &'static str, metrics: Metrics) -> impl Fn(&Info<'_>) + Send + Sync + 'static {
    move |info| {
        let sql = role::hidden(&info.statement.sql);
        // The bounds of a snapshot read nothing, and `COMMIT` runs after the response.
        if pool != WRITER && (sql.starts_with("BEGIN") || sql.starts_with("COMMIT")) {
            return;
        }
        metrics.statement(pool, info.failed, info.elapsed);
        statement::executed(info.statement.db_backend, sql, info.failed, info.elapsed);
        tally::statement(info.elapsed);
    }
}
