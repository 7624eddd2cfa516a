//! The request that takes longest of those that the server allows.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::repeat::{Requests, repeat};
use super::siege::{Siege, code};
use crate::http::{Connection, get, post};
use crate::shop::{ATTACKER, Shop};

const CONNECTIONS: usize = 64;

/// How long a client waits before it disconnects.
const ABANDONED: Duration = Duration::from_millis(300);

/// A candidate that takes so long is taken.
const LONG: Duration = Duration::from_secs(5);

/// More aliases have more than 5,000 fields.
const MAX_ALIASES: usize = 2_000;

/// A list that is asked for under many aliases.
struct Candidate {
    variables: &'static str,
    list: &'static str,
    filter: Value,
}

/// The expensive request over many connections.
pub async fn allowed(siege: Siege) {
    let requests = Requests::new([siege.prepared.expensive.clone()]);
    repeat(siege, CONNECTIONS, requests).await;
}

/// The same, from clients that do not wait for the answer.
pub async fn abandoned(siege: Siege) {
    let request = siege.prepared.expensive.clone();
    abandon(siege, request).await;
}

/// The same, from clients that have begun another request: a server that waits to read sees no disconnect.
pub async fn pipelined(siege: Siege) {
    let request = [&siege.prepared.expensive[..], &get("/health")].concat();
    abandon(siege, request).await;
}

async fn abandon(siege: Siege, request: Vec<u8>) {
    let request: Arc<[u8]> = request.into();
    siege
        .crowd(CONNECTIONS, move |siege, _| {
            let request = Arc::clone(&request);
            async move {
                let Ok(stream) = siege.connect().await else { return siege.tally.get("not connected") };
                siege.tally.send();
                let mut connection = Connection::from(stream);
                match timeout(ABANDONED, connection.ask(&request)).await {
                    Ok(Ok(response)) => siege.tally.get(response.status),
                    Ok(Err(_)) => siege.tally.get("closed"),
                    Err(_) => siege.tally.get("abandoned"),
                }
            }
        })
        .await;
}

/// Finds the request.
pub async fn find(shop: &Shop) -> io::Result<Vec<u8>> {
    let mut found = (Duration::ZERO, Vec::new());
    for candidate in candidates() {
        let (mut fits, mut too_many) = (0, MAX_ALIASES);
        let mut price = 0;
        while too_many - fits > 1 {
            let aliases = fits.midpoint(too_many);
            match candidate.price(shop, aliases).await? {
                Some(requested) => (fits, price) = (aliases, requested),
                None => too_many = aliases,
            }
        }
        let body = candidate.request(fits, Some(true)).to_string();
        let request = post("", body.as_bytes());
        let time = time(shop, &request).await?;
        if time > found.0 {
            eprintln!(
                "a request of {} bytes costs {price}, and takes {} ms or longer",
                request.len(),
                time.as_millis()
            );
            found = (time, request);
        }
        if time >= LONG {
            break;
        }
    }
    Ok(found.1)
}

/// How long the server takes for a request, up to [`LONG`].
async fn time(shop: &Shop, request: &[u8]) -> io::Result<Duration> {
    let mut connection = Connection::open(ATTACKER, shop.address()).await?;
    let begun = Instant::now();
    if let Ok(answer) = timeout(LONG, connection.ask(request)).await {
        answer?;
    }
    Ok(begun.elapsed())
}

impl Candidate {
    /// The request, which is refused for its variables without the condition.
    fn request(&self, aliases: usize, condition: Option<bool>) -> Value {
        let lists: Vec<String> = (0..aliases).map(|alias| format!("a{alias}: {}", self.list)).collect();
        let (variables, lists) = (self.variables, lists.join(" "));
        let query = format!("query(${variables}, $if: Boolean!) {{ {lists} __typename @include(if: $if) }}");
        json!({ "query": query, "variables": { "where": self.filter, "if": condition } })
    }

    /// The price of the request, if it is not refused for it. Nothing is executed.
    async fn price(&self, shop: &Shop, aliases: usize) -> io::Result<Option<u64>> {
        let answer = shop.ask(&self.request(aliases, None)).await?;
        Ok(match code(&answer) {
            "BAD_USER_INPUT" => answer["extensions"]["cost"]["requested"].as_u64(),
            "QUERY_TOO_COMPLEX" => None,
            _ => return Err(io::Error::other(format!("no price: {answer}"))),
        })
    }
}

/// Lists whose filters read whole tables, the most expensive ones first.
fn candidates() -> [Candidate; 4] {
    const BOOKS: &str = "where: BookFilter";
    const RATINGS: &str = "where: RatingFilter";
    // Each row is compared with all of them: none of these parts is in a title.
    let part = |number| json!({ "not": { "name": { "contains": format!("{number}~") } } });
    let without: Vec<Value> = (0..140).map(part).collect();
    let without = json!({ "and": without });
    let candidate = |variables, list, filter| Candidate { variables, list, filter };
    [
        candidate(RATINGS, "ratings(first: 1, where: $where) { nodes { id } }", json!({ "not": { "book": without } })),
        candidate(RATINGS, "ratings(where: $where) { totalCount }", json!({ "not": { "book": without } })),
        candidate(BOOKS, "books(first: 1, where: $where) { nodes { id } }", json!({ "not": without })),
        candidate(BOOKS, "books(where: $where) { totalCount }", json!({ "name": { "contains": "x" } })),
    ]
}
