//! Roles of the database: what nobody can check is refused.

use async_graphql::futures_util::StreamExt;
use bookends_server::config::{Limits, Roles, Settings};
use bookends_server::request::Incoming;
use testdb::TestDb;

use crate::app::{TABLES, app};

/// SQLite has no roles. On PostgreSQL, a row that is gone has no policy any more.
#[tokio::test]
async fn with_roles_nobody_subscribes_to_deletions() {
    let test = TestDb::new().await;
    let roles = Roles { database_role_claim: Some("role".into()), database_anonymous_role: Some("nobody".into()) };
    let application = app().migration("m0001_tables", TABLES).check().unwrap();
    let connected = application.connect(&Settings { roles, ..Settings::new(&test.url) }).await;
    if test.url.starts_with("sqlite") {
        let error = connected.unwrap_err().to_string();
        assert!(error.contains("SQLite has no roles: remove DATABASE_ROLE_CLAIM"), "{error}");
        return;
    }
    let db = connected.unwrap();
    db.migrate().await.unwrap();
    let api = application.api(db, Limits::DEFAULT);
    let responses: Vec<_> = api.stream(Incoming::from("subscription { cityDeleted { deletedId } }")).collect().await;
    let response = serde_json::to_value(&responses[0]).unwrap();
    assert_eq!(response["errors"][0]["extensions"]["code"], "FORBIDDEN", "{response}");
    assert_eq!(api.events().subscribers(), 0);
}
