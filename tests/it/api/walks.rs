//! One walk for every list: forward, backward, at every telling size, under every order and some filters.

use std::cmp::Ordering;

use bookshop::seed::Plan;
use serde_json::{Value, json};

use crate::support::orders::{Sort, argument, directed, offered};
use crate::support::shop::Shop;

pub const PLAN: Plan = Plan { books: 16, ratings: 60, orders: 40, rng_seed: 0 };

/// A list: where it is, what a sort by a field of its objects is called, and in which combinations it is offered.
struct List {
    /// The query around the field, with `{}` in its place.
    around: String,
    /// Where the connection is in the answer.
    pointer: &'static str,
    name: &'static str,
    /// Sorts and the fields that they are by.
    fields: &'static [(&'static str, &'static str)],
    orders: Vec<Vec<&'static str>>,
    /// Arguments beside the order: filters, a search.
    filters: &'static [&'static str],
}

const BOOK_FIELDS: &[(&str, &str)] = &[
    ("NAME", "name"),
    ("YEAR", "year"),
    ("AVERAGE_RATING", "averageRating"),
    ("RATING_COUNT", "ratingCount"),
    ("TOTAL_REVENUE", "totalRevenue"),
    ("ORDER_COUNT", "orderCount"),
];
const RATING_FIELDS: &[(&str, &str)] = &[("RATING", "rating")];
const ORDER_FIELDS: &[(&str, &str)] = &[("TOTAL_PRICE", "totalPrice")];

fn root(name: &'static str, fields: &'static [(&str, &str)], filters: &'static [&'static str]) -> List {
    let pointer = match name {
        "books" => "/books",
        "ratings" => "/ratings",
        _ => "/orders",
    };
    List { around: "{ {} }".into(), pointer, name, fields, orders: offered(name), filters }
}

/// One page.
async fn page(shop: &Shop, list: &List, args: &str) -> Value {
    page_with(shop, list, args, "").await
}

/// One page with more of its connection.
async fn page_with(shop: &Shop, list: &List, args: &str, more: &str) -> Value {
    let data = shop.data(&query(list, args, more)).await;
    data.pointer(list.pointer).unwrap().clone()
}

/// A query of one page, with more of its connection.
fn query(list: &List, args: &str, more: &str) -> String {
    let fields: Vec<&str> = list.fields.iter().map(|(_, field)| *field).collect();
    let page = format!(
        "{}({args}) {{ edges {{ cursor node {{ id createdAt {} }} }}
            pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} {more} }}",
        list.name,
        fields.join(" ")
    );
    list.around.replace("{}", &page)
}

/// The whole list, page by page.
async fn walk(shop: &Shop, list: &List, args: &str, size: usize, forward: bool) -> Vec<Value> {
    let mut edges: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    let (end, bound) = if forward { ("first", "after") } else { ("last", "before") };
    // The schema executes the first page, and the plan all others.
    let page = query(list, &format!("{args}, {end}: {size}, {bound}: $cursor"), "");
    let page = format!("query($cursor: String) {page}");
    loop {
        let data = shop.data_of(&page, json!({ "cursor": cursor })).await;
        let page = data.pointer(list.pointer).unwrap();
        let (found, info) = (page["edges"].as_array().unwrap(), &page["pageInfo"]);
        assert!(found.len() <= size);
        // What lies behind is what has been seen.
        let (more, behind) =
            if forward { ("hasNextPage", "hasPreviousPage") } else { ("hasPreviousPage", "hasNextPage") };
        assert_eq!(info[behind], !edges.is_empty(), "{args} {page}");
        edges.splice(if forward { edges.len()..edges.len() } else { 0..0 }, found.iter().cloned());
        if info[more] == false {
            return edges;
        }
        assert_eq!(found.len(), size, "a page with more behind it is full");
        info[if forward { "endCursor" } else { "startCursor" }].as_str().unwrap().clone_into(&mut cursor);
    }
}

/// The share of the title that `the`, the only search that is walked without an order, makes up; alone, it stands
/// together.
fn relevance(edge: &Value) -> f64 {
    let characters = u32::try_from(edge["node"]["name"].as_str().unwrap().chars().count()).unwrap();
    1.0 + 3.0 / f64::from(characters)
}

/// As the database should compare two edges.
fn compare(list: &List, order: &[Sort], a: &Value, b: &Value) -> Ordering {
    for (sort, descending, first) in order {
        if *sort == "RELEVANCE" {
            let compared = relevance(a).total_cmp(&relevance(b)).reverse();
            if compared != Ordering::Equal {
                return compared;
            }
            continue;
        }
        let field = list.fields.iter().find(|(name, _)| name == sort).map_or("createdAt", |(_, field)| *field);
        let (left, right) = (&a["node"][field], &b["node"][field]);
        let compared = match (left.is_null(), right.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if *first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, true) => {
                if *first {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (false, false) => {
                let number =
                    |value: &Value| value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
                let compared = match (number(left), number(right)) {
                    (Some(left), Some(right)) => left.total_cmp(&right),
                    _ => left.as_str().cmp(&right.as_str()),
                };
                if *descending { compared.reverse() } else { compared }
            }
        };
        if compared != Ordering::Equal {
            return compared;
        }
    }
    // No two are made in the same millisecond.
    let compared = a["node"]["createdAt"].as_str().cmp(&b["node"]["createdAt"].as_str());
    if order.last().is_some_and(|(_, descending, _)| *descending) { compared.reverse() } else { compared }
}

/// Compares a page with the part of the walk that it must be.
#[track_caller]
fn check_part(page: &Value, whole: &[Value], start: usize, end: usize, case: &str) {
    assert_eq!(page["edges"].as_array().unwrap(), &whole[start..end], "{case}");
    let info = &page["pageInfo"];
    assert_eq!(
        (&info["hasPreviousPage"], &info["hasNextPage"]),
        (&(start > 0).into(), &(end < whole.len()).into()),
        "{case}"
    );
}

/// Every page by its number is that of the walk, from both ends, and every page has that number.
async fn check_numbers(shop: &Shop, list: &List, args: &str, whole: &[Value], size: usize) {
    let n = whole.len();
    let cursors = "pageCursors { first { page } around { cursor page isCurrent } last { cursor page } }";
    for offset in (0..n).step_by(size) {
        let case = format!("{args}, first: {size}, offset: {offset}");
        let page = page_with(shop, list, &case, cursors).await;
        check_part(&page, whole, offset, n.min(offset + size), &case);
        let numbers = &page["pageCursors"];
        let current = numbers["around"].as_array().unwrap().iter().find(|page| page["isCurrent"] == true).unwrap();
        assert_eq!(
            (&current["page"], &numbers["last"]["page"]),
            (&(1 + offset / size).into(), &n.div_ceil(size).into()),
            "{case}"
        );
        // What has no cursor begins the list.
        let after = format!("{args}, first: {size}, after: {}", current["cursor"]);
        let walked = page_with(shop, list, &after, cursors).await;
        assert_eq!(walked, page, "{case}");
        let end = format!("{args}, first: {size}, after: {}", numbers["last"]["cursor"]);
        check_part(&self::page(shop, list, &end).await, whole, (n - 1) / size * size, n, &end);
    }
    for offset in [1, n - 1, n + 7] {
        let case = format!("{args}, last: {size}, offset: {offset}");
        let end = n.saturating_sub(offset);
        check_part(&page(shop, list, &case).await, whole, end.saturating_sub(size), end, &case);
    }
    for offset in [1, n + 7] {
        let case = format!("{args}, first: {size}, offset: {offset}");
        check_part(&page(shop, list, &case).await, whole, offset.min(n), n.min(offset + size), &case);
    }
}

/// Every object stands in the page around it.
async fn check_around(shop: &Shop, list: &List, args: &str, whole: &[Value], size: usize) {
    let n = whole.len();
    for place in [0, n / 2, n - 1] {
        let case = format!("{args}, first: {size}, around: {}", whole[place]["node"]["id"]);
        let start = place.saturating_sub((size - 1) / 2).min(n.saturating_sub(size));
        check_part(&page(shop, list, &case).await, whole, start, n.min(start + size), &case);
    }
}

/// At which sizes a list is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// At every telling one.
    All,
    /// At those that tell how the database keeps the rows: statements of all sizes are the same.
    Few,
}

/// Walks a list both ways under every order and filter.
async fn check(shop: &Shop, list: &List, sizes: Sizes) {
    let searched = list.filters[0].starts_with("search");
    let filters = if searched { list.filters.to_vec() } else { [&[""], list.filters].concat() };
    for filter in filters {
        let mut all = walk(shop, list, &format!("{filter}, orderBy: {{ field: CREATED_AT }}"), 100, true).await;
        assert!(all.len() > 2, "{} {filter} finds too little to prove anything", list.around);
        for order in list.orders.iter().flat_map(|sorts| directed(sorts)) {
            let args = format!("{filter}, {}", argument(&order));
            let whole = walk(shop, list, &args, 100, true).await;
            // A search without an order is by relevance to `the`.
            let by_relevance = [("RELEVANCE", true, false)];
            let order = if searched && order.is_empty() { &by_relevance } else { order.as_slice() };
            all.sort_by(|a, b| compare(list, order, a, b));
            let nodes = |edges: &[Value]| edges.iter().map(|edge| edge["node"].clone()).collect::<Vec<_>>();
            assert!(nodes(&whole) == nodes(&all), "{} {args}", list.around);

            let n = whole.len();
            let of_filter = match sizes {
                _ if filter != list.filters[0] && !filter.is_empty() => vec![2],
                Sizes::All => vec![1, 2, 3, n - 1, n, n + 1],
                Sizes::Few => vec![2, n - 1, n],
            };
            for size in of_filter {
                // Cursors and all: they depend on neither size nor direction (C3).
                assert_eq!(walk(shop, list, &args, size, true).await, whole, "forward by {size}: {args}");
                assert_eq!(walk(shop, list, &args, size, false).await, whole, "backward by {size}: {args}");
            }
            check_numbers(shop, list, &args, &whole, 1 + n / 4).await;
            check_around(shop, list, &args, &whole, 4).await;
        }
    }
}

#[tokio::test]
async fn c1_c2_books_are_walked_both_ways() {
    let filters = &["where: { year: { gte: 1990 } }", "where: { averageRating: { isNull: false } }"];
    check(&Shop::new(PLAN).await, &root("books", BOOK_FIELDS, filters), Sizes::All).await;
}

#[tokio::test]
async fn c1_c2_what_a_search_finds_is_walked_both_ways() {
    let filters = &[
        "search: \"the\"",
        "search: \"the\", where: { year: { lt: 2020 } }",
        "search: \"the\", where: { year: { gte: 1990 } }",
    ];
    let mut found = root("books", BOOK_FIELDS, filters);
    found.orders.extend([vec!["YEAR", "AVERAGE_RATING"], vec!["AVERAGE_RATING", "NAME", "CREATED_AT"]]);
    check(&Shop::new(PLAN).await, &found, Sizes::All).await;
}

const RATING_FILTERS: &[&str] =
    &["where: { rating: { in: [3, 5] } }", "where: { book: { name: { gte: \"A\" }, averageRating: { gte: 2 } } }"];
const ORDER_FILTERS: &[&str] =
    &["where: { totalPrice: { gte: \"100\" } }", "where: { not: { book: { ratingCount: { lt: 4 } } } }"];

#[tokio::test]
async fn c1_c2_ratings_and_orders_are_walked_both_ways() {
    check_ratings_and_orders(&Shop::new(PLAN).await, Sizes::All).await;
}

pub async fn check_ratings_and_orders(shop: &Shop, sizes: Sizes) {
    check(shop, &root("ratings", RATING_FIELDS, RATING_FILTERS), sizes).await;
    check(shop, &root("orders", ORDER_FIELDS, ORDER_FILTERS), sizes).await;
}

#[tokio::test]
async fn c1_c2_the_lists_of_a_book_are_walked_both_ways() {
    check_lists_of_a_book(&Shop::new(PLAN).await, Sizes::All).await;
}

pub async fn check_lists_of_a_book(shop: &Shop, sizes: Sizes) {
    let best = "{ books(orderBy: { field: TOTAL_REVENUE, direction: DESC }, first: 1) { nodes { id } } }";
    let best = shop.data(best).await["books"]["nodes"][0]["id"].clone();
    let of_book = |list: List, pointer| {
        let around = format!("{{ node(id: {best}) {{ ... on Book {{ {{}} }} }} }}");
        List { around, pointer, ..list }
    };
    check(shop, &of_book(root("ratings", RATING_FIELDS, RATING_FILTERS), "/node/ratings"), sizes).await;
    check(shop, &of_book(root("orders", ORDER_FIELDS, ORDER_FILTERS), "/node/orders"), sizes).await;
}

/// The pages of many parents, read together, are those of each by itself.
#[tokio::test]
async fn c1_nested_lists_are_those_of_each_parent() {
    check_nested(&Shop::new(PLAN).await).await;
}

pub async fn check_nested(shop: &Shop) {
    let fields = "edges { cursor node { id } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
        totalCount pageCursors { first { cursor page isCurrent } previous { page } around { cursor page isCurrent }
        next { cursor } last { cursor page } } approximateCount(upTo: 3) { value relation }";
    let some = shop
        .data(
            "{ ratings(first: 1, after: \"\") { nodes { id } } r: ratings(orderBy: { field: RATING }, first: 20)
        { pageInfo { endCursor } } }",
        )
        .await;
    let cursor = some["r"]["pageInfo"]["endCursor"].as_str().unwrap();
    for args in [
        "first: 2".to_owned(),
        "last: 3, orderBy: [{ field: RATING, direction: DESC }]".to_owned(),
        "first: 0".to_owned(),
        format!("first: 2, orderBy: {{ field: RATING }}, after: \"{cursor}\""),
        format!("last: 2, orderBy: {{ field: RATING }}, before: \"{cursor}\""),
        "first: 3, where: { rating: { gte: 4 } }, asOf: \"2022-01-01T00:40:00Z\"".to_owned(),
        "first: 2, offset: 1".to_owned(),
        "last: 2, offset: 3, orderBy: [{ field: RATING, direction: DESC }]".to_owned(),
    ] {
        let list = format!("ratings({args}) {{ {fields} }} orders(first: 2) {{ {fields} }}");
        let together = shop.data(&format!("{{ books {{ nodes {{ id {list} }} }} }}")).await;
        for book in together["books"]["nodes"].as_array().unwrap() {
            let alone = shop.data(&format!("{{ node(id: {}) {{ id ... on Book {{ {list} }} }} }}", book["id"])).await;
            let estimates = |book: &Value| {
                [&book["ratings"], &book["orders"]].map(|list| list["approximateCount"]["relation"].clone())
            };
            // An estimate of one is not that of another statement.
            let without = |book: &Value| {
                let mut book = book.clone();
                if estimates(&book).contains(&"ESTIMATE".into()) {
                    book["ratings"]["approximateCount"].take();
                    book["orders"]["approximateCount"].take();
                }
                book
            };
            assert_eq!(without(&alone["node"]), without(book), "{args}");
        }
    }
}
