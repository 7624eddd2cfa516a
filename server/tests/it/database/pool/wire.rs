//! What is said to PostgreSQL, message by message.

use std::sync::Arc;

use bookends_server::db::pool::{Opener, Pool, Statements, Unprepared};
use bookends_server::db::{Liveness, Role};

use super::proxy::Proxy;
use super::{echo, postgres};
use crate::support::patience::until;
use crate::support::station::empty;

#[tokio::test]
async fn a_statement_is_one_round_trip() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let pool = Pool::open(
        Opener::Postgres(Arc::new(proxy.options.clone().into()), Statements::Prepared),
        1,
        Liveness::default(),
    )
    .await
    .unwrap();
    // Connects, and has the server watch the client.
    assert_eq!(proxy.said(), "! Q ");
    echo(&pool, 1, 1).await.unwrap();
    let [sent_first, received_first] = proxy.bytes();
    for number in 0..3 {
        echo(&pool, number, 1).await.unwrap();
    }
    // Parse, Describe, Sync; Bind, Execute, Sync. Nothing on release, which is before the next statement.
    assert_eq!(proxy.said(), "PDS BES BES BES BES ");
    let [sent, received] = proxy.bytes();
    assert!(0 < sent && sent < sent_first && 0 < received && received < received_first);
}

#[tokio::test]
async fn a_snapshot_begins_with_its_first_statement_and_ends_by_one_message() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let pool = Pool::open(
        Opener::Postgres(Arc::new(proxy.options.clone().into()), Statements::Prepared),
        1,
        Liveness::default(),
    )
    .await
    .unwrap();
    echo(&pool, 1, 1).await.unwrap();
    proxy.said();
    let snapshot = pool.snapshot();
    assert_eq!(proxy.said(), "");
    for number in 0..2 {
        echo(&snapshot, number, 12).await.unwrap();
    }
    assert_eq!(proxy.said(), "QBES BES ");
    drop(snapshot);
    until(async || proxy.said() == "Q ").await;
    echo(&pool, 1, 1).await.unwrap();
    assert_eq!(proxy.said(), "BES ");
}

/// As [`a_statement_is_one_round_trip`] and [`a_snapshot_begins_with_its_first_statement_and_ends_by_one_message`], in one message even for the
/// first statement.
#[tokio::test]
async fn an_unprepared_statement_is_one_round_trip() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let statements = Statements::Unprepared(Unprepared::new([("jit", "off")]));
    let opener = Opener::Postgres(Arc::new(proxy.options.clone().into()), statements);
    let pool = Pool::open(opener, 1, Liveness::default()).await.unwrap();
    assert_eq!(proxy.said(), "! ");
    for number in 0..3 {
        echo(&pool, number, 1).await.unwrap();
    }
    assert_eq!(proxy.said(), "Q Q Q ");
    let snapshot = pool.snapshot();
    for number in 0..2 {
        echo(&snapshot, number, 12).await.unwrap();
    }
    assert_eq!(proxy.said(), "Q Q ");
    drop(snapshot);
    until(async || pool.usage().used == 0).await;
    echo(&pool, 1, 1).await.unwrap();
    assert_eq!(proxy.said(), "Q Q ");
}

/// The role is sent with the statement that begins a transaction, and ends with that.
#[tokio::test]
async fn a_role_adds_no_round_trip() {
    let (test, _db) = empty().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&test.url)).await;
    let opener = Opener::Postgres(Arc::new(proxy.options.clone().into()), Statements::Prepared);
    let plain = Pool::open(opener, 1, Liveness::default()).await.unwrap();
    let pool = plain.with_role(Role::new("postgres", "{}").unwrap());
    proxy.said();
    // It is prepared in the role, which may know other tables.
    echo(&pool, 0, 1).await.unwrap();
    assert_eq!(proxy.said(), "QPDS BES ");
    until(async || proxy.said() == "Q ").await;
    echo(&pool, 1, 1).await.unwrap();
    assert_eq!(proxy.said(), "QBES ");
    until(async || proxy.said() == "Q ").await;
    let snapshot = pool.snapshot();
    for number in 0..3 {
        echo(&snapshot, number, 12).await.unwrap();
    }
    assert_eq!(proxy.said(), "QBES BES BES ");
    drop(snapshot);
    until(async || proxy.said() == "Q ").await;
    echo(&plain, 1, 1).await.unwrap();
    assert_eq!(proxy.said(), "BES ");
}
