//! Random searches of random titles, against a naive matcher.

use std::fmt::Write;

use ::entity::book;
use bookshop::seed::Plan;
use migration::letters::folded;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, DbBackend, Set};
use serde_json::{Value, json};

use super::kept;
use crate::support::shop::{SMALL, Shop};

/// Words in several spellings and scripts. Those of one line are equal, and no others are.
const WORDS: [&[&str]; 14] = [
    &["the", "The", "THE"],
    &["fifth", "Fifth"],
    &["symphony", "SYMPHONY"],
    &["symphonies"],
    &["étude", "e\u{301}tude", "ETUDE", "E\u{301}TUDE"],
    &["straße", "STRASSE", "Straẞe"],
    &["ısı", "isi", "İSİ"],
    &["Κόσμος", "κο\u{301}σμος", "ΚΟΣΜΟΣ"],
    &["한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"],
    &["がくせい", "か\u{3099}くせい"],
    &["中文"],
    &["ﬁn"],
    &["ё", "е\u{308}", "Е"],
    &["x1", "X1"],
];

/// What stands between words.
const BETWEEN: [&str; 6] = [" ", "-", ", ", "🎼", " ❤\u{fe0f} ", "  "];

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u32()).unwrap() % end
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn word(&mut self) -> &'static str {
        // The first ones are frequent.
        let line = self.below(WORDS.len()).min(self.below(WORDS.len()));
        self.pick(WORDS[line])
    }

    fn title(&mut self) -> String {
        let mut title = self.word().to_owned();
        for _ in 0..self.below(5) {
            title += self.pick(&BETWEEN);
            title += self.word();
        }
        title
    }
}

/// A term of a search, as the model reads it.
struct Term {
    words: Vec<String>,
    is_prefix: bool,
    is_excluded: bool,
}

impl Term {
    /// Random, with its text.
    fn random(dice: &mut Dice, is_excluded: bool) -> (Self, String) {
        let mut words: Vec<&str> = (0..=dice.below(4) / 3).map(|_| dice.word()).collect();
        let is_phrase = words.len() > 1 || dice.below(4) == 0;
        let is_prefix = dice.below(4) == 0;
        let last = words.last_mut().unwrap();
        if is_prefix {
            let letters = 1 + dice.below(3);
            *last = last.char_indices().nth(letters).map_or(*last, |(end, _)| &last[..end]);
        }
        let quote = if is_phrase { "\"" } else { "" };
        let (minus, star) = (if is_excluded { "-" } else { "" }, if is_prefix { "*" } else { "" });
        let text = format!("{minus}{quote}{}{quote}{star}", words.join(" "));
        let words = words.into_iter().flat_map(split).collect();
        (Self { words, is_prefix, is_excluded }, text)
    }

    fn finds(&self, title: &[String]) -> bool {
        let last = self.words.len() - 1;
        let is_at = |words: &[String]| {
            words.iter().zip(&self.words).enumerate().all(|(place, (word, own))| {
                if self.is_prefix && place == last { word.starts_with(own) } else { word == own }
            })
        };
        title.windows(self.words.len()).any(is_at) != self.is_excluded
    }
}

fn split(text: &str) -> Vec<String> {
    folded(text).split(' ').map(str::to_owned).collect()
}

/// A search that finds by at least one term, and its text.
fn search(dice: &mut Dice) -> (Vec<Term>, String) {
    let (mut terms, mut text) = (Vec::new(), String::new());
    for number in 0..=dice.below(3) {
        let is_excluded = number > 0 && dice.below(3) == 0;
        let (term, of_term) = Term::random(dice, is_excluded);
        let _ = write!(text, "{}{of_term}", if number == 0 { "" } else { " " });
        terms.push(term);
    }
    (terms, text)
}

/// A row that is written by SQL alone, or by the entity.
async fn insert(shop: &Shop, dice: &mut Dice) {
    let (id, name, year) = (::entity::id::next(), dice.title(), i32::try_from(dice.below(3)).unwrap());
    let db = &shop.db.writer;
    if dice.below(2) == 0 {
        let book = book::ActiveModel { id: Set(id), name: Set(name), year: Set(year) };
        book.insert(db).await.unwrap();
        return;
    }
    let key = match db.get_database_backend() {
        DbBackend::Postgres => format!("'{id}'"),
        _ => format!("x'{}'", id.simple()),
    };
    let insert = format!("INSERT INTO book (id, name, year) VALUES ({key}, '{name}', {year})");
    db.execute_unprepared(&insert).await.unwrap();
}

async fn page(shop: &Shop, list: &str, arguments: Value) -> (Vec<String>, bool, bool, Value, Value) {
    let query = format!(
        "query($search: String, $direction: SortDirection, $year: Int, $first: Int, $last: Int, $after: String, $before: String) {{
            {list}(search: $search, orderBy: {{ field: CREATED_AT, direction: $direction }}, where: {{ year: {{ gte: $year }} }},
                first: $first, last: $last, after: $after, before: $before)
            {{ totalCount nodes {{ uuid }} pageInfo {{ hasPreviousPage hasNextPage startCursor endCursor }} }} }}"
    );
    let answer = shop.execute(&query, arguments.clone()).await;
    let found = &answer["data"][list];
    let info = &found["pageInfo"];
    let nodes = found["nodes"].as_array().unwrap_or_else(|| panic!("{arguments}: {answer}"));
    (
        nodes.iter().map(|node| node["uuid"].as_str().unwrap().to_owned()).collect(),
        info["hasPreviousPage"].as_bool().unwrap(),
        info["hasNextPage"].as_bool().unwrap(),
        info["startCursor"].clone(),
        info["endCursor"].clone(),
    )
}

/// Every page of a walk in either direction, compared with the list that the model has.
async fn walk(shop: &Shop, text: &str, direction: &str, year: i32, expected: &[String], dice: &mut Dice) {
    for forward in [true, false] {
        let (mut from, mut to) = (0, expected.len());
        let mut cursor = Value::Null;
        loop {
            let size = 1 + dice.below(5);
            let (first, last) = if forward { (json!(size), Value::Null) } else { (Value::Null, json!(size)) };
            let (after, before) = if forward { (cursor, Value::Null) } else { (Value::Null, cursor) };
            let arguments = json!({
                "search": text, "direction": direction, "year": year,
                "first": first, "last": last, "after": after, "before": before,
            });
            let (nodes, previous, next, start, end) = page(shop, "books", arguments).await;
            let (low, high) = if forward { (from, to.min(from + size)) } else { (to.saturating_sub(size), to) };
            let flags = (low > 0, high < expected.len());
            assert_eq!(
                (&nodes[..], (previous, next)),
                (&expected[low..high], flags),
                "{text} {direction} {year} {low}"
            );
            if forward && next {
                (from, cursor) = (high, end);
            } else if !forward && previous {
                (to, cursor) = (low, start);
            } else {
                break;
            }
        }
    }
}

#[tokio::test]
async fn b_c_d_e_pages_of_a_search_by_time_are_those_of_a_naive_matcher() {
    let shop = Shop::new(Plan { books: 0, ratings: 0, orders: 0, ..SMALL }).await;
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(7));
    for _ in 0..120 {
        insert(&shop, &mut dice).await;
    }
    let mut found_some = 0;
    for round in 0..80 {
        let mut books = book::Entity::find().all(&shop.db.writer).await.unwrap();
        books.sort_by_key(|book| book.id);
        let (terms, text) = search(&mut dice);
        let year = i32::try_from(dice.below(3)).unwrap();
        let is_found = |book: &&book::Model| {
            let title = split(&book.name);
            book.year >= year && terms.iter().all(|term| term.finds(&title))
        };
        let mut expected: Vec<String> = books.iter().filter(is_found).map(|book| book.id.to_string()).collect();
        found_some += usize::from(expected.len() > 2);
        walk(&shop, &text, "ASC", year, &expected, &mut dice).await;
        expected.reverse();
        walk(&shop, &text, "DESC", year, &expected, &mut dice).await;
        // The same rows in a computed order, and in a count.
        let query =
            "query($search: String, $year: Int) { books(search: $search, first: 100, where: { year: { gte: $year } },
            orderBy: { field: NAME }) { totalCount nodes { uuid } } }";
        let answer = shop.execute(query, json!({ "search": text, "year": year })).await;
        let books_found = &answer["data"]["books"];
        assert_eq!(books_found["totalCount"], expected.len(), "{text} {answer}");
        let mut nodes: Vec<_> =
            books_found["nodes"].as_array().unwrap().iter().map(|node| node["uuid"].as_str().unwrap()).collect();
        nodes.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(nodes, expected.iter().take(100).collect::<Vec<_>>(), "{text}");
        // Titles change.
        let book = &books[dice.below(books.len())];
        match round % 3 {
            0 => drop(book::Entity::delete_by_id(book.id).exec(&shop.db.writer).await.unwrap()),
            1 => {
                let name = Set(dice.title());
                let renamed = book::ActiveModel { id: Set(book.id), name, ..Default::default() };
                book::Entity::update(renamed).exec(&shop.db.writer).await.unwrap();
            }
            _ => insert(&shop, &mut dice).await,
        }
    }
    assert!(found_some > 20, "{found_some} searches found more than two titles");
    kept::check(&shop.db).await;
}

/// Walks see what nobody touches once, while others insert, rename and delete what the search finds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn e1_walks_of_a_search_are_exact_beside_writers() {
    let shop = std::sync::Arc::new(Shop::new(Plan { books: 0, ratings: 0, orders: 0, ..SMALL }).await);
    let insert = async |shop: &Shop, name: &str| {
        let book = book::ActiveModel { name: Set(name.to_owned()), year: Set(1), ..Default::default() };
        book.insert(&shop.db.writer).await.unwrap().id
    };
    let mut kept_ids = Vec::new();
    for number in 0..60 {
        let id = insert(&shop, &format!("Fifth, {number}, symphony")).await;
        kept_ids.push(id.to_string());
        insert(&shop, "The fifth").await;
    }
    let writers: Vec<_> = (0..4_u64)
        .map(|seed| {
            let shop = std::sync::Arc::clone(&shop);
            tokio::spawn(async move {
                let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
                let mut own = Vec::new();
                for _ in 0..40 {
                    match dice.below(3) {
                        0 if !own.is_empty() => {
                            let id = own.swap_remove(dice.below(own.len()));
                            book::Entity::delete_by_id(id).exec(&shop.db.writer).await.unwrap();
                        }
                        1 if !own.is_empty() => {
                            let name = dice.pick(&["Fifth Symphony", "Symphonies", "A fifth"]).to_owned();
                            let id = dice.pick(&own);
                            let renamed = book::ActiveModel { id: Set(id), name: Set(name), ..Default::default() };
                            book::Entity::update(renamed).exec(&shop.db.writer).await.unwrap();
                        }
                        _ => {
                            let book = book::ActiveModel {
                                name: Set("The symphony, the fifth".into()),
                                year: Set(1),
                                ..Default::default()
                            };
                            own.push(book.insert(&shop.db.writer).await.unwrap().id);
                        }
                    }
                }
            })
        })
        .collect();
    let mut walks = 0;
    while walks < 4 || writers.iter().any(|writer| !writer.is_finished()) {
        let forward = walks % 2 == 0;
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let (end, bound) = if forward { ("first", "after") } else { ("last", "before") };
            let arguments = json!({ "search": "symphony fifth", "direction": "ASC", "year": 0, end: 7, bound: cursor });
            let (nodes, previous, next, start, last) = page(&shop, "books", arguments).await;
            seen.extend(nodes.into_iter().filter(|id| kept_ids.contains(id)));
            match (forward, next, previous) {
                (true, true, _) => cursor = last,
                (false, _, true) => cursor = start,
                _ => break,
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, kept_ids);
        walks += 1;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    kept::check(&shop.db).await;
}
