//! What is added is heard: by those who asked for it, in order, once.

use std::collections::BTreeSet;

use ::entity::{book, book_rating};
use async_graphql::futures_util::FutureExt as _;
use async_graphql::futures_util::stream::StreamExt;
use async_graphql::{Executor, Request, Response, Variables};
use bookends_server::Api;
use bookends_server::config::Limits;
use bookends_server::db::Db;
use bookends_server::events::{CHANNEL, Event, RING};
use bookends_server::request::{Admission, Incoming, Memory, RequestContext, Session};
use keyset::Models;
use sea_orm::prelude::*;
use sea_orm::{DatabaseTransaction, DbBackend, QueryOrder, Statement, TransactionTrait};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::heard::{Heard, stream};
use crate::support::patience::{LONG, until};
use crate::support::shop::{SMALL, Shop, permitted, settings};

mod outage;

impl Heard {
    /// The global ids of the next nodes.
    pub async fn ids(&mut self, number: usize) -> Vec<String> {
        let mut ids = Vec::new();
        for _ in 0..number {
            ids.push(self.edge().await["node"]["id"].as_str().unwrap().to_owned());
        }
        ids
    }
}

/// Gives a book a rating; its global id.
async fn rate(api: &Api, book_id: Uuid, rating: i16) -> String {
    let input = format!("bookId: {:?}, rating: {rating}", global_id(1, book_id));
    created(
        api,
        &format!("mutation {{ created: rateBook(input: {{ {input} }}) {{ edge: ratingEdge {{ node {{ id }} }} }} }}"),
    )
    .await
}

/// Places an order for a book; its global id.
async fn order(api: &Api, book_id: Uuid, total_price: &str) -> String {
    let input = format!("bookId: {:?}, totalPrice: {total_price}", global_id(1, book_id));
    created(
        api,
        &format!("mutation {{ created: placeOrder(input: {{ {input} }}) {{ edge: orderEdge {{ node {{ id }} }} }} }}"),
    )
    .await
}

async fn created(api: &Api, mutation: &str) -> String {
    let answer = api.execute(permitted(Request::new(mutation))).await;
    let answer = serde_json::to_value(answer).unwrap();
    let id = answer["data"]["created"]["edge"]["node"]["id"].as_str();
    id.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn global_id(tag: u8, key: Uuid) -> String {
    use base64::prelude::*;
    BASE64_URL_SAFE_NO_PAD.encode([&[tag], key.as_bytes().as_slice()].concat())
}

/// The event of a rating that no table holds.
fn rated(api: &Api) -> Event {
    let rating = book_rating::Model { id: entity::id::next(), rating: 1, book_id: Uuid::nil() };
    api.events().event("RatingAdded", Models::<book_rating::Entity>::values(&rating)).unwrap()
}

/// Announces an event on PostgreSQL, as a write does.
async fn notify(transaction: &DatabaseTransaction, api: &Api, event: &Event) {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let values = [CHANNEL.into(), api.events().text(event).into()];
        let notify = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT pg_notify($1, $2)", values);
        transaction.execute_raw(notify).await.unwrap();
    }
}

/// Announces ratings that no table holds.
async fn announce(db: &Db, api: &Api, number: usize) {
    let transaction = db.writer.begin().await.unwrap();
    let events: Vec<Event> = (0..number).map(|_| rated(api)).collect();
    for event in &events {
        notify(&transaction, api, event).await;
    }
    api.events().commit(transaction.commit(), events).await.unwrap();
}

async fn books(db: &Db) -> Vec<Uuid> {
    let books = book::Entity::find().order_by_asc(book::Column::Id).all(&db.writer).await.unwrap();
    books.into_iter().map(|book| book.id).collect()
}

fn is_sqlite(db: &Db) -> bool {
    db.writer.get_database_backend() == sea_orm::DbBackend::Sqlite
}

#[tokio::test]
async fn e3_an_event_has_the_cursor_of_its_place_in_the_list() {
    let shop = Shop::new(SMALL).await;
    let book = books(&shop.db).await[0];
    let ways = ["ASC", "DESC"];
    let mut cases = vec![("ratingAdded", "ratings", String::new()), ("orderPlaced", "orders", String::new())];
    for first in ways {
        cases.push(("ratingAdded", "ratings", format!("{{ field: CREATED_AT, direction: {first} }}")));
        cases.push(("orderPlaced", "orders", format!("{{ field: CREATED_AT, direction: {first} }}")));
        for then in ways {
            let then = format!("{{ field: CREATED_AT, direction: {then} }}");
            cases.push(("ratingAdded", "ratings", format!("{{ field: RATING, direction: {first} }}, {then}")));
            cases.push(("orderPlaced", "orders", format!("{{ field: TOTAL_PRICE, direction: {first} }}, {then}")));
        }
    }
    let mut all = Vec::new();
    for (field, list, order) in cases {
        let query = format!("subscription {{ {field}(orderBy: [{order}]) {{ cursor node {{ id }} }} }}");
        all.push((Heard::of(&shop.api, &query).await, list, order));
    }
    for (stars, price) in [(5, "12.50"), (1, "12.5"), (3, "0"), (5, "99999999.99"), (2, "0.30"), (1, "100.00")] {
        rate(&shop.api, book, stars).await;
        order(&shop.api, book, price).await;
    }
    for (mut heard, list, order) in all {
        let listed = shop
            .data(&format!("{{ {list}(first: 100, orderBy: [{order}]) {{ edges {{ cursor node {{ id }} }} }} }}"))
            .await;
        for _ in 0..6 {
            let edge = heard.edge().await;
            assert!(listed[list]["edges"].as_array().unwrap().contains(&edge), "{list} by {order}: {edge}");
        }
    }
}

#[tokio::test]
async fn subscribers_who_ask_for_the_same_share_what_is_read() {
    let shop = Shop::new(SMALL).await;
    let document = "subscription($by: [RatingSort!]) {
        ratingAdded(orderBy: $by) { cursor node { rating book { name ratingCount } } } }";
    let mut all = Vec::new();
    for by in [json!(null), json!([{ "field": "RATING" }]), json!(null), json!([{ "field": "RATING" }])] {
        let request = Request::new(document).variables(Variables::from_json(json!({ "by": by })));
        let (mut responses, before) =
            (Executor::execute_stream(&shop.api, request, None), shop.api.events().subscribers());
        until(async || {
            assert!(responses.next().now_or_never().is_none());
            shop.api.events().subscribers() > before
        })
        .await;
        all.push(responses);
    }
    let [book, next] = books(&shop.db).await[..2] else { panic!("two books") };
    for (book, stars) in [(book, 4), (next, 5)] {
        rate(&shop.api, book, stars).await;
        shop.statements.take();
        let mut edges = Vec::new();
        for responses in &mut all {
            let response = timeout(LONG, responses.next()).await.unwrap().unwrap();
            edges.push(serde_json::to_value(response).unwrap()["data"]["ratingAdded"].clone());
        }
        assert_eq!(edges[..2], edges[2..]);
        assert_ne!(edges[0]["cursor"], edges[1]["cursor"], "the variables differ");
        assert!(edges.iter().all(|edge| edge["node"]["rating"] == stars), "{edges:?}");
        let reads = shop.statements.take().into_iter().filter(|statement| statement.sql.contains("book_stats"));
        assert_eq!(reads.count(), 2);
    }
}

#[tokio::test]
async fn a_subscription_to_a_book_gets_no_event_of_another() {
    let shop = Shop::new(SMALL).await;
    let books = books(&shop.db).await;
    let one = format!("(bookId: \"{}\")", global_id(1, books[0]));
    let mut ratings = Heard::of(&shop.api, &format!("subscription {{ ratingAdded{one} {{ node {{ id }} }} }}")).await;
    let mut orders = Heard::of(&shop.api, &format!("subscription {{ orderPlaced{one} {{ node {{ id }} }} }}")).await;
    let mut all = Heard::of(&shop.api, "subscription { ratingAdded(bookId: null) { node { id } } }").await;
    let api = &shop.api;
    let other = rate(api, books[1], 1).await;
    order(api, books[1], "1").await;
    let (first, placed) = (rate(api, books[0], 2).await, order(api, books[0], "2").await);
    let second = rate(api, books[0], 3).await;
    assert_eq!(ratings.ids(2).await, [first.clone(), second.clone()]);
    assert_eq!(orders.ids(1).await, [placed]);
    assert_eq!(all.ids(3).await, [other, first, second]);
}

/// On PostgreSQL by two servers, on SQLite by two subscribers of the one that there is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_subscriber_gets_each_event_once_in_one_order() {
    let shop = Shop::new(SMALL).await;
    let other = if is_sqlite(&shop.db) {
        shop.api.clone()
    } else {
        bookshop::api(bookshop::connect(&settings(&shop.test.url)).await.unwrap(), Limits::DEFAULT)
    };
    let query = "subscription { ratingAdded { node { id } } }";
    let (mut here, mut there) = (Heard::of(&shop.api, query).await, Heard::of(&other, query).await);
    let book = books(&shop.db).await[0];

    let mut written = Vec::new();
    for round in 0..10 {
        written.push(rate(if round % 2 == 0 { &shop.api } else { &other }, book, 1).await);
    }
    assert_eq!(here.ids(10).await, written);
    assert_eq!(there.ids(10).await, written);

    let writers = [shop.api.clone(), other].map(|api| {
        tokio::spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..20 {
                ids.push(rate(&api, book, 2).await);
            }
            ids
        })
    });
    let mut written = BTreeSet::new();
    for writer in writers {
        written.extend(writer.await.unwrap());
    }
    let heard = here.ids(40).await;
    assert_eq!(there.ids(40).await, heard);
    assert_eq!(heard.into_iter().collect::<BTreeSet<_>>(), written);
}

#[tokio::test]
async fn a_rolled_back_write_sends_no_event() {
    let shop = Shop::new(SMALL).await;
    let mut heard = Heard::of(&shop.api, "subscription { ratingAdded { node { id } } }").await;
    let transaction = shop.db.writer.begin().await.unwrap();
    notify(&transaction, &shop.api, &rated(&shop.api)).await;
    transaction.rollback().await.unwrap();
    let committed = rate(&shop.api, books(&shop.db).await[0], 1).await;
    assert_eq!(heard.ids(1).await, [committed]);
}

#[tokio::test]
async fn i_an_event_reads_its_book_by_one_statement_and_nothing_else() {
    let shop = Shop::new(SMALL).await;
    let book = books(&shop.db).await[0];
    let mut plain =
        Heard::of(&shop.api, "subscription { orderPlaced { cursor node { id totalPrice createdAt } } }").await;
    shop.statements.take();
    order(&shop.api, book, "1.5").await;
    assert_eq!(plain.edge().await["node"]["totalPrice"], "1.50");
    assert!(shop.statements.take().is_empty());

    let query = "subscription { orderPlaced { node { a: book { name } b: book { year } } } }";
    let mut with_book = Heard::of(&shop.api, query).await;
    shop.statements.take();
    order(&shop.api, book, "1.5").await;
    assert!(with_book.edge().await["node"]["a"]["name"].is_string());
    assert_eq!(shop.statements.take().len(), 1);
}

#[tokio::test]
async fn an_event_of_a_book_that_is_gone_is_an_error_and_the_next_one_is_none() {
    let shop = Shop::new(SMALL).await;
    let mut heard = Heard::of(&shop.api, "subscription { ratingAdded { node { id book { id } } } }").await;
    announce(&shop.db, &shop.api, 1).await;
    let next = rate(&shop.api, books(&shop.db).await[0], 1).await;
    assert_eq!(heard.code().await, "GONE");
    assert_eq!(heard.ids(1).await, [next]);
}

#[tokio::test]
async fn a_slow_subscriber_is_disconnected_alone() {
    let shop = Shop::new(SMALL).await;
    let api = &shop.api;
    let query = "subscription { ratingAdded { node { id } } }";
    let mut reader = Heard::of(api, query).await;
    let mut idle = stream(api, query);
    tokio::select! {
        response = idle.next() => panic!("{response:?}"),
        () = until(async || api.events().subscribers() == 2) => {}
    }
    for _ in 0..12 {
        announce(&shop.db, api, 100).await;
        assert_eq!(reader.ids(100).await.len(), 100);
    }
    let response = serde_json::to_value(timeout(LONG, idle.next()).await.unwrap()).unwrap();
    let expected = json!({
        "message": format!("the subscription fell {} events behind: subscribe again, then fetch the list", 1200 - RING),
        "locations": [{ "line": 1, "column": 16 }],
        "path": ["ratingAdded"],
        "extensions": { "code": "SUBSCRIPTION_LAGGED" },
    });
    assert_eq!((&response["data"], &response["errors"]), (&Value::Null, &json!([expected])));
    assert!(timeout(LONG, idle.next()).await.unwrap().is_none());
    announce(&shop.db, api, 1).await;
    reader.ids(1).await;
}

#[tokio::test]
async fn every_error_of_a_subscription_has_a_code_and_ends_it() {
    let limits = Limits { max_complexity: 300, max_depth: 6, ..Limits::DEFAULT };
    let shop = Shop::within(SMALL, limits).await;
    let invalid = "GRAPHQL_VALIDATION_FAILED";
    for (query, code) in [
        ("subscription { ratingAdded(bookId: \"?\") { cursor } }", "ID_INVALID"),
        ("subscription { orderPlaced(bookId: \"AgAAAAAAAAAAAAAAAAAAAAc\") { cursor } }", "ID_INVALID"),
        ("subscription { ratingAdded(orderBy: [{ field: TOTAL_PRICE }]) { cursor } }", "BAD_USER_INPUT"),
        ("subscription { ratingAdded { cursor } orderPlaced { cursor } }", invalid),
        ("subscription { ratingAdded { cursor } again: ratingAdded { cursor } }", invalid),
        ("subscription { ...F } fragment F on Subscription { ratingAdded { cursor } }", invalid),
        ("subscription { ... { ratingAdded { cursor } } }", invalid),
        ("subscription { ratingAdded @skip(if: true) { cursor } }", invalid),
        ("subscription { ratingAdded @include(if: false) { cursor } }", invalid),
        ("subscription { __typename }", invalid),
        ("subscription { bookBurnt { cursor } }", invalid),
        ("subscription { ratingAdded { node { burnt } } }", invalid),
        ("subscription { ratingAdded }", invalid),
        ("subscription($id: ID!) { ratingAdded(bookId: $id) { cursor } }", "BAD_USER_INPUT"),
        ("subscription A { ratingAdded { cursor } } subscription B { ratingAdded { cursor } }", invalid),
        ("subscription {", "GRAPHQL_PARSE_FAILED"),
        (
            "subscription { ratingAdded { node { book { ratings(first: 100) { nodes { id } } } } } }",
            "QUERY_TOO_COMPLEX",
        ),
        (
            "subscription { ratingAdded { node { book { ratings(first: 1) { edges { node { id } } } } } } }",
            "QUERY_TOO_DEEP",
        ),
    ] {
        let mut heard = Heard::soon(&shop.api, query);
        assert_eq!(heard.code().await, code, "{query}");
        assert_eq!(heard.response().await, None, "{query}");
    }
    assert_eq!(shop.api.events().subscribers(), 0);
}

#[tokio::test]
async fn a_posted_subscription_is_refused_with_a_hint() {
    let shop = Shop::new(SMALL).await;
    let query = "subscription { ratingAdded { cursor } }";
    assert_eq!(shop.code(query).await, "WEBSOCKET_REQUIRED");
    let several = format!("query Q {{ __typename }} {}", query.replace("subscription", "subscription S"));
    for (name, code) in [("S", json!("WEBSOCKET_REQUIRED")), ("Q", Value::Null)] {
        let answer = shop.api.execute(Request::new(&several).operation_name(name)).await;
        let answer = serde_json::to_value(answer).unwrap();
        assert_eq!(answer["errors"][0]["extensions"]["code"], code, "{answer}");
    }
}

/// A WebSocket carries queries, too.
#[tokio::test]
async fn a_query_is_answered_once() {
    let shop = Shop::new(SMALL).await;
    let query = "query($n: Int) { books(first: $n) { nodes { id } } }";
    let request = || Request::new(query).variables(Variables::from_json(json!({ "n": 2 })));
    let answers: Vec<Response> = Executor::execute_stream(&shop.api, request(), None).collect().await;
    let answers = serde_json::to_value(answers).unwrap();
    assert_eq!(answers[0], serde_json::to_value(shop.api.execute(request()).await).unwrap());
    assert_eq!(answers.as_array().unwrap().len(), 1);
}

/// A connection with this memory budget.
fn session(memory: &Memory) -> RequestContext {
    let admission = Admission::new(10, LONG);
    let session = Session { request_id: String::new(), admission, memory: memory.clone() };
    RequestContext { session: Some(session), ..RequestContext::default() }
}

/// It would keep them until it ends. Relay sends such variables, for directives that only its client knows.
#[tokio::test]
async fn a_subscription_drops_the_variables_that_it_does_not_declare() {
    let shop = Shop::new(SMALL).await;
    let memory = Memory::new(100 << 10);
    let context = session(&memory);
    let variables = Variables::from_json(json!({ "n": "x".repeat(100 << 10) }));
    let request = Request::new("subscription { ratingAdded { cursor } }").variables(variables);
    let mut responses = shop.api.stream(Incoming::from(request).within(context));
    tokio::select! {
        response = responses.next() => panic!("{response:?}"),
        () = until(async || shop.api.events().subscribers() == 1) => {}
    }
    assert!((1..100 << 10).contains(&memory.in_use()), "{}", memory.in_use());
}

/// `server/tests/memory.rs` compares what is counted with what is kept.
#[tokio::test]
async fn what_a_subscription_keeps_counts_against_the_memory_budget() {
    let shop = Shop::new(SMALL).await;
    let memory = Memory::new(150 << 10);
    let context = session(&memory);
    let long = format!("subscription {{ ratingAdded {{ node {{ {} }} }} }}", "id ".repeat(100));
    let begin = || shop.api.stream(Incoming::from(Request::new(&long)).within(context.clone()));
    let mut first = begin();
    tokio::select! {
        response = first.next() => panic!("{response:?}"),
        () = until(async || shop.api.events().subscribers() == 1) => {}
    }
    assert!(memory.in_use() > 100 << 10);
    let mut second = begin();
    let refused = serde_json::to_value(timeout(LONG, second.next()).await.unwrap()).unwrap();
    assert_eq!(refused["errors"][0]["extensions"]["code"], "OVERLOADED", "{refused}");
    assert!(timeout(LONG, second.next()).await.unwrap().is_none());
    drop(first);
    assert_eq!(memory.in_use(), 0);
}
