//! Where an edge stands that a mutation created.

use serde_json::{Value, json};

use crate::support::orders::{self, argument};
use crate::support::shop::{SMALL, Shop};

/// Every order that a list is offered in, as an argument; the one that it has without one is none, and an empty one.
fn orders(list: &str) -> Vec<String> {
    let mut orders: Vec<String> = orders::all(list).iter().map(|order| argument(order)).collect();
    orders.push("orderBy: []".into());
    orders
}

/// The edge that a mutation returned is the very one that the next pages show, and stands where it says.
async fn check_place(shop: &Shop, list: &str, within: &str, order: &str, edge: &Value, previous: &Value) {
    let data = |query: String| async move {
        let mut data = shop.data(&query).await;
        let lists = if within.is_empty() { &mut data } else { &mut data["node"] };
        lists[list].take()
    };
    let query = |args: String| {
        let field =
            format!("{list}({order}, {args}) {{ edges {{ cursor node {{ id }} }} pageInfo {{ hasPreviousPage }} }}");
        if within.is_empty() {
            format!("{{ {field} }}")
        } else {
            format!("{{ node(id: {within:?}) {{ ... on Book {{ {field} }} }} }}")
        }
    };
    let after = previous.as_str().unwrap_or_default();
    let next = data(query(format!("first: 1, after: {after:?}"))).await;
    assert_eq!(next["edges"], json!([edge]), "{list} {order} {within}");
    assert_eq!(next["pageInfo"]["hasPreviousPage"], !previous.is_null());
    let before = data(query(format!("last: 1, before: {}", edge["cursor"]))).await;
    let found = before["edges"].get(0).map_or(&Value::Null, |edge| &edge["cursor"]);
    assert_eq!(found, previous, "{list} {order} {within}");
}

#[tokio::test]
async fn g2_the_edge_of_a_created_book_is_that_of_its_page() {
    let shop = Shop::new(SMALL).await;
    for (place, order) in orders("books").iter().enumerate() {
        let (name, year) = (["A", "M", "zz"][place % 3], [-1, 1900, 9999][place / 3 % 3]);
        let input = format!("{{ name: {name:?}, year: {year}, {order} }}");
        let fields = "bookEdge { cursor node { id } } previousEdgeCursor";
        let payload = shop.data(&format!("mutation {{ addBook(input: {input}) {{ {fields} }} }}")).await;
        let payload = &payload["addBook"];
        check_place(&shop, "books", "", order, &payload["bookEdge"], &payload["previousEdgeCursor"]).await;
    }
}

#[tokio::test]
async fn g2_the_edge_of_a_created_rating_or_order_is_that_of_its_page() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    for (list, mutation, edge, field, values) in [
        ("ratings", "rateBook", "ratingEdge", "rating", ["1", "2", "5"]),
        ("orders", "placeOrder", "orderEdge", "totalPrice", ["\"0\"", "\"12.5\"", "\"99999999.99\""]),
    ] {
        for order in orders(list) {
            for value in values {
                let input = format!("{{ bookId: {book:?}, {field}: {value}, {order} }}");
                let fields = format!("{edge} {{ cursor node {{ id }} }} previousEdgeCursor previousEdgeCursorOfBook");
                let payload = shop.data(&format!("mutation {{ {mutation}(input: {input}) {{ {fields} }} }}")).await;
                let payload = &payload[mutation];
                check_place(&shop, list, "", &order, &payload[edge], &payload["previousEdgeCursor"]).await;
                check_place(&shop, list, &book, &order, &payload[edge], &payload["previousEdgeCursorOfBook"]).await;
            }
        }
    }
}
