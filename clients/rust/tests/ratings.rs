//! The server at `BOOKENDS_URL`, the URL that it prints, as the client library cynic meets it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bookends_client_rust::{Client, Error, Page, RateBookPayload, RatingEdge, schema};
use cynic::{Id, MutationBuilder, QueryBuilder};

#[derive(cynic::QueryVariables)]
struct At {
    offset: i32,
}

/// A page by its number: no cursor is involved.
#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "Query", variables = "At")]
struct Numbered {
    #[arguments(first: 100, offset: $offset, orderBy: [{ field: RATING, direction: DESC }])]
    ratings: Option<RatingConnection>,
}

#[derive(cynic::QueryFragment)]
struct RatingConnection {
    edges: Vec<RatingEdge>,
}

#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "Mutation")]
struct AddBook {
    #[arguments(input: { name: "A book for a test", year: 2026 })]
    add_book: Option<AddBookPayload>,
}

#[derive(cynic::QueryFragment)]
struct AddBookPayload {
    book_edge: BookEdge,
}

#[derive(cynic::QueryFragment)]
struct BookEdge {
    node: Book,
}

#[derive(cynic::QueryFragment)]
struct Book {
    id: Id,
}

/// One test adds ratings, and another one counts on them.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn client() -> Client {
    let printed = std::env::var("BOOKENDS_URL").expect("BOOKENDS_URL names the server");
    let (url, token) = printed.split_once("/#token=").unwrap();
    Client::new(format!("{url}/graphql"), token)
}

fn book(client: &Client) -> Id {
    client.run(&AddBook::build(())).unwrap().add_book.unwrap().book_edge.node.id
}

/// The first ratings, the highest first, by page number.
fn numbered(client: &Client, count: usize) -> Vec<RatingEdge> {
    let pages = (0..count).step_by(100).map(|offset| Numbered::build(At { offset: offset.try_into().unwrap() }));
    let edges: Vec<_> = pages.flat_map(|page| client.run(&page).unwrap().ratings.unwrap().edges).take(count).collect();
    assert_eq!(edges.len(), count);
    edges
}

fn ids<'a>(edges: impl IntoIterator<Item = &'a RatingEdge>) -> Vec<&'a Id> {
    edges.into_iter().map(|edge| &edge.node.id).collect()
}

#[test]
fn rows_have_no_gap_and_no_duplicate_in_either_direction() {
    let _one = alone();
    let client = client();
    let expected = numbered(&client, 6_000);
    let found: Vec<RatingEdge> = client.forward(None).take(3_000).collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&found), ids(&expected[..3_000]));
    let rest = client.forward(Some(found[2_999].cursor.clone())).take(3_000);
    let rest: Vec<RatingEdge> = rest.collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&rest), ids(&expected[3_000..]));
    let back = client.backward(Some(rest[0].cursor.clone()));
    let back: Vec<RatingEdge> = back.collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&back), ids(expected[..3_000].iter().rev()));
}

#[test]
fn a_new_edge_is_after_the_one_that_the_payload_names() {
    let _one = alone();
    let client = client();
    let book = book(&client);
    let RateBookPayload { rating_edge, previous_edge_cursor } = client.rate(book.clone(), 4).unwrap();
    assert!(previous_edge_cursor.is_some(), "the sample has ratings of five stars");
    let after = client.forward(previous_edge_cursor.clone()).next().unwrap().unwrap();
    assert_eq!((&after.node.id, after.node.rating), (&rating_edge.node.id, 4));
    let before = client.backward(Some(rating_edge.cursor)).next().unwrap().unwrap();
    assert_eq!((Some(before.cursor), before.node.rating), (previous_edge_cursor, 5));

    let RateBookPayload { rating_edge, previous_edge_cursor } = client.rate(book, 5).unwrap();
    assert_eq!(previous_edge_cursor, None);
    assert_eq!(client.forward(None).next().unwrap().unwrap().node.id, rating_edge.node.id);
}

#[test]
fn an_error_has_its_code() {
    let both = Page { first: Some(1), last: Some(1), ..Page::default() };
    let Err(Error::Api(errors)) = client().page(both) else { panic!("a page with both ends") };
    let codes: Vec<_> = errors.into_iter().map(|error| error.extensions.unwrap().code).collect();
    assert_eq!(codes, ["PAGE_INVALID"]);
}
