//! What it saves to know a query: from the body of a request to its answer, a page of one rating on SQLite.
//!
//! The times are compared within a run.

use std::sync::atomic::{AtomicU64, Ordering};

use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress};
use divan::Bencher;
use sha2::{Digest, Sha256};
use testdb::TestDb;
use tokio::runtime::Runtime;

const QUERY: &str = "query Page($first: Int, $after: String) {
  ratings(first: $first, after: $after, orderBy: [{ field: RATING, direction: DESC }, { field: CREATED_AT }]) {
    edges { cursor node { id rating createdAt book { id name year averageRating ratingCount } } }
    pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
  }
}";

/// What all ways share.
struct Shop {
    runtime: Runtime,
    api: Api,
    _test: TestDb,
}

impl Shop {
    fn new() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let (api, test) = runtime.block_on(async {
            let test = TestDb::new().await;
            let db = bookshop::connect(&Settings::new(&test.url)).await.expect("the test database");
            db.migrate().await.expect("a migrated database");
            let plan = Plan { books: 10, ratings: 100, orders: 10, rng_seed: 0 };
            seed::fill(&db, plan, Progress::Lines).await.expect("a filled database");
            (bookshop::api(db, Limits::DEFAULT), test)
        });
        Self { runtime, api, _test: test }
    }

    fn answer(&self, body: &str) {
        let request: async_graphql::Request = serde_json::from_str(body).expect("a request");
        let response = self.runtime.block_on(self.api.execute(request));
        assert!(response.errors.is_empty(), "{:?}", response.errors);
    }
}

fn body(query: &str) -> String {
    serde_json::json!({ "query": query, "variables": { "first": 1 } }).to_string()
}

/// Each time another text.
#[divan::bench]
fn new(bencher: Bencher) {
    let (shop, number) = (Shop::new(), AtomicU64::new(0));
    let next = || body(&format!("{QUERY} #{}", number.fetch_add(1, Ordering::Relaxed)));
    bencher.with_inputs(next).bench_values(|body| shop.answer(&body));
}

#[divan::bench]
fn known_by_its_text(bencher: Bencher) {
    let (shop, body) = (Shop::new(), body(QUERY));
    shop.answer(&body);
    bencher.bench(|| shop.answer(&body));
}

#[divan::bench]
fn known_by_its_hash(bencher: Bencher) {
    let shop = Shop::new();
    shop.answer(&body(QUERY));
    let hash: Vec<String> = Sha256::digest(QUERY.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let extensions = serde_json::json!({ "persistedQuery": { "version": 1, "sha256Hash": hash.concat() } });
    let body = serde_json::json!({ "extensions": extensions, "variables": { "first": 1 } }).to_string();
    bencher.bench(|| shop.answer(&body));
}

fn main() {
    divan::main();
}
