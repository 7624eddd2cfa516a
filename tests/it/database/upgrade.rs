//! A rolling upgrade: the previous release and this one serve one database, at the same time on PostgreSQL, one after the
//! other on SQLite. `.ci/upgrade` builds the program of the previous release.

use serde_json::Value;
use testdb::TestDb;

use crate::support::counter::Client;
use crate::support::expanded::expand;
use crate::support::patience::until;
use crate::support::program::{program, succeeds};
use crate::support::shop::{bookshop, settings};

pub mod corpus;
mod releases;

use corpus::Walk;
use releases::{OURS, PREVIOUS, Releases};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the program of the previous release in PREVIOUS_BOOKSHOP: run `.ci/upgrade`"]
async fn the_previous_release_and_this_one_answer_alike() {
    #[expect(clippy::disallowed_methods, reason = "a setting of the test, not of the server")]
    let previous = std::env::var_os("PREVIOUS_BOOKSHOP").expect("PREVIOUS_BOOKSHOP names a program");
    let test = TestDb::new().await;
    succeeds(bookshop(&test.url).args(["migrate", "up"]));
    succeeds(bookshop(&test.url).args(["seed", "--books", "60", "--ratings", "400", "--orders", "300"]));
    // Also while this release has no migration of its own.
    let db = bookshop::connect(&settings(&test.url)).await.unwrap();
    expand(&db, &["book", "book_rating", "book_order"]).await;
    db.close().await.unwrap();
    let mut releases = Releases::new(&test.url, previous.clone());

    let walks = Walk::all();
    let first: Vec<String> = walks.iter().map(|walk| walk.page("")).collect();
    let first = walks.iter().zip(releases.compare(&first));
    let next: Vec<String> = first.filter_map(|(walk, data)| Some(walk.page(&walk.cursor(&data?)))).collect();
    assert!(next.len() >= 20, "the previous release knows {} of {} walks", next.len(), walks.len());
    releases.compare(&next);
    assert!(releases.compare(&corpus::queries()).iter().any(Option::is_some));

    for (writer, other) in [(PREVIOUS, OURS), (OURS, PREVIOUS)] {
        writes(&mut releases, writer, other);
        if releases.are_together() {
            events(&mut releases, writer, other).await;
        }
    }
    let status = succeeds(program(&previous, &test.url).args(["migrate", "status"]));
    let unknown = status.lines().filter(|line| line.starts_with("unknown")).count();
    assert!(unknown > 0, "the schema is not newer than the previous release");
    let database = test.url.split(':').next().unwrap();
    println!("{} answers compared on {database}, with {unknown} migrations that are new", releases.compared);
}

/// One release adds a book with a rating and an order, the other one changes and removes them. Both see each step.
fn writes(releases: &mut Releases, writer: usize, other: usize) {
    let id = |data: &Value, pointer: &str| data.pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
    let added = r#"addBook(input: { name: "Zyzzyva", year: 1950 }) { bookEdge { node { id } } }"#;
    let book = id(&releases.write(writer, added), "/addBook/bookEdge/node/id");
    let rated = format!("rateBook(input: {{ bookId: {book:?}, rating: 3 }}) {{ ratingEdge {{ node {{ id }} }} }}");
    let rating = id(&releases.write(writer, &rated), "/rateBook/ratingEdge/node/id");
    let placed =
        format!("placeOrder(input: {{ bookId: {book:?}, totalPrice: 9.5 }}) {{ orderEdge {{ node {{ id }} }} }}");
    let order = id(&releases.write(writer, &placed), "/placeOrder/orderEdge/node/id");
    let has = |releases: &mut Releases, expected: [Value; 3]| {
        let node = releases.compare(&corpus::about(&book)).pop().unwrap().expect("both know these queries");
        let node = &node["node"];
        assert_eq!([&node["name"], &node["averageRating"], &node["orderCount"]], expected.each_ref(), "{node}");
    };
    has(releases, ["Zyzzyva".into(), 3.0.into(), 1.into()]);

    releases.write(other, &format!("changeRating(input: {{ id: {rating:?}, rating: 5 }}) {{ book {{ id }} }}"));
    releases.write(other, &format!("updateBook(input: {{ id: {book:?}, name: \"Zyzzogeton\" }}) {{ book {{ id }} }}"));
    has(releases, ["Zyzzogeton".into(), 5.0.into(), 1.into()]);
    releases.write(other, &format!("cancelOrder(input: {{ id: {order:?} }}) {{ deletedId }}"));
    releases.write(other, &format!("deleteRating(input: {{ id: {rating:?} }}) {{ deletedId }}"));
    has(releases, ["Zyzzogeton".into(), Value::Null, 0.into()]);
    releases.write(other, &format!("deleteBook(input: {{ id: {book:?} }}) {{ deletedId }}"));
    has(releases, [Value::Null, Value::Null, Value::Null]);
}

/// A subscriber of one release sees what the other one adds.
async fn events(releases: &mut Releases, writer: usize, other: usize) {
    let mut client = Client::acknowledged(&releases.address(other)).await;
    client.subscribe("1", "subscription { ratingAdded { cursor node { rating book { name } } } }").await;
    let heard = tokio::spawn(async move { client.hear().await });
    let book = releases.compare(&["{ books(first: 1) { nodes { id } } }".to_owned()]).pop().unwrap().unwrap();
    let book = book["books"]["nodes"][0]["id"].as_str().unwrap();
    let rate = format!("rateBook(input: {{ bookId: {book:?}, rating: 4 }}) {{ book {{ id }} }}");
    // Nothing tells when the subscription has begun.
    until(async || {
        releases.write(writer, &rate);
        heard.is_finished()
    })
    .await;
    let event = heard.await.unwrap();
    assert_eq!(event.pointer("/payload/data/ratingAdded/node/rating"), Some(&4.into()), "{event}");
}
