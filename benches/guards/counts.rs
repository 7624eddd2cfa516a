//! Allocations, statements, round trips and wire bytes of a request, a line each: its name and the number.
//!
//! On SQLite in memory, and on the PostgreSQL that `TEST_DATABASE_URL` names. `benches/guards.sh` compares them with the
//! records. It runs this under Valgrind, which lets one thread run at a time: otherwise the number of cores would decide
//! how often a thread waits for another.

use std::alloc::System;
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
use service::{GUARDED, Service, Tables, in_memory};

/// Counts what Rust allocates, in all threads. SQLite, which is in C, allocates by itself.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Over these, a count is averaged: now and then a thread waits for another, which allocates.
const REQUESTS: usize = 50;

/// Long enough for what is said on release.
const WHILE: Duration = Duration::from_millis(50);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // On the heap: they contain what answers a request.
    for tables in [Tables::Shop, Tables::Integers, Tables::Tenants] {
        Box::pin(on_sqlite(tables)).await;
        let test = TestDb::new().await;
        if test.url.starts_with("postgres") {
            Box::pin(on_the_wire(tables, &test)).await;
        }
    }
}

async fn on_sqlite(tables: Tables) {
    let statements = Statements::default();
    let service = Service::new(tables, in_memory(tables), Some(&statements)).await;
    for guarded in GUARDED.into_iter().filter(|guarded| guarded.tables == tables) {
        let body = service.warm(guarded).await;
        released(&service).await;
        statements.take();
        let region = Region::new(ALLOCATOR);
        for _ in 0..REQUESTS {
            service.answer(&body).await;
            released(&service).await;
        }
        let change = region.change();
        // What grows in place or moves is asked for, too.
        let allocations = change.allocations + change.reallocations;
        let bytes = change.bytes_allocated + usize::try_from(change.bytes_reallocated.max(0)).unwrap_or_default();
        show(guarded.name, "allocations", each(allocations));
        show(guarded.name, "allocated_bytes", each(bytes));
        show(guarded.name, "sqlite_statements", exactly(statements.take().len()));
    }
}

async fn on_the_wire(tables: Tables, test: &TestDb) {
    let server: PgConnectOptions = test.url.parse().expect("a URL of PostgreSQL");
    let proxy = Proxy::new(server.ssl_mode(PgSslMode::Disable)).await;
    let statements = Statements::default();
    let service = Service::new(tables, proxy.options.to_url_lossy().as_str(), Some(&statements)).await;
    for guarded in GUARDED.into_iter().filter(|guarded| guarded.tables == tables) {
        let body = service.warm(guarded).await;
        released(&service).await;
        sleep(WHILE).await;
        // What was counted so far is not of this kind.
        statements.take();
        proxy.said();
        proxy.bytes();
        for _ in 0..REQUESTS {
            service.answer(&body).await;
            released(&service).await;
        }
        sleep(WHILE).await;
        let [sent, received] = proxy.bytes();
        show(guarded.name, "postgres_statements", exactly(statements.take().len()));
        show(guarded.name, "postgres_round_trips", exactly(proxy.said().split_whitespace().count()));
        show(guarded.name, "postgres_sent_bytes", exactly(sent));
        show(guarded.name, "postgres_received_bytes", exactly(received));
    }
}

/// Waits until the connection of the last request is free.
async fn released(service: &Service) {
    while service.db.reader.usage().used > 0 {
        sleep(Duration::from_millis(1)).await;
    }
}

fn each(count: usize) -> usize {
    (count + REQUESTS / 2) / REQUESTS
}

/// One request is like the others.
fn exactly(count: usize) -> usize {
    assert_eq!(count % REQUESTS, 0, "{count} in {REQUESTS} requests");
    count / REQUESTS
}

fn show(request: &str, figure: &str, count: usize) {
    println!("{request}.{figure} {count}");
}
