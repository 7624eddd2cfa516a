//! Many who write, and walks that do not notice.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bookends::config::{Limits, Plan};
use bookends::db::Db;
use bookends::graphql::Api;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::{Value, json};
use testdb::Statements;

use crate::shop::{SMALL, Shop, settings};
use crate::stats;

const PLAN: Plan = Plan { books: 60, ratings: 600, orders: 0, rng_seed: 0 };
/// For how long the writers write.
const WHILE: Duration = Duration::from_secs(4);
/// How many of the ratings nobody touches; their share is spread over the list.
const KEPT_OF: usize = 3;

/// The global ids of a list, in the order of creation.
async fn ids(shop: &Shop, list: &str) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), Value::Null);
    loop {
        let query = format!(
            "query($after: String) {{ {list}(first: 100, after: $after) {{ nodes {{ id }} pageInfo {{ hasNextPage endCursor }} }} }}"
        );
        let page = shop.execute(&query, json!({ "after": after })).await["data"][list].take();
        ids.extend(page["nodes"].as_array().unwrap().iter().map(|node| node["id"].as_str().unwrap().to_owned()));
        if page["pageInfo"]["hasNextPage"] == false {
            return ids;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}

/// Rates, changes and deletes until it is told to stop. Each has ratings of its own to change and delete; everything it
/// does must succeed.
async fn write(
    shop: Arc<Shop>,
    books: Arc<Vec<String>>,
    mut own: Vec<String>,
    seed: u64,
    done: Arc<AtomicBool>,
) -> usize {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut written = 0;
    while !done.load(Ordering::Relaxed) {
        let mut below = |end: usize| usize::try_from(random.next_u32()).unwrap() % end;
        let stars = 1 + below(5);
        let mutation = match below(3) {
            0 if !own.is_empty() => {
                let id = own.swap_remove(below(own.len()));
                format!("deleteRating(input: {{ id: {id:?} }}) {{ deletedId book {{ averageRating }} }}")
            }
            1 if !own.is_empty() => {
                let id = &own[below(own.len())];
                format!("changeRating(input: {{ id: {id:?}, rating: {stars} }}) {{ rating {{ rating }} }}")
            }
            _ => {
                let book = &books[below(books.len())];
                format!(
                    "rateBook(input: {{ bookId: {book:?}, rating: {stars}, orderBy: {{ field: RATING }} }})
                    {{ ratingEdge {{ node {{ id rating }} }} previousEdgeCursor book {{ ratingCount }} }}"
                )
            }
        };
        let data = shop.data(&format!("mutation {{ {mutation} }}")).await;
        if let Some(id) = data["rateBook"]["ratingEdge"]["node"]["id"].as_str() {
            own.push(id.to_owned());
        }
        written += 1;
    }
    written
}

/// Walks a list to its end. What nobody touches is seen once, and every flag fits it.
async fn walk(shop: &Shop, list: &str, order: &str, forward: bool, kept: &BTreeSet<String>) {
    let (end, bound) = if forward { ("first", "after") } else { ("last", "before") };
    let query = format!(
        "query($bound: String) {{ {list}({end}: 20, {bound}: $bound, orderBy: {order})
            {{ nodes {{ id }} pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}"
    );
    let (more, behind) = if forward { ("hasNextPage", "hasPreviousPage") } else { ("hasPreviousPage", "hasNextPage") };
    let (mut seen, mut cursor) = (BTreeSet::new(), Value::Null);
    loop {
        let answer = shop.execute(&query, json!({ "bound": cursor })).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        let page = &answer["data"][list];
        let (nodes, info) = (page["nodes"].as_array().unwrap(), &page["pageInfo"]);
        if !seen.is_empty() {
            assert_eq!(info[behind], true, "what has been seen, and is still there, stands behind: {list} {order}");
        }
        for node in nodes {
            let id = node["id"].as_str().unwrap();
            assert!(!kept.contains(id) || seen.insert(id.to_owned()), "{id} comes twice: {list} {order}");
        }
        if info[more] == false {
            break;
        }
        assert_eq!(nodes.len(), 20, "a page with more behind it is full");
        cursor = info[if forward { "endCursor" } else { "startCursor" }].clone();
    }
    assert_eq!(&seen, kept, "{list} {order}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c1_walks_see_all_that_stays_once_while_others_write() {
    let shop = Arc::new(Shop::new(PLAN).await);
    let books = Arc::new(ids(&shop, "books").await);
    let ratings = ids(&shop, "ratings").await;
    let kept: BTreeSet<String> = ratings.iter().step_by(KEPT_OF).cloned().collect();
    let touched: Vec<&String> = ratings.iter().filter(|id| !kept.contains(*id)).collect();

    let done = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let own = touched.iter().skip(writer).step_by(8).map(|id| (*id).clone()).collect();
            let seed = u64::try_from(writer).unwrap();
            tokio::spawn(write(Arc::clone(&shop), Arc::clone(&books), own, seed, Arc::clone(&done)))
        })
        .collect();

    let all_books: BTreeSet<String> = books.iter().cloned().collect();
    let reads = async {
        let mut walks = 0;
        while !done.load(Ordering::Relaxed) {
            for forward in [true, false] {
                for direction in ["ASC", "DESC"] {
                    for fields in [&["CREATED_AT"][..], &["RATING"], &["RATING", "CREATED_AT"]] {
                        walk(&shop, "ratings", &order(fields, direction), forward, &kept).await;
                    }
                    for fields in [&["CREATED_AT"][..], &["NAME"], &["YEAR", "NAME"]] {
                        walk(&shop, "books", &order(fields, direction), forward, &all_books).await;
                    }
                    // Books that move while they are walked through can be seen twice or not at all, and nothing fails.
                    walk(&shop, "books", &order(&["AVERAGE_RATING"], direction), forward, &BTreeSet::new()).await;
                    walks += 7;
                }
            }
        }
        walks
    };
    let time = async {
        tokio::time::sleep(WHILE).await;
        done.store(true, Ordering::Relaxed);
    };
    let (walks, ()) = tokio::join!(reads, time);
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    assert!(walks >= 28 && written > 100, "{walks} walks, {written} writes");
    stats::check(&shop.db).await;
}

fn order(fields: &[&str], direction: &str) -> String {
    let sorts: Vec<String> =
        fields.iter().map(|field| format!("{{ field: {field}, direction: {direction} }}")).collect();
    format!("[{}]", sorts.join(", "))
}

/// Every mutation at random, on few books, so that they meet. Each is done or says why not; none waits in a circle.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sums_are_exact_after_all_mutations_at_once() {
    let shop = Arc::new(Shop::new(Plan { books: 4, ratings: 30, orders: 30, rng_seed: 0 }).await);
    let writers: Vec<_> = (0..8).map(|seed| tokio::spawn(mutate(Arc::clone(&shop), seed))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
    stats::check(&shop.db).await;
    if shop.db.writer.get_database_backend() == DbBackend::Postgres {
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        let deadlocks = shop.db.writer.query_one_raw(Statement::from_string(DbBackend::Postgres, deadlocks)).await;
        assert_eq!(deadlocks.unwrap().unwrap().try_get_by_index::<i64>(0).unwrap(), 0);
    }
}

async fn mutate(shop: Arc<Shop>, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..60 {
        let mut below = |end: usize| usize::try_from(random.next_u32()).unwrap() % end.max(1);
        let lists = "{ books(last: 6) { nodes { id } } ratings(first: 20) { nodes { id } } orders(first: 20) { nodes { id } } }";
        let lists = shop.data(lists).await;
        let mut any = |list: &str| {
            let nodes = lists[list]["nodes"].as_array().unwrap();
            nodes.get(below(nodes.len())).map_or(Value::from(""), |node| node["id"].clone())
        };
        let (book, rating, order) = (any("books"), any("ratings"), any("orders"));
        let (stars, cents) = (1 + below(5), below(100));
        let mutation = match below(9) {
            0 => "addBook(input: { name: \"new\", year: 2000 })".into(),
            1 => format!("updateBook(input: {{ id: {book}, year: {stars} }})"),
            2 => format!("deleteBook(input: {{ id: {book}, cascade: {} }})", stars > 2),
            3 | 4 => format!("rateBook(input: {{ bookId: {book}, rating: {stars} }})"),
            5 => format!("changeRating(input: {{ id: {rating}, rating: {stars} }})"),
            6 => format!("deleteRating(input: {{ id: {rating} }})"),
            7 => format!("placeOrder(input: {{ bookId: {book}, totalPrice: \"3.{cents:02}\" }})"),
            _ => format!("cancelOrder(input: {{ id: {order} }})"),
        };
        let answer = shop.execute(&format!("mutation {{ {mutation} {{ clientMutationId }} }}"), Value::Null).await;
        for error in answer["errors"].as_array().into_iter().flatten() {
            let code = error["extensions"]["code"].as_str().unwrap();
            // Others were faster, or there is none left.
            assert!(["NOT_FOUND", "IN_USE", "ID_INVALID"].contains(&code), "{mutation}: {answer}");
        }
    }
}

/// Under SERIALIZABLE, of several who write to one book at a time all but one have to try again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_one_book_succeed_under_serializable_isolation() {
    let shop = Shop::new(SMALL).await;
    if shop.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let book = ids(&shop, "books").await.swap_remove(0);
    let url = format!("{}?options[default_transaction_isolation]=serializable", shop.test.url);
    let mut db = Db::connect(&settings(&url)).await.unwrap();
    let statements = Statements::record(&mut db.reader);
    let Shop { test, .. } = shop;
    let shop = Arc::new(Shop { api: Api::new(db.clone(), Limits::DEFAULT), db, statements, test });
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (shop, book) = (Arc::clone(&shop), book.clone());
            tokio::spawn(async move {
                for _ in 0..25 {
                    let rate = format!("rateBook(input: {{ bookId: {book:?}, rating: 3 }}) {{ clientMutationId }}");
                    shop.data(&format!("mutation {{ {rate} }}")).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    stats::check(&shop.db).await;
}
