//! A PostgreSQL that dies, and one that falls silent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_graphql::futures_util::future::join_all;
use bookends_server::db::pool::{Opener, Pool, Statements};
use bookends_server::db::{Failure, Liveness};
use sea_orm::sqlx::ConnectOptions;
use sea_orm::{ConnectionTrait, TransactionTrait};
use testdb::{Cluster, Stop};
use tokio::time::timeout;

use super::proxy::Proxy;
use super::{CONNECTIONS, echo, is_complete, number, postgres};
use crate::support::patience::until;
use crate::support::station::{self, empty, settings};

/// How long the pool may take to be what it was.
const RECOVERY: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_costs_no_statement() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let pool = super::pool(&cluster.url(""), Duration::MAX).await;
    for how in [Stop::Fast, Stop::Immediate] {
        is_complete(&pool).await;
        cluster.stop(how);
        cluster.resume();
        let begun = Instant::now();
        for result in join_all((0..32).map(|number| echo(&pool, number, 2))).await {
            result.unwrap();
        }
        is_complete(&pool).await;
        assert!(begun.elapsed() < RECOVERY, "{:?}", begun.elapsed());
    }
}

/// Every connection is lost while its statement runs: each statement releases its own before it acquires another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_lost_together_are_replaced() {
    let (test, db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let pool = super::pool(&test.url, Duration::MAX).await;
    is_complete(&pool).await;
    let blocks = "CASE WHEN pg_advisory_xact_lock_shared(42) IS NULL THEN 0::int8 ELSE 1::int8 END";
    let blocked = "FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 42";
    for in_snapshots in [false, true] {
        let lock = db.writer.begin().await.unwrap();
        lock.execute_unprepared("SELECT pg_advisory_xact_lock(42)").await.unwrap();
        let reads: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                let (pool, sql) = (pool.clone(), format!("SELECT {blocks}"));
                tokio::spawn(async move {
                    if in_snapshots { number(&pool.snapshot(), &sql).await } else { number(&pool, &sql).await }
                })
            })
            .collect();
        until(async || number(&lock, &format!("SELECT count(*) {blocked}")).await == Ok(CONNECTIONS.into())).await;
        number(&lock, &format!("SELECT count(pg_terminate_backend(pid)) {blocked}")).await.unwrap();
        lock.commit().await.unwrap();
        for read in reads {
            assert_eq!(read.await.unwrap(), Ok(1));
        }
        is_complete(&pool).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_that_is_lost_says_so() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let pool = super::pool(&cluster.url(""), Duration::MAX).await;
    is_complete(&pool).await;
    let (read, new) = (pool.snapshot(), pool.snapshot());
    echo(&read, 1, 1).await.unwrap();
    cluster.stop(Stop::Immediate);
    cluster.resume();
    for _ in 0..2 {
        assert_eq!(Failure::of(&echo(&read, 2, 1).await.unwrap_err()), Failure::Lost);
    }
    // One that has seen nothing yet takes another connection.
    echo(&new, 3, 1).await.unwrap();
    echo(&new, 4, 1).await.unwrap();
    drop((read, new));
    is_complete(&pool).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_keeps_no_connection() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let opener = Opener::Postgres(Arc::new(proxy.options.clone().into()), Statements::Prepared);
    let pool = Pool::open(opener, CONNECTIONS, Liveness::default()).await.unwrap();
    is_complete(&pool).await;
    let open = pool.snapshot();
    echo(&open, 1, 1).await.unwrap();
    proxy.set_silent(true);
    // A response that is over while the server is silent, and many that wait in vain.
    drop(open);
    let waiting = (0..16).map(|number| {
        let pool = pool.clone();
        let patience = Duration::from_millis(100 + 100 * number);
        async move { timeout(patience, echo(&pool, 1, 1)).await }
    });
    assert!(join_all(waiting).await.into_iter().all(|result| result.is_err()));
    until(async || pool.usage().used == 0).await;
    // Nobody can connect, but everybody is told in time.
    let begun = Instant::now();
    assert_eq!(Failure::of(&echo(&pool, 1, 1).await.unwrap_err()), Failure::Unavailable);
    assert!(begun.elapsed() < RECOVERY, "{:?}", begun.elapsed());
    proxy.set_silent(false);
    let begun = Instant::now();
    echo(&pool, 1, 1).await.unwrap();
    is_complete(&pool).await;
    assert!(begun.elapsed() < RECOVERY, "{:?}", begun.elapsed());
}

/// sqlx asks a connection that is released for an answer, without a time limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_keeps_no_connection_that_writes() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let db = station::connect(&settings(proxy.options.to_url_lossy().as_str())).await.unwrap();
    let held = async || {
        let mut held = Vec::new();
        while let Ok(transaction) = db.begin().await {
            held.push(transaction);
        }
        held
    };
    let used = || db.pools().into_iter().find(|pool| pool.name == "writer").unwrap().used;
    let transactions = held().await;
    let all = transactions.len();
    assert_eq!(used(), all);
    proxy.set_silent(true);
    drop(transactions);
    until(async || used() == 0).await;
    proxy.set_silent(false);
    assert_eq!(held().await.len(), all);
}

/// Connections that died while nobody used them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_that_died_silently_are_found_out_together() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let opener = Opener::Postgres(Arc::new(proxy.options.clone().into()), Statements::Prepared);
    let liveness = Liveness::default();
    let pool = Pool::open(opener, CONNECTIONS, liveness.clone()).await.unwrap();
    is_complete(&pool).await;
    proxy.set_silent(true);
    // As after one that was lost.
    liveness.suspect();
    let begun = Instant::now();
    let late = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        proxy.set_silent(false);
    };
    tokio::join!(async { echo(&pool, 1, 1).await.unwrap() }, late);
    assert!(begun.elapsed() < RECOVERY, "{:?}", begun.elapsed());
    is_complete(&pool).await;
}
