//! PostgreSQL: a primary that may not be up yet, may restart, and may move to another host; and its replicas.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::sqlx::Error;
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::pool::{Opener, Pool};
use super::primary::Primary;
use super::servers::Servers;
use super::{CONNECT_TIMEOUT, ConnectError, Liveness, Pools, Reads, Replicas, Storage, unreachable, wait};
use crate::config::Settings;
use crate::metrics::Metrics;

/// Waits for the server, and opens the pools.
pub async fn open(settings: &Settings, metrics: &Metrics) -> Result<Pools, ConnectError> {
    // After that, the request has ended.
    let time_limit = settings.bounds.request_timeout.0;
    let servers = |url: &str| {
        let servers = Servers::of_url(url).map_err(|error| ConnectError::Url(error.to_string()))?;
        Ok(servers.with(|options| configured(options, time_limit)))
    };
    let primary = Arc::new(servers(settings.database_url.expose())?);
    let options = primary.current();
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    let name = format!("the PostgreSQL database {database} at {}", primary.names());
    let failed = |error: DbErr| unreachable(name.clone(), &error);
    wait::until_available(&primary, &name, settings.bounds.database_wait.0)
        .await
        .map_err(|error| failed(DbErr::Conn(RuntimeErr::SqlxError(error.into()))))?;
    let liveness = Liveness::default();
    let writers = (settings.database_connections / 4).max(1);
    // At start-up, one waits for the lock and another one reads.
    let readers = settings.database_connections.saturating_sub(writers).max(2);
    let reader = Pool::open(Opener::Postgres(Arc::clone(&primary)), readers, liveness.clone()).await.map_err(failed)?;
    let writer = writer(&primary, writers, &liveness).await.map_err(failed)?;
    let replicas = settings.replicas.database_replica_urls.iter().map(|url| {
        let servers = servers(url.expose())?;
        let one = "a replica URL must start with `postgres://` and name one host";
        if servers.are_several() { Err(ConnectError::Url(one.into())) } else { Ok(servers.current().clone()) }
    });
    let replicas: Vec<_> = replicas.collect::<Result<_, ConnectError>>()?;
    let primary = Arc::new(Primary::new(primary));
    let is_watched = primary.may_move() || !replicas.is_empty();
    let watch = is_watched.then(|| primary.watch(writer.get_postgres_connection_pool().clone()).into());
    Ok(Pools {
        reader: Reads::Pool(reader),
        writer,
        liveness,
        // PostgreSQL has a statement timeout of its own.
        deadline: Deadline::new(Duration::MAX),
        storage: Storage::default(),
        replicas: Replicas::start(replicas, &primary, readers, &settings.replicas, metrics).map_err(failed)?,
        primary: Some(primary),
        watch,
    })
}

/// The connections for writing. Where the primary moves, [`Primary`] tells the pool.
async fn writer(servers: &Arc<Servers>, connections: u32, liveness: &Liveness) -> Result<DatabaseConnection, DbErr> {
    let (stale, current) = (liveness.clone(), servers.current().clone());
    let is_left = {
        let hosts = Arc::clone(servers);
        move |metadata: &PoolConnectionMetadata| {
            Instant::now().checked_sub(metadata.age).is_some_and(|opened| hosts.is_left(opened))
        }
    };
    let may_return = is_left.clone();
    // SeaORM asks for a URL, and the pool connects with the options.
    let mut options = ConnectOptions::new("postgres://localhost");
    options
        .max_connections(connections)
        .acquire_timeout(CONNECT_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        // The server may have restarted.
        .test_before_acquire_if_idle_for(Duration::from_secs(10))
        .map_sqlx_postgres_before_acquire(move |connection, metadata| {
            if is_left(&metadata) { Box::pin(async { Ok(false) }) } else { stale.check(connection, metadata) }
        })
        // The pool would wait for an answer of a host that may be frozen.
        .map_sqlx_postgres_pool_opts(move |options| {
            let is_left = may_return.clone();
            options.after_release(move |_, metadata| {
                let is_left = is_left(&metadata);
                Box::pin(async move { if is_left { Err(Error::WorkerCrashed) } else { Ok(true) } })
            })
        })
        .sqlx_logging(false)
        .map_sqlx_postgres_opts(move |_| current.clone());
    Database::connect(options).await
}

/// The options of every connection, with the time limit of its statements.
fn configured(options: PgConnectOptions, time_limit: Duration) -> PgConnectOptions {
    let time_limit = time_limit.as_millis().to_string();
    let options = options
        .application_name("bookends")
        .statement_cache_capacity(500)
        // Every order has an index. The planner would prefer to sort the ties of another index, and estimates their
        // number by the average.
        //
        // A statement reads some rows of many indexes. The planner may expect many of each, and would compile the statement
        // for longer than it runs.
        .options([("enable_incremental_sort", "off"), ("jit", "off"), ("statement_timeout", &time_limit)]);
    sea_orm::sqlx::ConnectOptions::disable_statement_logging(options)
}
