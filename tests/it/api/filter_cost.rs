//! What a filter costs: the rows that it may read, by the statistics of the tables.

use bookends_server::config::Limits;
use bookshop::seed::Plan;
use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

mod work;

const BOOKS: u64 = 2_000;
const RATINGS: u64 = 20_000;
const PLAN: Plan = Plan { books: BOOKS, ratings: RATINGS, orders: 0, rng_seed: 0 };

/// The rows that cost 1.
const ROWS: u64 = 200;

/// A shop that refuses each request, and says what it costs.
struct Till(Shop);

impl Till {
    async fn new() -> Self {
        let shop = Shop::within(PLAN, Limits { max_complexity: 0, ..Limits::DEFAULT }).await;
        shop.db.statistics.read(&shop.db.reader).await.unwrap();
        Self(shop)
    }

    async fn price_with(&self, query: &str, variables: Value) -> u64 {
        let answer = self.0.execute(query, variables).await;
        let message = answer["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{query}: {answer}"));
        let (_, cost) = message.split_once("the request costs ").unwrap_or_else(|| panic!("{query}: {message}"));
        cost.split_once(',').unwrap().0.parse().unwrap()
    }

    async fn price(&self, list: &str, arguments: &str, selected: &str) -> u64 {
        self.price_with(&format!("{{ {list}{arguments} {{ {selected} }} }}"), Value::Null).await
    }

    /// What the filter of a list of this name adds to the price of a page.
    async fn filter(&self, list: &str, filter: &str) -> u64 {
        let page = "nodes { id }";
        self.price(list, &format!("(where: {filter})"), page).await - self.price(list, "", page).await
    }

    /// The same of a count.
    async fn counted(&self, list: &str, filter: &str) -> u64 {
        let count = "totalCount";
        self.price(list, &format!("(where: {filter})"), count).await - self.price(list, "(where: {})", count).await
    }
}

#[track_caller]
fn about(cost: u64, rows: u64) {
    // PostgreSQL estimates the rows of a table.
    let expected = rows / ROWS;
    assert!((expected * 7 / 10..=expected * 13 / 10 + 1).contains(&cost), "{cost}, expected {expected}");
}

#[tokio::test]
async fn a_filter_costs_the_rows_that_it_may_read() {
    let till = Till::new().await;
    // Each rating, and its book; with the sums of the book.
    about(till.filter("ratings", r#"{ book: { name: { contains: "x" } } }"#).await, 2 * RATINGS);
    about(till.filter("ratings", "{ book: { averageRating: { gt: 4 } } }").await, 3 * RATINGS);
    about(till.filter("books", r#"{ name: { contains: "x" } }"#).await, BOOKS);
    // An index finds the part that matches, or a range of it.
    // The most frequent values have three tenths of them.
    about(till.filter("ratings", "{ rating: { eq: 5 } }").await, 3 * RATINGS / 10);
    about(till.filter("ratings", "{ rating: { in: [4, 5] } }").await, 6 * RATINGS / 10);
    about(till.filter("ratings", "{ rating: { gte: 4 } }").await, RATINGS / 3);
    about(till.filter("ratings", r#"{ createdAt: { gte: "2022-01-02T00:00:00Z" } }"#).await, RATINGS / 3);
    about(till.filter("books", "{ ratingCount: { gt: 3 } }").await, 2 * BOOKS / 3);
    about(till.filter("books", r#"{ name: { startsWith: "T" } }"#).await, BOOKS / 3);
    // Of several conditions, the best index; of alternatives, each one's; of a negation, all rows.
    let both = r#"{ rating: { eq: 5 }, book: { name: { contains: "x" } } }"#;
    about(till.filter("ratings", both).await, 6 * RATINGS / 10);
    let either = "{ or: [{ rating: { eq: 1 } }, { rating: { eq: 2 } }] }";
    about(till.counted("ratings", either).await, 6 * RATINGS / 10);
    // A page may walk through all rows to find the first that match.
    about(till.filter("ratings", either).await, RATINGS);
    about(till.filter("ratings", "{ not: { rating: { eq: 1 } } }").await, RATINGS);
    about(till.filter("ratings", "{ rating: { ne: 1 } }").await, RATINGS);
    // Many conditions are compared with each row.
    let many = format!("{{ not: {{ or: [{}] }} }}", ["{ rating: { ne: 7 } }"; 40].join(", "));
    assert!(till.filter("ratings", &many).await > 5 * RATINGS / ROWS);
    // No condition.
    for none in ["{}", "null", "{ and: [] }", "{ or: [] }", "{ rating: {} }"] {
        assert_eq!(till.filter("ratings", none).await, 0, "{none}");
    }
}

/// By time of creation, a page of one word is priced as its page, and of several as their leaps; a count is priced as the
/// table.
#[tokio::test]
async fn a_search_costs_what_its_order_reads() {
    let till = Till::new().await;
    let price = async |arguments: &str, selected: &str| {
        let price = async |arguments: &str| {
            till.price_with(&format!("{{ books{arguments} {{ {selected} }} }}"), Value::Null).await
        };
        price(arguments).await - price("").await
    };
    let by_time = "orderBy: { field: CREATED_AT, direction: DESC }";
    let all = 2 * BOOKS;
    assert_eq!(price(&format!(r#"(search: "the", {by_time})"#), "nodes { id }").await, 0);
    // Without a search, the count costs nothing.
    about(price(&format!(r#"(search: "the", {by_time})"#), "totalCount").await - 1000, all);
    for (several, reads) in [(r#""the fifth""#, 2), (r#""the -fifth""#, 2), (r#""sy*""#, 2), (r#""sy* a* b*""#, 4)] {
        about(price(&format!("(search: {several}, {by_time})"), "nodes { id }").await, (1 + reads) * BOOKS);
    }
    about(price(r#"(search: "the")"#, "nodes { id }").await, all);
    let filtered = format!(r#"(search: "the", {by_time}, where: {{ year: {{ eq: 1 }} }})"#);
    about(price(&filtered, "nodes { id }").await, all);
}

/// A page in the order of the key ends at the instant; another one discards what is newer, and a count reads what is older.
#[tokio::test]
async fn an_instant_costs_the_rows_on_its_other_side() {
    let till = Till::new().await;
    let page = "nodes { id }";
    let price = async |field: &str, instant: &str, selected: &str| {
        let arguments = |as_of: &str| format!("(orderBy: {{ field: {field} }}{as_of})");
        till.price("ratings", &arguments(&format!(", asOf: {instant:?}")), selected).await
            - till.price("ratings", &arguments(""), selected).await
    };
    // One rating a minute: the instants are before all of them, in their middle, and now.
    for (instant, older) in
        [("1999-01-01T00:00:00Z", 0), ("2022-01-07T22:40:00Z", RATINGS / 2), ("2100-01-01T00:00:00Z", RATINGS)]
    {
        assert_eq!(price("CREATED_AT", instant, page).await, 0, "{instant}");
        about(price("RATING", instant, page).await, RATINGS - older);
        for field in ["CREATED_AT", "RATING"] {
            about(price(field, instant, "totalCount").await - 1000, older);
        }
    }
}

#[tokio::test]
async fn an_id_in_a_filter_costs_next_to_nothing() {
    let till = Till::new().await;
    let shop = Shop::new(SMALL).await;
    let [book, rating, _] = shop.first_of_each().await;
    for filter in [
        format!(r#"{{ id: {{ eq: "{rating}" }} }}"#),
        format!(r#"{{ id: {{ in: ["{rating}"] }}, book: {{ name: {{ contains: "x" }} }} }}"#),
        format!(r#"{{ book: {{ id: {{ eq: "{book}" }} }} }}"#),
    ] {
        assert!(till.filter("ratings", &filter).await <= 1, "{filter}");
    }
}

/// A page, its count and its numbered pages are statements of their own, and a nested list has one for each parent.
#[tokio::test]
async fn each_statement_reads_the_filtered_rows() {
    let till = Till::new().await;
    let price = async |selected: &str| {
        let filtered = format!(r#"(where: {{ book: {{ name: {{ contains: "x" }} }} }}) {{ {selected} }}"#);
        till.price_with(&format!("{{ ratings{filtered} }}"), Value::Null).await
            - till.price_with(&format!("{{ ratings(where: {{}}) {{ {selected} }} }}"), Value::Null).await
    };
    let once = price("nodes { id }").await;
    assert_eq!(price("totalCount").await, once);
    assert_eq!(price("totalCount nodes { id }").await, 2 * once);

    assert_eq!(price("... { totalCount } ... { pageInfo { hasNextPage } }").await, 2 * once);
    assert_eq!(price("approximateCount { value } pageCursors { first { page } } edges { cursor }").await, 5 * once);

    // An index finds the ratings of a book: at most a thousandth of all, where there are many books.
    let nested =
        |filter: &str| format!("{{ books(first: 100) {{ nodes {{ ratings{filter} {{ nodes {{ id }} }} }} }} }}");
    let filtered = nested(r#"(where: { book: { name: { contains: "x" } } })"#);
    let more = till.price_with(&filtered, Value::Null).await - till.price_with(&nested(""), Value::Null).await;
    assert!(more <= 100 * (2 * RATINGS / 1_000) / ROWS + 1, "{more}");
}

#[tokio::test]
async fn a_variable_costs_as_much_as_its_value() {
    let till = Till::new().await;
    let query = "query($where: RatingFilter, $stars: Int) { \
        a: ratings(where: $where) { nodes { id } } b: ratings(where: { rating: { ne: $stars } }) { nodes { id } } }";
    let price = async |variables| till.price_with(query, variables).await;
    let none = price(json!({})).await;
    about(price(json!({ "where": { "rating": { "ne": 1 } } })).await - none, RATINGS);
    about(price(json!({ "stars": 1 })).await - none, RATINGS);
}

/// Forty-four of these occupied every connection of a shop of a million ratings for half a minute.
#[tokio::test]
async fn a_filter_over_the_budget_is_refused_with_its_name_and_an_alternative() {
    let limits = Limits { max_complexity: 2_000, ..Limits::DEFAULT };
    let shop = Shop::within(PLAN, limits).await;
    shop.db.statistics.read(&shop.db.reader).await.unwrap();
    let related = r#"{ book: { name: { contains: "x" }, averageRating: { gt: 4 } } }"#;
    let list = |alternatives: usize| {
        format!("wide: ratings(where: {{ or: [{}] }}) {{ totalCount }}", vec![related; alternatives].join(", "))
    };
    shop.statements.take();
    let answer = shop.execute(&format!("{{ books {{ nodes {{ id }} }} {} }}", list(9)), Value::Null).await;
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], "QUERY_TOO_COMPLEX");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the filter of `wide` may read") && message.contains("filter by `id`"), "{message}");
    assert!(shop.statements.take().is_empty(), "refused before anything is read");

    // Of several, too, each of which would fit.
    let several = |n: usize| format!("wide{n}: ratings(first: 1, where: {related}) {{ nodes {{ id }} }}");
    let aliases: Vec<String> = (0..20).map(several).collect();
    let answer = shop.execute(&format!("{{ {} }}", aliases.join(" ")), Value::Null).await;
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("the filter of `wide"), "{message}");

    // What is not the filter's fault is not said to be.
    let books = "a: books(first: 100) { nodes { id name year createdAt ulid } }";
    let alias = |name: &str| books.replace("a:", name);
    let many = format!("{{ {books} {} {} {} }}", alias("b:"), alias("c:"), alias("d:"));
    let answer = shop.execute(&many.replace("c: books(", "c: books(where: { year: { eq: 1 } }, "), Value::Null).await;
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("request smaller pages"), "{message}");
}

/// A request of 1 MiB would otherwise be copied a thousand times, before anything is refused.
#[tokio::test]
async fn filters_have_a_bounded_number_of_values() {
    let shop = Shop::new(SMALL).await;
    let aliases: Vec<String> = (0..500).map(|n| format!("a{n}: ratings(where: $where) {{ __typename }}")).collect();
    let query = format!("query($where: RatingFilter) {{ {} }}", aliases.join(" "));
    let refused = async |values: usize| {
        let variables = json!({ "where": { "rating": { "in": vec![1; values] } } });
        let answer = shop.execute(&query, variables).await;
        answer["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(refused(100_000).await.contains("at most 100,000 conditions and values"));
    assert!(refused(200).await.contains("at most 100,000 conditions and values"));
    assert!(!refused(190).await.contains("conditions and values"));
}
