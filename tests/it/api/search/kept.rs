//! The words of titles, which triggers keep, against the titles.

use std::collections::BTreeSet;

use ::entity::{book, book_word, book_words};
use bookends_server::db::Db;
use bookshop::seed::Plan;
use migration::letters::folded;
use sea_orm::prelude::*;
use sea_orm::{ConnectionTrait, DbBackend, Set, TransactionTrait};
use uuid::Uuid;

use crate::support::shop::{SMALL, Shop, down, empty};

/// Compares every word with the titles that are there, read in the same transaction.
pub async fn check(db: &Db) {
    let snapshot = db.reader.begin().await.unwrap();
    let (mut words, mut postings) = (BTreeSet::new(), BTreeSet::new());
    for book in keyset::find_models(&snapshot, &book::Entity::find()).await.unwrap() {
        let folded = folded(&book.name);
        postings.extend(folded.split_whitespace().map(|word| (word.to_owned(), book.id)));
        words.insert((book.id, folded));
    }
    let kept = keyset::find_models(&snapshot, &book_words::Entity::find()).await.unwrap();
    assert_eq!(kept.into_iter().map(|kept| (kept.book_id, kept.words)).collect::<BTreeSet<_>>(), words);
    let kept = keyset::find_models(&snapshot, &book_word::Entity::find()).await.unwrap();
    assert_eq!(kept.into_iter().map(|kept| (kept.word, kept.book_id)).collect::<BTreeSet<_>>(), postings);
}

async fn run(db: &Db, sql: &str) {
    db.writer.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// The key as an SQL literal.
fn key(db: &Db, id: Uuid) -> String {
    match db.writer.get_database_backend() {
        DbBackend::Postgres => format!("'{id}'"),
        _ => format!("x'{}'", id.simple()),
    }
}

/// PostgreSQL loads the seed by `COPY`.
#[tokio::test]
async fn words_are_those_of_a_loaded_shop_and_follow_sql() {
    let shop = Shop::new(Plan { books: 700, ratings: 0, orders: 0, rng_seed: 0 }).await;
    let db = &shop.db;
    check(db).await;
    let [one, two] = [(); 2].map(|()| key(db, ::entity::id::next()));
    for sql in [
        format!("INSERT INTO book (id, name, year) VALUES ({one}, 'One ÉTUDE, one', 1), ({two}, '🎼', 2)"),
        format!("UPDATE book SET name = 'Another étude' WHERE id = {one}"),
        format!("UPDATE book SET name = 'Another  Étude!' WHERE id = {one}"),
        "UPDATE book SET year = year + 1".into(),
        "UPDATE book SET name = 'The ' || name WHERE length(name) < 20".into(),
        format!("DELETE FROM book WHERE id = {one}"),
        "DELETE FROM book WHERE name LIKE 'A %'".into(),
    ] {
        run(db, &sql).await;
        check(db).await;
    }
    let upsert = format!(
        "INSERT INTO book (id, name, year) VALUES ({two}, 'New', 3) ON CONFLICT (id) DO UPDATE SET name = excluded.name"
    );
    run(db, &upsert).await;
    check(db).await;
    if db.writer.get_database_backend() == DbBackend::Postgres {
        run(db, "TRUNCATE book CASCADE").await;
    } else {
        run(db, &format!("REPLACE INTO book (id, name, year) VALUES ({two}, 'Replaced', 4)")).await;
        check(db).await;
        run(db, "DELETE FROM book").await;
    }
    check(db).await;
    assert_eq!(book_word::Entity::find().count(&db.writer).await.unwrap(), 0);
}

/// A transaction that is rolled back leaves no word, and one that replaces a book has the new ones.
#[tokio::test]
async fn words_are_of_the_transaction() {
    let shop = Shop::new(SMALL).await;
    let book = book::ActiveModel { name: Set("Lost".into()), year: Set(1), ..Default::default() };
    let transaction = shop.db.writer.begin().await.unwrap();
    let kept = book.clone().insert(&transaction).await.unwrap();
    transaction.rollback().await.unwrap();
    check(&shop.db).await;
    let transaction = shop.db.writer.begin().await.unwrap();
    book.insert(&transaction).await.unwrap();
    book::Entity::delete_by_id(kept.id).exec(&transaction).await.unwrap();
    let again = book::ActiveModel { id: Set(kept.id), name: Set("Found again".into()), year: Set(1) };
    again.insert(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
    check(&shop.db).await;
}

/// Books that are there before the change.
#[tokio::test]
async fn words_of_older_books_are_filled_in() {
    let shop = Shop::new(SMALL).await;
    down(&shop.db, "m20261123_000002_book_word").await;
    run(&shop.db, "UPDATE book SET name = 'E\u{301}tude in 한국'").await;
    shop.db.migrate().await.unwrap();
    check(&shop.db).await;
}

/// Each character, in SQL and in the server.
#[tokio::test]
async fn both_databases_fold_every_character_as_the_server_does() {
    let (_test, db) = empty().await;
    let characters: Vec<char> =
        ('\u{1}'..='\u{323af}').filter(|code| u32::from(*code) < 0x4e10 || u32::from(*code) > 0x9fe0).collect();
    let of_ideographs = |code: &char| (0x20010..0x323a0).contains(&u32::from(*code)) && u32::from(*code) % 97 > 0;
    let characters: Vec<char> = characters.into_iter().filter(|code| !of_ideographs(code)).collect();
    for titles in characters.chunks(75 * 200) {
        let book = |title: &[char]| book::ActiveModel {
            name: Set(title.iter().collect()),
            year: Set(2000),
            ..Default::default()
        };
        book::Entity::insert_many(titles.chunks(75).map(book)).exec(&db.writer).await.unwrap();
    }
    check(&db).await;
}
