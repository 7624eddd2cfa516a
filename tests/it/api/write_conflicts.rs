//! Writes of another program beside the sums of books.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, TransactionTrait};

use crate::support::patience::waits_for_lock;
use crate::support::shop::{SMALL, Shop};

/// Another program deletes a book and inserts it again under its ratings. Step by step, the cycle in which the next deletion had
/// the book and wanted its sums, and the rating had the sums and wanted the book.
#[tokio::test]
async fn a_rating_of_a_book_that_returns_does_not_deadlock_with_the_next_deletion() {
    let shop = Shop::new(SMALL).await;
    if shop.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let test = &shop.test;
    let begin = async || test.connect().await.begin().await.unwrap();
    let all = "WHERE id IN (SELECT id FROM book ORDER BY id LIMIT 2)";
    let returns = format!(
        "CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM book {all}; DELETE FROM book {all};
         INSERT INTO book (id, name, year) SELECT id, name, year FROM kept"
    );
    let rate = format!("INSERT INTO book_rating (rating, book_id) SELECT 5, id FROM book {all}");
    let wait = |transaction: DatabaseTransaction, sql: String| {
        tokio::spawn(async move {
            transaction.execute_unprepared(&sql).await.unwrap();
            transaction
        })
    };
    // The ratings change, and are added and removed, by statements that wait for the return.
    for sql in [
        rate.clone(),
        format!("UPDATE book_rating SET rating = 1 WHERE book_id IN (SELECT id FROM book {all})"),
        format!("DELETE FROM book_rating WHERE book_id IN (SELECT id FROM book {all})"),
    ] {
        let (first, second, third) = (begin().await, begin().await, begin().await);
        first.execute_unprepared(&returns).await.unwrap();
        let second = wait(second, sql);
        waits_for_lock(test).await;
        first.commit().await.unwrap();
        let second = second.await.unwrap();
        let third = wait(third, format!("DELETE FROM book {all}"));
        waits_for_lock(test).await;
        second.commit().await.unwrap();
        third.await.unwrap().rollback().await.unwrap();
        crate::api::book_sums::check(&shop.db).await;
    }
}

/// One that was changed since the snapshot of the statement is locked as it is now.
#[tokio::test]
async fn a_rating_of_a_book_that_is_updated_succeeds() {
    let shop = Shop::new(SMALL).await;
    if shop.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let test = &shop.test;
    let first = test.connect().await.begin().await.unwrap();
    first.execute_unprepared("SELECT FROM book ORDER BY id LIMIT 1 FOR UPDATE").await.unwrap();
    let rating = tokio::spawn({
        let other = test.connect().await;
        async move { other.execute_unprepared("INSERT INTO book_rating (rating, book_id) SELECT 5, id FROM book").await }
    });
    waits_for_lock(test).await;
    shop.db
        .writer
        .execute_unprepared("UPDATE book SET year = 7 WHERE id = (SELECT id FROM book ORDER BY id DESC LIMIT 1)")
        .await
        .unwrap();
    first.rollback().await.unwrap();
    rating.await.unwrap().unwrap();
    crate::api::book_sums::check(&shop.db).await;
}
