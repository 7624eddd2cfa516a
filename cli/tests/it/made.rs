//! A database that statements make, and its API.

use std::path::PathBuf;

use bookends::discover::{DiscoverError, Discovered, Options, discover};
use bookends_server::config::{Limits, Settings};
use bookends_server::db::{Db, Migrations};
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, Application};
use sea_orm::{ConnectionTrait as _, DatabaseConnection};
use serde_json::Value as Json;
use testdb::TestDb;

pub struct Made {
    pub db: Db,
    pub owner: DatabaseConnection,
    pub test: TestDb,
    file: Option<PathBuf>,
}

pub struct Served {
    pub api: Api,
    pub report: Vec<String>,
    pub sdl: String,
}

impl Made {
    /// What stands between `‹` and `›` is for PostgreSQL, and what stands between `«` and `»` for SQLite.
    pub async fn new(sql: &str) -> Self {
        let test = TestDb::new().await;
        let owner = test.connect().await;
        let (mine, other) = if test.url.starts_with("sqlite") {
            (['«', '»'], ['‹', '›'])
        } else {
            (['‹', '›'], ['«', '»'])
        };
        let mut sql = sql.replace(mine, "");
        while let Some((before, rest)) = sql.split_once(other[0]) {
            sql = format!("{before}{}", rest.split_once(other[1]).unwrap().1);
        }
        owner.execute_unprepared(&sql).await.unwrap();
        let db = Db::connect(&Settings::new(&test.url), &Migrations::default()).await.unwrap();
        Self { db, owner, test, file: None }
    }

    pub fn is_sqlite(&self) -> bool {
        self.test.url.starts_with("sqlite")
    }

    /// With this settings file.
    pub fn with_settings(mut self, text: &str) -> Self {
        let file = std::env::temp_dir().join(format!("bookends_{}.toml", uuid::Uuid::now_v7()));
        std::fs::write(&file, text).unwrap();
        self.file = Some(file);
        self
    }

    pub async fn discover(&self, write: bool) -> Result<Discovered, DiscoverError> {
        discover(&self.db, &Options { settings: self.file.clone(), write }).await
    }

    pub async fn serve(&self, write: bool) -> Served {
        let Discovered { app, report, .. } = self.discover(write).await.unwrap();
        let application: Application = app.check().unwrap();
        let db = Db::connect(&Settings::new(&self.test.url), &Migrations::default()).await.unwrap();
        db.statistics.keep(db.reader.clone()).await;
        let sdl = application.sdl();
        Served { api: application.api(db, Limits { max_complexity: 5000, ..Limits::DEFAULT }), report, sdl }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Served {
    pub async fn respond(&self, incoming: impl Into<Incoming>) -> Json {
        let incoming: Incoming = incoming.into();
        serde_json::to_value(self.api.execute(incoming.permitted(Permission::Granted)).await).unwrap()
    }

    #[track_caller]
    pub fn says(&self, line: &str) {
        assert!(self.report.iter().any(|said| said.contains(line)), "{line}: {:#?}", self.report);
    }

    pub async fn data(&self, query: &str) -> Json {
        let response = self.respond(query).await;
        assert_eq!(response["errors"], Json::Null, "{query}: {response}");
        response["data"].clone()
    }

    pub async fn code(&self, query: &str) -> String {
        let response = self.respond(query).await;
        response["errors"][0]["extensions"]["code"].as_str().unwrap_or_else(|| panic!("{query}: {response}")).to_owned()
    }
}
