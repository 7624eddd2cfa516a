//! Reads from a replica, or from the primary.

use std::fmt;

use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DbBackend, DbErr, Statement};
use tokio::sync::Mutex;

use super::Replicas;
use super::replica::{Reading, is_lost};
use crate::db::failure::lost;
use crate::db::position::Position;
use crate::db::{Reads, Role, Snapshot};

/// Where the queries of a request read. Each statement sees a state of its own.
#[derive(Clone, Debug)]
pub struct Route {
    primary: Reads,
    replicas: Replicas,
    /// What the state must include.
    after: Option<Position>,
    /// What each transaction takes on.
    role: Option<Role>,
}

/// Statements that see one state of the database, on one server. It is chosen by the first of them.
pub struct RoutedSnapshot {
    route: Route,
    state: Mutex<State>,
}

enum State {
    New,
    Open(Option<Reading>, Box<Snapshot>),
    Lost,
}

impl Route {
    /// Reads from these replicas, or from the primary, a state that includes this position.
    pub fn new(primary: Reads, replicas: Replicas, after: Option<Position>) -> Self {
        Self { primary, replicas, after, role: None }
    }

    /// The same, in this role. It ends with each transaction.
    #[must_use]
    pub fn with_role(self, role: Option<&Role>) -> Self {
        Self { primary: self.primary.with_role(role), role: role.cloned(), ..self }
    }

    /// Statements that see one state of the database.
    pub fn snapshot(self) -> RoutedSnapshot {
        RoutedSnapshot { route: self, state: Mutex::new(State::New) }
    }

    async fn runs(&self, statement: Statement, many: Option<Many>) -> Result<Vec<Vec<Record>>, DbErr> {
        // At the end, none is left.
        for _ in 0..=self.replicas.len() {
            let Some(reading) = self.replicas.choose(self.after).await else { break };
            let reads = reading.reads().with_role(self.role.as_ref());
            let read = run(&reads, statement.clone(), many.clone());
            match reading.run(read).await {
                // It is ejected.
                Err(error) if is_lost(&error) => {}
                result => return result,
            }
        }
        run(&self.primary, statement, many).await
    }
}

impl RoutedSnapshot {
    async fn runs(&self, statement: Statement, many: Option<Many>) -> Result<Vec<Vec<Record>>, DbErr> {
        let mut state = self.state.lock().await;
        match &*state {
            State::Lost => return Err(lost()),
            State::Open(reading, snapshot) => {
                let result = read(reading.as_ref(), snapshot, statement, many).await;
                if result.as_ref().is_err_and(is_lost) {
                    *state = State::Lost;
                }
                return result;
            }
            State::New => {}
        }
        let Route { primary, replicas, after, role } = &self.route;
        for _ in 0..=replicas.len() {
            let Some(reading) = replicas.choose(*after).await else { break };
            let snapshot = reading.reads().with_role(role.as_ref()).snapshot();
            match read(Some(&reading), &snapshot, statement.clone(), many.clone()).await {
                // It is ejected, and nothing has been read yet.
                Err(error) if is_lost(&error) => {}
                result => {
                    *state = State::Open(Some(reading), snapshot.into());
                    return result;
                }
            }
        }
        let snapshot = primary.snapshot();
        let result = read(None, &snapshot, statement, many).await;
        *state = State::Open(None, snapshot.into());
        result
    }
}

async fn read(
    reading: Option<&Reading>,
    snapshot: &Snapshot,
    statement: Statement,
    many: Option<Many>,
) -> Result<Vec<Vec<Record>>, DbErr> {
    let read = run(snapshot, statement, many);
    match reading {
        Some(reading) => reading.run(read).await,
        None => read.await,
    }
}

async fn run(reads: &impl ReadRows, statement: Statement, many: Option<Many>) -> Result<Vec<Vec<Record>>, DbErr> {
    match many {
        Some(many) => reads.read_many(statement, many).await,
        None => Ok(vec![reads.read(statement).await?]),
    }
}

impl fmt::Debug for RoutedSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RoutedSnapshot").field("route", &self.route).finish_non_exhaustive()
    }
}

/// The same methods for both.
macro_rules! reads {
    ($type:ty, $self:ident => $route:expr) => {
        #[async_trait]
        impl ReadRows for $type {
            fn backend(&$self) -> DbBackend {
                $route.primary.backend()
            }

            async fn read(&$self, statement: Statement) -> Result<Vec<Record>, DbErr> {
                Ok($self.runs(statement, None).await?.pop().unwrap_or_default())
            }

            fn reads_many(&$self) -> ManyBy {
                $route.primary.reads_many()
            }

            async fn read_many(&$self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
                $self.runs(statement, Some(many)).await
            }
        }
    };
}

reads!(Route, self => self);
reads!(RoutedSnapshot, self => self.route);
