//! The example `projects` behind a server, with rules and guards of a test.

use bookends_server::async_graphql::{Request, Variables};
use bookends_server::config::{Limits, Settings};
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, App, Application, Declaring};
use sea_orm::DatabaseConnection;
use serde_json::{Value as Json, json};
use testdb::Statements;

use crate::world::World;

/// Who asks.
#[derive(Clone, Debug)]
pub struct Member {
    pub tenant: Option<&'static str>,
    pub is_admin: bool,
}

pub const ACME: Member = Member { tenant: Some("acme"), is_admin: false };
pub const BLUE: Member = Member { tenant: Some("blue"), is_admin: false };
pub const ADMIN: Member = Member { tenant: Some("acme"), is_admin: true };
pub const NOBODY: Member = Member { tenant: None, is_admin: false };

pub struct Served {
    pub api: Api,
    pub application: Application,
    pub statements: Statements,
    world: World,
}

impl Served {
    pub async fn new(tables: Declaring) -> Self {
        Self::with(tables, |app| app).await
    }

    pub async fn with(tables: Declaring, change: impl FnOnce(App) -> App) -> Self {
        let world = World::new(crate::projects).await;
        crate::rows::fill(&world).await;
        Self::of(world, change(App::new("viewer", "0.0.0", tables))).await
    }

    pub async fn over(world: World, tables: Declaring) -> Self {
        Self::of(world, App::new("viewer", "0.0.0", tables)).await
    }

    async fn of(world: World, app: App) -> Self {
        let application = app.check().unwrap();
        let settings = Settings { database_connections: 4, ..Settings::new(world.url()) };
        let mut db = application.connect(&settings).await.unwrap();
        let statements = Statements::default();
        db.reader.set_metric_callback(statements.recorder());
        Self { api: application.api(db, Limits::DEFAULT), application, statements, world }
    }

    pub fn db(&self) -> &DatabaseConnection {
        &self.world.db
    }

    pub async fn ask(&self, viewer: &Member, query: &str, variables: Json) -> Json {
        let request = Request::new(query).variables(Variables::from_json(variables));
        let incoming = Incoming::from(request).permitted(Permission::Granted).viewed_by(viewer.clone());
        serde_json::to_value(self.api.execute(incoming).await).unwrap()
    }

    pub async fn data(&self, viewer: &Member, query: &str) -> Json {
        let mut response = self.ask(viewer, query, json!({})).await;
        assert_eq!(response.get("errors"), None, "{query}");
        response["data"].take()
    }

    /// The codes of the errors of a response, and its data.
    pub async fn refused(&self, viewer: &Member, query: &str, variables: Json) -> (Vec<String>, Json) {
        let mut response = self.ask(viewer, query, variables).await;
        let errors = response["errors"].as_array().cloned().unwrap_or_default();
        let code = |error: &Json| error["extensions"]["code"].as_str().unwrap().to_owned();
        (errors.iter().map(code).collect(), response["data"].take())
    }
}
