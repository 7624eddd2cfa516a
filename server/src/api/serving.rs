//! One application that is served, until another one takes its place.

use std::sync::{Arc, OnceLock};

use async_graphql::Response;
use async_graphql::futures_util::stream::BoxStream;
use bookends_graphql::Assumed;
use keyset::ReadRows;
use tokio::sync::watch;

use crate::app::Application;
use crate::config::Limits;
use crate::db::Db;
use crate::events::Events;
use crate::guide::Guided;
use crate::http::page::{self, Bundle};
use crate::http::schema::Text;
use crate::mutation::Rows;
use crate::readers::Readers;
use crate::request::{CheckedSchema, Incoming, Parts, Readers as _, Tables, Trusted};
use crate::schema::{AnySchema, Resolving};

/// The schema of an application over a database. A request is answered by one, whatever is served when it ends.
pub struct Serving {
    pub schema: CheckedSchema<Guided<AnySchema>>,
    pub application: Application,
    pub events: Events,
    /// GraphiQL and the text of the schema, once they are asked for.
    page: OnceLock<Bundle>,
    sdl: OnceLock<Option<Text>>,
    /// Ends the subscriptions.
    replaced: watch::Sender<bool>,
}

impl Serving {
    /// An application in place of another one, whose clients keep what they have used of their budgets.
    pub fn new(application: Application, db: &Db, limits: Limits, trusted: Trusted, last: Option<&Self>) -> Self {
        let events = Events::new(db, application.declaration());
        let validator = application.validator(limits);
        let (statistics, hides_rows) = (db.statistics.clone(), db.roles.is_some());
        // A price would tell a role how many rows there are that it does not see.
        let hidden = application.declaration().tables().filter(|_| hides_rows).map(|table| table.name().to_owned());
        let assumed = Assumed::of(hidden.collect());
        let current = move || assumed.instead_of(statistics.current());
        let tables = Tables { backend: db.reader.backend(), hides_rows, statistics: Arc::new(current) };
        let readers = Readers::new(db, application.declaration(), limits);
        let rows = Arc::new(Rows { reader: readers.primary(None) });
        let resolving = Resolving { db: db.clone(), events: events.clone(), rows };
        let (replaced, end) = watch::channel(false);
        let parts = Parts {
            schema: Guided {
                guide: application.guide().unwrap_or_default().into(),
                schema: application.schema(resolving),
            },
            costs: application.costs(&validator, tables),
            validator,
            trusted,
            limits,
            roles: db.roles.clone(),
            readers: Arc::new(readers),
            metrics: db.metrics.clone(),
            replaced: end,
        };
        let schema = match last {
            Some(last) => last.schema.replaced_by(parts),
            None => CheckedSchema::new(parts),
        };
        Self { schema, application, events, page: OnceLock::new(), sdl: OnceLock::new(), replaced }
    }

    /// Ends the subscriptions, and those that are about to begin.
    pub fn end(&self) {
        self.replaced.send_replace(true);
    }

    /// GraphiQL.
    pub fn page(&self) -> &Bundle {
        self.page.get_or_init(|| page::of(&self.application))
    }

    /// The schema as text, if clients may read it.
    pub fn sdl(&self) -> Option<&Text> {
        let text = || self.schema.may_introspect().then(|| Text::new(self.application.sdl()));
        self.sdl.get_or_init(text).as_ref()
    }

    /// Executes a query or a mutation.
    pub fn execute(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        self.schema.execute(incoming)
    }

    /// Executes a query, and refuses a mutation.
    pub fn query(&self, incoming: impl Into<Incoming> + Send) -> impl Future<Output = Response> + Send {
        self.schema.query(incoming)
    }

    /// The responses to an operation, which can be of any kind.
    pub fn stream(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.schema.stream(incoming)
    }

    /// The responses to a request that asked for an event stream by GET. A mutation is refused.
    pub fn stream_by_get(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.schema.stream_by_get(incoming)
    }
}
