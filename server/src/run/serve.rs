//! The command `serve`: everything that must hold before the first request, and the server until it stops.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bookends_graphql::Declaration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use super::error::{RunError, outdated};
use super::follow::Following;
use super::sample::{fill, is_empty};
use crate::app::{Application, Opened};
use crate::config::{Reproducible, Settings};
use crate::console::Console;
use crate::db::{Db, Keys, MigrateError};
use crate::health;
use crate::http::{Access, Admin, Authentication, Server};
use crate::identity::Identity;
use crate::request::Trusted;
use crate::source::Source;

/// How many connections may wait to be accepted: as many as Linux allows by default. If a flood fills this, the next client
/// tries again only after a second.
const BACKLOG: u32 = 4096;

/// A server that is ready to accept connections.
pub(super) struct Started {
    application: Application,
    /// The version of the application, if it can change.
    version: Option<String>,
    listener: TcpListener,
    address: SocketAddr,
    admin: Option<TcpListener>,
    authentication: Authentication,
    trusted: Trusted,
    db: Db,
    /// Of a SQLite file: two servers would not deliver each other's events.
    lock: Option<File>,
}

pub(super) async fn start(
    source: &impl Source,
    settings: &Settings,
    reproducible: Reproducible,
    console: Console,
) -> Result<Started, RunError> {
    if reproducible.at.is_some() && !settings.listen.ip().to_canonical().is_loopback() {
        return Err(RunError::Predictable);
    }
    // The address comes first: if the port is in use, nothing is migrated.
    let (listener, address) = listen(settings.listen)?;
    let admin = match settings.listen_admin {
        Some(address) => Some(listen(address)?.0),
        None => None,
    };
    let access = Access::new(settings.write_token.clone(), address)?;
    let authentication = Authentication::new(access, &settings.authentication, &settings.bounds.trusted_proxies)?;
    let settings = &Settings { identity: source.identity(), ..settings.clone() };
    let mut db = Db::connect(settings, &source.migrations()).await?;
    let lock = if settings.sqlite.allow_shared_file { None } else { db.storage.lock()? };
    // Before the application: what changes meanwhile is another version.
    let version = source.version(&db).await.map_err(RunError::Read)?;
    let application = source.application(&db, console).await.map_err(RunError::Source)?;
    let trusted = application.trusted(&settings.documents, settings.limits)?;
    let is_changed = !application.migrations().names().is_empty() || application.app().sample.is_some();
    let starting = if is_changed { db.lock().await.map_err(MigrateError::from)? } else { None };
    db.migrate().await.map_err(outdated)?;
    if db.storage.is_read_only(&db.reader).await.map_err(MigrateError::from)? {
        if source.may_write(&application) {
            console.say("the database is read-only: mutations fail with READ_ONLY");
        }
    } else if let Some(sample) = &application.app().sample
        && is_empty(&application, &db).await.map_err(RunError::Read)?
    {
        fill(&application, sample, Opened { db: db.clone(), console }, settings.sample).await?;
    }
    drop(starting);
    if let Some(at) = reproducible.at {
        let tables = application.declaration().tables();
        if Keys::are_used_since(&db.reader, tables, at).await.map_err(RunError::Read)? {
            return Err(RunError::Repeated);
        }
        db.keys = Keys::reproducible(at, reproducible.rng_seed);
    }
    // A lock on a table delays it. Nothing has been announced yet, and a signal ends the wait.
    db.statistics.keep(db.reader.clone()).await;
    advise(application.declaration(), &db).await;
    Ok(Started { application, version, listener, address, admin, authentication, trusted, db, lock })
}

/// Says which columns the schema leaves out, and which indexes the database lacks for it.
async fn advise(declaration: &Declaration, db: &Db) {
    for left_out in declaration.left_out() {
        tracing::warn!("{left_out}");
    }
    match declaration.index_advice(&db.reader).await {
        Ok(advice) => advice.iter().for_each(|lack| tracing::warn!("{lack}")),
        Err(error) => tracing::warn!(%error, "cannot read which indexes the database has"),
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that starts again takes the port of the last one.
    socket.set_reuseaddr(cfg!(unix))?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Listens on an address; also returns the address with its port.
fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), RunError> {
    let failed = |error| RunError::Listen { address, error };
    let listener = bind(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

pub(super) async fn serve<S: Source>(
    source: Arc<S>,
    Started { application, version, listener, address, admin, authentication, trusted, db, lock }: Started,
    settings: &Settings,
    console: Console,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), RunError> {
    let may_write = source.may_write(&application);
    // A token that permits nothing is not shown.
    let access = if may_write { authentication.access() } else { &Access::Nobody };
    listening(source.identity(), &access.page(health::reachable(address)), address, &db.name, console);
    if may_write {
        say_who_writes(&authentication, console);
    }
    let api = application.api_with(db.clone(), settings.limits, trusted);
    let mut following = JoinSet::new();
    if let Some(version) = version {
        let (api, settings) = (api.clone(), settings.clone());
        following.spawn(Following { source, api, settings, console }.run(version));
    }
    let bounds = settings.bounds.clone().listening_on(address);
    let served = match admin {
        None => {
            Server::new(api, authentication, bounds).serve(listener, stop).await;
            Ok(())
        }
        Some(admin) => {
            let (server, probes) = Server::with_admin(api, authentication, bounds);
            serve_with_admin(server, listener, probes, admin, console, stop).await
        }
    };
    following.shutdown().await;
    let closed = db.close().await.map_err(RunError::Close);
    drop(lock);
    served.and(closed)
}

/// Says what mutations need.
fn say_who_writes(authentication: &Authentication, console: Console) {
    console.say(match authentication.access() {
        Access::Token(_) => "writes need the token in WRITE_TOKEN",
        Access::Generated(_) => {
            "writes need the token in this URL until the server stops; set WRITE_TOKEN to choose a token"
        }
        Access::Nobody if authentication.has_tokens() => "writes need a JSON Web Token",
        Access::Nobody => "writes are disabled: set WRITE_TOKEN, or listen on a loopback address",
    });
}

/// Says that the server accepts connections, with what a person opens and what a report of a fault needs. The URL of the
/// page can have a token; the name of the database has no secret.
fn listening(Identity { name, version }: Identity, page: &str, address: SocketAddr, database: &str, console: Console) {
    let line = format!("open {page} in a browser: {name} {version} is listening on {address}, with {database}");
    let address = address.to_string();
    let fields = [("url", page), ("version", version), ("address", &address), ("database", database)];
    console.tell(&line, "listening", &fields);
}

/// Serves requests here, and the probes on a thread of their own.
async fn serve_with_admin(
    server: Server,
    listener: TcpListener,
    probes: Server,
    listener_of_probes: TcpListener,
    console: Console,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), RunError> {
    let address = listener_of_probes.local_addr().map_err(RunError::Admin)?;
    let admin = Admin::start(listener_of_probes, probes).map_err(RunError::Admin)?;
    console.say(format_args!("the probes are at http://{address}/health, /ready and /metrics"));
    server.serve(listener, stop).await;
    admin.stop().await;
    Ok(())
}
