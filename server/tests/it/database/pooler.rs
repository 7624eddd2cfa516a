//! PostgreSQL behind PgBouncer, mostly in transaction mode with fewer connections than the server.

use bookends_server::config::Limits;
use testdb::Pooler;

use crate::support::pooled::{pooled, unprepared};
use crate::support::station::{self, Plan, Station};

mod limits;
mod modes;
mod start;
mod writes;

/// A station behind a pooler. `None` on SQLite, and where PgBouncer is not installed.
async fn behind_pooler(plan: Plan) -> Option<(Station, Pooler)> {
    let (test, pooler) = pooled().await?;
    let db = station::connect(&unprepared(&pooler.url())).await.unwrap();
    db.migrate().await.unwrap();
    station::fill(&db, plan).await.unwrap();
    Some((Station::over(db, Limits::DEFAULT, test), pooler))
}
