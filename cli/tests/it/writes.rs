//! Mutations of discovered tables.

use bookends_server::request::{Incoming, Permission};
use serde_json::json;

use crate::made::Made;

const TASKS: &str = "
    CREATE TABLE project (code varchar(9) PRIMARY KEY, name varchar(40) NOT NULL UNIQUE);
    CREATE TABLE task (
        id ‹serial›«INTEGER» PRIMARY KEY, project_code varchar(9) NOT NULL REFERENCES project (code), title varchar(40) NOT NULL,
        done boolean NOT NULL DEFAULT false);
    CREATE TABLE log (id integer PRIMARY KEY, text varchar(9));
    INSERT INTO project VALUES ('a', 'First');";

#[tokio::test]
async fn rows_are_created_changed_and_deleted() {
    let made = Made::new(TASKS).await.with_settings("[table.log]\nwrite = [\"create\"]\n");
    let served = made.serve(true).await;
    for absent in ["updateLog", "deleteLog"] {
        assert!(!served.sdl.contains(absent), "{absent}");
    }
    let data = served.data("{ projects { nodes { id } } }").await;
    let project = &data["projects"]["nodes"][0]["id"];
    let create = format!(
        "mutation {{ createTask(input: {{ projectId: {project}, title: \"Dig\" }}) {{ taskEdge {{ node {{ id title done project {{ name }} }} }} }} }}"
    );
    let data = served.data(&create).await;
    let task = &data["createTask"]["taskEdge"]["node"];
    assert_eq!((&task["done"], &task["project"]["name"]), (&json!(false), &json!("First")));
    let update =
        format!("mutation {{ updateTask(input: {{ id: {}, done: true }}) {{ task {{ done title }} }} }}", task["id"]);
    assert_eq!(served.data(&update).await["updateTask"]["task"], json!({ "done": true, "title": "Dig" }));
    let in_use = format!("mutation {{ deleteProject(input: {{ id: {project} }}) {{ deletedId }} }}");
    assert_eq!(served.code(&in_use).await, "IN_USE");
    let twice = "mutation { createProject(input: { code: \"b\", name: \"First\" }) { projectEdge { cursor } } }";
    assert_eq!(served.code(twice).await, "ALREADY_EXISTS");
    let delete = format!("mutation {{ deleteTask(input: {{ id: {} }}) {{ deletedId }} }}", task["id"]);
    assert_eq!(served.data(&delete).await["deleteTask"]["deletedId"], task["id"]);

    let denied = Incoming::from(delete.as_str()).permitted(Permission::NoToken);
    let denied = serde_json::to_value(served.api.execute(denied).await).unwrap();
    assert!(
        denied["errors"][0]["extensions"]["code"].is_string() && denied["data"]["deleteTask"].is_null(),
        "{denied}"
    );
}

#[tokio::test]
async fn without_the_flag_nothing_is_written() {
    let made = Made::new(TASKS).await;
    assert!(!made.serve(false).await.sdl.contains("type Mutation"));
}
