//! Row-level security of PostgreSQL: requests read and write in the role of their claims.

use async_graphql::futures_util::StreamExt;
use bookends_server::config::{Limits, Roles, Settings};
use bookends_server::db::Db;
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, Claims};
use sea_orm::{ConnectionTrait, DatabaseConnection};
use serde_json::{Value, json};
use testdb::{Statements, TestDb};
use uuid::Uuid;

use crate::support::number::number;
use crate::support::pooled::{listening, pooled};
use crate::support::station::{self, SMALL};

mod events;
mod replica;

/// The tables of the station with the rows of two tenants: `a` has three sensors, and `b` has the others.
const POLICIES: &str = "
    UPDATE sensor SET name = numbered.tenant || '-' || sensor.name FROM (
        SELECT id, CASE WHEN row_number() OVER (ORDER BY id) <= 3 THEN 'a' ELSE 'b' END AS tenant FROM sensor
    ) AS numbered WHERE numbered.id = sensor.id;
    CREATE ROLE TENANT; CREATE ROLE NOBODY;
    GRANT SELECT, INSERT, UPDATE, DELETE ON sensor, reading, repair TO TENANT;
    GRANT SELECT ON sensor, reading, repair TO NOBODY;
    ALTER TABLE sensor ENABLE ROW LEVEL SECURITY;
    ALTER TABLE reading ENABLE ROW LEVEL SECURITY;
    ALTER TABLE repair ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON sensor TO TENANT
        USING (name LIKE (SELECT current_setting('request.jwt.claims')::json->>'tenant') || '-%');
    CREATE POLICY own ON reading TO TENANT USING (EXISTS (SELECT FROM sensor WHERE sensor.id = sensor_id));
    CREATE POLICY own ON repair TO TENANT USING (EXISTS (SELECT FROM sensor WHERE sensor.id = sensor_id));";

const NAMES: &str = "{ sensors { nodes { name } } }";
const NESTED: &str =
    "{ sensors { totalCount nodes { name readings { totalCount nodes { value } } } } readings { totalCount } }";

/// The API over a database with two tenants.
struct Tenants {
    api: Api,
    db: Db,
    /// What requests read.
    statements: Statements,
    /// The owner of the tables.
    owner: DatabaseConnection,
    /// The roles of tenants and of nobody: roles belong to all databases of a server.
    tenant: String,
    nobody: String,
    _test: TestDb,
}

impl Tenants {
    /// None on SQLite.
    async fn new() -> Option<Self> {
        let test = TestDb::new().await;
        if test.url.starts_with("sqlite") {
            return None;
        }
        let settings = station::settings(&test.url);
        Some(Self::over(test, settings).await)
    }

    /// With these connections to it.
    async fn over(test: TestDb, settings: Settings) -> Self {
        let filling = station::connect(&station::settings(&test.url)).await.unwrap();
        filling.migrate().await.unwrap();
        station::fill(&filling, SMALL).await.unwrap();
        filling.close().await.unwrap();
        let id = Uuid::now_v7().simple().to_string();
        let (tenant, nobody) = (format!("tenant_{id}"), format!("nobody_{id}"));
        let owner = test.connect().await;
        let policies = POLICIES.replace("TENANT", &tenant).replace("NOBODY", &nobody);
        owner.execute_unprepared(&policies).await.unwrap();
        let roles = Roles { database_role_claim: Some("role".into()), database_anonymous_role: Some(nobody.clone()) };
        let mut db = station::connect(&Settings { roles, ..settings }).await.unwrap();
        let statements = Statements::default();
        db.reader.set_metric_callback(statements.recorder());
        let api = station::api(db.clone(), Limits::DEFAULT);
        Self { api, db, statements, owner, tenant, nobody, _test: test }
    }

    fn claims(&self, tenant: &str) -> Claims {
        let Value::Object(claims) = json!({ "role": self.tenant, "tenant": tenant }) else { panic!() };
        Claims::new(claims)
    }

    async fn ask(&self, claims: Option<Claims>, query: &str) -> Value {
        let incoming = Incoming::from(query).permitted(Permission::Granted);
        let incoming = match claims {
            Some(claims) => incoming.claiming(claims),
            None => incoming,
        };
        serde_json::to_value(self.api.execute(incoming).await).unwrap()
    }

    /// The data of a response to a tenant.
    async fn data(&self, tenant: &str, query: &str) -> Value {
        let response = self.ask(Some(self.claims(tenant)), query).await;
        assert_eq!(response["errors"], Value::Null, "{query}: {response}");
        response["data"].clone()
    }

    /// The code of the only error of a response.
    async fn code(&self, claims: Option<Claims>, query: &str) -> String {
        let response = self.ask(claims, query).await;
        assert_eq!(response["errors"].as_array().map(Vec::len), Some(1), "{query}: {response}");
        response["errors"][0]["extensions"]["code"].as_str().unwrap().to_owned()
    }

    /// Checks that connections that nobody uses have the role that has logged in, and no claims.
    async fn check_connections(&self) {
        let sql = "SELECT (current_user = session_user
            AND coalesce(current_setting('request.jwt.claims', true), '') = '')::int::bigint AS number";
        for _ in 0..16 {
            assert_eq!(number(&self.db.reader, sql).await.unwrap(), 1);
        }
    }

    /// Roles outlive the database of a test.
    async fn end(self) {
        let Self { owner, tenant, nobody, .. } = self;
        let drop = format!("DROP OWNED BY {tenant}, {nobody}; DROP ROLE {tenant}; DROP ROLE {nobody}");
        owner.execute_unprepared(&drop).await.unwrap();
    }
}

async fn check_reads(tenants: &Tenants) {
    for (tenant, sensors) in [("a", 3), ("b", 5)] {
        let names = tenants.data(tenant, NAMES).await;
        let names: Vec<_> = names["sensors"]["nodes"].as_array().unwrap().iter().collect();
        let is_own = |node: &&Value| node["name"].as_str().unwrap().starts_with(&format!("{tenant}-"));
        assert!(names.len() == sensors && names.iter().all(is_own), "{tenant}: {names:?}");

        let nested = tenants.data(tenant, NESTED).await;
        let nodes = nested["sensors"]["nodes"].as_array().unwrap();
        assert_eq!((nodes.len(), &nested["sensors"]["totalCount"]), (sensors, &json!(sensors)));
        let readings: u64 = nodes.iter().map(|node| node["readings"]["totalCount"].as_u64().unwrap()).sum();
        assert_eq!(nested["readings"]["totalCount"], readings);
    }
    let nobody = tenants.ask(None, NESTED).await["data"].take();
    let nothing = json!({ "sensors": { "totalCount": 0, "nodes": [] }, "readings": { "totalCount": 0 } });
    assert_eq!(nobody, nothing);
    let of_b = tenants.data("b", "{ sensors(first: 1) { nodes { id } } }").await;
    let id = &of_b["sensors"]["nodes"][0]["id"];
    let node = format!("{{ node(id: {id}) {{ id }} }}");
    assert_eq!(tenants.data("b", &node).await["node"]["id"], *id);
    assert_eq!(tenants.data("a", &node).await["node"], Value::Null, "it is hidden");
}

async fn check_writes(tenants: &Tenants) {
    let create = |name: &str| {
        format!(
            "mutation {{ createSensor(input: {{ name: \"{name}\", year: 7 }}) {{ sensorEdge {{ node {{ id name }} }} }} }}"
        )
    };
    let created = tenants.data("a", &create("a-new")).await;
    assert_eq!(created["createSensor"]["sensorEdge"]["node"]["name"], "a-new");
    assert_eq!(tenants.code(Some(tenants.claims("a")), &create("b-new")).await, "FORBIDDEN");
    assert_eq!(tenants.code(None, &create("a-new")).await, "FORBIDDEN");
    let id = &created["createSensor"]["sensorEdge"]["node"]["id"];
    let delete = format!("mutation {{ deleteSensor(input: {{ id: {id} }}) {{ deletedId }} }}");
    assert_eq!(tenants.code(Some(tenants.claims("b")), &delete).await, "NOT_FOUND", "it is hidden");
    assert_eq!(tenants.data("a", &delete).await["deleteSensor"]["deletedId"], *id);
}

/// One statement reads both. It is the lists that the role may not read.
#[tokio::test]
async fn a_list_that_fails_leaves_the_objects_of_its_page() {
    let Some(tenants) = Tenants::new().await else { return };
    tenants.owner.execute_unprepared(&format!("REVOKE SELECT ON reading FROM {}", tenants.tenant)).await.unwrap();
    let query = "{ sensors { nodes { name readings(first: 1) { nodes { id } } } } }";
    let response = tenants.ask(Some(tenants.claims("a")), query).await;
    let nodes = response["data"]["sensors"]["nodes"].as_array().unwrap();
    assert!(
        nodes.len() == 3 && nodes.iter().all(|node| node["name"].is_string() && node["readings"].is_null()),
        "{response}"
    );
    for (number, error) in response["errors"].as_array().unwrap().iter().enumerate() {
        assert_eq!(error["path"], json!(["sensors", "nodes", number, "readings", "nodes"]), "{response}");
        assert_eq!(error["extensions"]["code"], "FORBIDDEN", "{response}");
    }
    assert_eq!(response["errors"].as_array().unwrap().len(), 3, "{response}");
    let id = tenants.data("a", "{ sensors(first: 1) { nodes { id } } }").await["sensors"]["nodes"][0]["id"].clone();
    // Without a transaction, and in one.
    for count in ["", "totalCount"] {
        let query = format!("{{ sensor(id: {id}) {{ name readings(first: 1) {{ {count} nodes {{ id }} }} }} }}");
        let response = tenants.ask(Some(tenants.claims("a")), &query).await;
        let sensor = &response["data"]["sensor"];
        assert!(sensor["name"].is_string() && sensor["readings"].is_null(), "{response}");
        assert_eq!(response["errors"][0]["extensions"]["code"], "FORBIDDEN", "{response}");
    }
    tenants.check_connections().await;
    tenants.end().await;
}

#[tokio::test]
async fn a_tenant_reads_and_writes_its_own_rows_and_no_connection_keeps_a_role() {
    let Some(tenants) = Tenants::new().await else { return };
    check_reads(&tenants).await;
    tenants.check_connections().await;
    check_writes(&tenants).await;
    tenants.check_connections().await;
    tenants.end().await;
}

/// PgBouncer gives each transaction another connection.
#[tokio::test]
async fn behind_a_pooler_it_is_the_same() {
    let Some((test, pooler)) = pooled().await else { return };
    let settings = listening(&pooler.url(), &test.url);
    let tenants = Tenants::over(test, settings).await;
    check_reads(&tenants).await;
    check_writes(&tenants).await;
    tenants.check_connections().await;
    tenants.end().await;
}

#[tokio::test]
async fn a_role_that_a_request_may_not_have_is_forbidden() {
    let Some(tenants) = Tenants::new().await else { return };
    let role = |role: Value| {
        let Value::Object(claims) = json!({ "role": role, "tenant": "a" }) else { panic!() };
        Some(Claims::new(claims))
    };
    for wrong in
        [json!("no_such_role"), json!("none"), json!("NONE"), json!(""), json!(1), json!("x\"; RESET ROLE; --")]
    {
        for query in [NAMES, NESTED, "mutation { deleteSensor(input: { id: \"AA\" }) { deletedId } }"] {
            let response = tenants.ask(role(wrong.clone()), query).await;
            let codes = response["errors"].as_array().unwrap_or_else(|| panic!("{wrong} {query}: {response}"));
            let is_refused = |error: &Value| {
                // The id is read before a transaction begins.
                ["FORBIDDEN", "ID_INVALID"].contains(&error["extensions"]["code"].as_str().unwrap())
            };
            assert!(codes.iter().all(is_refused), "{wrong} {query}: {response}");
        }
    }
    tenants.check_connections().await;
    tenants.end().await;
}

/// The role costs no round trip: without it, a snapshot begins by one of its own.
#[tokio::test]
async fn a_role_adds_no_statement() {
    let Some(tenants) = Tenants::new().await else { return };
    for (query, statements) in [(NAMES, 1), ("{ sensors { nodes { name } } readings { nodes { value } } }", 2)] {
        tenants.data("a", query).await;
        tenants.statements.take();
        tenants.data("a", query).await;
        let read = tenants.statements.take().into_iter().filter(|statement| statement.sql != "COMMIT");
        assert_eq!(read.count(), statements, "{query}");
    }
    tenants.end().await;
}
