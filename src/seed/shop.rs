//! The rows of a fictional book shop: each is a function of the seed, its table and its number.
//!
//! A row is computed without the others, so memory stays constant. The random numbers are a ChaCha8 stream per table, with
//! two blocks per row. The distributions are implemented here, because they must not change with a library's version.

use ::entity::{book, book_order, book_rating};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::Value;
use sea_orm::prelude::Decimal;
use uuid::{Builder, Uuid};

use super::Plan;
use super::words::{ADJECTIVES, NOUNS, ORDINALS, PLACES, WORKS};

/// A shop with a number of books, ratings and orders.
#[derive(Clone, Debug)]
pub struct Shop {
    plan: Plan,
    random: ChaCha8Rng,
}

/// One of the shop's tables.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name in messages.
    pub title: &'static str,
    /// The name in the database.
    pub name: &'static str,
    /// The columns, in the order of [`Table::row`].
    pub columns: [&'static str; 3],
    /// The number of rows.
    pub rows: u64,
    row: fn(&Shop, u64) -> [Value; 3],
}

impl Table {
    /// The values of a row; numbers start at 0.
    pub fn row(&self, shop: &Shop, number: u64) -> [Value; 3] {
        (self.row)(shop, number)
    }
}

/// The stream of each table, and the time of its first row, as Unix time in milliseconds.
const BOOKS: (u64, u64) = (1, JANUARY_2020);
const RATINGS: (u64, u64) = (2, JANUARY_2022);
const ORDERS: (u64, u64) = (3, JANUARY_2022);

const JANUARY_2020: u64 = 1_577_836_800_000;
const JANUARY_2022: u64 = 1_640_995_200_000;

/// One row per minute.
const STEP_MILLIS: u64 = 60_000;
/// The 32-bit words that a row may draw: two ChaCha blocks. A book draws 25.
const WORDS: u128 = 32;

/// Good ratings are more frequent.
const STARS: [i16; 10] = [1, 2, 3, 3, 4, 4, 4, 5, 5, 5];

impl Shop {
    /// The shop of this plan.
    pub fn new(plan: Plan) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&plan.rng_seed.to_le_bytes());
        Self { plan, random: ChaCha8Rng::from_seed(key) }
    }

    /// The tables, each after the tables that it refers to.
    pub fn tables(&self) -> [Table; 3] {
        let Plan { books, ratings, orders, .. } = self.plan;
        [
            Table {
                title: "books",
                name: "book",
                columns: ["id", "name", "year"],
                rows: books,
                row: |shop, number| {
                    let book = shop.book(number);
                    [book.id.into(), book.name.into(), book.year.into()]
                },
            },
            Table {
                title: "ratings",
                name: "book_rating",
                columns: ["id", "rating", "book_id"],
                rows: ratings,
                row: |shop, number| {
                    let rating = shop.rating(number);
                    [rating.id.into(), rating.rating.into(), rating.book_id.into()]
                },
            },
            Table {
                title: "orders",
                name: "book_order",
                columns: ["id", "total_price", "book_id"],
                rows: orders,
                row: |shop, number| {
                    let order = shop.order(number);
                    [order.id.into(), order.total_price.into(), order.book_id.into()]
                },
            },
        ]
    }

    /// A book; numbers start at 0.
    pub fn book(&self, number: u64) -> book::Model {
        let mut draw = self.draw(BOOKS, number);
        let id = draw.id();
        let name = title(&mut draw);
        // Most books are new: the product of three numbers between 0 and 1 tends to 0.
        let age = i32::try_from(draw.below(576) * draw.below(576) * draw.below(576) / (576 * 576)).unwrap_or(0);
        book::Model { id, name, year: 2025 - age }
    }

    /// A rating; numbers start at 0. One book in ten has none.
    pub fn rating(&self, number: u64) -> book_rating::Model {
        let mut draw = self.draw(RATINGS, number);
        let id = draw.id();
        let book = draw.leaning_below(self.plan.books);
        let book = if book % 10 == 9 { book - 1 } else { book };
        book_rating::Model { id, rating: draw.pick(&STARS), book_id: self.book_id(book) }
    }

    /// An order; numbers start at 0. One book in ten has none.
    pub fn order(&self, number: u64) -> book_order::Model {
        let mut draw = self.draw(ORDERS, number);
        let id = draw.id();
        let book = draw.leaning_below(self.plan.books);
        let book = if book.is_multiple_of(10) && book + 1 < self.plan.books { book + 1 } else { book };
        let cents = i64::try_from(500 + draw.below(29_500)).unwrap_or(500);
        book_order::Model { id, total_price: Decimal::new(cents, 2), book_id: self.book_id(book) }
    }

    fn book_id(&self, number: u64) -> Uuid {
        self.draw(BOOKS, number).id()
    }

    fn draw(&self, (stream, start): (u64, u64), number: u64) -> Draw {
        let mut random = self.random.clone();
        random.set_stream(stream);
        random.set_word_pos(u128::from(number) * WORDS);
        Draw { random, minute: start + number * STEP_MILLIS }
    }
}

/// The random numbers of one row.
struct Draw {
    random: ChaCha8Rng,
    /// The minute of the row, as Unix time in milliseconds.
    minute: u64,
}

impl Draw {
    /// A UUIDv7 of a millisecond in the row's minute. It is drawn first, so that the id of a book can be computed without
    /// the other values.
    fn id(&mut self) -> Uuid {
        let millis = self.minute + self.below(STEP_MILLIS);
        let mut bytes = [0; 10];
        self.random.fill_bytes(&mut bytes);
        Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// A number from 0 to `end` − 1, or 0: the high half of a product (Lemire, 2019), whose bias is below 2^-34 here.
    fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.random.next_u64()) * u128::from(end);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// The same, with small numbers more likely: some books sell better than others.
    fn leaning_below(&mut self, end: u64) -> u64 {
        let once = self.below(end) + 1;
        self.below(once)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.below(from.len() as u64);
        from[usize::try_from(index).unwrap_or(0)]
    }
}

fn title(draw: &mut Draw) -> String {
    let (adjective, noun, other, place) =
        (draw.pick(&ADJECTIVES), draw.pick(&NOUNS), draw.pick(&NOUNS), draw.pick(&PLACES));
    match draw.below(8) {
        0 => format!("The {adjective} {noun}"),
        1 => format!("{noun} and {other}"),
        2 => format!("The {noun} of {place}"),
        3 => format!("The {adjective} {noun} of {place}"),
        4 => format!("{adjective} {noun}, {adjective} {other}"),
        5 => format!("{} {noun} in {place}", article(noun)),
        6 => format!("The {} {} of {place}", draw.pick(&ORDINALS), draw.pick(&WORKS)),
        _ => format!("The {noun} and the {adjective} {other}"),
    }
}

/// By the first letter, which is the first sound of each noun here.
fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U']) { "An" } else { "A" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vowel_has_the_article_an() {
        let shop = Shop::new(Plan::SAMPLE);
        let titles: Vec<String> = (0..1000).map(|number| shop.book(number).name).collect();
        let begins = |article: &str| titles.iter().filter_map(|title| title.strip_prefix(article)).collect::<Vec<_>>();
        let (vowels, others) = (begins("An "), begins("A "));
        assert!(vowels.len() > 5 && vowels.iter().all(|rest| rest.starts_with(['A', 'E', 'I', 'O'])), "{vowels:?}");
        assert!(others.len() > 5 && !others.iter().any(|rest| rest.starts_with(['A', 'E', 'I', 'O'])), "{others:?}");
    }

    /// Frozen: snapshots and example cursors contain these rows.
    #[test]
    fn a_row_never_changes() {
        let shop = Shop::new(Plan::SAMPLE);
        insta::assert_debug_snapshot!((shop.book(0), shop.rating(0), shop.order(19_999)), @r#"
        (
            Model {
                id: 016f5e67-a0f5-7130-947c-4f8d4ed13aa0,
                name: "A Ferry in Damascus",
                year: 1870,
            },
            Model {
                id: 017e12f0-8059-7d1d-aa24-213fe69d391d,
                rating: 5,
                book_id: 016f615d-a9f8-7411-a0a4-cf27045411bd,
            },
            Model {
                id: 017e5a75-7f3f-7010-9d33-166da371961f,
                total_price: 144.74,
                book_id: 016f5ec8-3c2b-7ecc-b63a-ab196023efda,
            },
        )
        "#);
    }

    #[test]
    fn ids_grow_with_the_number_and_ratings_are_younger_than_books() {
        let shop = Shop::new(Plan::SAMPLE);
        let ids: Vec<_> =
            (0..1000).map(|number| shop.book(number).id).chain((0..1000).map(|n| shop.rating(n).id)).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_rating_is_of_a_book_of_the_shop_and_some_books_have_none() {
        let plan = Plan { books: 30, ..Plan::SAMPLE };
        let shop = Shop::new(plan);
        let books: Vec<_> = (0..30).map(|number| shop.book(number).id).collect();
        let rated: Vec<_> = (0..2000).map(|number| shop.rating(number).book_id).collect();
        assert!(rated.iter().all(|id| books.contains(id)));
        assert!(!rated.contains(&books[9]) && rated.contains(&books[8]));
    }

    #[test]
    fn another_seed_is_another_shop() {
        let other = Shop::new(Plan { rng_seed: 1, ..Plan::SAMPLE });
        assert_ne!(other.book(0), Shop::new(Plan::SAMPLE).book(0));
    }
}
