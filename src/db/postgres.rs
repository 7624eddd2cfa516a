//! PostgreSQL: a server that may not be up yet, and may restart.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::ConnectOptions as _;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::{ConnectOptions, Database, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::pool::{Opener, Pool};
use super::{CONNECT_TIMEOUT, ConnectError, Liveness, Pools, Reads, Storage, unreachable, wait};
use crate::config::Settings;

/// Waits for the server, and opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = PgConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let database = parsed.get_database().unwrap_or_else(|| parsed.get_username());
    let name = format!("the PostgreSQL database {database} at {}:{}", parsed.get_host(), parsed.get_port());
    wait::until_available(&parsed, &name, settings.bounds.database_wait.0)
        .await
        .map_err(|error| unreachable(name.clone(), &DbErr::Conn(RuntimeErr::SqlxError(error.into()))))?;
    let liveness = Liveness::default();
    // After that, the request has ended.
    let time_limit = settings.bounds.request_timeout.0;
    let pool = async |connections: u32| {
        let stale = liveness.clone();
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(connections)
            .statement_timeout(time_limit)
            .acquire_timeout(CONNECT_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            // The server may have restarted.
            .test_before_acquire_if_idle_for(Duration::from_secs(10))
            .map_sqlx_postgres_before_acquire(move |connection, metadata| stale.check(connection, metadata))
            .sqlx_logging(false)
            .map_sqlx_postgres_opts(configured);
        Database::connect(options).await.map_err(|error| unreachable(name.clone(), &error))
    };
    let writers = (settings.database_connections / 4).max(1);
    // At start-up, one waits for the lock and another one reads.
    let readers = settings.database_connections.saturating_sub(writers).max(2);
    let timeout = [("statement_timeout", time_limit.as_millis().to_string())];
    let opener = Opener::Postgres(configured(parsed).options(timeout).disable_statement_logging().into());
    let reader = Pool::open(opener, readers, liveness.clone()).await;
    let reader = Reads::Pool(reader.map_err(|error| unreachable(name.clone(), &error))?);
    let writer = pool(writers).await?;
    // PostgreSQL has a statement timeout of its own.
    let deadline = Deadline::new(Duration::MAX);
    Ok(Pools { reader, writer, liveness, deadline, storage: Storage::default() })
}

/// The options of every connection.
fn configured(options: PgConnectOptions) -> PgConnectOptions {
    options
        .application_name("bookends")
        .statement_cache_capacity(500)
        // Every order has an index. The planner would prefer to sort the ties of another index, and estimates their
        // number by the average.
        //
        // A statement reads some rows of many indexes. The planner may expect many of each, and would compile the statement
        // for longer than it runs.
        .options([("enable_incremental_sort", "off"), ("jit", "off")])
}
