//! A filled database of one's own, and questions to the API over it.

use std::panic::Location;

use async_graphql::{Request, Variables};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use bookends_server::db::Db;
use bookends_server::request::{Incoming, Permission};
use serde_json::{Value, json};
use testdb::{Statements, TestDb};
use tower::ServiceExt;

use crate::support::served::{TOKEN, routes, writable};
use crate::support::{OFFERED, Plan, application, fill};

/// An application over a database with rows in it.
pub struct Filled {
    pub db: Db,
    pub api: Api,
    /// What the API reads.
    pub statements: Statements,
    pub test: TestDb,
    /// The API over HTTP.
    service: Router,
}

pub fn settings(url: &str) -> Settings {
    Settings { database_connections: 8, ..Settings::new(url) }
}

/// A database of the newest schema without a row in it.
pub async fn empty() -> (TestDb, Db) {
    let test = TestDb::new().await;
    let db = application().connect(&settings(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    (test, db)
}

/// A request that may write.
pub fn permitted(request: Request) -> Incoming {
    Incoming::from(request).permitted(Permission::Granted)
}

impl Filled {
    pub async fn new(plan: Plan) -> Self {
        Self::within(plan, Limits::DEFAULT).await
    }

    /// With other limits than the default ones.
    pub async fn within(plan: Plan, limits: Limits) -> Self {
        let (test, db) = empty().await;
        fill(&db, plan).await.unwrap();
        Self::over(db, limits, test)
    }

    /// Over these connections to the database.
    pub fn over(mut db: Db, limits: Limits, test: TestDb) -> Self {
        let statements = Statements::default();
        db.reader.set_metric_callback(statements.recorder());
        let api = application().api(db.clone(), limits);
        Self { service: routes(api.clone(), writable()), api, db, statements, test }
    }

    /// Executes a request that may write; the answer with its errors.
    pub async fn execute(&self, query: &str, variables: Value) -> Value {
        let request = Request::new(query).variables(Variables::from_json(variables));
        serde_json::to_value(self.api.execute(permitted(request)).await).unwrap()
    }

    /// Sends a request that may write over HTTP; the body of the response.
    pub async fn body(&self, query: &str, variables: Value) -> String {
        let body = json!({ "query": query, "variables": variables }).to_string();
        let request = axum::http::Request::post("/graphql")
            .header(CONTENT_TYPE, "application/json")
            .header(AUTHORIZATION, format!("Bearer {TOKEN}"));
        let response = self.service.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().into()).unwrap()
    }

    /// Executes a request that must succeed; its data.
    #[track_caller]
    pub fn data(&self, query: &str) -> impl Future<Output = Value> {
        let caller = Location::caller();
        async move { succeeded(self.answer(query).await, query, caller) }
    }

    /// The body of the response, as JSON.
    async fn answer(&self, query: &str) -> Value {
        serde_json::from_str(&self.body(query, Value::Null).await).unwrap()
    }

    /// Executes a request that must fail; the code of its only error.
    pub async fn code(&self, query: &str) -> String {
        let answer = self.answer(query).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{query} succeeded: {answer}"));
        assert_eq!(errors.len(), 1, "{answer}");
        errors[0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The global ids of the first objects of the lists of the query.
    pub async fn first_of_each(&self) -> [String; 3] {
        let lists = [0, 1, 2].map(|place| OFFERED[place].0);
        let pages = lists.map(|list| format!("{list}(first: 1) {{ nodes {{ id }} }}"));
        let data = self.data(&format!("{{ {} }}", pages.join(" "))).await;
        lists.map(|list| data[list]["nodes"][0]["id"].as_str().unwrap().to_owned())
    }

    /// How many rows a list has.
    pub async fn count(&self, list: &str) -> Value {
        self.data(&format!("{{ {list} {{ totalCount }} }}")).await[list]["totalCount"].take()
    }
}

/// The data of a response to this query, which must have no errors.
#[track_caller]
pub fn succeeded(mut answer: Value, query: &str, caller: &Location<'_>) -> Value {
    assert_eq!(answer["errors"], Value::Null, "{query} at {caller}");
    answer["data"].take()
}
