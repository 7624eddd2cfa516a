//! The commands, each as the story that it is.

use std::io::{self, Write};
use std::net::SocketAddr;

use migration::{Migrator, MigratorTrait};
use sea_orm::DbErr;
use tokio::net::TcpListener;

use crate::config::{Cli, Command, Direction, Plan, SecretError, Settings};
use crate::db::{ConnectError, Db};
use crate::seed::{self, Progress, SeedError};
use crate::server::{Access, Capacity, InvalidToken};
use crate::telemetry::Telemetry;
use crate::{EndpointError, HealthError, graphql, health, server};

/// Why a command failed: one line for a person.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A setting that stands in a file.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// Traces cannot be sent.
    #[error(transparent)]
    Telemetry(#[from] EndpointError),
    /// There is no database.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The schema could not be changed, or its state not be read.
    #[error("cannot migrate the database: {0}")]
    Migrate(DbErr),
    /// Nothing was filled.
    #[error("cannot fill the database: {0}")]
    Seed(#[from] SeedError),
    /// The address is in use, or is none of this machine's.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The server that was asked for is not well.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// Who may write is not to be known.
    #[error(transparent)]
    Access(#[from] InvalidToken),
    /// The database could not be closed.
    #[error("cannot close the database: {0}")]
    Close(DbErr),
}

/// Runs a command to its end.
///
/// # Errors
///
/// [`RunError`], whose text is what the person at the terminal needs.
pub async fn run(cli: Cli) -> Result<(), RunError> {
    let settings = &cli.settings.with_files()?;
    match cli.command.unwrap_or(Command::Serve) {
        Command::Schema => {
            say(graphql::sdl().trim_end());
            Ok(())
        }
        Command::Health => Ok(health::check(settings.listen)?),
        Command::Serve => with_telemetry(settings, Box::pin(serve(settings))).await,
        Command::Migrate { direction } => with_telemetry(settings, Box::pin(migrate(settings, direction))).await,
        Command::Seed(plan) => with_telemetry(settings, Box::pin(seed(settings, plan))).await,
    }
}

/// What works on the database, with a log and traces.
async fn with_telemetry(settings: &Settings, work: impl Future<Output = Result<(), RunError>>) -> Result<(), RunError> {
    let telemetry = Telemetry::start(&settings.telemetry)?;
    let done = work.await;
    telemetry.stop().await;
    done
}

async fn serve(settings: &Settings) -> Result<(), RunError> {
    // First the address: a port in use should not cost a migration.
    let address = settings.listen;
    let listen = |error| RunError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let access = Access::new(settings.write_token.clone(), address)?;

    let db = Db::connect(settings).await?;
    let turn = db.turn().await.map_err(RunError::Migrate)?;
    db.migrate().await.map_err(RunError::Migrate)?;
    if seed::is_empty(&db).await.map_err(SeedError::from)? {
        say("an empty database: filling in a small sample");
        seed::fill(&db, Plan::SAMPLE, Progress::for_stdout()).await?;
    }
    drop(turn);

    // First this: whoever reads that the server is there may stop it.
    let stop = server::stop_signal();
    say(format_args!("open http://{address} in a browser; the API is at http://{address}/graphql"));
    say(match access {
        Access::Token(_) => "writing takes the token in BOOKENDS_WRITE_TOKEN",
        Access::Loopback => "whoever is on this machine may write: there is no BOOKENDS_WRITE_TOKEN",
        Access::Nobody => {
            "nobody may write: there is no BOOKENDS_WRITE_TOKEN, and others than this machine can reach the server"
        }
    });
    let router = server::router(graphql::Api::new(db.clone(), settings.limits), access);
    let (bounds, capacity) = (&settings.bounds, Capacity::new(&settings.bounds));
    let router = server::observed(server::bounded(router, bounds, &capacity), &db.metrics);
    server::serve(listener, router, bounds, &capacity.sockets, stop).await;
    db.close().await.map_err(RunError::Close)
}

async fn migrate(settings: &Settings, direction: Direction) -> Result<(), RunError> {
    let db = Db::connect(settings).await?;
    let turn = db.turn().await.map_err(RunError::Migrate)?;
    match direction {
        Direction::Up => db.migrate().await,
        Direction::Down { steps } => db.migrate_down(steps).await,
        Direction::Status => Ok(()),
    }
    .map_err(RunError::Migrate)?;
    drop(turn);
    let changes = Migrator::get_migration_with_status_read_only(&db.writer).await.map_err(RunError::Migrate)?;
    for change in changes {
        say(format_args!("{:8} {}", change.status().to_string().to_lowercase(), change.name()));
    }
    db.close().await.map_err(RunError::Close)
}

async fn seed(settings: &Settings, plan: Plan) -> Result<(), RunError> {
    let db = Db::connect(settings).await?;
    let turn = db.turn().await.map_err(RunError::Migrate)?;
    db.migrate().await.map_err(RunError::Migrate)?;
    seed::fill(&db, plan, Progress::for_stdout()).await?;
    drop(turn);
    db.close().await.map_err(RunError::Close)
}

/// A line for the person at the terminal. One who no longer listens is no reason to stop.
pub(crate) fn say(line: impl std::fmt::Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}
