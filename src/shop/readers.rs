//! Where requests read: queries from replicas where there are some, everything else from the primary.

use std::pin::Pin;
use std::time::Duration;

use keyset::ReadRows;
use keyset_graphql::Reader;
use sea_orm::{ConnAcquireErr, DbErr};
use tokio::time::timeout;

use crate::db::{Db, Position};
use crate::request;

/// How long a mutation that was committed waits for its position.
const POSITION_TIMEOUT: Duration = Duration::from_secs(1);

/// The readers of a database.
pub struct Readers {
    db: Db,
    primary: Reader,
    /// For queries of one statement, without a position.
    any: Reader,
}

impl Readers {
    pub fn new(db: &Db) -> Self {
        let primary = reader(db, db.reader.clone());
        let any = if db.replicas.is_empty() { primary.clone() } else { reader(db, db.route(None)) };
        Self { db: db.clone(), primary, any }
    }
}

impl request::Readers for Readers {
    fn primary(&self) -> Reader {
        self.primary.clone()
    }

    fn single(&self, after: Option<Position>) -> Reader {
        match after {
            Some(_) if !self.db.replicas.is_empty() => self.primary.over(self.db.route(after)),
            _ => self.any.clone(),
        }
    }

    fn snapshot(&self, after: Option<Position>) -> Reader {
        if self.db.replicas.is_empty() {
            self.primary.over(self.db.reader.snapshot())
        } else {
            self.primary.over(self.db.route(after).snapshot())
        }
    }

    fn position(&self) -> Pin<Box<dyn Future<Output = Option<Position>> + Send + '_>> {
        Box::pin(async {
            let position = timeout(POSITION_TIMEOUT, self.db.position()).await;
            position.unwrap_or_else(|_| Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))).unwrap_or_else(|error| {
                tracing::warn!(%error, "the position of a mutation is unknown: its client will read from the primary");
                Some(Position::END)
            })
        })
    }
}

/// Reads through this connection, and counts the pages.
pub fn reader(db: &Db, connection: impl ReadRows + Send + 'static) -> Reader {
    let metrics = db.metrics.clone();
    Reader::new(connection)
        .on_failure(request::database)
        .on_pages_read(move |field, end, pages| metrics.pages(field, end, pages))
}
