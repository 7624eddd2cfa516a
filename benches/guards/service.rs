//! The requests that are guarded, and the service that answers them in this process.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode};
use bookends::discover::{Options, discover};
use bookends_server::Application;
use bookends_server::config::{Bounds, Limits, Settings};
use bookends_server::db::Db;
use bookends_server::http::{self, Access, Server};
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use futures_util::StreamExt;
use serde_json::{Value, json};
use testdb::Statements;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tower::ServiceExt;

#[path = "integers.rs"]
mod integers;

/// Enough for the pages, few enough to fill in a moment under Valgrind.
const PLAN: Plan = Plan { books: 60, ratings: 2_000, orders: 0, rng_seed: 0 };

/// The first answers to a document take other paths than the later ones: plans and statements are then cached.
const WARM_UP: usize = 3;

/// How long a subscriber has, to begin, before the next event.
const MOMENT: Duration = Duration::from_millis(20);

const TOKEN: &str = "the-token-of-the-guards";

const TEN: &str = include_str!("documents/ten.graphql");
const HUNDRED: &str = include_str!("documents/hundred.graphql");
const NESTED: &str = include_str!("documents/nested.graphql");
const RATING: &str = include_str!("documents/rating.graphql");
const DISCOVERED: &str = include_str!("documents/discovered.graphql");
const SUBSCRIPTION: &str = include_str!("documents/subscription.graphql");

/// What the requests read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    /// Those of the shop, whose keys are UUIDs.
    Shop,
    /// The same as the program `bookends` discovers them.
    Discovered,
    /// Tables with integer keys.
    Integers,
    /// The same under a rule.
    Tenants,
}

pub const TABLES: [Tables; 4] = [Tables::Shop, Tables::Discovered, Tables::Integers, Tables::Tenants];

/// What is asked for.
#[derive(Clone, Copy)]
enum Kind {
    Plain,
    /// A page of this list that has rows before and after it.
    Page(&'static str),
    /// A rating of a book.
    Rating,
    /// The same, and what a subscriber then receives.
    Event,
}

/// A request, by its name in the records.
#[derive(Clone, Copy)]
pub struct Guarded {
    pub name: &'static str,
    pub tables: Tables,
    kind: Kind,
    document: &'static str,
}

impl Guarded {
    /// Whether it only reads.
    pub fn reads(self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::Page(_))
    }
}

const fn guarded(name: &'static str, tables: Tables, kind: Kind, document: &'static str) -> Guarded {
    Guarded { name, tables, kind, document }
}

pub const GUARDED: [Guarded; 13] = [
    guarded("trivial", Tables::Shop, Kind::Plain, "{ __typename }"),
    guarded("ten", Tables::Shop, Kind::Page("ratings"), TEN),
    guarded("hundred", Tables::Shop, Kind::Page("ratings"), HUNDRED),
    guarded("nested", Tables::Shop, Kind::Page("books"), NESTED),
    guarded("rating", Tables::Shop, Kind::Rating, RATING),
    guarded("event", Tables::Shop, Kind::Event, RATING),
    guarded("discovered", Tables::Discovered, Kind::Page("bookRatings"), DISCOVERED),
    guarded("integersten", Tables::Integers, Kind::Page("ratings"), TEN),
    guarded("integershundred", Tables::Integers, Kind::Page("ratings"), HUNDRED),
    guarded("integersnested", Tables::Integers, Kind::Page("books"), NESTED),
    guarded("tenantsten", Tables::Tenants, Kind::Page("ratings"), TEN),
    guarded("tenantshundred", Tables::Tenants, Kind::Page("ratings"), HUNDRED),
    guarded("tenantsnested", Tables::Tenants, Kind::Page("books"), NESTED),
];

/// A filled database, and the service over it.
pub struct Service {
    db: Db,
    service: http::Service,
}

/// A request that was answered a few times.
pub struct Asking {
    body: Bytes,
    /// What a subscriber receives.
    events: Option<mpsc::UnboundedReceiver<Bytes>>,
}

impl Service {
    /// Fills an empty database. With a recorder, each statement that reads is recorded.
    pub async fn new(tables: Tables, url: &str, recorder: Option<&Statements>) -> Self {
        // One connection to read: a request that comes before the last one has released its own would open another.
        let settings = Settings { database_connections: 1, ..Settings::new(url) };
        let application = match tables {
            Tables::Shop | Tables::Discovered => bookshop::application().clone(),
            Tables::Integers => integers::application(),
            Tables::Tenants => integers::of_tenants(),
        };
        let mut db = application.connect(&settings).await.expect("a database");
        db.migrate().await.expect("a migrated database");
        if matches!(tables, Tables::Shop | Tables::Discovered) {
            seed::fill(&db, PLAN, Progress::Lines).await.expect("a filled database");
        }
        let application = if tables == Tables::Discovered { discovered(&db).await } else { application };
        if let Some(statements) = recorder {
            db.reader.set_metric_callback(statements.recorder());
        }
        let api = application.api(db.clone(), Limits::DEFAULT);
        let service = Server::new(api, Access::Token(TOKEN.into()), Bounds::DEFAULT).service();
        Self { db, service }
    }

    /// A request, which has been answered a few times.
    pub async fn warm(&self, Guarded { kind, document, .. }: Guarded) -> Asking {
        let mut body = json!({ "query": document });
        match kind {
            Kind::Plain => {}
            // The fifth row: 55 books are left, and more ratings.
            Kind::Page(list) => {
                let data = self.data(&format!("{{ {list}(first: 5) {{ pageInfo {{ endCursor }} }} }}")).await;
                body["variables"]["after"] = data[list]["pageInfo"]["endCursor"].clone();
            }
            Kind::Rating | Kind::Event => {
                body["variables"]["book"] =
                    self.data("{ books(first: 1) { nodes { id } } }").await["books"]["nodes"][0]["id"].clone();
            }
        }
        let body = Bytes::from(body.to_string());
        for _ in 0..WARM_UP {
            let answer: Value = serde_json::from_slice(&self.answer(&body).await).expect("an answer in JSON");
            assert!(answer["errors"].is_null(), "{answer}");
            if let Kind::Page(list) = kind {
                let info = &answer["data"][list]["pageInfo"];
                assert!(info["hasPreviousPage"] == true && info["hasNextPage"] == true, "{info}");
            }
        }
        let mut asking = Asking { body, events: None };
        if matches!(kind, Kind::Event) {
            asking.events = Some(self.subscribe(&asking.body).await);
            for _ in 0..WARM_UP {
                self.ask(&mut asking).await;
            }
        }
        asking
    }

    /// Has a request answered, and the subscriber receive its event if there is one.
    pub async fn ask(&self, Asking { body, events }: &mut Asking) {
        self.answer(body).await;
        if let Some(events) = events {
            events.recv().await.expect("an event");
        }
    }

    /// Whether a connection is in use.
    pub fn is_busy(&self) -> bool {
        self.db.reader.usage().used > 0
    }

    /// A subscriber, which has received the event of this mutation.
    async fn subscribe(&self, mutation: &Bytes) -> mpsc::UnboundedReceiver<Bytes> {
        let body = Bytes::from(json!({ "query": SUBSCRIPTION }).to_string());
        let response = self.service.clone().oneshot(request(&body, "text/event-stream")).await.expect("a response");
        let (sender, mut events) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut stream = response.into_body().into_data_stream();
            while let Some(Ok(bytes)) = stream.next().await {
                // What comes in between keeps the connection alive.
                if bytes.starts_with(b"event: next") && sender.send(bytes).is_err() {
                    return;
                }
            }
        });
        // It begins by itself, some time.
        while events.is_empty() {
            self.answer(mutation).await;
            sleep(MOMENT).await;
        }
        while events.try_recv().is_ok() {}
        events
    }

    async fn data(&self, document: &str) -> Value {
        let answer = self.answer(&json!({ "query": document }).to_string().into()).await;
        serde_json::from_slice::<Value>(&answer).expect("an answer in JSON")["data"].take()
    }

    async fn answer(&self, body: &Bytes) -> Bytes {
        let response = self.service.clone().oneshot(request(body, "application/graphql-response+json")).await;
        let response = response.expect("a response");
        assert_eq!(response.status(), StatusCode::OK);
        to_bytes(response.into_body(), usize::MAX).await.expect("a body")
    }
}

async fn discovered(db: &Db) -> Application {
    let options = Options { write: true, ..Options::default() };
    discover(db, &options).await.expect("the tables of the shop").app.check().expect("an application")
}

fn request(body: &Bytes, accept: &str) -> Request<Body> {
    Request::post("/graphql")
        .header("Content-Type", "application/json")
        .header("Accept", accept)
        .header("Authorization", format!("Bearer {TOKEN}"))
        .body(Body::from(body.clone()))
        .expect("a request")
}
