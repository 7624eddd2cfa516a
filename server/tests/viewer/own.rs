//! What resolvers of an application return.

use std::sync::OnceLock;

use bookends_server::async_graphql::{EmptySubscription, MergedObject, Object};
use bookends_server::{App, DeclaredMutation, DeclaredQuery, Object as Row, RowObject};
use sea_orm::EntityTrait;
use serde_json::json;

use crate::projects::{project, task};
use crate::served::{ACME, BLUE, Served};
use crate::tenants::tenants;

enum Tasks {}

impl RowObject for Tasks {
    type Entity = task::Entity;
    const NAME: &str = "Task";
}

static KNOWN: OnceLock<task::Model> = OnceLock::new();

#[derive(Default)]
struct Own;

#[Object]
impl Own {
    async fn known(&self) -> Option<Row<Tasks>> {
        KNOWN.get().cloned().map(Row::new)
    }
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery, Own);

#[derive(Default, MergedObject)]
struct Mutation(DeclaredMutation);

#[tokio::test]
async fn m1_an_object_that_a_resolver_returns_is_refused_where_it_is_hidden() {
    let served = Served::with(tenants(), App::roots::<Query, Mutation, EmptySubscription>).await;
    let projects = project::Entity::find().all(served.db()).await.unwrap();
    let is_acme = |task: &task::Model| {
        projects.iter().any(|project| project.id == task.project_id && project.tenant_slug == "acme")
    };
    let tasks = task::Entity::find().all(served.db()).await.unwrap();
    let task = tasks.into_iter().find(is_acme).unwrap();
    KNOWN.set(task.clone()).unwrap();
    let seen = served.data(&ACME, "{ known { title project { tenantSlug } } }").await;
    assert_eq!(seen, json!({ "known": { "title": task.title, "project": { "tenantSlug": "acme" } } }));
    let (codes, data) = served.refused(&BLUE, "{ known { title } }", json!({})).await;
    assert_eq!((codes, data), (vec!["FORBIDDEN".into()], json!({ "known": null })));
}
