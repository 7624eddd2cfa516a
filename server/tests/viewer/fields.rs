//! Guards of fields, of mutations and of subscriptions.

use bookends_server::Declaring;
use bookends_server::request::Incoming;
use futures_util::StreamExt;
use serde_json::json;

use crate::projects;
use crate::rules::Rules;
use crate::served::{ACME, ADMIN, Member, NOBODY, Served};

fn is_admin(viewer: Option<&Member>) -> bool {
    viewer.is_some_and(|viewer| viewer.is_admin)
}

/// The e-mail address of an account is for administrators, the settings of a project and the account of a comment are null for others.
fn guarded() -> Declaring {
    let mut tables = projects(&Rules::default());
    tables.change("Account", |account| {
        account.change("email", |email| {
            email.guard(is_admin);
        });
    });
    tables.change("Project", |project| {
        project.change("settings", |settings| {
            settings.guard_or_null(is_admin);
        });
    });
    tables.change("Comment", |comment| {
        comment.change("account", |account| {
            account.guard(is_admin).sorts_by(&["email"]);
        });
    });
    tables.create("Comment");
    tables.delete("Comment");
    tables.created("Comment");
    tables.deleted("Comment");
    tables.guard("tenants", is_admin);
    tables.guard("deleteComment", is_admin);
    tables.guard("commentDeleted", is_admin);
    tables
}

#[tokio::test]
async fn m5_a_guarded_field_is_refused_or_null_before_its_value_is_read() {
    let served = Served::new(guarded()).await;
    let query = "{ accounts(first: 2) { nodes { tenantSlug email } } projects(first: 1) { nodes { name settings } }
        comments(first: 1) { nodes { text account { tenantSlug } } } }";
    let whole = served.data(&ADMIN, query).await;
    assert!(whole["accounts"]["nodes"][0]["email"].is_string() && whole["comments"]["nodes"][0]["account"].is_object());
    for viewer in [ACME, NOBODY] {
        served.statements.take();
        let (codes, data) = served.refused(&viewer, query, json!({})).await;
        assert_eq!(codes, ["FORBIDDEN"; 3], "{data}");
        let mut expected = whole.clone();
        expected["accounts"]["nodes"][0]["email"].take();
        expected["accounts"]["nodes"][1]["email"].take();
        expected["projects"]["nodes"][0]["settings"].take();
        expected["comments"]["nodes"][0]["account"].take();
        assert_eq!(data, expected);
        for statement in served.statements.take() {
            let sql = statement.sql;
            assert!(!sql.contains("email") && !sql.contains("settings") && !sql.contains("JOIN"), "{sql}");
        }
    }
    let aliased =
        "query ($is: Boolean!) { accounts(first: 1) { nodes { is: email @include(if: $is) email @skip(if: $is) } } }";
    for is in [true, false] {
        let (codes, data) = served.refused(&ACME, aliased, json!({ "is": is })).await;
        let name = if is { "is" } else { "email" };
        assert_eq!((codes, data), (vec!["FORBIDDEN".into()], json!({ "accounts": { "nodes": [{ name: null }] } })));
    }
}

#[tokio::test]
async fn m5_nobody_filters_sorts_or_aggregates_by_a_field_that_is_refused() {
    let served = Served::new(guarded()).await;
    for list in [
        r#"accounts(where: { email: { startsWith: "1" } })"#,
        r#"accounts(where: { not: { or: [{ email: { ne: "1" } }] } })"#,
        "accounts(orderBy: { field: EMAIL })",
        r#"comments(where: { account: { email: { eq: "x" } } })"#,
        "comments(where: { account: {} })",
        "comments(orderBy: { field: ACCOUNT_EMAIL })",
        r#"tasks(where: { comments: { some: { account: { email: { eq: "x" } } } } })"#,
        "projects(where: { settings: { isNull: true } })",
        "tenants",
    ] {
        let query = format!("{{ {list} {{ totalCount }} }}");
        served.data(&ADMIN, &query).await;
        let (codes, data) = served.refused(&ACME, &query, json!({})).await;
        assert_eq!(codes, ["FORBIDDEN"], "{query}");
        assert!(data.as_object().unwrap().values().all(serde_json::Value::is_null), "{query}: {data}");
    }
    let aggregates = "{ accounts { aggregates { min { email tenantSlug } } } }";
    let (codes, data) = served.refused(&ACME, aggregates, json!({})).await;
    assert_eq!(codes, ["FORBIDDEN"]);
    let min = &data["accounts"]["aggregates"]["min"];
    assert!(min["email"].is_null() && min["tenantSlug"] == "acme", "{min}");
}

#[tokio::test]
async fn m5_m6_mutations_and_subscriptions_have_guards() {
    let served = Served::new(guarded()).await;
    let comment = served.data(&ADMIN, "{ comments(first: 1) { nodes { id } totalCount } }").await["comments"].take();
    let delete = "mutation ($input: DeleteCommentInput!) { deleteComment(input: $input) { deletedId } }";
    let input = json!({ "input": { "id": comment["nodes"][0]["id"] } });
    let (codes, data) = served.refused(&ACME, delete, input.clone()).await;
    assert_eq!((codes, data), (vec!["FORBIDDEN".into()], json!({ "deleteComment": null })));
    let count = async || served.data(&ADMIN, "{ comments { totalCount } }").await["comments"]["totalCount"].take();
    assert_eq!(count().await, comment["totalCount"]);
    let subscription = Incoming::from("subscription { commentDeleted { deletedId } }").viewed_by(ACME);
    let refused = serde_json::to_value(served.api.stream(subscription).next().await.unwrap()).unwrap();
    assert_eq!(refused["errors"][0]["extensions"]["code"], "FORBIDDEN", "{refused}");
    let (codes, _) = served.refused(&ADMIN, delete, input).await;
    assert!(codes.is_empty(), "{codes:?}");
    let account = served.data(&ADMIN, "{ accounts(first: 1) { nodes { id } } }").await["accounts"]["nodes"][0].take();
    let of_one = format!("subscription {{ commentCreated(accountId: {}) {{ node {{ text }} }} }}", account["id"]);
    let refused = served.api.stream(Incoming::from(of_one).viewed_by(ACME)).next().await.unwrap();
    assert_eq!(serde_json::to_value(refused).unwrap()["errors"][0]["extensions"]["code"], "FORBIDDEN");

    let create = "mutation ($input: CreateCommentInput!) { createComment(input: $input) { previousEdgeCursor } }";
    let ids = served.data(&ADMIN, "{ tasks(first: 1) { nodes { id } } accounts(first: 1) { nodes { id } } }").await;
    let (task, account) = (&ids["tasks"]["nodes"][0]["id"], &ids["accounts"]["nodes"][0]["id"]);
    let order = json!({ "field": "ACCOUNT_EMAIL" });
    let input = json!({ "input": { "taskId": task, "accountId": account, "text": "x", "orderBy": [order] } });
    let (codes, _) = served.refused(&ACME, create, input).await;
    assert_eq!(codes, ["FORBIDDEN"]);
}

#[test]
fn a_guard_of_an_unknown_field_is_a_fault() {
    let mut tables = guarded();
    tables.guard("nothing", is_admin);
    tables.change("Task", |task| {
        task.change("id", |id| {
            id.guard(is_admin);
        });
    });
    let faults = tables.check().unwrap_err().to_string();
    assert!(faults.contains("`nothing` has a guard, and is no declared field of a root type"), "{faults}");
    assert!(faults.contains("`Task.id` has a guard, and is a global id"), "{faults}");
}
