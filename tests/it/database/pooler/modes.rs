//! A pooler in session mode, and poolers before a primary and its replica.
#![cfg(unix)]

use bookends::config::Limits;
use bookends::db::Db;
use bookends::shop::Api;
use serde_json::json;
use testdb::{PoolMode, Pooler};

use super::{CONNECTIONS, listening};
use crate::api::subscriptions::Heard;
use crate::operations::cli::fails;
use crate::support::fleet::{self, Server};
use crate::support::program::bookends;
use crate::support::shop::{SMALL, Shop};

/// A session keeps its connection, but PgBouncer refuses the parameters of one that prepares statements.
#[tokio::test]
async fn session_mode_needs_the_settings_of_transaction_mode() {
    let mut shop = Shop::new(SMALL).await;
    if shop.test.url.starts_with("sqlite") {
        return;
    }
    let Some(pooler) = Pooler::start(&shop.test.url, PoolMode::Session, 20) else { return };
    fails(bookends(&pooler.url()).args(["migrate", "status"]), "DATABASE_STATEMENT_MODE=unprepared");
    let db = Db::connect(&listening(&pooler.url(), &shop.test.url)).await.unwrap();
    shop.api = Api::new(db, Limits::DEFAULT);
    let mut heard = Heard::of(&shop.api, "subscription { ratingAdded { node { rating } } }").await;
    let book = shop.data("{ books(first: 1) { nodes { id } } }").await["books"]["nodes"][0]["id"].take();
    let rate = "mutation ($book: ID!) { rateBook(input: { bookId: $book, rating: 4 }) { clientMutationId } }";
    assert!(shop.execute(rate, json!({ "book": book })).await["errors"].is_null());
    assert_eq!(heard.edge().await["node"]["rating"], 4);
}

/// Each PostgreSQL has a pooler of its own.
#[test]
fn replicas_are_read_through_poolers() {
    const QUERIES: [&str; 2] =
        ["{ books(last: 1) { nodes { name } } }", "{ books(last: 1) { nodes { name } } ratings { totalCount } }"];
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let start = |url: &str| Pooler::start(url, PoolMode::Transaction, CONNECTIONS);
    let (Some(to_primary), Some(to_replica)) = (start(&primary.url("")), start(&replica.url(""))) else { return };
    let mut command = bookends(&to_primary.url());
    command.env("DATABASE_REPLICA_URLS", to_replica.url()).env("DATABASE_STATEMENT_MODE", "unprepared");
    let server = Server::start(command.env("MAX_REPLICA_LAG", "3600"));
    fleet::wait(|| server.ready().contains(": healthy"));
    replica.pause_replay();
    let mut client = server.client();
    let (_, position) = client.add("new").unwrap();
    let name = |data: serde_json::Value| data["books"]["nodes"][0]["name"].clone();
    for query in QUERIES {
        assert_ne!(name(client.query(query)), "new");
        assert_eq!(name(client.query_at(&position, query)), "new");
    }
    replica.resume_replay();
    replica.catch_up(&primary);
    for query in QUERIES {
        fleet::wait(|| name(client.query(query)) == "new");
    }
}
