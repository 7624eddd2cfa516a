//! The connection that listens to PostgreSQL, lost and found.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::entity::book_rating;
use bookends_server::config::Limits;
use bookends_server::db::Db;
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, Set, Statement};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::{books, is_sqlite, order, rate};
use crate::support::heard::Heard;
use crate::support::patience::until;
use crate::support::shop::{SMALL, Shop, settings};

const RATINGS: &str = "subscription { ratingAdded { node { id } } }";
const ORDERS: &str = "subscription { orderPlaced { node { id } } }";
const LISTENERS: &str =
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bookshop listener'";

/// How many connections listen to this database.
async fn listeners(db: &Db) -> i64 {
    let count = Statement::from_string(DbBackend::Postgres, format!("SELECT count(*) {LISTENERS}"));
    db.writer.query_one_raw(count).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

/// Ends them.
async fn kill(db: &Db) {
    assert_eq!(listeners(db).await, 1);
    db.writer.execute_unprepared(&format!("SELECT pg_terminate_backend(pid) {LISTENERS}")).await.unwrap();
    until(async || listeners(db).await == 0).await;
}

/// The database takes no more connections, while those that there are go on.
struct Closed(DatabaseConnection, String);

impl Closed {
    async fn new(shop: &Shop) -> Self {
        let (server, name) = shop.test.url.rsplit_once('/').unwrap();
        let admin = Database::connect(format!("{server}/postgres")).await.unwrap();
        // All that the pool can have: it will not need another one.
        let pool = shop.db.writer.get_postgres_connection_pool();
        let mut connections = Vec::new();
        while connections.len() < pool.options().get_max_connections() as usize {
            connections.push(pool.acquire().await.unwrap());
        }
        let all = connections.len();
        drop(connections);
        until(async || pool.num_idle() == all).await;
        admin.execute_unprepared(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await.unwrap();
        Self(admin, name.into())
    }

    async fn open(self) {
        let Self(admin, name) = self;
        admin.execute_unprepared(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await.unwrap();
    }
}

#[tokio::test]
async fn there_is_a_listening_connection_while_there_are_subscribers() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    for _ in 0..2 {
        assert_eq!(listeners(&shop.db).await, 0);
        let (one, other) = (Heard::of(&shop.api, RATINGS).await, Heard::of(&shop.api, ORDERS).await);
        assert_eq!(listeners(&shop.db).await, 1);
        drop(one);
        until(async || shop.api.events().subscribers() == 1).await;
        assert_eq!(listeners(&shop.db).await, 1);
        drop(other);
        until(async || listeners(&shop.db).await == 0).await;
    }
}

#[tokio::test]
async fn events_of_an_outage_are_sent_afterwards_once_in_order() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    let (db, api, book) = (&shop.db, &shop.api, books(&shop.db).await[0]);
    rate(api, book, 1).await;
    let (mut ratings, mut orders) = (Heard::of(api, RATINGS).await, Heard::of(api, ORDERS).await);
    let (mut rated, mut ordered) = (vec![rate(api, book, 2).await], vec![order(api, book, "2").await]);
    for _ in 0..2 {
        let closed = Closed::new(&shop).await;
        kill(db).await;
        for _ in 0..5 {
            rated.push(rate(api, book, 3).await);
            ordered.push(order(api, book, "3").await);
        }
        closed.open().await;
        until(async || listeners(db).await == 1).await;
        rated.push(rate(api, book, 4).await);
        ordered.push(order(api, book, "4").await);
        assert_eq!(ratings.ids(rated.len()).await, rated);
        assert_eq!(orders.ids(ordered.len()).await, ordered);
        (rated, ordered) = (Vec::new(), Vec::new());
    }
}

#[tokio::test]
async fn a_subscriber_that_missed_too_much_gets_an_error_and_can_subscribe_again() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    let (db, api, book) = (&shop.db, &shop.api, books(&shop.db).await[0]);
    let (mut ratings, mut orders) = (Heard::of(api, RATINGS).await, Heard::of(api, ORDERS).await);
    let closed = Closed::new(&shop).await;
    kill(db).await;
    let rating = |_| book_rating::ActiveModel { rating: Set(1), book_id: Set(book), ..Default::default() };
    book_rating::Entity::insert_many((0..1001).map(rating)).exec(&db.writer).await.unwrap();
    closed.open().await;
    for heard in [&mut ratings, &mut orders] {
        assert_eq!(heard.code().await, "SUBSCRIPTION_LAGGED");
        assert_eq!(heard.response().await, None);
    }
    let mut again = Heard::of(api, RATINGS).await;
    let rated = rate(api, book, 1).await;
    assert_eq!(again.ids(1).await, [rated]);
}

#[tokio::test]
async fn a_failed_subscription_has_an_error_and_the_next_one_succeeds() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    let closed = Closed::new(&shop).await;
    let mut heard = Heard::soon(&shop.api, RATINGS);
    assert_eq!(heard.code().await, "UNAVAILABLE");
    assert_eq!(heard.response().await, None);
    closed.open().await;
    let mut heard = Heard::of(&shop.api, RATINGS).await;
    let rated = rate(&shop.api, books(&shop.db).await[0], 1).await;
    assert_eq!(heard.ids(1).await, [rated]);
}

#[tokio::test]
async fn a_malformed_notification_is_skipped() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    let mut heard = Heard::of(&shop.api, RATINGS).await;
    let foreign = r#"NOTIFY bookends; NOTIFY bookends, 'hello'; NOTIFY bookends, '{"event":"BookBurnt"}'"#;
    shop.db.writer.execute_unprepared(foreign).await.unwrap();
    let rated = rate(&shop.api, books(&shop.db).await[0], 1).await;
    assert_eq!(heard.ids(1).await, [rated]);
}

/// A network that loses the connection tells nobody.
#[tokio::test]
async fn a_silent_connection_is_detected() {
    let shop = Shop::new(SMALL).await;
    if is_sqlite(&shop.db) {
        return;
    }
    let wire = Wire::to(&shop).await;
    let db = bookshop::connect(&settings(&wire.url)).await.unwrap();
    let api = bookshop::api(db, Limits::DEFAULT);
    let mut heard = Heard::of(&api, RATINGS).await;
    let (book, connections) = (books(&shop.db).await[0], wire.connections());
    let before = rate(&shop.api, book, 1).await;
    assert_eq!(heard.ids(1).await, [before]);

    let silence = async || {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(31)).await;
        tokio::time::resume();
    };
    silence().await;
    let quiet = rate(&shop.api, book, 1).await;
    assert_eq!(heard.ids(1).await, [quiet]);
    assert_eq!(wire.connections(), connections, "one that answers is kept");

    wire.cut_newest();
    let missed = rate(&shop.api, book, 2).await;
    silence().await;
    assert_eq!(heard.ids(1).await, [missed]);
    assert!(wire.connections() > connections);
    let after = rate(&shop.api, book, 3).await;
    assert_eq!(heard.ids(1).await, [after]);
}

/// The way to the database, which can be cut for one connection without a word to its ends.
struct Wire {
    url: String,
    cuts: Arc<Mutex<Vec<watch::Sender<bool>>>>,
}

impl Wire {
    async fn to(shop: &Shop) -> Self {
        let server = shop.db.writer.get_postgres_connection_pool().connect_options();
        let server = (server.get_host().to_owned(), server.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (start, name) = shop.test.url.rsplit_once('/').unwrap();
        let user = start.rsplit_once('@').map_or("postgres://", |(user, _)| user);
        let at = if user.ends_with('/') { "" } else { "@" };
        let url = format!("{user}{at}{}/{name}", listener.local_addr().unwrap());
        let cuts = Arc::<Mutex<Vec<_>>>::default();
        let wires = Arc::clone(&cuts);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), TcpStream::connect(&server).await.unwrap().into_split());
                let (cut, is_cut) = watch::channel(false);
                wires.lock().unwrap().push(cut);
                tokio::spawn(carry(from_client, to_server, is_cut.clone()));
                tokio::spawn(carry(from_server, to_client, is_cut));
            }
        });
        Self { url, cuts }
    }

    fn connections(&self) -> usize {
        self.cuts.lock().unwrap().len()
    }

    fn cut_newest(&self) {
        self.cuts.lock().unwrap().last().unwrap().send_replace(true);
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_cut: watch::Receiver<bool>) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if *is_cut.borrow() {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
