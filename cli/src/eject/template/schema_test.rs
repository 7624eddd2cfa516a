//! The schema is that of `schema.graphql`, and a new database answers.

use bookends_server::config::{Limits, Settings};
use bookends_server::request::{Incoming, Permission};

/// After an intended change: `cargo run schema > schema.graphql`.
#[test]
fn the_schema_is_that_of_the_file() {
    let schema = {package}::app().check().unwrap().sdl();
    assert!(schema.trim_end() == include_str!("../schema.graphql").trim_end(), "the schema is not that of schema.graphql");
}

#[tokio::test]
async fn a_new_database_answers() {
{test_url}
    let application = {package}::app().check().unwrap();
    let db = application.connect(&Settings::new(url)).await.unwrap();
    db.migrate().await.unwrap();
    let api = application.api(db, Limits::DEFAULT);
    let query = "{ {list} { totalCount } }";
    let response = api.execute(Incoming::from(query).permitted(Permission::Granted)).await;
    assert!(response.errors.is_empty(), "{:?}", response.errors);
    let data = response.data.into_json().unwrap();
    assert_eq!(data.to_string(), r#"{"{list}":{"totalCount":0}}"#);
}
