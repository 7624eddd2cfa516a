//! A PostgreSQL behind PgBouncer, in transaction mode with fewer connections than the server.

use bookends_server::config::{Pooler, Secret, Settings, StatementMode};
use testdb::{PoolMode, TestDb};

/// The connections of the pooler to PostgreSQL. The server has four times as many to the pooler.
pub const CONNECTIONS: usize = 2;

/// An empty database behind a pooler.
pub async fn pooled() -> Option<(TestDb, testdb::Pooler)> {
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
pub fn listening(url: &str, server: &str) -> Settings {
    let mut settings = unprepared(url);
    settings.pooler.database_listen_url = Some(Secret::from(server));
    settings
}
