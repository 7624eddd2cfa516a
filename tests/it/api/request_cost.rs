//! The cost of a request, as the manual says it.

use async_graphql::Request;
use bookends_server::config::Limits;
use bookends_server::request::Tables;

use crate::support::documents::{read, rows, same};
use crate::support::shop::{SMALL, Shop};

#[test]
fn the_manual_has_every_price() {
    let prices = bookshop::application().costs(&bookshop::application().validator(Limits::DEFAULT), Tables::default());
    let prices: Vec<String> = prices.table().iter().map(|(part, cost)| format!("| {part} | {cost} |")).collect();
    assert!(prices.len() > 8, "{prices:?}");
    same("docs/api.md", "Limits", &rows("docs/api.md", "Limits"), &prices);
}

async fn requested(shop: &Shop, query: &str) -> u64 {
    let mut request = Request::new(query);
    request.extensions.insert("cost".into(), "report".into());
    let answer = serde_json::to_value(shop.api.execute(request).await).unwrap();
    answer["extensions"]["cost"]["requested"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn a_count_that_triggers_keep_costs_next_to_nothing() {
    let shop = Shop::new(SMALL).await;
    for (query, expected) in [
        ("{ ratings(first: 0) { totalCount approximateCount { value } } }", 1 + 50 + 3),
        ("{ ratings(first: 0, where: null) { totalCount } }", 1 + 50 + 1),
    ] {
        assert_eq!(requested(&shop, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_manual_says_what_the_introspection_of_graphiql_costs() {
    let cost = requested(&Shop::new(SMALL).await, include_str!("introspection.graphql")).await;
    let stated = format!("The introspection of GraphiQL costs about {},000", (cost + 500) / 1000);
    assert!(read("docs/api.md").contains(&stated), "{cost}");
}
