//! Allocations, statements, messages, round trips and wire bytes of a request, which may not exceed their records.
//!
//! On SQLite, or on the PostgreSQL that `TEST_DATABASE_URL` names. `benches/guards.sh --record` writes the records.

use std::alloc::System;
use std::fmt::Write as _;
use std::time::Duration;

use sea_orm::sqlx::ConnectOptions;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use testdb::{Statements, TestDb};
use tokio::time::sleep;

#[expect(dead_code, reason = "the tests have it fall silent, too")]
#[path = "../../server/tests/it/database/pool/proxy.rs"]
mod proxy;
mod service;

use proxy::Proxy;
use service::{Asking, GUARDED, Guarded, Service, TABLES, Tables};

/// Counts what Rust allocates, in all threads. SQLite, which is in C, allocates by itself.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Over these, a count is averaged: now and then a thread waits for another, which allocates.
const REQUESTS: usize = 50;

/// The percentage by which a figure may rise, unless it is exact.
const TOLERANCE: usize = 3;

/// Long enough for what is said on release.
const WHILE: Duration = Duration::from_millis(50);

const RECORDS: &str = include_str!("../guards.txt");

/// What something costs in one respect.
struct Figure {
    name: String,
    count: usize,
    is_exact: bool,
}

#[tokio::test]
async fn no_request_costs_more_than_is_recorded() {
    let mut risen = String::new();
    for Figure { name, count, is_exact } in figures().await {
        let record = RECORDS.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '));
        let record: Option<usize> = record.and_then(|record| record.parse().ok());
        let most = record.map(|record| if is_exact { record } else { record + record * TOLERANCE / 100 });
        if most.is_none_or(|most| count > most) {
            let _ = writeln!(risen, "{name}: {count}, recorded {record:?}");
        }
    }
    assert!(risen.is_empty(), "{risen}If that is meant, record it: benches/guards.sh --record");
}

#[tokio::test]
#[ignore = "shows the figures, for their records"]
async fn shows_what_a_request_costs() {
    for Figure { name, count, .. } in figures().await {
        println!("{name} {count}");
    }
}

async fn figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    for tables in TABLES {
        let test = TestDb::new().await;
        // On the heap: they contain what answers a request.
        if test.url.starts_with("postgres") {
            Box::pin(on_the_wire(tables, &test, &mut figures)).await;
        } else {
            Box::pin(on_sqlite(tables, &test, &mut figures)).await;
        }
    }
    figures
}

async fn on_sqlite(tables: Tables, test: &TestDb, figures: &mut Vec<Figure>) {
    let statements = Statements::default();
    let service = Service::new(tables, &test.url, Some(&statements)).await;
    for guarded in of(tables) {
        let mut asking = service.warm(guarded).await;
        released(&service).await;
        statements.take();
        let region = Region::new(ALLOCATOR);
        ask(&service, &mut asking).await;
        let change = region.change();
        // What grows in place or moves is asked for, too.
        let allocations = change.allocations + change.reallocations;
        let bytes = change.bytes_allocated + usize::try_from(change.bytes_reallocated.max(0)).unwrap_or_default();
        figures.extend([average(guarded, "allocations", allocations), average(guarded, "allocated_bytes", bytes)]);
        if guarded.reads() {
            figures.push(exact(guarded, "sqlite_statements", statements.take().len()));
        }
    }
}

async fn on_the_wire(tables: Tables, test: &TestDb, figures: &mut Vec<Figure>) {
    let server: PgConnectOptions = test.url.parse().expect("a URL of PostgreSQL");
    let proxy = Proxy::new(server.ssl_mode(PgSslMode::Disable)).await;
    let statements = Statements::default();
    let service = Service::new(tables, proxy.options.to_url_lossy().as_str(), Some(&statements)).await;
    for guarded in of(tables) {
        let mut asking = service.warm(guarded).await;
        released(&service).await;
        sleep(WHILE).await;
        // What was counted so far is not of this kind.
        statements.take();
        proxy.said();
        proxy.bytes();
        ask(&service, &mut asking).await;
        sleep(WHILE).await;
        let [sent, received] = proxy.bytes();
        let said = proxy.said();
        figures.push(exact(guarded, "postgres_messages", said.chars().filter(|letter| *letter != ' ').count()));
        figures.push(exact(guarded, "postgres_round_trips", said.split(' ').filter(|said| !said.is_empty()).count()));
        if guarded.reads() {
            figures.push(exact(guarded, "postgres_statements", statements.take().len()));
            figures.push(exact(guarded, "postgres_sent_bytes", sent));
            figures.push(exact(guarded, "postgres_received_bytes", received));
        } else {
            // Numbers and times have more digits or less.
            figures.push(average(guarded, "postgres_sent_bytes", sent));
            figures.push(average(guarded, "postgres_received_bytes", received));
        }
    }
}

fn of(tables: Tables) -> impl Iterator<Item = Guarded> {
    GUARDED.into_iter().filter(move |guarded| guarded.tables == tables)
}

async fn ask(service: &Service, asking: &mut Asking) {
    for _ in 0..REQUESTS {
        service.ask(asking).await;
        released(service).await;
    }
}

/// Waits until the connection of the last request is free.
async fn released(service: &Service) {
    while service.is_busy() {
        sleep(Duration::from_millis(1)).await;
    }
}

/// A figure that varies a little from one request to the next.
fn average(guarded: Guarded, figure: &str, count: usize) -> Figure {
    Figure { name: format!("{}.{figure}", guarded.name), count: (count + REQUESTS / 2) / REQUESTS, is_exact: false }
}

/// A figure in which one request is like the others.
fn exact(guarded: Guarded, figure: &str, count: usize) -> Figure {
    let name = format!("{}.{figure}", guarded.name);
    assert_eq!(count % REQUESTS, 0, "{name}: {count} in {REQUESTS} requests");
    Figure { name, count: count / REQUESTS, is_exact: true }
}
