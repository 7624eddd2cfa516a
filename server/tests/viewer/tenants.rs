//! Tenants: a column of each table names the one who sees its rows.

use std::collections::HashSet;

use bookends_server::request::Incoming;
use bookends_server::{Declaring, Visible};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, TransactionTrait};
use serde_json::{Value as Json, json};

use crate::projects;
use crate::projects::{account, comment, member, project, task, tenant};
use crate::rules::Rules;
use crate::served::{ACME, ADMIN, BLUE, Member, NOBODY, Served};
use crate::world::World;

/// Accounts and projects have a tenant, tasks are those of its projects.
pub fn tenants() -> Declaring {
    let mut tables = projects(&Rules::default());
    tables.change("Account", |account| {
        account.rule_by(account::Column::TenantSlug, |viewer: &Member| viewer.tenant);
    });
    tables.change("Project", |project| {
        project.rule_by(project::Column::TenantSlug, |viewer: &Member| viewer.tenant);
    });
    tables.change("Task", |task| {
        task.rule(|viewer: Option<&Member>| {
            let Some(tenant) = viewer.and_then(|viewer| viewer.tenant) else { return Visible::None };
            let own = Query::select()
                .expr(Expr::val(1))
                .from(project::Entity)
                .and_where(project::Column::Id.into_expr().equals((task::Entity, task::Column::ProjectId)))
                .and_where(project::Column::TenantSlug.eq(tenant))
                .take();
            Expr::exists(own).into()
        });
        task.change("project", |project| {
            project.required();
        });
    });
    tables.create("Project").without("tenantId");
    tables.update("Project");
    tables.create("Task").with_parent("project");
    tables.delete("Project");
    tables
}

#[tokio::test]
async fn m3_one_document_shows_each_viewer_their_rows() {
    let served = Served::new(tenants()).await;
    let query = "{ projects { totalCount nodes { id tenantSlug tenant { slug accounts { totalCount } } } } tasks { totalCount } }";
    let mut seen = HashSet::new();
    for _ in 0..3 {
        for viewer in [ACME, BLUE, NOBODY] {
            let data = served.data(&viewer, query).await;
            let nodes = data["projects"]["nodes"].as_array().unwrap();
            assert_eq!(data["projects"]["totalCount"], nodes.len());
            assert_eq!(nodes.is_empty(), viewer.tenant.is_none());
            assert_eq!(data["tasks"]["totalCount"] == 0, viewer.tenant.is_none());
            for node in nodes {
                assert_eq!(node["tenantSlug"].as_str(), viewer.tenant);
                seen.insert((viewer.tenant, node["id"].to_string()));
            }
        }
    }
    let projects = project::Entity::find().all(served.db()).await.unwrap();
    let of_two = projects.iter().filter(|project| project.tenant_slug != "corp").count();
    assert_eq!(seen.len(), of_two);
}

#[tokio::test]
async fn m2_the_id_and_the_cursor_of_a_hidden_row_are_those_of_a_deleted_one() {
    let served = Served::new(tenants()).await;
    let query = "{ projects { edges { cursor node { id } } } }";
    let theirs = served.data(&BLUE, query).await["projects"]["edges"][0].take();
    let (id, cursor) = (&theirs["node"]["id"], &theirs["cursor"]);
    let query_ids = format!("{{ node(id: {id}) {{ id }} project(id: {id}) {{ id }} nodes(ids: [{id}]) {{ id }} }}");
    assert_eq!(served.data(&ACME, &query_ids).await, json!({ "node": null, "project": null, "nodes": [null] }));
    let (codes, _) = served.refused(&ACME, &format!("{{ projects(around: {id}) {{ totalCount }} }}"), json!({})).await;
    assert_eq!(codes, ["NOT_FOUND"]);
    let all = served.data(&ACME, query).await["projects"]["edges"].take();
    let page = "{ edges { node { id } } pageInfo { hasNextPage hasPreviousPage } }";
    let pages =
        format!("{{ before: projects(last: 100, before: {cursor}) {page} after: projects(after: {cursor}) {page} }}");
    let pages = served.data(&ACME, &pages).await;
    let edges = |side: &str| pages[side]["edges"].as_array().unwrap().clone();
    assert_eq!(edges("before").len() + edges("after").len(), all.as_array().unwrap().len());
    assert_eq!(pages["before"]["pageInfo"]["hasNextPage"], !edges("after").is_empty());
    assert_eq!(pages["after"]["pageInfo"]["hasPreviousPage"], !edges("before").is_empty());
}

#[tokio::test]
async fn l5_a_condition_on_a_hidden_object_does_not_hold() {
    let served = Served::new(tenants()).await;
    let hidden =
        served.data(&BLUE, "{ accounts(first: 1) { nodes { id rowId } } }").await["accounts"]["nodes"][0].take();
    let (id, row) = (&hidden["id"], &hidden["rowId"]);
    let count = async |filter: String| {
        let data = served.data(&ACME, &format!("{{ comments(where: {filter}) {{ totalCount }} }}")).await;
        data["comments"]["totalCount"].as_u64().unwrap()
    };
    assert!(count(format!("{{ accountId: {{ eq: {row} }} }}")).await > 0, "the comments are seen, and whose they are");
    assert_eq!(count(format!("{{ account: {{ id: {{ eq: {id} }} }} }}")).await, 0);
    let (all, of_some) = (count("{}".into()).await, count("{ account: {} }".into()).await);
    assert!(0 < of_some && of_some < all, "{of_some} of {all}");
    assert_eq!(count("{ not: { account: {} } }".into()).await, all - of_some);
}

/// Also behind an object that everybody sees.
#[tokio::test]
async fn l5_a_condition_on_an_object_with_a_hidden_object_does_not_hold() {
    let mut tables = projects(&Rules::default());
    tables.change("Tenant", |tenant| {
        tenant.rule_by(tenant::Column::Slug, |viewer: &Member| viewer.tenant);
    });
    let served = Served::new(tables).await;
    let count = async |filter: &str| {
        let data = served.data(&ACME, &format!("{{ comments(where: {filter}) {{ totalCount }} }}")).await;
        data["comments"]["totalCount"].as_u64().unwrap()
    };
    let (all, of_acme) = (count("{}").await, count(r#"{ account: { tenantSlug: { eq: "acme" } } }"#).await);
    assert!(0 < of_acme && of_acme < all, "{of_acme} of {all}");
    assert_eq!(count("{ account: { tenant: {} } }").await, of_acme);
}

#[tokio::test]
async fn l3_an_edge_whose_node_is_hidden_does_not_show() {
    let served = Served::new(tenants()).await;
    let query =
        "{ projects { nodes { name accounts { totalCount nodes { tenantSlug } edges { role node { email } } } } } }";
    let data = served.data(&ACME, query).await;
    let (projects, mut all) = (data["projects"]["nodes"].as_array().unwrap(), 0);
    for project in projects {
        let accounts = &project["accounts"];
        let nodes = accounts["nodes"].as_array().unwrap();
        assert!(nodes.iter().all(|node| node["tenantSlug"] == "acme"), "{project}");
        assert!(accounts["edges"].as_array().unwrap().iter().all(|edge| edge["node"].is_object()), "{project}");
        assert_eq!(
            (accounts["totalCount"].clone(), nodes.len()),
            (json!(nodes.len()), accounts["edges"].as_array().unwrap().len())
        );
        let count = format!(
            "{{ projects(where: {{ accounts: {{ count: {{ eq: {} }} }} }}) {{ nodes {{ name }} }} }}",
            nodes.len()
        );
        let found = served.data(&ACME, &count).await["projects"]["nodes"].take();
        assert!(found.as_array().unwrap().contains(&json!({ "name": project["name"] })), "{count}");
        all += nodes.len();
    }
    let members = member::Entity::find().all(served.db()).await.unwrap();
    let of_acme = project::Entity::find().all(served.db()).await.unwrap();
    let of_acme: HashSet<_> = of_acme.iter().filter(|it| it.tenant_slug == "acme").map(|it| it.id).collect();
    let members = members.iter().filter(|member| of_acme.contains(&member.project_id)).count();
    assert!(0 < all && all < members, "{all} of {members}");
}

#[tokio::test]
async fn m6_a_mutation_writes_and_names_only_what_its_viewer_may_see() {
    let served = Served::new(tenants()).await;
    let id = async |viewer: &Member, list: &str| {
        served.data(viewer, &format!("{{ {list}(first: 1) {{ nodes {{ id }} }} }}")).await[list]["nodes"][0]["id"]
            .take()
    };
    let create = "mutation ($input: CreateProjectInput!) { createProject(input: $input) {
        projectEdge { node { name tenantSlug } } previousEdgeCursor } }";
    let last = "{ projects(last: 1) { edges { cursor } } }";
    let last = served.data(&BLUE, last).await["projects"]["edges"][0]["cursor"].take();
    // Another tenant's is between them.
    assert_eq!(served.refused(&ACME, create, json!({ "input": { "name": "Well" } })).await.0, Vec::<String>::new());
    let created = served.ask(&BLUE, create, json!({ "input": { "name": "Well" } })).await;
    assert_eq!(created["data"]["createProject"]["previousEdgeCursor"], last, "{created}");
    let node = &created["data"]["createProject"]["projectEdge"]["node"];
    assert_eq!(*node, json!({ "name": "Well", "tenantSlug": "blue" }), "{created}");
    let (codes, _) = served.refused(&NOBODY, create, json!({ "input": { "name": "Well" } })).await;
    assert_eq!(codes, ["FORBIDDEN"], "a column has no value");

    let update = "mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { name } } }";
    let theirs = id(&BLUE, "projects").await;
    let (codes, _) = served.refused(&ACME, update, json!({ "input": { "id": theirs, "name": "Mine" } })).await;
    assert_eq!(codes, ["NOT_FOUND"]);
    let (mine, tenants) = (id(&ACME, "projects").await, served.data(&ADMIN, "{ tenants { nodes { id slug } } }").await);
    let blue = &tenants["tenants"]["nodes"].as_array().unwrap().iter().find(|it| it["slug"] == "blue").unwrap()["id"];
    let (codes, _) = served.refused(&ACME, update, json!({ "input": { "id": mine, "tenantId": blue } })).await;
    assert_eq!(codes, ["FORBIDDEN"], "the project would be of another tenant");
    assert_eq!(id(&ACME, "projects").await, mine);

    let task = "mutation ($input: CreateTaskInput!) { createTask(input: $input) { taskEdge { node { title } } project { name } } }";
    for (project, expected) in [(&theirs, vec!["NOT_FOUND"]), (&mine, vec![])] {
        let (codes, data) =
            served.refused(&ACME, task, json!({ "input": { "projectId": project, "title": "x" } })).await;
        assert_eq!(codes, expected, "{data}");
    }
    let delete = "mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) { deletedId } }";
    let (codes, _) = served.refused(&ACME, delete, json!({ "input": { "id": theirs } })).await;
    assert_eq!(codes, ["NOT_FOUND"]);
}

/// It does not wait for a row that its viewer may not see.
#[tokio::test]
async fn m6_a_mutation_does_not_lock_a_hidden_parent() {
    let served = Served::new(tenants()).await;
    let theirs = served.data(&BLUE, "{ projects(first: 1) { nodes { id } } }").await["projects"]["nodes"][0].take();
    let transaction = served.db().begin().await.unwrap();
    // On SQLite, this locks nothing.
    let locked = project::Entity::find().filter(project::Column::TenantSlug.eq("blue")).lock_exclusive();
    assert!(!locked.all(&transaction).await.unwrap().is_empty());
    let task = "mutation ($input: CreateTaskInput!) { createTask(input: $input) { taskEdge { node { title } } } }";
    let input = json!({ "input": { "projectId": theirs["id"], "title": "x" } });
    assert_eq!(served.refused(&ACME, task, input).await.0, ["NOT_FOUND"]);
    transaction.rollback().await.unwrap();
}

#[tokio::test]
async fn a_related_object_that_is_required_is_an_error_where_it_is_hidden() {
    let mut tables = tenants();
    tables.change("Comment", |comment| {
        comment.change("task", |task| {
            task.required();
        });
    });
    let served = Served::new(tables).await;
    let sdl = served.application.sdl();
    let comment = sdl.split("type Comment ").nth(1).unwrap();
    assert!(comment.contains("task: Task!\n") && comment.contains("account: Account\n"), "one can be null: {comment}");
    let query = "{ comments(first: 100) { nodes { text task { title } account { email } } } }";
    let (codes, data) = served.refused(&ACME, query, json!({})).await;
    assert!(codes.iter().all(|code| code == "NOT_FOUND") && !codes.is_empty(), "{codes:?}");
    assert!(Json::is_null(&data["comments"]), "its nodes cannot be null: {data}");
    let tasks: HashSet<_> = task::Entity::find().all(served.db()).await.unwrap().iter().map(|task| task.id).collect();
    let comments = comment::Entity::find().all(served.db()).await.unwrap();
    assert!(comments.iter().all(|comment| tasks.contains(&comment.task_id)), "each has its task");
}

#[tokio::test]
async fn l7_a_rule_by_a_column_needs_an_index() {
    let served = Served::new(tenants()).await;
    let declaration = served.application.declaration();
    let advice = async || declaration.index_advice(served.db()).await.unwrap();
    let texts: Vec<String> = advice().await.iter().map(ToString::to_string).collect();
    let needed = r#"("tenant_slug", "name", "id")"#;
    assert!(texts.iter().any(|text| text.contains("projects") && text.contains(needed)), "{texts:#?}");
    for lack in advice().await {
        served.db().execute_unprepared(&lack.index.unwrap().to_string()).await.unwrap();
    }
    assert!(advice().await.is_empty());
}

#[tokio::test]
async fn m4_prices_and_estimates_say_nothing_of_hidden_rows() {
    let query = r#"{ projects(where: { name: { ne: "x" } }) { totalCount approximateCount(upTo: 1) { value relation } }
        tasks(where: { project: { name: { eq: "Road" } }, title: { startsWith: "D" } }) { nodes { title } } }"#;
    let mut answers = Vec::new();
    for hidden in [0, 60_000] {
        let world = World::new(projects).await;
        crate::rows::fill(&world).await;
        for thousand in 0..hidden / 1000 {
            let mut insert = Query::insert()
                .into_table(project::Entity)
                .columns([project::Column::Id, project::Column::TenantSlug, project::Column::Name])
                .take();
            for number in thousand * 1000..(thousand + 1) * 1000 {
                let id = sea_orm::prelude::Uuid::from_u128(0x0191 << 112 | number << 80 | 7 << 76 | 2 << 62);
                insert.values_panic([id.into(), "corp".into(), "a".into()]);
            }
            world.db.execute(&insert).await.unwrap();
        }
        if !world.is_sqlite() {
            world.db.execute_unprepared("ANALYZE").await.unwrap();
        }
        let served = Served::over(world, tenants()).await;
        let db = served.api.db();
        db.statistics.read(&db.reader).await.unwrap();
        let mut incoming = Incoming::from(query).viewed_by(ACME);
        incoming.context.reports_cost = true;
        let answer = serde_json::to_value(served.api.execute(incoming).await).unwrap();
        assert_eq!(answer.get("errors"), None, "{answer}");
        assert!(answer["extensions"].is_object(), "{answer}");
        answers.push(answer);
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0]["data"]["projects"]["approximateCount"]["relation"], "AT_LEAST");
}

#[tokio::test]
async fn i1_a_page_under_a_rule_is_one_statement() {
    let served = Served::new(tenants()).await;
    let query = "{ projects(first: 2) { edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage } } }";
    for viewer in [ACME, BLUE] {
        served.data(&viewer, query).await;
        served.statements.take();
        served.data(&viewer, query).await;
        assert_eq!(served.statements.take().len(), 1);
    }
}
