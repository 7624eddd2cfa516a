//! Walks that do not notice those who write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bookshop::seed::Plan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

use crate::api::book_sums;
use crate::support::orders::{self, Sort, argument};
use crate::support::shop::Shop;

/// Some books have neither ratings nor orders, so that they have no sums.
const PLAN: Plan = Plan { books: 60, ratings: 600, orders: 80, rng_seed: 0 };
const WRITERS: usize = 8;
const WALKERS: usize = 3;
/// For how long they write and walk at least; until every order has been walked both ways in any case.
const WHILE: Duration = Duration::from_secs(4);

/// One walk: the list, the order, forward or backward, by pages of this size.
type Job = (&'static str, Vec<Sort>, bool, usize);

/// What nobody touches.
struct Kept {
    /// Of all books, those whose ratings nobody adds to, changes or deletes.
    unrated: BTreeSet<String>,
    /// Nobody adds or deletes a book.
    books: BTreeSet<String>,
    /// A share of the ratings, which is spread over the list; the oldest is of it.
    ratings: BTreeSet<String>,
}

impl Kept {
    /// What each walk of a list in this order sees once: rows that are there throughout, where their keys stay, too.
    fn of(&self, list: &str, order: &[Sort]) -> &BTreeSet<String> {
        match list {
            "ratings" => &self.ratings,
            _ if order.iter().any(|(field, ..)| ["AVERAGE_RATING", "RATING_COUNT"].contains(field)) => &self.unrated,
            _ => &self.books,
        }
    }

    /// Whether nothing can come or go where such a walk ends, so that no page of it is empty.
    fn ends_it(&self, (list, order, forward, _): &Job) -> bool {
        let to_the_oldest = || order.first().is_some_and(|(_, descending, _)| *descending) == *forward;
        match *list {
            "ratings" => order.iter().all(|(field, ..)| *field == "CREATED_AT") && to_the_oldest(),
            list => self.of(list, order).len() == self.books.len(),
        }
    }
}

/// The global ids of all ratings with those of their books, in the order of creation.
async fn ratings(shop: &Shop) -> Vec<[String; 2]> {
    let (mut ratings, mut after) = (Vec::new(), Value::Null);
    loop {
        let query = "query($after: String) { ratings(first: 100, after: $after)
            { nodes { id book { id } } pageInfo { hasNextPage endCursor } } }";
        let page = shop.execute(query, json!({ "after": after })).await["data"]["ratings"].take();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        ratings.extend(page["nodes"].as_array().unwrap().iter().map(|it| [text(&it["id"]), text(&it["book"]["id"])]));
        if page["pageInfo"]["hasNextPage"] == false {
            return ratings;
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
) -> BTreeMap<&'static str, usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut written = BTreeMap::new();
    while !done.load(Ordering::Relaxed) {
        let mut below = |end: usize| usize::try_from(random.next_u32()).unwrap() % end;
        let stars = 1 + below(5);
        let (name, input) = match below(3) {
            0 if !own.is_empty() => {
                let id = own.swap_remove(below(own.len()));
                ("deleteRating", format!("id: {id:?} }}) {{ deletedId book {{ averageRating }} }}"))
            }
            1 if !own.is_empty() => {
                let id = &own[below(own.len())];
                ("changeRating", format!("id: {id:?}, rating: {stars} }}) {{ rating {{ rating }} }}"))
            }
            _ => {
                let book = &books[below(books.len())];
                let input = format!(
                    "bookId: {book:?}, rating: {stars}, orderBy: {{ field: RATING }} }})
                    {{ ratingEdge {{ node {{ id rating }} }} previousEdgeCursor book {{ ratingCount }} }}"
                );
                ("rateBook", input)
            }
        };
        let data = shop.data(&format!("mutation {{ {name}(input: {{ {input} }}")).await;
        if let Some(id) = data["rateBook"]["ratingEdge"]["node"]["id"].as_str() {
            own.push(id.to_owned());
        }
        *written.entry(name).or_default() += 1;
    }
    written
}

/// Walks a list to its end. What nobody touches is seen once, and every flag fits it.
async fn walk(shop: &Shop, job: &Job, kept: &Kept) {
    let (list, order, forward, size) = job;
    let (end, bound) = if *forward { ("first", "after") } else { ("last", "before") };
    let query = format!(
        "query($bound: String) {{ {list}({end}: {size}, {bound}: $bound, {})
            {{ nodes {{ id }} pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}",
        argument(order)
    );
    let (more, behind) = if *forward { ("hasNextPage", "hasPreviousPage") } else { ("hasPreviousPage", "hasNextPage") };
    let (all, never_empty) = (kept.of(list, order), kept.ends_it(job));
    let (mut seen, mut cursor) = (BTreeSet::new(), Value::Null);
    loop {
        let answer = shop.execute(&query, json!({ "bound": cursor })).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        let page = &answer["data"][list];
        let (nodes, info) = (page["nodes"].as_array().unwrap(), &page["pageInfo"]);
        if cursor.is_null() {
            assert_eq!(info[behind], false, "nothing stands before the beginning: {job:?}");
        } else if !seen.is_empty() {
            assert_eq!(info[behind], true, "what has been seen, and is still there, stands behind: {job:?}");
        }
        assert!(!never_empty || !nodes.is_empty(), "there was to be more, where nothing goes away: {job:?}");
        for node in nodes {
            let id = node["id"].as_str().unwrap();
            assert!(!all.contains(id) || seen.insert(id.to_owned()), "{id} comes twice: {job:?}");
        }
        if info[more] == false {
            break;
        }
        assert_eq!(nodes.len(), *size, "a page with more behind it is full: {job:?}");
        cursor = info[if *forward { "endCursor" } else { "startCursor" }].clone();
    }
    assert_eq!(&seen, all, "{job:?}");
}

/// Every order of both lists, both ways. Of the sizes, one parts the books evenly, and one does not.
fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for (list, sizes) in [("ratings", &[20][..]), ("books", &[20, 25])] {
        for order in orders::all(list) {
            for size in sizes {
                jobs.extend([true, false].map(|forward| (list, order.clone(), forward, *size)));
            }
        }
    }
    jobs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c1_walks_see_all_that_stays_once_while_others_write() {
    let shop = Arc::new(Shop::new(PLAN).await);
    let books = shop.data("{ books(first: 100) { nodes { id } } }").await["books"]["nodes"].take();
    let books: Vec<String> =
        books.as_array().unwrap().iter().map(|book| book["id"].as_str().unwrap().to_owned()).collect();
    let rated: Vec<String> = books.iter().enumerate().filter(|(n, _)| n % 3 > 0).map(|(_, id)| id.clone()).collect();
    let mut kept = Kept { unrated: BTreeSet::new(), books: books.into_iter().collect(), ratings: BTreeSet::new() };
    kept.unrated = kept.books.iter().filter(|id| !rated.contains(id)).cloned().collect();
    let mut touched = Vec::new();
    for (n, [id, book]) in ratings(&shop).await.into_iter().enumerate() {
        if n % 3 == 0 || kept.unrated.contains(&book) {
            kept.ratings.insert(id);
        } else {
            touched.push(id);
        }
    }
    assert!(touched.len() > 100 && kept.unrated.len() == 20 && kept.ratings.len() > 200);

    let (rated, kept, jobs) = (Arc::new(rated), Arc::new(kept), Arc::new(jobs()));
    let (done, next, begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)), Instant::now());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let own = touched.iter().skip(writer).step_by(WRITERS).cloned().collect();
            let seed = u64::try_from(writer).unwrap();
            tokio::spawn(write(Arc::clone(&shop), Arc::clone(&rated), own, seed, Arc::clone(&done)))
        })
        .collect();
    let walkers: Vec<_> = (0..WALKERS)
        .map(|_| {
            let (shop, kept, jobs, next) = (Arc::clone(&shop), Arc::clone(&kept), Arc::clone(&jobs), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= jobs.len() && begun.elapsed() >= WHILE {
                        return;
                    }
                    walk(&shop, &jobs[number % jobs.len()], &kept).await;
                }
            })
        })
        .collect();
    let mut walked = Vec::new();
    for walker in walkers {
        walked.push(walker.await);
    }
    done.store(true, Ordering::Relaxed);
    let mut written = BTreeMap::<_, usize>::new();
    for writer in writers {
        for (mutation, count) in writer.await.unwrap() {
            *written.entry(mutation).or_default() += count;
        }
    }
    walked.into_iter().for_each(Result::unwrap);
    assert!(written.len() == 3 && written.values().all(|count| *count > 30), "{written:?}");
    book_sums::check(&shop.db).await;
}
