//! A filled database of one's own, and questions to it.

use async_graphql::{Request, Variables};
use bookends::config::{Limits, Plan, Settings};
use bookends::db::Db;
use bookends::request::Permission;
use bookends::seed::{self, Progress};
use bookends::shop::Api;
use migration::{Migrator, MigratorTrait};
use serde_json::Value;
use testdb::{Statements, TestDb};

/// A database with a shop in it.
pub struct Shop {
    pub db: Db,
    pub api: Api,
    /// What the API reads.
    pub statements: Statements,
    pub test: TestDb,
}

/// Enough for a few pages.
pub const SMALL: Plan = Plan { books: 8, ratings: 25, orders: 10, rng_seed: 0 };

pub fn settings(url: &str) -> Settings {
    Settings { database_connections: 8, ..Settings::new(url) }
}

/// A database of the newest schema without a row in it.
pub async fn empty() -> (TestDb, Db) {
    let test = TestDb::new().await;
    let db = Db::connect(&settings(&test.url)).await.unwrap();
    db.migrate().await.unwrap();
    (test, db)
}

/// Reverts this change of the schema, and those after it.
pub async fn down(db: &Db, change: &str) {
    let changes = Migrator::migrations();
    let position = changes.iter().position(|other| other.name() == change).unwrap();
    db.migrate_down(u32::try_from(changes.len() - position).unwrap()).await.unwrap();
}

impl Shop {
    pub async fn new(plan: Plan) -> Self {
        Self::within(plan, Limits::DEFAULT).await
    }

    /// With other limits than the default ones.
    pub async fn within(plan: Plan, limits: Limits) -> Self {
        let (test, mut db) = empty().await;
        seed::fill(&db, plan, Progress::Lines).await.unwrap();
        let statements = Statements::default();
        db.reader.set_metric_callback(statements.recorder());
        Self { api: Api::new(db.clone(), limits), db, statements, test }
    }

    /// Executes a request that may write; the answer with its errors.
    pub async fn execute(&self, query: &str, variables: Value) -> Value {
        let request = Request::new(query).variables(Variables::from_json(variables)).data(Permission::Granted);
        serde_json::to_value(self.api.execute(request).await).unwrap()
    }

    /// Executes a query that must succeed; its data.
    #[track_caller]
    pub fn data(&self, query: &str) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            let mut answer = self.execute(query, Value::Null).await;
            assert_eq!(answer["errors"], Value::Null, "{query} at {caller}");
            answer["data"].take()
        }
    }

    /// Executes a query that must fail; the code of its only error.
    pub async fn code(&self, query: &str) -> String {
        let answer = self.execute(query, Value::Null).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{query} succeeded: {answer}"));
        assert_eq!(errors.len(), 1, "{answer}");
        errors[0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The global ids of the first book, the first rating and the first order.
    pub async fn first_of_each(&self) -> [String; 3] {
        let page = "(first: 1) { nodes { id } }";
        let data = self.data(&format!("{{ books{page} ratings{page} orders{page} }}")).await;
        ["books", "ratings", "orders"].map(|list| data[list]["nodes"][0]["id"].as_str().unwrap().to_owned())
    }

    /// How many rows a list has.
    pub async fn count(&self, list: &str) -> Value {
        self.data(&format!("{{ {list} {{ totalCount }} }}")).await[list]["totalCount"].take()
    }
}
