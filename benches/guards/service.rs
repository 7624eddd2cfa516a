//! The requests that are guarded, and the service that answers them in this process.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode};
use bookends_server::config::{Bounds, Limits, Settings};
use bookends_server::db::Db;
use bookends_server::http::{self, Access, Server};
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use serde_json::{Value, json};
use testdb::Statements;
use tower::ServiceExt;

#[path = "integers.rs"]
mod integers;

/// One database in memory for all connections of this process. In `:memory:` each connection would have its own, and
/// the server would read on its writer, as it never does with a file.
pub fn in_memory(tables: Tables) -> &'static str {
    match tables {
        Tables::Shop => "sqlite:///guards?vfs=memdb",
        Tables::Integers => "sqlite:///integers?vfs=memdb",
        Tables::Tenants => "sqlite:///tenants?vfs=memdb",
    }
}

/// Enough for the pages, few enough to fill in a moment under Valgrind.
const PLAN: Plan = Plan { books: 60, ratings: 2_000, orders: 0, rng_seed: 0 };

/// The first answers to a document take other paths than the later ones: plans and statements are then cached.
const WARM_UP: usize = 3;

macro_rules! info {
    () => {
        "pageInfo { hasPreviousPage hasNextPage startCursor endCursor }"
    };
}

const TEN: &str = concat!(
    "query Ten($after: String) { ratings(first: 10, after: $after) ",
    "{ edges { cursor node { id rating book { name } } } ",
    info!(),
    " } }"
);
const HUNDRED: &str = concat!(
    "query Hundred($after: String) { ratings(first: 100, after: $after) ",
    "{ edges { cursor node { id rating book { name } } } ",
    info!(),
    " } }"
);
const NESTED: &str = concat!(
    "query Nested($after: String) { books(first: 50, after: $after) ",
    "{ nodes { id name ratings(first: 5) { nodes { id rating } pageInfo { hasPreviousPage hasNextPage } } } ",
    info!(),
    " } }"
);

/// What the requests read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    /// Those of the shop, whose keys are UUIDs.
    Shop,
    /// Tables with integer keys.
    Integers,
    /// The same under a rule.
    Tenants,
}

/// A request: its name in the records, and a document with a variable for a cursor if there is a list to page through.
#[derive(Clone, Copy)]
pub struct Guarded {
    pub name: &'static str,
    pub tables: Tables,
    list: Option<&'static str>,
    document: &'static str,
}

const fn guarded(name: &'static str, tables: Tables, list: Option<&'static str>, document: &'static str) -> Guarded {
    Guarded { name, tables, list, document }
}

pub const GUARDED: [Guarded; 10] = [
    guarded("trivial", Tables::Shop, None, "{ __typename }"),
    guarded("ten", Tables::Shop, Some("ratings"), TEN),
    guarded("hundred", Tables::Shop, Some("ratings"), HUNDRED),
    guarded("nested", Tables::Shop, Some("books"), NESTED),
    guarded("integersten", Tables::Integers, Some("ratings"), TEN),
    guarded("integershundred", Tables::Integers, Some("ratings"), HUNDRED),
    guarded("integersnested", Tables::Integers, Some("books"), NESTED),
    guarded("tenantsten", Tables::Tenants, Some("ratings"), TEN),
    guarded("tenantshundred", Tables::Tenants, Some("ratings"), HUNDRED),
    guarded("tenantsnested", Tables::Tenants, Some("books"), NESTED),
];

/// A filled database, and the service over it.
pub struct Service {
    pub db: Db,
    service: http::Service,
}

impl Service {
    /// Fills an empty database. With a recorder, each statement that reads is recorded.
    pub async fn new(tables: Tables, url: &str, recorder: Option<&Statements>) -> Self {
        // One connection to read: a request that comes before the last one has released its own would open another.
        let settings = Settings { database_connections: 1, ..Settings::new(url) };
        let application = match tables {
            Tables::Shop => bookshop::application().clone(),
            Tables::Integers => integers::application(),
            Tables::Tenants => integers::of_tenants(),
        };
        let mut db = application.connect(&settings).await.expect("a database");
        db.migrate().await.expect("a migrated database");
        if tables == Tables::Shop {
            seed::fill(&db, PLAN, Progress::Lines).await.expect("a filled database");
        }
        if let Some(statements) = recorder {
            db.reader.set_metric_callback(statements.recorder());
        }
        let api = application.api(db.clone(), Limits::DEFAULT);
        let service = Server::new(api, Access::Nobody, Bounds::DEFAULT).service();
        Self { db, service }
    }

    /// The body of a request for a page that has rows before and after it, answered a few times.
    pub async fn warm(&self, guarded: Guarded) -> Bytes {
        let mut body = json!({ "query": guarded.document });
        if let Some(list) = guarded.list {
            // The fifth row: 55 books are left, and more ratings.
            let document = format!("{{ {list}(first: 5) {{ pageInfo {{ endCursor }} }} }}");
            let answer = self.answer(&json!({ "query": document }).to_string().into()).await;
            let answer: Value = serde_json::from_slice(&answer).expect("an answer in JSON");
            body["variables"]["after"] = answer["data"][list]["pageInfo"]["endCursor"].clone();
        }
        let body = Bytes::from(body.to_string());
        for _ in 0..WARM_UP {
            let answer: Value = serde_json::from_slice(&self.answer(&body).await).expect("an answer in JSON");
            assert!(answer["errors"].is_null(), "{answer}");
            if let Some(list) = guarded.list {
                let info = &answer["data"][list]["pageInfo"];
                assert!(info["hasPreviousPage"] == true && info["hasNextPage"] == true, "{info}");
            }
        }
        body
    }

    /// Answers one request.
    pub async fn answer(&self, body: &Bytes) -> Bytes {
        let request = Request::post("/graphql")
            .header("Content-Type", "application/json")
            .header("Accept", "application/graphql-response+json")
            .body(Body::from(body.clone()))
            .expect("a request");
        let Ok(response) = self.service.clone().oneshot(request).await;
        assert_eq!(response.status(), StatusCode::OK);
        to_bytes(response.into_body(), usize::MAX).await.expect("a body")
    }
}
