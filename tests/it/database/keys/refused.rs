//! The keys that the database refuses.

use ::entity::{book, id};
use sea_orm::QueryOrder;
use sea_orm::prelude::*;

use super::{TABLES, insert};
use crate::support::shop::empty;

#[tokio::test]
async fn a_key_that_holds_no_time_of_four_digits_is_refused() {
    let (_test, db) = empty().await;
    for key in [
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000000",
        "5251aaaa-0000-4000-8000-000000000000",
        // Neighbours of version 7, and of the variant.
        "019b4c3e-9000-6fff-8000-000000000000",
        "019b4c3e-9000-8000-8000-000000000000",
        "019b4c3e-9000-7000-7fff-ffffffffffff",
        "019b4c3e-9000-7000-c000-000000000000",
        // The first millisecond of the year 10000.
        "e677d21f-dc00-7000-8000-000000000000",
    ] {
        for (table, inserted) in TABLES.into_iter().zip(insert(&db, key.parse().unwrap()).await) {
            let error = inserted.unwrap_err().to_string();
            assert!(error.contains(&format!("{table}_id_is_v7")), "{key}: {error}");
        }
    }
    for key in [
        "00000000-0000-7000-8000-000000000000",
        "019b4c3e-9000-7fff-bfff-ffffffffffff",
        "e677d21f-dbff-7fff-bfff-ffffffffffff",
    ] {
        for inserted in insert(&db, key.parse().unwrap()).await {
            inserted.unwrap();
        }
    }
    let last = book::Entity::find().order_by_desc(book::Column::Id).one(&db.writer).await.unwrap().unwrap();
    assert_eq!(id::created_at(last.id).to_rfc3339(), "9999-12-31T23:59:59.999+00:00");
}
