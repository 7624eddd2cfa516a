//! PostgreSQL: a server that may not be there yet, and may go away.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::{ConnectOptions, Database, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::{ConnectError, PATIENCE, Pools, Trust, unreachable, wait};
use crate::config::Settings;

/// Waits for the server as long as the settings do, and opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = PgConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let database = parsed.get_database().unwrap_or_else(|| parsed.get_username());
    let place = format!("the PostgreSQL database {database} at {}:{}", parsed.get_host(), parsed.get_port());
    wait::until_it_answers(&parsed, &place, settings.bounds.database_wait.0)
        .await
        .map_err(|error| unreachable(place.clone(), &DbErr::Conn(RuntimeErr::SqlxError(error.into()))))?;
    let trust = Trust::default();
    let pool = async |connections: u32| {
        let trusted = trust.clone();
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(connections)
            // Whoever asked no longer waits then, and would not be heard.
            .statement_timeout(settings.bounds.request_timeout.0)
            .acquire_timeout(PATIENCE)
            .connect_timeout(PATIENCE)
            // A server can go away: a connection that was idle is asked before it is used.
            .test_before_acquire_if_idle_for(Duration::from_secs(10))
            .map_sqlx_postgres_before_acquire(move |connection, metadata| trusted.check(connection, metadata))
            .sqlx_logging(false)
            .map_sqlx_postgres_opts(|options| {
                options
                    .application_name("bookends")
                    .statement_cache_capacity(500)
                    // Every order has an index. The planner would rather sort the ties of another one that has all
                    // columns, which it takes for as small as they are on average.
                    .options([("enable_incremental_sort", "off")])
            });
        Database::connect(options).await.map_err(|error| unreachable(place.clone(), &error))
    };
    let writers = (settings.database_connections / 4).max(1);
    // A server waits for its turn on one of them, and reads on another.
    let readers = settings.database_connections.saturating_sub(writers).max(2);
    let (reader, writer, probe) = (pool(readers).await?, pool(writers).await?, pool(1).await?);
    // The server has its own, and what takes longer turns it off.
    let deadline = Deadline::new(Duration::MAX);
    Ok(Pools { reader, writer, probe, trust, deadline })
}
