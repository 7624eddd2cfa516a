//! Responses of a server behind a pooler.

use bookends_server::config::Limits;
use bookshop::seed::Plan;
use serde_json::Value;

use super::shop;
use crate::api::walks::{self, Sizes};
use crate::database::upgrade::corpus::{self, Walk};
use crate::support::shop::{Shop, settings};

#[tokio::test]
async fn lists_are_walked_both_ways() {
    let Some((shop, _pooler)) = shop(walks::PLAN).await else { return };
    walks::check_ratings_and_orders(&shop, Sizes::Few).await;
    walks::check_lists_of_a_book(&shop, Sizes::Few).await;
    walks::check_nested(&shop).await;
}

#[tokio::test]
async fn answers_are_those_of_prepared_statements() {
    let plan = Plan { books: 30, ratings: 90, orders: 60, rng_seed: 0 };
    let Some((pooled, _pooler)) = shop(plan).await else { return };
    let db = bookshop::connect(&settings(&pooled.test.url)).await.unwrap();
    let direct = bookshop::api(db, Limits::DEFAULT);
    let same = async |query: &str| {
        let answer = pooled.execute(query, Value::Null).await;
        let expected = direct.execute(async_graphql::Request::new(query)).await;
        assert_eq!(answer, serde_json::to_value(expected).unwrap(), "{query}");
        answer["data"].clone()
    };
    for query in corpus::queries() {
        assert_ne!(same(&query).await, Value::Null, "{query}");
    }
    for walk in Walk::all() {
        let first = same(&walk.page("")).await;
        same(&walk.page(&walk.cursor(&first))).await;
    }
}

/// Eight clients read through two connections, each several statements in one snapshot.
#[tokio::test]
async fn clients_wait_for_a_connection() {
    let Some((shop, _pooler)) = shop(walks::PLAN).await else { return };
    let read = async |shop: &Shop| {
        for _ in 0..20 {
            let query = "{ a: books { totalCount } b: ratings(last: 3) { totalCount nodes { rating } } }";
            let data = shop.data(query).await;
            assert_eq!((&data["a"]["totalCount"], &data["b"]["totalCount"]), (&16.into(), &60.into()));
        }
    };
    futures_util::future::join_all((0..8).map(|_| read(&shop))).await;
}
