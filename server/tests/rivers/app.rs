//! The application, over a database of its own.

use async_graphql::{Request, Variables};
use bookends_server::config::{Limits, Settings};
use bookends_server::db::Sql;
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, App, Application, BigInt, Declaring};
use serde_json::{Value, json};
use testdb::TestDb;

pub mod river {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "river")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        #[sea_orm(unique, column_type = "String(StringLen::N(20))")]
        pub name: String,
        pub length: i16,
        #[sea_orm(column_type = "Decimal(Some((6, 2)))", nullable)]
        pub flow: Option<Decimal>,
        #[sea_orm(has_many)]
        pub cities: HasMany<super::city::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod city {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "city")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub river_id: i32,
        pub name: String,
        pub people: Option<i64>,
        #[sea_orm(default_value = true)]
        pub is_open: bool,
        #[sea_orm(belongs_to, from = "river_id", to = "id")]
        pub river: BelongsTo<super::river::Entity>,
        #[sea_orm(has_many)]
        pub bridges: HasMany<super::bridge::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

pub mod bridge {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, DeriveEntityModel)]
    #[sea_orm(table_name = "bridge")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub city_id: Uuid,
        #[sea_orm(primary_key, auto_increment = false)]
        pub name: String,
        pub opened: Option<Date>,
        #[sea_orm(belongs_to, from = "city_id", to = "id")]
        pub city: BelongsTo<super::city::Entity>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// The application.
pub fn app() -> App {
    let mut tables = Declaring::new("Query");
    tables.entity::<river::Entity>().describe("A river.");
    tables.entity::<city::Entity>().describe("A city on a river.").change("river", |river| {
        river.sorts_by(&["name"]);
    });
    tables.entity::<bridge::Entity>().describe("A bridge in a city.");
    for object in ["River", "City", "Bridge"] {
        tables.create(object).describe("Adds it.");
        tables.update(object);
        tables.delete(object);
    }
    for object in ["City", "Bridge"] {
        tables.created(object);
        tables.updated(object);
        tables.deleted(object);
    }
    let sited = tables.create("Bridge").rename("buildBridge").with_parent("city").require("opened");
    sited.prepare("name", |name: String| Ok(name.trim().to_owned()));
    tables.update("Bridge").rename("renewBridge").with_parent("city").describe_field("city", "Where it is.");
    tables.delete("Bridge").rename("tearDownBridge").with_parent("city");
    tables.create("City").rename("foundCity").check("people", |BigInt(people)| {
        if people < 0 { Err("expected a number of people that is not negative".into()) } else { Ok(()) }
    });
    App::new("rivers", "1.2.3", tables).about("Rivers & cities.")
}

pub const TABLES: Sql =
    Sql { sqlite: include_str!("tables.sqlite.sql"), postgres: include_str!("tables.postgres.sql") };

/// The application over a database with its tables.
pub struct Served {
    pub api: Api,
    _test: TestDb,
}

impl Served {
    pub async fn new() -> Self {
        Self::of(app()).await
    }

    /// Another application with these tables.
    pub async fn of(app: App) -> Self {
        let test = TestDb::new().await;
        let application: Application = app.migration("m0001_tables", TABLES).check().unwrap();
        let settings = Settings { database_connections: 8, ..Settings::new(&test.url) };
        let db = application.connect(&settings).await.unwrap();
        db.migrate().await.unwrap();
        Self { api: application.api(db, Limits::DEFAULT), _test: test }
    }

    /// The response to a request that may write.
    pub async fn ask(&self, query: &str, variables: Value) -> Value {
        let request = Request::new(query).variables(Variables::from_json(variables));
        let incoming = Incoming::from(request).permitted(Permission::Granted);
        serde_json::to_value(self.api.execute(incoming).await).unwrap()
    }

    /// The data of a response without errors.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        let mut response = self.ask(query, variables).await;
        assert_eq!(response.get("errors"), None, "{query}");
        response["data"].take()
    }

    /// The code, the field and the message of each error.
    pub async fn errors(&self, query: &str, variables: Value) -> Vec<Value> {
        let response = self.ask(query, variables).await;
        let errors = response["errors"].as_array().unwrap_or_else(|| panic!("{query} succeeded: {response}")).clone();
        let shown = errors
            .iter()
            .map(|error| json!([error["extensions"]["code"], error["extensions"]["field"], error["message"]]));
        shown.collect()
    }
}
