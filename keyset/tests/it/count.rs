//! Counts, and how well they are known.

use keyset::{Count, count, count_up_to};
use sea_orm::prelude::*;
use testdb::TestDb;

use crate::atlas::{self, City, Column};

#[tokio::test]
async fn a_count_is_exact_up_to_its_bound_and_says_so() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    db.execute_unprepared("ANALYZE").await.unwrap();
    let some = || City::find().filter(Column::Rank.eq(1));
    assert_eq!(count(&db, City::find()).await.unwrap(), 12);
    assert_eq!(count(&db, some()).await.unwrap(), 4);
    for bound in [12, 13, 1000] {
        assert_eq!(count_up_to(&db, City::find(), bound).await.unwrap(), Count::Exact(12));
    }
    assert_eq!(count_up_to(&db, some(), 4).await.unwrap(), Count::Exact(4));
    assert_eq!(count_up_to(&db, some().filter(Column::Id.eq(-1)), 0).await.unwrap(), Count::Exact(0));

    let (whole, filtered) = (count_up_to(&db, City::find(), 5).await, count_up_to(&db, some(), 1).await);
    let expected = if test.url.starts_with("sqlite") {
        (Count::AtLeast(6), Count::AtLeast(2))
    } else {
        // Of twelve rows the statistics know everything.
        (Count::Estimate(12), Count::Estimate(4))
    };
    assert_eq!((whole.unwrap(), filtered.unwrap()), expected);
    assert_eq!(Count::AtLeast(6).value(), 6);
}

/// An estimate below what has been counted is no news.
#[tokio::test]
async fn an_estimate_is_never_below_the_bound() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    db.execute_unprepared("ANALYZE").await.unwrap();
    // The planner takes the two conditions for independent, and expects one row of the four.
    let rows = City::find().filter(Column::Rank.eq(1)).filter(Expr::cust("rank + 0 = 1"));
    assert!(count_up_to(&db, rows, 2).await.unwrap().value() >= 3);
}
