//! A PostgreSQL server that starts late, crashes and restarts.
#![cfg(unix)]

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use crate::support::station::{self, Plan, permitted, tables};
use async_graphql::Request;
use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::Value;
use testdb::{Cluster, Stop};

use crate::support::program::{LONG, Program};

#[tokio::test]
async fn a_server_waits_for_its_database() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    cluster.stop(Stop::Immediate);
    let program = Program::start(&mut station::program(&cluster.url("")));
    let line = program.says("does not answer yet");
    assert!(line.contains("the PostgreSQL database postgres at localhost:") && !line.contains("secret"), "{line}");
    cluster.resume();
    program.address();
}

#[tokio::test]
async fn a_server_waits_until_its_database_is_created() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let program = Program::start(&mut station::program(&cluster.url("").replace("/postgres?", "/station?")));
    let line = program.says("does not answer yet");
    assert!(line.contains(r#"database "station" does not exist"#), "{line}");
    let admin = sea_orm::Database::connect(cluster.url("")).await.unwrap();
    admin.execute_unprepared("CREATE DATABASE station").await.unwrap();
    program.address();
}

#[tokio::test]
async fn a_wrong_password_fails_immediately() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url("").replace("secret", "hidden");
    let begun = Instant::now();
    let mut program = Program::start(station::program(&url).env("DATABASE_WAIT", "3600"));
    let line = program.says("station: cannot open the PostgreSQL database");
    assert!(line.contains("password authentication failed") && !line.contains("hidden"), "{line}");
    assert!(!program.ends_within(LONG).success() && begun.elapsed() < LONG);
}

/// What the clients of a server observed.
#[derive(Default)]
struct Seen {
    /// Sensors whose addition was acknowledged.
    acknowledged: Mutex<HashSet<String>>,
    read: AtomicUsize,
    codes: Mutex<HashSet<String>>,
    done: AtomicBool,
}

impl Seen {
    async fn ask(&self, api: &Api, text: String) -> Option<Value> {
        let answer = api.execute(permitted(Request::new(text))).await;
        let answer = serde_json::to_value(answer).unwrap();
        let Some(errors) = answer["errors"].as_array() else { return Some(answer["data"].clone()) };
        for error in errors {
            self.codes.lock().unwrap().insert(error["extensions"]["code"].as_str().unwrap().to_owned());
        }
        None
    }

    async fn write(&self, api: &Api, writer: usize) {
        for number in 0.. {
            if self.done.load(SeqCst) {
                return;
            }
            let name = format!("{writer} {number}");
            let text = format!(
                "mutation {{ createSensor(input: {{ name: {name:?}, year: 1 }}) {{ sensorEdge {{ node {{ id }} }} }} }}"
            );
            if self.ask(api, text).await.is_some() {
                self.acknowledged.lock().unwrap().insert(name);
            }
        }
    }

    async fn read(&self, api: &Api) {
        while !self.done.load(SeqCst) {
            if self.ask(api, "{ sensors(first: 5) { nodes { name } } }".into()).await.is_some() {
                self.read.fetch_add(1, SeqCst);
            }
        }
    }

    /// Waits for this many further reads and writes.
    async fn answered(&self, more: usize) {
        let counts = || (self.read.load(SeqCst), self.acknowledged.lock().unwrap().len());
        let (read, written) = counts();
        let end = Instant::now() + 2 * LONG;
        while counts().0 < read + more || counts().1 < written + more {
            assert!(Instant::now() < end, "{read} and {written} were answered, then {:?}", counts());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_survives_restarts_of_its_database() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let db = station::connect(&Settings { database_connections: 4, ..Settings::new(cluster.url("")) }).await.unwrap();
    db.migrate().await.unwrap();
    station::fill(&db, Plan { sensors: 8, readings: 8, repairs: 8 }).await.unwrap();
    let api = station::api(db.clone(), Limits::DEFAULT);
    let seen = Seen::default();
    let script = async {
        for how in [Stop::Immediate, Stop::Fast] {
            seen.answered(20).await;
            cluster.stop(how);
            cluster.resume();
            seen.answered(20).await;
        }
        seen.done.store(true, SeqCst);
    };
    tokio::join!(script, seen.write(&api, 0), seen.write(&api, 1), seen.read(&api), seen.read(&api), seen.read(&api));

    let sensors = tables::sensor::Entity::find().all(&db.writer).await.unwrap();
    let names: HashSet<_> = sensors.into_iter().map(|sensor| sensor.name).collect();
    let acknowledged = seen.acknowledged.into_inner().unwrap();
    assert!(acknowledged.is_subset(&names), "lost: {:?}", acknowledged.difference(&names));
    let codes = seen.codes.into_inner().unwrap();
    // A commit during the crash has an unknown outcome.
    assert!(codes.iter().all(|code| ["UNAVAILABLE", "OUTCOME_UNKNOWN"].contains(&code.as_str())), "{codes:?}");
}
