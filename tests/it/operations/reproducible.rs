//! Servers for tests: in memory, on a port that the system chooses, with reproducible keys.

use serde_json::{Value, json};
use testdb::TestDb;

use crate::operations::cli::fails;
use crate::operations::docs::{block, is_update, read, update};
use crate::support::program::{Program, address_of, bookends};
use crate::support::wire::{ask, post, write};

const OPERATIONS: &str = "docs/operations.md";
const AT: [&str; 5] = ["serve", "--at", "2026-01-01T00:00:00Z", "--rng-seed", "1"];

/// The body of the response to a mutation.
fn body(address: &str, mutation: &str) -> String {
    let answer = ask(address, write(&json!({ "query": mutation }).to_string()));
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

fn data(body: &str) -> Value {
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["errors"], Value::Null, "{body}");
    body["data"].clone()
}

/// The responses of a server to mutations, one of which is rejected after it has taken a key.
fn responses(address: &str) -> [String; 6] {
    let add = r#"mutation { addBook(input: { name: "a", year: 1 }) { bookEdge { cursor node { id createdAt } } } }"#;
    let book = body(address, add);
    let id = data(&book)["addBook"]["bookEdge"]["node"]["id"].as_str().unwrap().to_owned();
    let of_book = |field: &str, input: &str, selection: &str| {
        body(
            address,
            &format!("mutation {{ {field}(input: {{ {input} }}) {{ {selection} }} }}")
                .replace("BOOK", &format!("{id:?}")),
        )
    };
    let rate = || of_book("rateBook", "bookId: BOOK, rating: 5", "ratingEdge { cursor node { id createdAt } }");
    let rating = rate();
    let order =
        of_book("placeOrder", r#"bookId: BOOK, totalPrice: "9.50""#, "orderEdge { cursor node { id createdAt } }");
    let deleted = of_book("deleteBook", "id: BOOK, cascade: true", "deletedId");
    [book, rating, order, deleted, rate(), body(address, add)]
}

#[tokio::test]
async fn the_same_mutations_have_the_same_responses() {
    let (one, two, other) = (TestDb::new().await, TestDb::new().await, TestDb::new().await);
    let [one, two] = [&one, &two].map(|test| {
        let program = Program::start(bookends(&test.url).args(AT));
        responses(&program.address())
    });
    assert_eq!(one, two);
    // The same on both databases.
    insta::assert_snapshot!("reproducible", one.join("\n"));

    let other = Program::start(bookends(&other.url).args(["serve", "--at", "2026-01-01T00:00:00Z", "--rng-seed", "2"]));
    let other = responses(&other.address());
    let node = |body: &str| data(body)["addBook"]["bookEdge"]["node"].clone();
    assert_eq!(node(&one[0])["createdAt"], node(&other[0])["createdAt"]);
    assert_ne!(node(&one[0])["id"], node(&other[0])["id"]);
}

#[tokio::test]
async fn reproducible_keys_repeat_none() {
    let test = TestDb::new().await;
    let program = Program::start(bookends(&test.url).args(AT));
    body(&program.address(), "mutation { addBook(input: { name: \"a\", year: 1 }) { clientMutationId } }");
    program.end();
    fails(bookends(&test.url).args(AT), "the database has rows from the time in --at or later");
    let later = Program::start(bookends(&test.url).args(["serve", "--at", "2026-01-01T00:00:00.001Z"]));
    later.address();
}

#[test]
fn only_a_loopback_server_has_reproducible_keys() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        fails(bookends("sqlite::memory:").env("LISTEN", address).args(AT), "--at needs a loopback address");
    }
    for (arguments, text) in [
        (&["serve", "--rng-seed", "1"][..], "--at"),
        (&["serve", "--at", "yesterday"], "expected a time such as"),
        (&["serve", "--at", "9999-01-01T00:00:00Z"], "from 1970 to 9998"),
        (&["seed", "--at", "2026-01-01T00:00:00Z"], "unexpected argument"),
    ] {
        let output = bookends("sqlite::memory:").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(text), "{said}");
    }
}

/// The example of the manual.
#[test]
fn the_manual_shows_the_response() {
    let manual = read(OPERATIONS);
    let (_, section) = manual.split_once("\n## Servers for tests\n").unwrap();
    assert!(block(section, "sh").contains(&AT.join(" ")));
    let program = Program::start(bookends("sqlite::memory:").args(AT));
    let (shown, given) = (block(section, "json"), data(&body(&program.address(), block(section, "graphql"))));
    if is_update() {
        let pretty = serde_json::to_string_pretty(&json!({ "data": given })).unwrap();
        return update(OPERATIONS, shown, &(pretty + "\n"));
    }
    assert_eq!(serde_json::from_str::<Value>(shown).unwrap()["data"], given);
}

/// The number of books on a server.
fn books(address: &str) -> Value {
    data(&ask(address, post(r#"{"query":"{ books(first: 1) { totalCount } }"}"#)).body)["books"]["totalCount"].clone()
}

#[test]
fn a_database_in_memory_belongs_to_its_server() {
    let start = || {
        let program = Program::start(&mut bookends("sqlite::memory:"));
        let line = program.says("open http://");
        (program, line)
    };
    let [(one, line), (_two, other)] = [start(), start()];
    let (address, other) = (address_of(&line), address_of(&other));
    assert!(line.starts_with(&format!("open http://{address} in a browser: ")), "{line}");
    assert!(address != other && !address.ends_with(":0"), "{address} {other}");
    body(&address, "mutation { addBook(input: { name: \"a\", year: 1 }) { clientMutationId } }");
    // Another connection of a client shows it.
    assert_eq!((books(&address), books(&other)), (1001.into(), 1000.into()));
    one.end();
    let (_three, line) = start();
    assert_eq!(books(&address_of(&line)), 1000);
}
