//! Runs the commands.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use migration::History;
use sea_orm::DbErr;
use tokio::net::{TcpListener, TcpSocket};

use crate::config::{Cli, Command, Direction, Plan, Reproducible, SecretError, Settings};
use crate::console::{Console, print_line};
use crate::db::{self, ConnectError, Db, Failure, Keys, LockError, MigrateError};
use crate::request::{Trusted, TrustedError};
use crate::seed::{self, Progress, SeedError};
use crate::server::{Access, AccessError, Admin, Server};
use crate::telemetry::Telemetry;
use crate::{EndpointError, HealthError, InspectError, health, inspect, shop};

mod stop;

/// How many connections may wait to be accepted: as many as Linux allows by default. If a flood fills this, the next client
/// tries again only after a second.
const BACKLOG: u32 = 4096;

/// Why a command failed. The text is one line.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Ctrl-C or SIGTERM ended a command that changes the database.
    #[error("interrupted: the change in progress was rolled back")]
    Interrupted,
    /// The system refuses a signal handler.
    #[error("cannot install a signal handler: {0}")]
    Signals(io::Error),
    /// A setting in a file.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The endpoint of traces.
    #[error(transparent)]
    Telemetry(#[from] EndpointError),
    /// The database cannot be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The schema cannot be changed or read.
    #[error("cannot migrate the database: {0}")]
    Migrate(#[from] MigrateError),
    /// The schema is old and cannot be changed here.
    #[error(
        "the schema is not up to date and the database is read-only: run `bookends migrate up` where it can be written"
    )]
    Outdated,
    /// Another server uses the SQLite file.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database cannot be filled.
    #[error("cannot fill the database: {0}")]
    Seed(#[from] SeedError),
    /// Other machines reach the server.
    #[error("--at needs a loopback address, because the keys of the server are predictable")]
    Predictable,
    /// Reproducible keys could repeat those of rows.
    #[error("the database has rows from the time in --at or later: use a later time, or a new database")]
    Repeated,
    /// The address is in use, or not an address of this machine.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address in the settings.
        address: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// The server is not healthy.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// The value cannot be inspected.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The probes cannot be served.
    #[error("cannot serve the probes: {0}")]
    Admin(io::Error),
    /// There is no write token.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The documents in the settings cannot be trusted.
    #[error(transparent)]
    Documents(#[from] TrustedError),
    /// The database cannot be closed.
    #[error("cannot close the database: {0}")]
    Close(DbErr),
}

impl RunError {
    /// The exit status of the program.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Interrupted => ExitCode::from(stop::INTERRUPTED),
            _ => ExitCode::FAILURE,
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
///
/// [`RunError`].
pub async fn run(Cli { command }: Cli, console: Console) -> Result<(), RunError> {
    if let Some(settings) = command.settings()? {
        // Before anything is started or printed: from here on, a signal loses no message and no rollback.
        let mut stop = pin!(stop::signals().map_err(RunError::Signals)?);
        let telemetry = Telemetry::start(&settings.telemetry)?;
        let done = with_database(command, &settings, console, stop.as_mut()).await;
        telemetry.stop().await;
        return done;
    }
    match command {
        Command::Schema => print_line(shop::sdl().trim_end()),
        Command::Inspect { value, json } => print_line(inspect(&value, json)?),
        Command::Health(at) => health::check(at.listen_admin.unwrap_or(at.listen))?,
        Command::Completions { shell } => print_line(completions(shell)),
        Command::Serve(_) | Command::Migrate { .. } | Command::Seed { .. } => {}
    }
    Ok(())
}

/// A script for a shell.
fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bookends", &mut script);
    String::from_utf8_lossy(&script).trim_end().to_owned()
}

/// A command that works on the database, until the first signal.
async fn with_database(
    command: Command,
    settings: &Settings,
    console: Console,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Result<(), RunError> {
    match command {
        Command::Migrate { direction } => interruptible(stop, Box::pin(migrate(settings, direction, console))).await,
        Command::Seed { plan, .. } => interruptible(stop, Box::pin(seed(settings, plan, console))).await,
        command => {
            let reproducible =
                if let Command::Serve(serve) = command { serve.reproducible } else { Reproducible::default() };
            match interruptible(stop.as_mut(), Box::pin(start(settings, reproducible, console))).await {
                // A signal is no error of `serve`.
                Err(RunError::Interrupted) => {
                    console.say("stopped before the server started");
                    Ok(())
                }
                Err(error) => Err(error),
                Ok(started) => Box::pin(serve(started, settings, console, stop)).await,
            }
        }
    }
}

/// The work, or [`RunError::Interrupted`] if a signal comes first: the work is dropped, and with it its transaction.
async fn interruptible<T>(
    stop: Pin<&mut (impl Future<Output = ()> + Send)>,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    tokio::select! {
        biased;
        done = work => done,
        () = stop => Err(RunError::Interrupted),
    }
}

/// A server that is ready to accept connections.
struct Started {
    listener: TcpListener,
    address: SocketAddr,
    admin: Option<TcpListener>,
    access: Access,
    trusted: Trusted,
    db: Db,
    /// Of a SQLite file: two servers would not deliver each other's events.
    lock: Option<File>,
}

async fn start(settings: &Settings, reproducible: Reproducible, console: Console) -> Result<Started, RunError> {
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
    let trusted = shop::trusted(&settings.documents, settings.limits)?;

    let mut db = Db::connect(settings).await?;
    let lock = if settings.sqlite.allow_shared_file { None } else { db.storage.lock()? };
    let starting = db.lock().await.map_err(MigrateError::from)?;
    db.migrate().await.map_err(outdated)?;
    if db.storage.is_read_only(&db.reader).await.map_err(MigrateError::from)? {
        console.say("the database is read-only: mutations fail with READ_ONLY");
    } else if seed::is_empty(&db).await.map_err(SeedError::from)? {
        sample(&db, settings.sample, console).await?;
    }
    drop(starting);
    if let Some(at) = reproducible.at {
        if Keys::are_used_since(&db.reader, at).await.map_err(SeedError::from)? {
            return Err(RunError::Repeated);
        }
        db.keys = Keys::reproducible(at, reproducible.rng_seed);
    }
    // A lock on a table delays it. Nothing has been announced yet, and a signal ends the wait.
    db.statistics.keep(db.reader.clone()).await;
    advise(&db).await;
    Ok(Started { listener, address, admin, access, trusted, db, lock })
}

/// Says which columns the schema leaves out, and which indexes the database lacks for it.
async fn advise(db: &Db) {
    let declaration = shop::declaration();
    for left_out in declaration.left_out() {
        tracing::warn!("{left_out}");
    }
    match declaration.index_advice(&db.reader).await {
        Ok(advice) => advice.iter().for_each(|lack| tracing::warn!("{lack}")),
        Err(error) => tracing::warn!(%error, "cannot read which indexes the database has"),
    }
}

/// Fills an empty database, or says how. If there is no room, the server serves it as it is.
async fn sample(db: &Db, is_wanted: bool, console: Console) -> Result<(), RunError> {
    if !is_wanted {
        console.say("the database is empty: `bookends seed`, or `--sample`, fills it with sample rows");
        return Ok(());
    }
    console.say("the database is empty: filling it with sample rows");
    match seed::fill(db, Plan::SAMPLE, Progress::of(console)).await {
        Err(SeedError::Database(error)) if Failure::of(&error) == Failure::Full => {
            tracing::warn!(%error, "the storage is full: serving without sample rows");
            Ok(())
        }
        filled => Ok(filled?),
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

/// Why the schema was not changed.
fn outdated(error: MigrateError) -> RunError {
    match error {
        MigrateError::Database(error) if Failure::of(&error) == Failure::ReadOnly => RunError::Outdated,
        error => RunError::Migrate(error),
    }
}

async fn serve(
    Started { listener, address, admin, access, trusted, db, lock }: Started,
    settings: &Settings,
    console: Console,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), RunError> {
    listening(&access.page(health::reachable(address)), address, &db.name, console);
    console.say(match access {
        Access::Token(_) => "writes need the token in BOOKENDS_WRITE_TOKEN",
        Access::Generated(_) => {
            "writes need the token in this URL until the server stops; set BOOKENDS_WRITE_TOKEN to choose a token"
        }
        Access::Nobody => "writes are disabled: set BOOKENDS_WRITE_TOKEN, or listen on a loopback address",
    });
    let api = shop::Api::with(db.clone(), settings.limits, trusted);
    let bounds = settings.bounds.clone().listening_on(address);
    let served = match admin {
        None => {
            Server::new(api, access, bounds).serve(listener, stop).await;
            Ok(())
        }
        Some(admin) => {
            let (server, probes) = Server::with_admin(api, access, bounds);
            serve_with_admin(server, listener, probes, admin, console, stop).await
        }
    };
    let closed = db.close().await.map_err(RunError::Close);
    drop(lock);
    served.and(closed)
}

/// Says that the server accepts connections, with what a person opens and what a report of a fault needs. The URL of the
/// page can have a token; the name of the database has no secret.
fn listening(page: &str, address: SocketAddr, database: &str, console: Console) {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let line = format!("open {page} in a browser: bookends {VERSION} is listening on {address}, with {database}");
    let address = address.to_string();
    let fields = [("url", page), ("version", VERSION), ("address", &address), ("database", database)];
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

async fn migrate(settings: &Settings, direction: Direction, console: Console) -> Result<(), RunError> {
    // To read the state of a file that does not exist would create it.
    if matches!(direction, Direction::Status(_))
        && let Some(history) = db::history_of_missing(settings)
    {
        say_history(history, console);
        return Ok(());
    }
    let db = Db::connect(settings).await?;
    let lock = db.lock().await.map_err(MigrateError::from)?;
    match direction {
        Direction::Up(_) => db.migrate().await.map_err(outdated),
        Direction::Down { steps, .. } => db.migrate_down(steps).await.map_err(RunError::Migrate),
        Direction::Status(_) => Ok(()),
    }?;
    drop(lock);
    say_history(db.history().await.map_err(MigrateError::from)?, console);
    db.close().await.map_err(RunError::Close)
}

fn say_history(History { applied, pending, unknown }: History, console: Console) {
    for (state, names) in [("applied", applied), ("pending", pending), ("unknown", unknown)] {
        for name in names {
            console.tell(&format!("{state:8} {name}"), state, &[("migration", &name)]);
        }
    }
}

async fn seed(settings: &Settings, plan: Plan, console: Console) -> Result<(), RunError> {
    let db = Db::connect(settings).await?;
    let lock = db.lock().await.map_err(MigrateError::from)?;
    db.migrate().await.map_err(outdated)?;
    seed::fill(&db, plan, Progress::of(console)).await?;
    drop(lock);
    db.close().await.map_err(RunError::Close)
}
