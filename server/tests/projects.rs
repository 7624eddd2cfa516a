//! The example `projects`: tenants, members with a role on the edge, tasks in tasks, a rule, a subscription.

#[path = "../examples/projects/main.rs"]
#[allow(dead_code, reason = "it has a function `main`")]
mod app;

use std::path::Path;

use async_graphql::futures_util::StreamExt;
use async_graphql::{Request, Variables};
use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use bookends_server::request::{Incoming, Permission};
use serde_json::{Value, json};
use testdb::TestDb;

struct Served {
    api: Api,
    _test: TestDb,
}

fn request(query: &str, variables: Value) -> Incoming {
    Incoming::from(Request::new(query).variables(Variables::from_json(variables))).permitted(Permission::Granted)
}

impl Served {
    async fn new() -> Self {
        let test = TestDb::new().await;
        let application = app::app().check().unwrap();
        let db = application.connect(&Settings { database_connections: 8, ..Settings::new(&test.url) }).await.unwrap();
        db.migrate().await.unwrap();
        Self { api: application.api(db, Limits::DEFAULT), _test: test }
    }

    async fn ask(&self, query: &str, variables: Value) -> Value {
        serde_json::to_value(self.api.execute(request(query, variables)).await).unwrap()
    }

    async fn data(&self, query: &str, variables: Value) -> Value {
        let mut response = self.ask(query, variables).await;
        assert_eq!(response.get("errors"), None, "{query}");
        response["data"].take()
    }

    /// The id of a new object of this type.
    async fn create(&self, object: &str, input: Value) -> String {
        let field = format!("{}{}", object[..1].to_lowercase(), &object[1..]);
        let query = format!(
            "mutation ($input: Create{object}Input!) {{ create{object}(input: $input) {{ {field}Edge {{ node {{ id }} }} }} }}"
        );
        let data = self.data(&query, json!({ "input": input })).await;
        data[format!("create{object}")][format!("{field}Edge")]["node"]["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn l3_members_have_a_role_on_the_edge() {
    let served = Served::new().await;
    let tenant = served.create("Tenant", json!({ "slug": "acme", "name": "Acme" })).await;
    let project = json!({ "tenantId": tenant, "name": "Road", "settings": { "colour": "red", "sizes": [1, 2.5] } });
    let project = served.create("Project", project).await;
    for (email, role) in [("ann@acme.example", "OWNER"), ("bob@acme.example", "READER")] {
        let account = served.create("Account", json!({ "tenantId": tenant, "email": email })).await;
        served.create("Member", json!({ "projectId": project, "accountId": account, "role": role })).await;
    }
    let query = "query ($id: ID!) { project(id: $id) {
        settings tenant { slug } accounts(orderBy: { field: ACCOUNT_EMAIL }) { edges { role node { email } } totalCount }
    } }";
    let found = served.data(query, json!({ "id": project })).await;
    let accounts = json!({ "totalCount": 2, "edges": [
        { "role": "OWNER", "node": { "email": "ann@acme.example" } },
        { "role": "READER", "node": { "email": "bob@acme.example" } },
    ] });
    let settings = json!({ "colour": "red", "sizes": [1, 2.5] });
    let expected = json!({ "project": { "settings": settings, "tenant": { "slug": "acme" }, "accounts": accounts } });
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_task_is_done_after_its_parts() {
    let served = Served::new().await;
    let tenant = served.create("Tenant", json!({ "slug": "acme", "name": "Acme" })).await;
    let project = served.create("Project", json!({ "tenantId": tenant, "name": "Road" })).await;
    let whole = served.create("Task", json!({ "projectId": project, "title": "Build" })).await;
    let part = served.create("Task", json!({ "projectId": project, "parentId": whole, "title": "Dig" })).await;
    let complete =
        "mutation ($id: ID!) { completeTask(input: { id: $id }) { task { title isDone parent { title } } } }";
    let refused = served.ask(complete, json!({ "id": whole })).await;
    assert_eq!(refused["errors"][0]["extensions"], json!({ "code": "TASK_OPEN", "field": "id" }), "{refused}");
    let done = served.data(complete, json!({ "id": part })).await;
    let task = json!({ "title": "Dig", "isDone": true, "parent": { "title": "Build" } });
    assert_eq!(done, json!({ "completeTask": { "task": task } }));
    let done = served.data(complete, json!({ "id": whole })).await;
    assert_eq!(done["completeTask"]["task"], json!({ "title": "Build", "isDone": true, "parent": null }));
}

#[tokio::test]
async fn a_new_comment_is_heard_of() {
    let served = Served::new().await;
    let tenant = served.create("Tenant", json!({ "slug": "acme", "name": "Acme" })).await;
    let account = served.create("Account", json!({ "tenantId": tenant, "email": "ann@acme.example" })).await;
    let project = served.create("Project", json!({ "tenantId": tenant, "name": "Road" })).await;
    let [task, other] = ["Build", "Rest"].map(|title| json!({ "projectId": project, "title": title }));
    let (task, other) = (served.create("Task", task).await, served.create("Task", other).await);
    let query = "subscription ($id: ID!) { commented(taskId: $id) { node { text task { title } account { email } } } }";
    let mut heard = served.api.stream(request(query, json!({ "id": task })));
    let comment = |task: &str, text: &str| json!({ "taskId": task, "accountId": account, "text": text });
    let (first, ()) = tokio::join!(heard.next(), async {
        while served.api.events().subscribers() == 0 {
            tokio::task::yield_now().await;
        }
        served.create("Comment", comment(&other, "elsewhere")).await;
        served.create("Comment", comment(&task, "a \"text\"")).await;
    });
    let first = serde_json::to_value(first.unwrap()).unwrap();
    let node =
        json!({ "text": "a \"text\"", "task": { "title": "Build" }, "account": { "email": "ann@acme.example" } });
    assert_eq!(first["data"], json!({ "commented": { "node": node } }), "{first}");

    // PostgreSQL does not send as much.
    let long = "é".repeat(8000);
    served.create("Comment", comment(&task, &long)).await;
    let second = serde_json::to_value(heard.next().await.unwrap()).unwrap();
    assert_eq!(second["data"]["commented"]["node"]["text"], long);
}

#[test]
fn the_example_is_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/projects");
    let files = std::fs::read_dir(folder).unwrap();
    let lines = |text: String| text.lines().filter(|line| !line.trim().is_empty()).count();
    let lines: usize = files.map(|file| lines(std::fs::read_to_string(file.unwrap().path()).unwrap())).sum();
    assert!(lines <= 250, "the example has {lines} lines, blank ones aside");
}
