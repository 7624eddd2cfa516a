//! PostgreSQL: a primary that may not be up yet, may restart, and may move to another host; and its replicas.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use sea_orm::sqlx::{Connection, Error};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::liveness::answers;
use super::opened::{ConnectError, Pools, unreachable};
use super::pool::{
    self, CONNECTION_CHECK, CONNECTION_CHECK_INTERVAL, Opener, Pool, Statements, Unprepared, watch_client,
};
use super::primary::Primary;
use super::servers::Servers;
use super::timeout::CONNECT_TIMEOUT;
use super::writers::Writers;
use super::{Liveness, Reads, Replicas, Storage, wait};
use crate::config::{Settings, StatementMode};
use crate::metrics::Metrics;

/// The settings of every statement, beside its time limit.
///
/// Every order has an index. The planner would prefer to sort the ties of another index, and estimates their number by the
/// average.
///
/// A statement reads some rows of many indexes. The planner may expect many of each, and would compile the statement for
/// longer than it runs.
const SETTINGS: [(&str, &str); 2] = [("enable_incremental_sort", "off"), ("jit", "off")];

/// Waits for the server, and opens the pools.
pub async fn open(settings: &Settings, metrics: &Metrics) -> Result<Pools, ConnectError> {
    // After that, the request has ended.
    let time_limit = settings.bounds.request_timeout.0.as_millis().to_string();
    let mode = settings.pooler.database_statement_mode;
    let servers = |url: &str, mode| {
        let servers = Servers::of_url(url).map_err(|error| ConnectError::Url(error.to_string()))?;
        Ok(servers.with(|options| configured(options.application_name(settings.identity.name), mode, &time_limit)))
    };
    let primary = Arc::new(servers(settings.database_url.expose(), mode)?);
    let options = primary.current();
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    let name = format!("the PostgreSQL database {database} at {}", primary.names());
    let failed = |error: DbErr| unreachable(name.clone(), &error);
    let lost = |error: Error| failed(DbErr::Conn(RuntimeErr::SqlxError(error.into())));
    wait::until_available(&primary, &name, settings.database_wait.0).await.map_err(lost)?;
    let statements = match mode {
        StatementMode::Prepared => Statements::Prepared,
        StatementMode::Unprepared => Statements::Unprepared(unprepared(&primary, &time_limit).await.map_err(lost)?),
    };
    let liveness = Liveness::default();
    let writers = (settings.database_connections / 4).max(1);
    // At start-up, one holds the lock and another one reads.
    let readers = settings.database_connections.saturating_sub(writers).max(2);
    let opener = Opener::Postgres(Arc::clone(&primary), statements.clone());
    let engine = Pool::new(opener.clone(), writers, liveness.clone()).map_err(failed)?;
    // With TLS, sqlx's small writes wait for each other: to open a connection takes a tenth of a second.
    let pools = tokio::try_join!(Pool::open(opener, readers, liveness.clone()), writer(&primary, writers, &liveness));
    let (reader, writer) = pools.map_err(failed)?;
    let replicas = settings.replicas.database_replica_urls.iter().map(|url| {
        // A comma separates URLs: what follows one that separates hosts has no scheme.
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.expose().starts_with(scheme)) {
            return Err(ConnectError::Url("each replica URL must start with `postgres://`, and name one host".into()));
        }
        let server = servers(url.expose(), mode)?;
        if !server.may_be_any() {
            return Err(ConnectError::Url("a replica URL must have no `target_session_attrs`".into()));
        }
        Ok(server.current().clone())
    });
    let replicas: Vec<_> = replicas.collect::<Result<_, ConnectError>>()?;
    let primary = Arc::new(Primary::new(primary));
    let is_watched = primary.servers().are_several() || !replicas.is_empty();
    let watch = is_watched.then(|| primary.watch()).flatten().map(Arc::new);
    let listen = match &settings.pooler.database_listen_url {
        Some(url) => Some(Arc::new(Primary::new(Arc::new(servers(url.expose(), StatementMode::Prepared)?)))),
        None => (mode == StatementMode::Prepared).then(|| Arc::clone(&primary)),
    };
    let replicas = Replicas::start(replicas, &statements, &primary, readers, &settings.replicas, metrics);
    Ok(Pools {
        writers: match &statements {
            Statements::Prepared => Writers::new(writers as usize).with(engine),
            Statements::Unprepared(_) => Writers::new(writers as usize),
        },
        reader: Reads::Pool(reader),
        writer,
        liveness,
        // PostgreSQL has a statement timeout of its own.
        deadline: Deadline::new(Duration::MAX),
        storage: Storage::default(),
        statements,
        listen,
        replicas: replicas.map_err(failed)?,
        name,
        primary: Some(primary),
        watch,
    })
}

/// The settings of each transaction behind a pooler: those of a session elsewhere.
async fn unprepared(servers: &Servers, time_limit: &str) -> Result<Unprepared, Error> {
    let mut connection: PgConnection = servers.connect().await?;
    let is_watched = watch_client(&mut connection, true).await?;
    let watch = is_watched.then_some((CONNECTION_CHECK, CONNECTION_CHECK_INTERVAL));
    // An error while closing does not matter.
    let _ = connection.close().await;
    Ok(Unprepared::new(SETTINGS.into_iter().chain([("statement_timeout", time_limit)]).chain(watch)))
}

/// The connections for writing. Where the primary moves, [`Servers`] tells the pool.
async fn writer(servers: &Arc<Servers>, connections: u32, liveness: &Liveness) -> Result<DatabaseConnection, DbErr> {
    let (stale, current) = (liveness.clone(), servers.current().clone());
    let is_left = |servers: &Servers, metadata: &PoolConnectionMetadata| {
        Instant::now().checked_sub(metadata.age).is_some_and(|opened| servers.is_left(opened))
    };
    let hosts = Arc::clone(servers);
    // SeaORM asks for a URL, and the pool connects with the options.
    let mut options = ConnectOptions::new("postgres://localhost");
    options
        .max_connections(connections)
        .acquire_timeout(CONNECT_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        // The server may have restarted.
        .test_before_acquire_if_idle_for(Duration::from_secs(10))
        .map_sqlx_postgres_before_acquire(move |connection, metadata| {
            if is_left(&hosts, &metadata) { Box::pin(async { Ok(false) }) } else { stale.check(connection, metadata) }
        })
        .sqlx_logging(false)
        .map_sqlx_postgres_opts(move |_| current.clone());
    let hosts = Arc::clone(servers);
    options.map_sqlx_postgres_pool_opts(move |options| {
        let (new, used) = (Arc::clone(&hosts), Arc::clone(&hosts));
        options
            // A host that was the primary may be a replica, or may not know yet that it is cut off.
            .after_connect(move |connection, _| {
                let hosts = Arc::clone(&new);
                Box::pin(async move { if hosts.are_several() { hosts.check(connection).await } else { Ok(()) } })
            })
            // The pool asks for an answer without a limit, and keeps a permit meanwhile. So a server that is silent must be
            // found first.
            .after_release(move |connection, metadata| {
                let is_left = is_left(&used, &metadata);
                Box::pin(async move { if !is_left && answers(connection).await { Ok(true) } else { Err(unusable()) } })
            })
    });
    let writer = Database::connect(options).await?;
    servers.lead(writer.get_postgres_connection_pool());
    Ok(writer)
}

/// The error with which the pool closes a connection.
fn unusable() -> Error {
    Error::Io(io::Error::other("the server does not answer, or is no longer the primary"))
}

/// The options of every connection. Where statements are prepared, they include the settings of the session.
fn configured(options: PgConnectOptions, mode: StatementMode, time_limit: &str) -> PgConnectOptions {
    let options = sea_orm::sqlx::ConnectOptions::disable_statement_logging(options);
    match mode {
        StatementMode::Prepared => options
            .statement_cache_capacity(pool::KEPT)
            .options(SETTINGS.into_iter().chain([("statement_timeout", time_limit)])),
        // A pooler refuses parameters of the session that it does not know.
        StatementMode::Unprepared => options.statement_cache_capacity(0).extra_float_digits(None),
    }
}
