//! Many who write at once: each is done or says why not, and the sums stay exact.

use std::sync::Arc;

use bookends_server::config::Limits;
use bookshop::seed::Plan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::Value;

use crate::api::book_sums;
use crate::support::shop::{SMALL, Shop, settings};

mod walks;

/// Every mutation at random, on few books, so that they meet. Each is done or says why not; none waits in a circle.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sums_are_exact_after_all_mutations_at_once() {
    let shop = Arc::new(Shop::new(Plan { books: 4, ratings: 30, orders: 30, rng_seed: 0 }).await);
    let writers: Vec<_> = (0..8).map(|seed| tokio::spawn(mutate(Arc::clone(&shop), seed))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
    book_sums::check(&shop.db).await;
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
    let [book, ..] = shop.first_of_each().await;
    let url = format!("{}?options[default_transaction_isolation]=serializable", shop.test.url);
    let db = bookshop::connect(&settings(&url)).await.unwrap();
    let shop = Arc::new(Shop::over(db, Limits::DEFAULT, shop.test));
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
    book_sums::check(&shop.db).await;
}
