//! Random mutations by a viewer, and by somebody who sees everything: what they answer, what they change, and what subscribers hear.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bookends_server::async_graphql::{Request, Variables};
use bookends_server::config::{Limits, Settings};
use bookends_server::keyset::Column;
use bookends_server::request::{Incoming, Permission};
use bookends_server::{Api, App, Declaration, Declaring, ObjectType};
use futures_util::StreamExt;
use sea_orm::prelude::Uuid;
use sea_orm::sea_query::Query as Sql;
use sea_orm::{ConnectionTrait, Value};
use serde_json::{Map, Value as Json, json};

use crate::hear::hear;
use crate::rules::{Rules, Viewer};
use crate::world::{World, delete_hidden, rows};
use oracle::dice::Dice;

/// The objects that are written.
const OBJECTS: [&str; 3] = ["Project", "Task", "Comment"];
/// What happens to them.
const KINDS: [&str; 3] = ["Created", "Updated", "Deleted"];

/// Rows by their keys, as texts.
type Rows = BTreeMap<String, Vec<Value>>;

/// Adds the mutations and the subscriptions.
pub fn declare(tables: &mut Declaring) {
    for object in OBJECTS {
        tables.create(object);
        tables.update(object);
        tables.delete(object);
        tables.created(object);
        tables.updated(object);
        tables.deleted(object);
    }
}

/// A database behind a server.
struct Side {
    world: World,
    api: Api,
}

impl Side {
    async fn new(declare: fn(&Rules) -> Declaring, rules: &Rules) -> Self {
        let world = World::new(declare).await;
        crate::rows::fill(&world).await;
        let application = App::new("law", "0.0.0", declare(rules)).check().unwrap();
        let settings = Settings { database_connections: 4, ..Settings::new(world.url()) };
        let db = application.connect(&settings).await.unwrap();
        Self { world, api: application.api(db, Limits::DEFAULT) }
    }

    async fn ask(&self, query: &str, input: &Json, viewer: &Viewer) -> Json {
        let request = Request::new(query).variables(Variables::from_json(json!({ "input": input })));
        let incoming = Incoming::from(request).permitted(Permission::Granted).viewed_by(viewer.clone());
        serde_json::to_value(self.api.execute(incoming).await).unwrap()
    }

    /// The rows of an object that show to a viewer.
    async fn rows(&self, object: &ObjectType, viewer: Option<&Viewer>) -> Rows {
        let condition = viewer.and_then(|viewer| viewer.condition(object.table().name()));
        let rows = rows(&self.world.db, object.table(), condition, u64::MAX).await;
        let key = |row: &[Value]| object.table().key().map(|column| row[column.number()].to_string()).collect();
        rows.into_iter().map(|row| (key(&row), row)).collect()
    }
}

/// A mutation.
struct Write {
    object: &'static str,
    kind: usize,
    query: String,
    input: Json,
    /// The key of the row.
    key: Uuid,
}

/// Makes mutations by random choices. Returns how many answered without an error, and how many events were heard.
pub async fn obey(declare: fn(&Rules) -> Declaring, seed: u64, writes: u128) -> (usize, usize) {
    let (mut dice, plain) = (Dice::of_seed(seed), declare(&Rules::default()).check().unwrap());
    let objects: Vec<&ObjectType> = plain.object_types().collect();
    let samples = World::new(declare).await;
    crate::rows::fill(&samples).await;
    // A rule that reads other rows would bring rows into view that nobody wrote.
    let rules = Rules::random(&mut dice, &objects, &[], &samples.samples(&objects).await);
    let viewer = Viewer { shows_all: false, shown: Arc::clone(&rules.shown) };
    let everybody = Viewer { shows_all: true, shown: Arc::default() };
    let (whole, shown) = (Side::new(declare, &rules).await, Side::new(declare, &rules).await);
    let transaction = shown.world.begin().await;
    delete_hidden(&transaction, &plain, &viewer).await;
    transaction.commit().await.unwrap();
    let mut heard = Vec::new();
    for object in OBJECTS {
        for kind in KINDS {
            let selected = if kind == "Deleted" { "id: deletedId" } else { "node { id }" };
            let query = format!("subscription {{ {}{kind} {{ {selected} }} }}", object.to_lowercase());
            heard.push(hear(&whole.api, Incoming::from(query).viewed_by(viewer.clone())).await);
        }
    }
    let (mut expected, mut done) = (vec![Vec::new(); heard.len()], 0);
    for number in 0..writes {
        let write = random(&mut dice, &plain, &whole, number).await;
        let object = plain.object_named(write.object).unwrap();
        let (before, all) = (whole.rows(object, Some(&viewer)).await, whole.rows(object, None).await);
        let by_viewer = dice.roll(3) > 0;
        let answer = whole.ask(&write.query, &write.input, if by_viewer { &viewer } else { &everybody }).await;
        let (after, all_after) = (whole.rows(object, Some(&viewer)).await, whole.rows(object, None).await);
        let context = format!("{}\n{}\n{answer}", write.query, write.input);
        if by_viewer {
            for (key, row) in all.iter().filter(|(key, _)| !before.contains_key(*key)) {
                assert_eq!(all_after.get(key), Some(row), "a hidden row was changed: {context}");
            }
            let code = &answer["errors"][0]["extensions"]["code"];
            if ["FORBIDDEN", "ALREADY_EXISTS", "IN_USE"].iter().any(|own| code == own) {
                // What hidden rows forbid, or what would become one.
                assert_eq!(all, all_after, "{context}");
                continue;
            }
            assert_eq!(shown.ask(&write.query, &write.input, &everybody).await, answer, "{context}");
            assert_eq!(shown.rows(object, None).await, after, "{context}");
        } else {
            follow(&shown, object, &before, &after).await;
        }
        let succeeded = answer.get("errors").is_none();
        done += usize::from(succeeded && by_viewer);
        let of = 3 * OBJECTS.iter().position(|of| *of == write.object).unwrap();
        let id = |key: &str, of: &Rows| id(&plain, object, &of[key]);
        let own = Value::from(write.key).to_string();
        expected[of].extend(after.keys().filter(|key| !before.contains_key(*key)).map(|key| id(key, &after)));
        expected[of + 2].extend(before.keys().filter(|key| !after.contains_key(*key)).map(|key| id(key, &before)));
        if succeeded && write.kind == 1 && before.contains_key(&own) && after.contains_key(&own) {
            expected[of + 1].push(id(&own, &after));
        }
    }
    let mut events = 0;
    for (number, (responses, expected)) in heard.iter_mut().zip(expected).enumerate() {
        for id in expected {
            let next = tokio::time::timeout(Duration::from_mins(1), responses.next()).await;
            let response = serde_json::to_value(next.expect("an event").unwrap()).unwrap();
            let of = response["data"].as_object().unwrap_or_else(|| panic!("{response}")).values().next().unwrap();
            let heard = of.get("id").unwrap_or(&of["node"]["id"]);
            assert_eq!(*heard, id, "{} {}", OBJECTS[number / 3], KINDS[number % 3]);
            events += 1;
        }
    }
    (done, events)
}

fn id(declaration: &Declaration, object: &ObjectType, row: &[Value]) -> String {
    let key: Vec<Value> = object.table().key().map(|column| row[column.number()].clone()).collect();
    declaration.id(object.name(), &key).unwrap().to_string()
}

/// A random mutation, which can name any row.
async fn random(dice: &mut Dice, declaration: &Declaration, side: &Side, number: u128) -> Write {
    let object = *dice.pick(&OBJECTS);
    let mut known = BTreeMap::new();
    for object in ["Tenant", "Account", "Project", "Task", "Comment"] {
        let of = declaration.object_named(object).unwrap();
        known.insert(object, side.rows(of, None).await.into_values().collect::<Vec<_>>());
    }
    let any = |dice: &mut Dice, of: &str| {
        let (object, rows) = (declaration.object_named(of).unwrap(), &known[of]);
        let row: &Vec<Value> = dice.pick(rows);
        json!(id(declaration, object, row))
    };
    let (kind, mut input) = (if known[object].len() < 5 { 0 } else { dice.roll(3) }, Map::new());
    let mut key = Uuid::from_u128(0x0195 << 112 | number << 80 | 7 << 76 | 2 << 62);
    if kind > 0 {
        let of = declaration.object_named(object).unwrap();
        let row = dice.pick(&known[object]);
        input.insert("id".into(), json!(id(declaration, of, row)));
        if let Value::Uuid(Some(of_row)) = row[0] {
            key = of_row;
        }
    } else {
        input.insert("rowId".into(), json!(key));
    }
    let names = ["Road", "Dig", "Yes", "No", "Rest"];
    let fields: &[(&str, &str)] = match object {
        "Project" => &[("name", ""), ("tenantId", "Tenant")],
        "Task" => &[("title", ""), ("projectId", "Project"), ("parentId", "Task"), ("isDone", "?")],
        _ => &[("text", ""), ("taskId", "Task"), ("accountId", "Account")],
    };
    let only = dice.roll(fields.len());
    for (place, (field, of)) in fields.iter().enumerate().filter(|_| kind < 2) {
        let is_given = match kind {
            0 => !matches!(*field, "parentId" | "isDone") || dice.once_in(2),
            _ => place == only || dice.once_in(4),
        };
        if is_given {
            let value = match *of {
                "" => json!(dice.pick(&names)),
                "?" => json!(dice.once_in(2)),
                of => any(dice, of),
            };
            input.insert((*field).to_owned(), value);
        }
    }
    let verb = ["create", "update", "delete"][kind];
    let row = match object {
        "Project" => "id name tenant { slug } tasks(first: 2) { totalCount }",
        "Task" => "id title isDone project { name } parent { id } comments(first: 2) { totalCount nodes { text } }",
        _ => "id text task { title } account { email }",
    };
    let field = object.to_lowercase();
    let payload = match kind {
        0 => format!("{field}Edge {{ cursor node {{ {row} }} }} previousEdgeCursor"),
        1 => format!("{field} {{ {row} }}"),
        _ => "deletedId".to_owned(),
    };
    let capital = verb[..1].to_uppercase() + &verb[1..];
    let query =
        format!("mutation ($input: {capital}{object}Input!) {{ {verb}{object}(input: $input) {{ {payload} }} }}");
    Write { object, kind, query, input: Json::Object(input), key }
}

/// Makes the same of the rows that show.
async fn follow(shown: &Side, object: &ObjectType, before: &Rows, after: &Rows) {
    let (table, transaction) = (object.table(), shown.world.begin().await);
    let changed = |(key, row): &(&String, &Vec<Value>), other: &Rows| other.get(*key) != Some(*row);
    for (_, row) in before.iter().filter(|row| changed(row, after)) {
        let mut delete = Sql::delete().from_table(table.table_ref()).take();
        for column in table.key() {
            delete.and_where(sea_orm::sea_query::ExprTrait::eq(column.expr(), row[column.number()].clone()));
        }
        transaction.execute(&delete).await.unwrap();
    }
    for (_, row) in after.iter().filter(|row| changed(row, before)) {
        let mut insert =
            Sql::insert().into_table(table.table_ref()).columns(table.columns().iter().map(Column::name)).take();
        insert.values(table.columns().iter().zip(row).map(|(column, value)| column.stored(value.clone()))).unwrap();
        transaction.execute(&insert).await.unwrap();
    }
    transaction.commit().await.unwrap();
}
