//! The settings file.

use bookends::settings::Viewer;
use bookends_server::Claims;
use bookends_server::request::Incoming;
use serde_json::{Value as Json, json};

use crate::made::{Made, Served};

const NOTES: &str = "
    CREATE TABLE note (id integer PRIMARY KEY, tenant varchar(9) NOT NULL, text varchar(40), secret varchar(40), deleted_at timestamp);
    CREATE TABLE label (id integer PRIMARY KEY, note_id integer REFERENCES note (id), name varchar(9));
    CREATE VIEW short AS SELECT id, text FROM note;
    INSERT INTO note VALUES (1, 'a', 'one', 'x', NULL), (2, 'b', 'two', 'y', NULL), (3, 'a', 'three', 'z', '2026-01-01');
    INSERT INTO label VALUES (1, 1, 'p'), (2, 2, 'q');";

async fn seen(served: &Served, claims: Option<Json>, query: &str) -> Json {
    let viewer = Viewer(claims.map(|claims| match claims {
        Json::Object(claims) => Claims::new(claims),
        other => panic!("{other}"),
    }));
    served.respond(Incoming::from(query).viewed_by(viewer)).await
}

#[tokio::test]
async fn names_rules_and_guards_change_what_is_served() {
    let text = r#"
[table.note]
name = "Memo"
list = "memos"
object = "memo"
description = "What somebody wrote."
rule = 'tenant = claim("tenant") and deleted_at is null'
aggregates = false
field.text.name = "body"
field.secret.guard = 'claim("role") = "admin"'
field.deleted_at.hide = true
field.labels.name = "tags"
[table.short]
hide = true
"#;
    let made = Made::new(NOTES).await.with_settings(text);
    let served = made.serve(false).await;
    let query =
        "{ memos { totalCount nodes { body secret tags { nodes { name } } } } labels { nodes { note { body } } } }";
    let admin = json!({ "tenant": "a", "role": "admin" });
    let of_admin = seen(&served, Some(admin), query).await;
    let memo = json!({ "body": "one", "secret": "x", "tags": { "nodes": [{ "name": "p" }] } });
    assert_eq!(of_admin["data"]["memos"], json!({ "totalCount": 1, "nodes": [memo] }), "{of_admin}");
    assert_eq!(of_admin["data"]["labels"]["nodes"], json!([{ "note": { "body": "one" } }, { "note": null }]));
    let of_user = seen(&served, Some(json!({ "tenant": "b" })), query).await;
    assert_eq!(of_user["errors"][0]["extensions"]["code"], "FORBIDDEN", "{of_user}");
    let of_nobody = seen(&served, None, "{ memos { totalCount } }").await;
    assert_eq!(of_nobody["data"]["memos"]["totalCount"], 0);
    for absent in ["deletedAt", "type Short", "MemoAggregates", "secretFilter"] {
        assert!(!served.sdl.contains(absent), "{absent}");
    }
    assert!(served.sdl.contains("\"What somebody wrote.\"\ntype Memo "));
}

#[tokio::test]
async fn p1_a_table_has_pages_of_its_own_sizes() {
    let made = Made::new(NOTES).await.with_settings("[table.note]\npage_size = 1\nmax_page_size = 2\n");
    let served = made.serve(false).await;
    let ids = async |query: &str| seen(&served, None, query).await["data"]["notes"]["nodes"].as_array().unwrap().len();
    assert_eq!(ids("{ notes { nodes { id } } }").await, 1);
    assert_eq!(ids("{ notes(last: 2) { nodes { id } } }").await, 2);
    for query in ["{ notes(first: 3) { nodes { id } } }", "{ notes(last: 3) { nodes { id } } }"] {
        let refused = seen(&served, None, query).await;
        assert_eq!(refused["errors"][0]["extensions"]["code"], "PAGE_INVALID", "{refused}");
    }
    // Other lists have those of the server.
    let labels = seen(&served, None, "{ labels(first: 3) { nodes { id } } }").await;
    assert_eq!(labels["data"]["labels"]["nodes"].as_array().unwrap().len(), 2);
    assert!(served.sdl.contains("from 0 to 2, or to the maximum of the server if that is smaller"));
}

#[tokio::test]
async fn all_faults_are_said_with_their_lines() {
    let text = r#"[table.note]
key = ["no"]
rule = "tenant is"
page_size = 9
max_page_size = 8
name = "2"
field.nothing.hide = true

[table.none]
hide = true
[table.label]
sorts = [["name"], ["x"]]
field.name.guard = "role = 1"
"#;
    let made = Made::new(NOTES).await.with_settings(text);
    let error = made.discover(false).await.unwrap_err().to_string();
    for line in [
        ".toml:2: the table `note` has no column `no`",
        ".toml:3: expected `null` or `not null` at the end",
        ".toml:4: `page_size` is above `max_page_size`, 8",
        ".toml:6: `2` is no name of GraphQL",
        ".toml:9: there is no table `none`",
        ".toml:12: the table `label` has no column `x`",
        ".toml:13: expected `claim(\"…\")`, not `role`",
    ] {
        assert!(error.contains(line), "{line}: {error}");
    }
    let made = made.with_settings("[table.note]\nfield.labels.name = \"x\"\nfield.nothing.hide = true\n");
    let error = made.discover(false).await.unwrap_err().to_string();
    assert!(error.contains(".toml:3: `Note` has no field `nothing`, and `note` no such column"), "{error}");
    let made = made.with_settings("[table.note]\nhidden = true\n");
    let error = made.discover(false).await.unwrap_err().to_string();
    assert!(error.contains(".toml:2: unknown field `hidden`"), "{error}");
}

#[tokio::test]
async fn the_first_file_is_valid_and_changes_nothing() {
    let made = Made::new(NOTES).await;
    let text = bookends::init::init(&made.db, &bookends::discover::Options::default()).await.unwrap();
    let plain = made.serve(false).await.sdl;
    let made = made.with_settings(&text);
    assert_eq!(made.serve(false).await.sdl, plain);
    // Each line holds, too.
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with(['[', 'n', 'l', 'o', 'f']));
    let lines = lines.filter(|line| line.starts_with("[table.") || line.contains(" = \"") && !line.contains('…'));
    let made = made.with_settings(&lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(made.serve(false).await.sdl, plain);
}
