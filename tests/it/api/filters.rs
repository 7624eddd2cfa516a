//! `where`, against predicates over the whole list.

use bookshop::seed::Plan;
use serde_json::Value;

use crate::support::shop::Shop;

const PLAN: Plan = Plan { books: 30, ratings: 90, orders: 90, rng_seed: 0 };
const BOOK: &str = "id name year createdAt averageRating ratingCount totalRevenue orderCount";

async fn nodes(shop: &Shop, list: &str, filter: &str, fields: &str) -> Vec<Value> {
    let data = shop.data(&format!("{{ {list}(first: 100{filter}) {{ totalCount nodes {{ {fields} }} }} }}")).await;
    let nodes = data[list]["nodes"].as_array().unwrap().clone();
    assert_eq!(data[list]["totalCount"], nodes.len(), "{filter}");
    nodes
}

/// The books that a filter finds must be those of the predicate, and those of its `not` all others.
async fn check(shop: &Shop, filter: &str, predicate: impl Fn(&Value) -> bool) {
    let (expected, others): (Vec<Value>, Vec<Value>) =
        nodes(shop, "books", "", BOOK).await.into_iter().partition(predicate);
    assert_eq!(nodes(shop, "books", &format!(", where: {filter}"), BOOK).await, expected, "{filter}");
    assert_eq!(nodes(shop, "books", &format!(", where: {{ not: {filter} }}"), BOOK).await, others, "not {filter}");
    // Joined to another order's tables, it is the same filter.
    let ordered = format!(", where: {filter}, orderBy: {{ field: AVERAGE_RATING }}");
    assert_eq!(nodes(shop, "books", &ordered, BOOK).await.len(), expected.len(), "{filter}");
}

fn year(book: &Value) -> i64 {
    book["year"].as_i64().unwrap()
}

fn name(book: &Value) -> &str {
    book["name"].as_str().unwrap()
}

fn mean(book: &Value) -> Option<f64> {
    book["averageRating"].as_f64()
}

fn revenue(book: &Value) -> Option<f64> {
    book["totalRevenue"].as_str().map(|text| text.parse().unwrap())
}

#[tokio::test]
async fn every_operator_finds_its_books_and_not_the_others() {
    let shop = Shop::new(PLAN).await;
    let shop = &shop;
    let books = nodes(shop, "books", "", BOOK).await;
    let some = year(&books[3]);
    check(shop, &format!("{{ year: {{ eq: {some} }} }}"), |book| year(book) == some).await;
    check(shop, &format!("{{ year: {{ ne: {some} }} }}"), |book| year(book) != some).await;
    check(shop, &format!("{{ year: {{ in: [{some}, 2020] }} }}"), |book| [some, 2020].contains(&year(book))).await;
    check(shop, &format!("{{ year: {{ notIn: [{some}] }} }}"), |book| year(book) != some).await;
    check(shop, &format!("{{ year: {{ lt: {some} }} }}"), |book| year(book) < some).await;
    check(shop, &format!("{{ year: {{ lte: {some} }} }}"), |book| year(book) <= some).await;
    check(shop, &format!("{{ year: {{ gt: {some} }} }}"), |book| year(book) > some).await;
    check(shop, &format!("{{ year: {{ gte: {some}, lt: 2020 }} }}"), |book| (some..2020).contains(&year(book))).await;
    check(shop, "{ year: { in: [] } }", |_| false).await;
    check(shop, "{ year: { notIn: [] } }", |_| true).await;
    check(shop, "{ year: { eq: null } }", |_| true).await;
    check(shop, "{ year: {} }", |_| true).await;
    check(shop, "{}", |_| true).await;

    check(shop, "{ averageRating: { isNull: true } }", |book| mean(book).is_none()).await;
    check(shop, "{ averageRating: { isNull: false } }", |book| mean(book).is_some()).await;
    check(shop, "{ averageRating: { gte: 3.5 } }", |book| mean(book).is_some_and(|mean| mean >= 3.5)).await;
    check(shop, "{ averageRating: { ne: 5 } }", |book| mean(book) != Some(5.0)).await;
    check(shop, "{ averageRating: { notIn: [3, 4] } }", |book| ![Some(3.0), Some(4.0)].contains(&mean(book))).await;
    check(shop, "{ ratingCount: { eq: 0 } }", |book| book["ratingCount"] == 0).await;
    check(shop, "{ orderCount: { gt: 2 } }", |book| book["orderCount"].as_i64().unwrap() > 2).await;
    let sum = books.iter().find_map(|book| book["totalRevenue"].as_str()).unwrap();
    let exact = sum.parse::<f64>().unwrap();
    check(shop, &format!("{{ totalRevenue: {{ eq: \"{sum}\" }} }}"), |book| revenue(book) == Some(exact)).await;
    check(shop, &format!("{{ totalRevenue: {{ lt: {sum} }} }}"), |book| revenue(book).is_some_and(|sum| sum < exact))
        .await;
    check(shop, "{ totalRevenue: { gte: \"300\" } }", |book| revenue(book).is_some_and(|sum| sum >= 300.0)).await;

    check(shop, "{ name: { startsWith: \"The\" } }", |book| name(book).starts_with("The")).await;
    check(shop, "{ name: { startsWith: \"the\" } }", |book| name(book).starts_with("the")).await;
    check(shop, "{ name: { startsWith: \"\" } }", |_| true).await;
    check(shop, "{ name: { contains: \"of \" } }", |book| name(book).contains("of ")).await;
    check(shop, "{ name: { contains: \"%\" } }", |book| name(book).contains('%')).await;
    check(shop, "{ name: { contains: \"\" } }", |_| true).await;
    check(shop, "{ name: { gte: \"The M\", lt: \"The N\" } }", |book| ("The M".."The N").contains(&name(book))).await;
    check(shop, "{ name: { eq: \"'; DROP TABLE book; --\" } }", |_| false).await;
}

/// A number that the server sent is the same number when it is sent back.
#[tokio::test]
async fn an_average_equals_itself() {
    let shop = Shop::new(Plan { books: 100, ratings: 3_000, orders: 0, rng_seed: 0 }).await;
    let books = nodes(&shop, "books", "", BOOK).await;
    for book in books.iter().filter(|book| mean(book).is_some()) {
        let (id, mean) = (&book["id"], &book["averageRating"]);
        let literal = nodes(&shop, "books", &format!(", where: {{ averageRating: {{ eq: {mean} }} }}"), "id").await;
        assert!(literal.iter().any(|found| found["id"] == *id), "{mean}");
        let query = "query($mean: Float) { books(first: 100, where: { averageRating: { lte: $mean, gte: $mean } }) { nodes { id } } }";
        let answer = shop.execute(query, serde_json::json!({ "mean": mean })).await;
        assert!(answer["data"]["books"]["nodes"].as_array().unwrap().iter().any(|found| found["id"] == *id), "{mean}");
    }
}

#[tokio::test]
async fn filters_combine() {
    let shop = Shop::new(PLAN).await;
    let shop = &shop;
    let the = |book: &Value| name(book).starts_with("The");
    let new = |book: &Value| year(book) >= 2000;
    let (a, b) = ("{ name: { startsWith: \"The\" } }", "{ year: { gte: 2000 } }");
    check(shop, &format!("{{ and: [{a}, {b}] }}"), |book| the(book) && new(book)).await;
    check(shop, &format!("{{ or: [{a}, {b}] }}"), |book| the(book) || new(book)).await;
    check(shop, &format!("{{ or: [{{ not: {a} }}, {b}], not: {{ and: [{a}, {b}] }} }}"), |book| {
        (!the(book) || new(book)) && !(the(book) && new(book))
    })
    .await;
    check(shop, "{ name: { startsWith: \"The\" }, year: { gte: 2000 } }", |book| the(book) && new(book)).await;
    check(shop, "{ or: [] }", |_| false).await;
    check(shop, "{ and: [] }", |_| true).await;
    check(shop, "{ or: [{}] }", |_| true).await;
    check(shop, "{ not: {} }", |_| false).await;
    check(shop, &format!("{{ or: [{a}, {{ averageRating: {{ lt: 3 }} }}] }}"), |book| {
        the(book) || mean(book).is_some_and(|mean| mean < 3.0)
    })
    .await;
}

#[tokio::test]
async fn ids_and_instants_are_those_of_the_objects() {
    let shop = Shop::new(PLAN).await;
    let shop = &shop;
    let books = nodes(shop, "books", "", BOOK).await;
    let (id, other) = (&books[4]["id"], &books[7]["id"]);
    check(shop, &format!("{{ id: {{ eq: {id} }} }}"), |book| book["id"] == *id).await;
    check(shop, &format!("{{ id: {{ ne: {id} }} }}"), |book| book["id"] != *id).await;
    check(shop, &format!("{{ id: {{ in: [{id}, {other}] }} }}"), |book| [id, other].contains(&&book["id"])).await;
    check(shop, &format!("{{ id: {{ notIn: [{id}, {other}] }} }}"), |book| ![id, other].contains(&&book["id"])).await;
    check(shop, "{ id: { in: [] } }", |_| false).await;

    let made = |book: &Value| book["createdAt"].as_str().unwrap().to_owned();
    let at = made(&books[4]);
    check(shop, &format!("{{ createdAt: {{ eq: \"{at}\" }} }}"), |book| made(book) == at).await;
    check(shop, &format!("{{ createdAt: {{ in: [\"{at}\"] }} }}"), |book| made(book) == at).await;
    check(shop, &format!("{{ createdAt: {{ lt: \"{at}\" }} }}"), |book| made(book) < at).await;
    check(shop, &format!("{{ createdAt: {{ lte: \"{at}\" }} }}"), |book| made(book) <= at).await;
    check(shop, &format!("{{ createdAt: {{ gt: \"{at}\" }} }}"), |book| made(book) > at).await;
    check(shop, &format!("{{ createdAt: {{ gte: \"{at}\" }} }}"), |book| made(book) >= at).await;
    // Half a millisecond later, and the same instant in another zone.
    let later = at.replace('Z', "5Z");
    check(shop, &format!("{{ createdAt: {{ lt: \"{later}\" }} }}"), |book| made(book) <= at).await;
    check(shop, &format!("{{ createdAt: {{ gte: \"{later}\" }} }}"), |book| made(book) > at).await;
    check(shop, &format!("{{ createdAt: {{ eq: \"{later}\" }} }}"), |_| false).await;
    check(shop, "{ createdAt: { gte: \"1960-01-01T00:00:00Z\", lt: \"9999-12-31T23:59:59+01:00\" } }", |_| true).await;
    check(shop, "{ createdAt: { lt: \"1960-01-01T00:00:00Z\" } }", |_| false).await;
}

type Predicate<'a> = Box<dyn Fn(&Value) -> bool + 'a>;

#[tokio::test]
async fn ratings_and_orders_are_filtered_by_their_book() {
    let shop = Shop::new(PLAN).await;
    let fields = format!("id rating book {{ {BOOK} }}");
    let all = nodes(&shop, "ratings", "", &fields).await;
    let id = &all[5]["book"]["id"];
    let cases: [(String, Predicate<'_>); 7] = [
        ("{ year: { gte: 2000 } }".into(), Box::new(|book| year(book) >= 2000)),
        (format!("{{ id: {{ eq: {id} }} }}"), Box::new(|book| book["id"] == *id)),
        (
            format!("{{ id: {{ ne: {id} }}, year: {{ lt: 2010 }} }}"),
            Box::new(|book| book["id"] != *id && year(book) < 2010),
        ),
        ("{ ratingCount: { gte: 5 } }".into(), Box::new(|book| book["ratingCount"].as_i64().unwrap() >= 5)),
        ("{ not: { orderCount: { eq: 0 } } }".into(), Box::new(|book| book["orderCount"] != 0)),
        (
            "{ or: [{ year: { gte: 2020 } }, { totalRevenue: { isNull: true } }] }".into(),
            Box::new(|book| year(book) >= 2020 || book["totalRevenue"].is_null()),
        ),
        ("{}".into(), Box::new(|_| true)),
    ];
    for (filter, predicate) in &cases {
        let (expected, others): (Vec<Value>, Vec<Value>) =
            all.iter().cloned().partition(|rating| predicate(&rating["book"]));
        let found = nodes(&shop, "ratings", &format!(", where: {{ book: {filter} }}"), &fields).await;
        assert_eq!(found, expected, "{filter}");
        let found = nodes(&shop, "ratings", &format!(", where: {{ not: {{ book: {filter} }} }}"), &fields).await;
        assert_eq!(found, others, "not {filter}");
        let fields = format!("book {{ {BOOK} }}");
        let orders = nodes(&shop, "orders", &format!(", where: {{ book: {filter} }}"), &fields).await;
        let all = nodes(&shop, "orders", "", &fields).await;
        assert_eq!(orders, all.into_iter().filter(|order| predicate(&order["book"])).collect::<Vec<_>>(), "{filter}");
    }
}

#[tokio::test]
async fn an_invalid_filter_is_refused() {
    let shop = Shop::new(PLAN).await;
    let rating = shop.data("{ ratings(first: 1) { nodes { id } } }").await["ratings"]["nodes"][0]["id"].clone();
    let many = vec!["1"; 501].join(", ");
    let deep = |levels: usize| format!("{}{}{}", "{ not: ".repeat(levels), "{}", " }".repeat(levels));
    for (list, filter, code) in [
        ("books", format!("{{ id: {{ eq: {rating} }} }}"), "ID_INVALID"),
        ("ratings", format!("{{ book: {{ id: {{ in: [{rating}] }} }} }}"), "ID_INVALID"),
        ("books", "{ id: { eq: \"?\" } }".into(), "ID_INVALID"),
        ("books", format!("{{ year: {{ in: [{many}] }} }}"), "FILTER_TOO_LARGE"),
        ("books", format!("{{ or: [{}] }}", vec!["{}"; 501].join(", ")), "FILTER_TOO_LARGE"),
        ("books", deep(10), "FILTER_TOO_LARGE"),
        ("ratings", format!("{{ or: [{}] }}", ["{ book: { year: { eq: 1 } } }"; 10].join(", ")), "FILTER_TOO_LARGE"),
        ("books", "{ name: { contains: \"a\\u0000b\" } }".into(), "BAD_USER_INPUT"),
        ("books", "{ createdAt: { lt: \"yesterday\" } }".into(), "BAD_USER_INPUT"),
        ("books", "{ totalRevenue: { lt: \"a lot\" } }".into(), "BAD_USER_INPUT"),
        ("orders", "{ totalPrice: { lt: \"99999999999999999999999999999999\" } }".into(), "BAD_USER_INPUT"),
    ] {
        assert_eq!(shop.code(&format!("{{ {list}(where: {filter}) {{ totalCount }} }}")).await, code, "{filter}");
    }
    shop.data(&format!("{{ books(where: {}) {{ totalCount }} }}", deep(9))).await;
}
