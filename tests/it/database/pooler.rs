//! PostgreSQL behind PgBouncer, mostly in transaction mode with fewer connections than the server.

use bookends::config::{Limits, Plan, Pooler, Secret, Settings, StatementMode};
use bookends::db::Db;
use bookends::seed::{self, Progress};
use testdb::{PoolMode, TestDb};

use crate::support::shop::Shop;

mod answers;
mod limits;
mod modes;
mod start;
mod writes;

/// The connections of the pooler to PostgreSQL. The server has four times as many to the pooler.
const CONNECTIONS: usize = 2;

/// A shop behind a pooler. `None` on SQLite, and where PgBouncer is not installed.
async fn shop(plan: Plan) -> Option<(Shop, testdb::Pooler)> {
    let (test, pooler) = pooled().await?;
    let db = Db::connect(&unprepared(&pooler.url())).await.unwrap();
    db.migrate().await.unwrap();
    seed::fill(&db, plan, Progress::Lines).await.unwrap();
    Some((Shop::over(db, Limits::DEFAULT, test), pooler))
}

/// An empty database behind a pooler.
async fn pooled() -> Option<(TestDb, testdb::Pooler)> {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return None;
    }
    let pooler = testdb::Pooler::start(&test.url, PoolMode::Transaction, CONNECTIONS)?;
    Some((test, pooler))
}

/// The settings of a server whose statements are not prepared.
pub fn unprepared(url: &str) -> Settings {
    let pooler = Pooler { database_statement_mode: StatementMode::Unprepared, ..Pooler::default() };
    Settings { database_connections: 8, pooler, ..Settings::new(url) }
}

/// The same, with a server to listen to.
fn listening(url: &str, server: &str) -> Settings {
    let mut settings = unprepared(url);
    settings.pooler.database_listen_url = Some(Secret::from(server));
    settings
}
