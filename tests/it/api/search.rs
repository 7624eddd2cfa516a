//! `books(search:)`.

use bookshop::seed::Plan;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, Set};
use serde_json::{Value, json};

use crate::support::shop::{SMALL, Shop};

mod kept;
mod model;
mod work;

/// A shop of these titles alone.
async fn shop_of(titles: &[&str]) -> Shop {
    let shop = Shop::new(Plan { ratings: 0, orders: 0, ..SMALL }).await;
    ::entity::book::Entity::delete_many().exec(&shop.db.writer).await.unwrap();
    for title in titles {
        insert(&shop, title).await;
    }
    shop
}

async fn insert(shop: &Shop, title: &str) -> ::entity::book::Model {
    let book = ::entity::book::ActiveModel { name: Set(title.into()), year: Set(2000), ..Default::default() };
    book.insert(&shop.db.writer).await.unwrap()
}

async fn found(shop: &Shop, search: &str) -> Vec<String> {
    let query = "query($search: String) { books(search: $search) { totalCount nodes { name } } }";
    let answer = shop.execute(query, json!({ "search": search })).await;
    let books = &answer["data"]["books"];
    let names = books["nodes"].as_array().unwrap_or_else(|| panic!("{search}: {answer}"));
    assert_eq!(books["totalCount"], names.len(), "{search}");
    names.iter().map(|book| book["name"].as_str().unwrap().to_owned()).collect()
}

async fn check(shop: &Shop, search: &str, titles: &[&str]) {
    assert_eq!(found(shop, search).await, titles, "{search}");
}

const TITLES: [&str; 13] = [
    "The Fifth Symphony of Kraków",
    "A Symphony, and the Fifth Element",
    "The Fifth Symphony",
    "Symphonies",
    "E-mail from Tromsø (3rd ed.)",
    "Ærøskøbing & Łódź: Straße",
    "ÉTUDE",
    "Κόσμος",
    "Ёлка Майский",
    "GROẞE STRAẞE",
    "がくせい",
    "カタカナ",
    "한국",
];

#[tokio::test]
async fn words_phrases_and_beginnings_are_found_the_most_relevant_first() {
    let shop = shop_of(&TITLES).await;
    let [krakow, element, fifth, symphonies, mail, letters, etude, cosmos, tree, street, student, kana, korea] = TITLES;
    check(&shop, "fifth symphony", &[fifth, krakow, element]).await;
    check(&shop, "SYMPHONY fifth", &[fifth, krakow, element]).await;
    check(&shop, "\"fifth symphony\"", &[fifth, krakow]).await;
    check(&shop, "\"symphony fifth\"", &[]).await;
    check(&shop, "symph*", &[symphonies, fifth, krakow, element]).await;
    check(&shop, "\"fifth symph\"*", &[fifth, krakow]).await;
    check(&shop, "symphon", &[]).await;
    check(&shop, "fifth sonata", &[]).await;
    check(&shop, "krakow", &[krakow]).await;
    check(&shop, "KRAKÓW", &[krakow]).await;
    check(&shop, "e-mail", &[mail]).await;
    check(&shop, "mail tromso 3rd", &[mail]).await;
    check(&shop, "e-ma*", &[mail]).await;
    check(&shop, "aeroskobing lodz strasse", &[letters]).await;
    check(&shop, "ærØskøbing ŁÓDŹ STRASSE", &[letters]).await;
    check(&shop, "étude", &[etude]).await;
    check(&shop, "e\u{301}tude", &[etude]).await;
    check(&shop, "ΚΌΣΜΟΣ", &[cosmos]).await;
    check(&shop, "κόσμος", &[cosmos]).await;
    check(&shop, "κοσμος", &[cosmos]).await;
    check(&shop, "κο\u{301}σμος", &[cosmos]).await;
    check(&shop, "елка", &[tree]).await;
    check(&shop, "майский", &[tree]).await;
    check(&shop, "маискии", &[tree]).await;
    check(&shop, "grosse strasse", &[street]).await;
    check(&shop, "がくせい", &[student]).await;
    check(&shop, "か", &[]).await;
    check(&shop, "カタ*", &[kana]).await;
    check(&shop, "한국", &[korea]).await;
    check(&shop, "하*", &[korea]).await;
    check(&shop, "하", &[]).await;
    check(&shop, "fifth fifth fifth symphony", &[fifth, krakow, element]).await;
    check(&shop, "galway🤖 fifth", &[]).await;
    check(&shop, "🤖fifth🤖symphony🦀", &[fifth, krakow]).await;
    check(&shop, "the fi*", &[fifth, krakow, element]).await;
    check(&shop, "!!", &[]).await;
    check(&shop, "² ²*", &[]).await;
    check(&shop, "² fifth sy* \"\"", &[fifth, krakow, element]).await;
    assert_eq!(found(&shop, "  ").await, TITLES, "a blank search is none");
}

/// Each letter with a mark is found by the letter alone, and by itself in either case.
#[tokio::test]
async fn diacritics_fold() {
    let letters =
        "àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćĉċčďēĕėęěĝğġģĥĩīĭįĵķĺļľńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżžơưǎǐǒǔǹảạắằẵẩệịọốờởụứỳ";
    let base = "aaaaaaceeeeiiiinooooouuuuyyaaaccccdeeeeegggghiiiijklllnnnooorrrssssttuuuuuuwyzzzouaiounaaaaaaeioooouuy";
    assert_eq!(letters.chars().count(), base.chars().count());
    let shop = shop_of(&[]).await;
    for (letter, base) in letters.chars().zip(base.chars()) {
        let title = format!("x{letter}x");
        let book = insert(&shop, &title).await;
        for search in [title.clone(), format!("x{base}x"), title.to_uppercase(), format!("X{base}*")] {
            assert_eq!(found(&shop, &search).await, [title.as_str()], "{search}");
        }
        ::entity::book::Entity::delete_by_id(book.id).exec(&shop.db.writer).await.unwrap();
    }
}

#[tokio::test]
async fn any_text_is_a_search() {
    let shop = shop_of(&TITLES).await;
    for text in [
        "\"",
        "\"\"",
        "'",
        "''",
        "\\",
        "*",
        "**",
        "(",
        ")",
        "AND",
        "OR",
        "NOT",
        "NEAR(a b)",
        "a:b",
        "words:fifth",
        "^fifth",
        "{a}",
        "fifth\"",
        "\"fifth",
        "&|!<->:*",
        "$1",
        "?",
        "%",
        "_",
        "\u{0}",
        "a\u{0}b",
        "🎼",
        "\u{301}",
        "\u{feff}",
        "fifth'); DROP TABLE book; --",
        "a' & 'b",
        "\"a\"\"b\"",
        "*fifth*",
        "' ':*",
        "\n\t",
        "ﬁfth",
    ] {
        found(&shop, text).await;
    }
    found(&shop, &"a ".repeat(100)).await;
    assert_eq!(
        shop.code(&format!("{{ books(search: \"{}\") {{ totalCount }} }}", "a".repeat(201))).await,
        "BAD_USER_INPUT"
    );
}

#[tokio::test]
async fn results_follow_changes_of_titles() {
    let shop = shop_of(&["One"]).await;
    check(&shop, "one", &["One"]).await;
    let rename = |name: &str| format!("UPDATE book SET name = '{name}'");
    shop.db.writer.execute_unprepared(&rename("Two")).await.unwrap();
    check(&shop, "one", &[]).await;
    check(&shop, "two", &["Two"]).await;
    ::entity::book::Entity::delete_many().exec(&shop.db.writer).await.unwrap();
    check(&shop, "two", &[]).await;
}

#[tokio::test]
async fn e3_relevance_is_an_order_of_its_own_for_each_search() {
    let shop = shop_of(&TITLES).await;
    let books = shop.data("{ books(search: \"fifth\", first: 1) { pageInfo { endCursor } } }").await;
    let cursor = &books["books"]["pageInfo"]["endCursor"];
    let again = |args: &str| format!("{{ books({args}, after: {cursor}) {{ nodes {{ name }} }} }}");
    let explicit = "search: \"fifth\", orderBy: { field: RELEVANCE, direction: DESC }";
    let left = shop.data(&again(explicit)).await["books"]["nodes"].as_array().unwrap().len();
    assert_eq!(left, 2, "the default order by another spelling");
    assert_eq!(shop.code(&again("search: \"symphony\"")).await, "CURSOR_OF_OTHER_ORDER");
    assert_eq!(shop.code(&again("first: 1")).await, "CURSOR_OF_OTHER_ORDER");
    assert_eq!(shop.code("{ books(orderBy: { field: RELEVANCE }) { nodes { id } } }").await, "ORDER_NOT_OFFERED");
}

/// However long a title is, it has a cursor under every order.
#[tokio::test]
async fn the_longest_titles_have_cursors_under_every_order() {
    let titles = [format!("the {}", "本".repeat(96)), format!("the {}", "🎼".repeat(74))];
    let shop = shop_of(&titles.each_ref().map(String::as_str)).await;
    for book in ::entity::book::Entity::find().all(&shop.db.writer).await.unwrap() {
        for (stars, cents) in [(5, 9_999_999_999), (1, 1), (5, 33)] {
            let (rating, price) = (Set(stars), Set(sea_orm::prelude::Decimal::new(cents, 2)));
            let rating = ::entity::book_rating::ActiveModel { rating, book_id: Set(book.id), ..Default::default() };
            rating.insert(&shop.db.writer).await.unwrap();
            let order =
                ::entity::book_order::ActiveModel { total_price: price, book_id: Set(book.id), ..Default::default() };
            order.insert(&shop.db.writer).await.unwrap();
        }
    }
    let sort = |field: &str| format!("{{ field: {field} }}");
    let all = ["RELEVANCE", "ORDER_COUNT", "TOTAL_REVENUE", "RATING_COUNT", "AVERAGE_RATING", "YEAR", "NAME"]
        .map(sort)
        .join(", ");
    for args in [
        format!("orderBy: [{}, {}, {}]", sort("YEAR"), sort("NAME"), sort("CREATED_AT")),
        format!("search: \"the\", orderBy: [{all}]"),
    ] {
        let page = shop.data(&format!("{{ books({args}) {{ edges {{ cursor }} }} }}")).await;
        assert_eq!(page["books"]["edges"].as_array().unwrap().len(), 2);
    }
}

/// The sample's titles make search worth trying.
#[tokio::test]
async fn the_sample_has_a_fifth_symphony() {
    let shop = Shop::new(Plan { ratings: 0, orders: 0, ..Plan::SAMPLE }).await;
    let titles = found(&shop, "fifth symphony").await;
    assert!(titles.len() > 1 && titles.iter().all(|title| title.contains("Fifth Symphony")), "{titles:?}");
    let page = shop.data("{ books(search: \"symphony\", first: 3) { pageInfo { hasNextPage } } }").await;
    assert_eq!(page["books"]["pageInfo"]["hasNextPage"], Value::Bool(true));
}

#[tokio::test]
async fn a_minus_excludes_and_what_cannot_be_answered_is_refused() {
    let shop = shop_of(&TITLES).await;
    let [krakow, element, fifth, symphonies, ..] = TITLES;
    check(&shop, "fifth -the", &[]).await;
    check(&shop, "fifth -krakow", &[fifth, element]).await;
    check(&shop, "fifth -\"fifth symphony\"", &[element]).await;
    check(&shop, "symph* -fif*", &[symphonies]).await;
    check(&shop, "fifth -a symphony", &[fifth, krakow]).await;
    for refused in ["-fifth", "fifth OR symphony", "-\"a b\" -c*"] {
        let query = format!("{{ books(search: {refused:?}) {{ totalCount }} }}");
        assert_eq!(shop.code(&query).await, "BAD_USER_INPUT", "{refused}");
    }
}

/// Of the ratings and orders of all books, and of each book.
#[tokio::test]
async fn ratings_and_orders_are_searched_by_the_titles_of_their_books() {
    let shop = Shop::new(Plan { books: 40, ratings: 300, orders: 300, rng_seed: 0 }).await;
    for list in ["ratings", "orders"] {
        let all = format!("{{ {list}(first: 100) {{ nodes {{ id book {{ name }} }} pageInfo {{ endCursor }} }} }}");
        let page = shop.data(&all).await;
        let names = |page: &Value| {
            let nodes = page.as_array().unwrap().clone();
            nodes.into_iter().map(|node| (node["id"].clone(), node["book"]["name"].as_str().unwrap().to_lowercase()))
        };
        for (search, is_found) in [
            ("the", (|name: &str| name.starts_with("the ") || name.contains(" the ")) as fn(&str) -> bool),
            ("th* -a", |name| {
                (name.starts_with("th") || name.contains(" th")) && !name.starts_with("a ") && !name.contains(" a ")
            }),
            ("nowhere", |_| false),
        ] {
            let expected: Vec<Value> =
                names(&page[list]["nodes"]).filter(|(_, name)| is_found(name)).map(|(id, _)| id).collect();
            let until = &page[list]["pageInfo"]["endCursor"];
            let query = format!("{{ {list}(search: {search:?}, first: 100) {{ nodes {{ id book {{ name }} }} }} }}");
            let found: Vec<Value> = names(&shop.data(&query).await[list]["nodes"]).map(|(id, _)| id).collect();
            assert_eq!(found[..expected.len()], expected, "{list} {search} {until}");
            let count = shop.data(&format!("{{ {list}(search: {search:?}) {{ totalCount }} }}")).await;
            assert!(count[list]["totalCount"].as_u64().unwrap() >= expected.len() as u64);
        }
        let nested = format!(
            "{{ books(first: 40) {{ nodes {{ name {list}(search: \"the\") {{ totalCount nodes {{ id }} }} all: {list} {{ totalCount }} }} }} }}"
        );
        for book in shop.data(&nested).await["books"]["nodes"].as_array().unwrap() {
            let name = book["name"].as_str().unwrap().to_lowercase();
            let is_found = name.starts_with("the ") || name.contains(" the ");
            let expected = if is_found { book["all"]["totalCount"].clone() } else { 0.into() };
            assert_eq!(book[list]["totalCount"], expected, "{name}");
            assert_eq!(book[list]["nodes"].as_array().unwrap().is_empty(), expected == 0);
        }
    }
}
