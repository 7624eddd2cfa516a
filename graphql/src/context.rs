//! The database that lists read from, in the context of a request.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_graphql::{Context, ContextBase};
use keyset::{End, Limits, Many, ManyBy, Placement, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DatabaseConnection, DbBackend, DbErr, Statement};

use crate::declare::declaration::Declaration;
use crate::snapshot::Snapshot;
use crate::{Error, Plans};

/// The connection that lists read through. Put one into the data of the schema, or of a request, whose own goes first.
/// Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    connection: Arc<dyn ReadRows + Send>,
    /// The same connection, if it can begin transactions.
    database: Option<DatabaseConnection>,
    /// Of a snapshot, the reader without it.
    without_snapshot: Option<Arc<Self>>,
    limits: Limits,
    hides_rows: bool,
    failed: fn(DbErr) -> Error,
    pages_read: Option<Arc<PagesRead>>,
    placement: Option<Arc<PlacementOf>>,
}

/// Receives the name of a list field, the end of its pages, and their number.
type PagesRead = dyn Fn(&str, End, usize) + Send + Sync;

/// Says where the tables are.
type PlacementOf = dyn Fn() -> Placement + Send + Sync;

impl Reader {
    /// Reads through this connection, or pool. Each statement sees what is committed when it runs: for one state in each
    /// response, see [`Snapshots`](crate::Snapshots).
    pub fn new(connection: impl ReadRows + Send + 'static) -> Self {
        let failed = |error| Error::internal(&error);
        let database = (&connection as &dyn Any).downcast_ref().cloned();
        let (connection, limits) = (Arc::new(connection), Limits::default());
        Self {
            connection,
            database,
            without_snapshot: None,
            limits,
            hides_rows: false,
            failed,
            pages_read: None,
            placement: None,
        }
    }

    /// Says that the database itself hides rows from a request, as the row-level security of PostgreSQL does. Then every row is
    /// counted, no number is estimated, and a related object that is absent is no fault of the database.
    #[must_use]
    pub fn hiding_rows(self) -> Self {
        Self { hides_rows: true, ..self }
    }

    /// Whether the database itself hides rows.
    pub(crate) fn hides_rows(&self) -> bool {
        self.hides_rows
    }

    /// The same with other limits of pages than the default ones.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The limits of pages.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same through another connection, such as one that waits before it reads.
    #[must_use]
    pub fn over(&self, connection: impl ReadRows + Send + 'static) -> Self {
        Self { connection: Arc::new(connection), database: None, without_snapshot: None, ..self.clone() }
    }

    /// Whether its connection can begin transactions.
    pub(crate) fn has_snapshots(&self) -> bool {
        self.database.is_some()
    }

    /// The same for one response, whose statements see one state of the database.
    pub(crate) fn snapshot(&self) -> Self {
        match &self.database {
            None => self.clone(),
            Some(db) => self.over(Snapshot::of(db.clone())).alone_through(self.clone()),
        }
    }

    /// Says that its connection is a snapshot, without which this other reader reads a response of one statement.
    #[must_use]
    pub fn alone_through(self, without_snapshot: Self) -> Self {
        Self { without_snapshot: Some(Arc::new(without_snapshot)), ..self }
    }

    /// Of a snapshot, the reader without it, for a response that needs one statement.
    pub(crate) fn without_snapshot(&self) -> Option<&Self> {
        self.without_snapshot.as_deref()
    }

    /// Says what a client reads when the database fails: by default `INTERNAL`.
    #[must_use]
    pub fn on_failure(self, failed: fn(DbErr) -> Error) -> Self {
        Self { failed, ..self }
    }

    /// Calls this when pages have been read, for metrics.
    #[must_use]
    pub fn on_pages_read(self, pages_read: impl Fn(&str, End, usize) + Send + Sync + 'static) -> Self {
        Self { pages_read: Some(Arc::new(pages_read)), ..self }
    }

    /// Asks this before each statement, instead of the connection: see [`ReadRows::placement`]. Tables can be moved to other servers
    /// while this server runs.
    #[must_use]
    pub fn placed(self, placement: impl Fn() -> Placement + Send + Sync + 'static) -> Self {
        Self { placement: Some(Arc::new(placement)), ..self }
    }

    /// The error that a client reads when the database fails.
    pub fn error(&self, error: DbErr) -> Error {
        (self.failed)(error)
    }

    pub(crate) fn pages_read(&self, field: &str, end: End, pages: usize) {
        if let Some(pages_read) = &self.pages_read {
            pages_read(field, end, pages);
        }
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

/// How a server executes a request. It puts one into the data of each, and writes the response by [`json::write`]: fields that
/// are read by a plan are JSON.
///
/// [`json::write`]: crate::json::write
#[derive(Clone, Debug)]
pub struct Execution {
    /// Where the request reads.
    pub reader: Reader,
    /// The document of the request.
    pub plans: Plans,
}

/// The connection that a request reads through.
pub(crate) fn reader_of<'a, T>(context: &ContextBase<'a, T>) -> &'a Reader {
    match context.data_opt::<Execution>() {
        Some(execution) => &execution.reader,
        None => context.data_unchecked(),
    }
}

/// The declaration of the schema.
pub(crate) fn declaration_of<'a, T>(context: &ContextBase<'a, T>) -> &'a Declaration {
    context.data_unchecked::<Arc<Declaration>>()
}

/// Shortcuts to the data of a request.
pub trait ContextExt<'a> {
    /// The connection that lists read through.
    ///
    /// # Panics
    ///
    /// Panics if the data have neither an [`Execution`] nor a [`Reader`].
    fn reader(&self) -> &'a Reader;

    /// What the schema declares.
    ///
    /// # Panics
    ///
    /// Panics unless [`Declaration::schema`] built the schema.
    fn declaration(&self) -> &'a Arc<Declaration>;
}

impl<'a> ContextExt<'a> for Context<'a> {
    fn reader(&self) -> &'a Reader {
        reader_of(self)
    }

    fn declaration(&self) -> &'a Arc<Declaration> {
        self.data_unchecked()
    }
}

#[async_trait]
impl ReadRows for Reader {
    fn backend(&self) -> DbBackend {
        self.connection.backend()
    }

    fn placement(&self) -> Placement {
        self.placement.as_ref().map_or_else(|| self.connection.placement(), |placement| placement())
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        self.connection.read(statement).await
    }

    fn reads_many(&self) -> ManyBy {
        self.connection.reads_many()
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        self.connection.read_many(statement, many).await
    }
}
