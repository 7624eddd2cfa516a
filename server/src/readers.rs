//! Where requests read: queries from replicas where there are some, everything else from the primary.

use std::sync::Arc;
use std::time::Duration;

use bookends_graphql::{Declaration, Reader};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use keyset::{ReadRows, Table};
use sea_orm::{ConnAcquireErr, DbErr};
use tokio::time::timeout;

use crate::config::Limits;
use crate::db::{Db, Position, Role};
use crate::request::{self, Coalesced};

/// How long a response waits for its position.
const POSITION_TIMEOUT: Duration = Duration::from_secs(1);

/// The readers of a database.
pub struct Readers {
    db: Db,
    primary: Reader,
    /// For queries of one statement, without a position.
    any: Reader,
    /// The positions of events, which many subscribers hear at a time; none without replicas.
    positions: Option<Coalesced<Position>>,
}

impl Readers {
    pub fn new(db: &Db, declaration: &Arc<Declaration>, limits: Limits) -> Self {
        let primary = reader(db, declaration, db.reader.clone()).within(limits.pages());
        if db.replicas.is_empty() {
            return Self { db: db.clone(), any: primary.clone(), primary, positions: None };
        }
        let asked = db.clone();
        let positions = Coalesced::new(move || position(asked.clone()).boxed());
        Self { db: db.clone(), any: primary.over(db.route(None)), primary, positions: Some(positions) }
    }
}

impl request::Readers for Readers {
    fn primary(&self, role: Option<&Role>) -> Reader {
        match role {
            Some(_) => self.primary.over(self.db.reader.with_role(role)),
            None => self.primary.clone(),
        }
    }

    fn single(&self, after: Option<Position>, role: Option<&Role>) -> Reader {
        match (after, role) {
            (_, Some(_)) if self.db.replicas.is_empty() => self.primary(role),
            (_, Some(_)) => self.primary.over(self.db.route(after).with_role(role)),
            (Some(_), None) if !self.db.replicas.is_empty() => self.primary.over(self.db.route(after)),
            _ => self.any.clone(),
        }
    }

    fn snapshot(&self, after: Option<Position>, role: Option<&Role>) -> Reader {
        let snapshot = if self.db.replicas.is_empty() {
            self.primary.over(self.db.reader.with_role(role).snapshot())
        } else {
            self.primary.over(self.db.route(after).with_role(role).snapshot())
        };
        snapshot.alone_through(self.single(after, role))
    }

    fn position(&self) -> Option<BoxFuture<'static, Position>> {
        (!self.db.replicas.is_empty()).then(|| position(self.db.clone()).boxed())
    }

    fn shared_position(&self) -> Option<BoxFuture<'static, Position>> {
        let shared = timeout(POSITION_TIMEOUT, self.positions.as_ref()?.get());
        Some(shared.map(|position| position.ok().flatten().unwrap_or(Position::END)).boxed())
    }
}

/// The position of all that is committed now. Where it is unknown, that which only the primary has.
async fn position(db: Db) -> Position {
    let position = timeout(POSITION_TIMEOUT, db.position()).await;
    position.unwrap_or_else(|_| Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))).unwrap_or_else(|error| {
        tracing::warn!(%error, "the position of a response is unknown: its client will read from the primary");
        Position::END
    })
}

/// Reads through this connection, and counts the pages.
pub fn reader(db: &Db, declaration: &Arc<Declaration>, connection: impl ReadRows + Send + 'static) -> Reader {
    let (metrics, statistics, declaration) = (db.metrics.clone(), db.statistics.clone(), Arc::clone(declaration));
    let reader = Reader::new(connection)
        .placed(move || statistics.current().placement(declaration.tables().map(Table::name)))
        .on_failure(request::database)
        .on_pages_read(move |field, end, pages| metrics.pages(field, end, pages));
    if db.roles.is_some() { reader.hiding_rows() } else { reader }
}
