//! What filters cost, and what they read: each operator under each order, with one value and with many.

use ::entity::{book, book_order, book_rating, id};
use async_graphql::Request;
use bookends_server::config::Limits;
use bookshop::seed::Plan;
use sea_orm::{DatabaseConnection, EntityTrait, QueryOrder};
use serde_json::Value;
use testdb::work;
use uuid::Uuid;

use super::ROWS;
use crate::api::work::settled;
use crate::support::shop::Shop;

const PLAN: Plan = Plan { books: 10_000, ratings: 20_000, orders: 10_000, rng_seed: 0 };

/// A statement does at most this many times the work of the rows that it is priced as.
const MOST: f64 = 3.0;

/// The numbers of values.
const NUMBERS: [usize; 5] = [1, 2, 10, 100, 490];

/// A shop that executes every request, and measures its statements.
struct Scales {
    shop: Shop,
    db: DatabaseConnection,
    /// The work of a row: of a page by an index that is not in the order of the table.
    row: f64,
    dearer: Vec<String>,
}

impl Scales {
    async fn new() -> Self {
        let shop = Shop::within(PLAN, Limits { max_complexity: usize::MAX, ..Limits::DEFAULT }).await;
        let db = settled(&shop).await;
        shop.db.statistics.read(&shop.db.reader).await.unwrap();
        let mut scales = Self { shop, db, row: 1.0, dearer: Vec::new() };
        let page =
            |first| format!("{{ books(first: {first}, orderBy: {{ field: NAME }}) {{ nodes {{ name year }} }} }}");
        let (hundred, none) = (scales.weigh(&page(100)).await.1, scales.weigh(&page(0)).await.1);
        scales.row = (hundred - none) / 100.0;
        scales
    }

    /// The price of a query, and the work of its statements in rows.
    async fn weigh(&self, query: &str) -> (u64, f64) {
        self.shop.statements.take();
        let mut request = Request::new(query);
        request.extensions.insert("cost".into(), "report".into());
        let answer = serde_json::to_value(self.shop.api.execute(request).await).unwrap();
        assert_eq!(answer["errors"], Value::Null, "{query}");
        let mut sum = 0;
        for statement in self.shop.statements.take() {
            sum += work(&self.db, statement).await;
        }
        let price = answer["extensions"]["cost"]["requested"].as_u64().unwrap();
        (price, f64::from(u32::try_from(sum).unwrap()) / self.row)
    }

    /// Compares what arguments add to the price of a page, and of a count, with what is read.
    async fn compare(&mut self, list: &str, order: &str, arguments: &str, case: &str) {
        let order = format!("orderBy: {order}");
        // A count costs 1,000 more, whatever the filter is.
        for (selection, more) in [("nodes { id }", 0), ("totalCount", 1000)] {
            let (plain, _) = self.weigh(&format!("{{ {list}({order}) {{ {selection} }} }}")).await;
            let (price, rows) = self.weigh(&format!("{{ {list}({order}, {arguments}) {{ {selection} }} }}")).await;
            // It is rounded down.
            let priced = (price - plain - more + 1) * ROWS;
            let times = rows / f64::from(u32::try_from(priced).unwrap());
            if times > MOST {
                let case = format!("{list} {order} {case}: {selection}");
                self.dearer.push(format!("{case}: {rows:.0} rows, priced as {priced}: {times:.1} times"));
            }
        }
    }

    async fn filtered(&mut self, list: &str, order: &str, filter: &str, case: &str) {
        self.compare(list, order, &format!("where: {{ {filter} }}"), case).await;
    }

    #[track_caller]
    fn report(&self) {
        assert!(self.dearer.is_empty(), "a row is {}: {:#?}", self.row, self.dearer);
    }
}

/// Some of these, from the first on.
fn spread<T>(values: &[T], number: usize) -> impl Iterator<Item = &T> {
    values.iter().step_by((values.len() / number).max(1)).take(number)
}

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(", "))
}

fn time(id: Uuid) -> String {
    format!("{:?}", id::created_at(id).to_rfc3339())
}

fn orders<'a>(fields: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let order = |field| ["ASC", "DESC"].map(|way| format!("{{ field: {field}, direction: {way} }}"));
    fields.iter().flat_map(order)
}

/// Alternatives, as many as a filter may have.
fn any(filters: impl Iterator<Item = String>, each: usize) -> String {
    format!("or: {}", list(filters.take(490 / each).map(|filter| format!("{{ {filter} }}"))))
}

#[tokio::test]
async fn no_filter_of_ratings_and_orders_is_dearer_than_three_times_its_price() {
    let mut scales = Scales::new().await;
    let ratings = book_rating::Entity::find().order_by_asc(book_rating::Column::Id).all(&scales.db).await.unwrap();
    let prices = book_order::Entity::find().order_by_asc(book_order::Column::Id).all(&scales.db).await.unwrap();
    for order in orders(&["CREATED_AT", "RATING"]) {
        for number in NUMBERS {
            let times: Vec<String> = spread(&ratings, number).map(|rating| time(rating.id)).collect();
            let (known, unknown) = (list((0..number).map(|n| n % 8)), list((6..).take(number)));
            for (case, filter) in [
                ("createdAt in", format!("createdAt: {{ in: {} }}", list(&times))),
                ("createdAt notIn", format!("createdAt: {{ notIn: {} }}", list(&times))),
                ("not createdAt in", format!("not: {{ createdAt: {{ in: {} }} }}", list(&times))),
                ("createdAt in and rating", format!("createdAt: {{ in: {} }}, rating: {{ eq: 5 }}", list(&times))),
                (
                    "createdAt in or rating",
                    format!("or: [{{ createdAt: {{ in: {} }} }}, {{ rating: {{ eq: 7 }} }}]", list(&times)),
                ),
                ("any createdAt", any(times.iter().map(|time| format!("createdAt: {{ eq: {time} }}")), 2)),
                (
                    "any createdAt and rating",
                    any(times.iter().map(|time| format!("createdAt: {{ eq: {time} }}, rating: {{ eq: 5 }}")), 3),
                ),
                ("any rating", any((1..=number).map(|n| format!("rating: {{ eq: {n} }}")), 2)),
                ("rating in", format!("rating: {{ in: {known} }}")),
                ("rating in, of none", format!("rating: {{ in: {unknown} }}")),
                ("rating notIn", format!("rating: {{ notIn: {known} }}")),
                ("book createdAt in", format!("book: {{ createdAt: {{ in: {} }} }}", list(times.iter().take(440)))),
            ] {
                scales.filtered("ratings", &order, &filter, &format!("{case}, {number}")).await;
            }
        }
        for place in [0, ratings.len() / 2, ratings.len() - 1] {
            let time = time(ratings[place].id);
            for operator in ["eq", "ne", "lt", "lte", "gt", "gte"] {
                let filter = format!("createdAt: {{ {operator}: {time} }}");
                scales.filtered("ratings", &order, &filter, &format!("createdAt {operator} {place}")).await;
            }
            for filter in ["", ", where: { rating: { eq: 5 } }"] {
                let arguments = format!("asOf: {time}{filter}");
                scales.compare("ratings", &order, &arguments, &format!("asOf {place}{filter}")).await;
            }
        }
        for operator in ["eq", "ne", "lt", "lte", "gt", "gte"] {
            for stars in [0, 1, 3, 5, 6] {
                let filter = format!("rating: {{ {operator}: {stars} }}");
                scales.filtered("ratings", &order, &filter, &filter).await;
            }
        }
        for search in SEARCHES {
            scales.compare("ratings", &order, &format!("search: {search:?}"), search).await;
        }
    }
    for order in orders(&["CREATED_AT", "TOTAL_PRICE"]) {
        for number in NUMBERS {
            let prices = list(spread(&prices, number).map(|order| format!("\"{}\"", order.total_price)));
            for operator in ["in", "notIn"] {
                let filter = format!("totalPrice: {{ {operator}: {prices} }}");
                scales.filtered("orders", &order, &filter, &format!("totalPrice {operator} {number}")).await;
            }
        }
    }
    scales.report();
}

const SEARCHES: [&str; 12] = [
    "the",
    "the fifth",
    "fifth symphony",
    "\"fifth symphony\"",
    "\"the fi\"*",
    "\"symphony fi\"*",
    "sy*",
    "a* b*",
    "s* t* a*",
    "the -fifth",
    "fifth -symphony",
    "fifth sy*",
];

#[tokio::test]
async fn no_filter_of_books_is_dearer_than_three_times_its_price() {
    let mut scales = Scales::new().await;
    let books = book::Entity::find().order_by_asc(book::Column::Id).all(&scales.db).await.unwrap();
    for order in orders(&["CREATED_AT", "NAME", "YEAR", "AVERAGE_RATING", "RATING_COUNT"]) {
        for number in NUMBERS {
            let names = list(spread(&books, number).map(|book| format!("{:?}", book.name)));
            let times = list(spread(&books, number).map(|book| time(book.id)));
            let (years, small) = (list((0..number).map(|n| 2025 - n)), list(0..number));
            for (case, filter) in [
                ("name in", format!("name: {{ in: {names} }}")),
                ("name notIn", format!("name: {{ notIn: {names} }}")),
                ("year in", format!("year: {{ in: {years} }}")),
                ("ratingCount in", format!("ratingCount: {{ in: {small} }}")),
                ("averageRating in", format!("averageRating: {{ in: {small} }}")),
                ("createdAt in", format!("createdAt: {{ in: {times} }}")),
            ] {
                scales.filtered("books", &order, &filter, &format!("{case}, {number}")).await;
            }
        }
        for filter in [
            "name: { startsWith: \"The\" }",
            "name: { startsWith: \"Zz\" }",
            "name: { contains: \"zz\" }",
            "year: { gt: 2025 }",
            "year: { lt: 1990 }",
            "averageRating: { gt: 4.9 }",
            "averageRating: { isNull: true }",
            "ratingCount: { gt: 100 }",
            "ratingCount: { lt: 0 }",
            "ratingCount: { eq: 3 }",
        ] {
            scales.filtered("books", &order, filter, filter).await;
        }
        for place in [0, books.len() / 2, books.len() - 1] {
            let arguments = format!("asOf: {}", time(books[place].id));
            scales.compare("books", &order, &arguments, &format!("asOf {place}")).await;
        }
        for search in SEARCHES {
            scales.compare("books", &order, &format!("search: {search:?}"), search).await;
        }
    }
    scales.report();
}
