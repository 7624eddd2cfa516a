//! Counts and their precision.

use keyset::{Count, Kept, Lists, count, count_up_to, kept_count};
use sea_orm::prelude::*;
use testdb::{Statements, TestDb};

use crate::atlas::{self, City, Column, Model};

/// One parent is given twice, and one does not exist.
const RANKS: [i16; 5] = [1, 0, 9, 1, 2];

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
        // The statistics cover all of twelve rows.
        (Count::Estimate(12), Count::Estimate(4))
    };
    assert_eq!((whole.unwrap(), filtered.unwrap()), expected);
    assert_eq!(Count::AtLeast(6).value(), 6);
}

/// An estimate below the counted number is ignored.
#[tokio::test]
async fn an_estimate_is_never_below_the_bound() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    db.execute_unprepared("ANALYZE").await.unwrap();
    // The planner assumes that the two conditions are independent, and estimates one row of the four.
    let rows = City::find().filter(Column::Rank.eq(1)).filter(Expr::cust("rank + 0 = 1"));
    assert!(count_up_to(&db, rows, 2).await.unwrap().value() >= 3);
}

#[tokio::test]
async fn every_parent_has_its_own_count() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    db.execute_unprepared("ANALYZE").await.unwrap();
    let statements = Statements::record(&mut db);
    for query in [City::find(), City::find().filter(Column::People.is_null()), City::find().filter(Column::Id.lt(5))] {
        statements.take();
        let exact = count(&db, Lists::per_parent(query.clone(), Column::Rank, RANKS)).await.unwrap();
        assert_eq!(statements.take().len(), 1);
        for (rank, found) in RANKS.into_iter().zip(exact) {
            let children = query.clone().filter(Column::Rank.eq(rank));
            assert_eq!(found, count(&db, children).await.unwrap(), "rank {rank}");
        }
        for bound in [0, 1, 2, 3, 4, 100] {
            statements.take();
            let bounded = count_up_to(&db, Lists::per_parent(query.clone(), Column::Rank, RANKS), bound).await.unwrap();
            let exact = bounded.iter().all(|count| matches!(count, Count::Exact(_)));
            let explained = !exact && !test.url.starts_with("sqlite");
            assert_eq!(statements.take().len(), 1 + usize::from(explained));
            for (rank, found) in RANKS.into_iter().zip(bounded) {
                let children = query.clone().filter(Column::Rank.eq(rank));
                assert_eq!(found, count_up_to(&db, children, bound).await.unwrap(), "rank {rank} up to {bound}");
            }
        }
    }
}

/// A parent is compared in every integer width, and as text. NULL has no children.
#[tokio::test]
async fn parents_are_compared_by_value() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let of_ranks = count(&db, Lists::per_parent(City::find(), Column::Rank, [1_i64, 70_000, 2])).await.unwrap();
    assert_eq!(of_ranks, [4, 0, 4]);
    let unsigned = count(&db, Lists::per_parent(City::find(), Column::Rank, [1, u64::MAX])).await.unwrap();
    assert_eq!(unsigned, [4, 0]);
    let of_rivers =
        count(&db, Lists::per_parent(City::find(), Column::River, [Some("elbe"), None, Some("Elbe")])).await.unwrap();
    assert_eq!(of_rivers, [6, 0, 0]);
    let of_people = count(&db, Lists::per_parent(City::find(), Column::People, [Some(2_i32), None])).await.unwrap();
    assert_eq!(of_people, [4, 0]);

    let refused = count(&db, Lists::per_parent(City::find(), Column::Rank, ["1"])).await.unwrap_err();
    assert_eq!(refused, DbErr::Type("expected parents of the type of the column `rank`".into()));
}

#[tokio::test]
async fn thousands_of_parents_are_counted_by_a_statement_or_a_few() {
    let (test, db, statements) = atlas::recorded().await;
    let sqlite = test.url.starts_with("sqlite");
    // The filter is a parameter too. Parents that are given twice do not add parameters.
    for (parents, on_sqlite) in [(0, 0), (1, 1), (31_999, 1), (32_000, 2), (70_000, 3)] {
        let run = if sqlite { on_sqlite } else { on_sqlite.min(1) };
        let query = City::find().filter(Column::Id.gte(0));
        let counts = count(&db, Lists::per_parent(query, Column::Rank, (0..parents).chain(0..parents))).await.unwrap();
        assert_eq!(statements.take().len(), run);
        assert_eq!(counts.len(), 2 * usize::try_from(parents).unwrap());
        assert!((0..parents).chain(0..parents).zip(counts).all(|(rank, count)| count == if rank < 3 { 4 } else { 0 }));
    }
    for (parents, on_sqlite) in [(0_i16, 0), (1, 1), (400, 1), (401, 2), (900, 3)] {
        let run = if sqlite { on_sqlite } else { on_sqlite.min(1) };
        let counts = count_up_to(&db, Lists::per_parent(City::find(), Column::Rank, 0..parents), 4).await.unwrap();
        assert_eq!(statements.take().len(), run);
        assert_eq!(counts.len(), usize::try_from(parents).unwrap());
        assert!((0..).zip(counts).all(|(rank, count)| count == Count::Exact(if rank < 3 { 4 } else { 0 })));
    }
}

/// The planner estimates each parent separately, whether it scans an index or the table, or divides the table among
/// workers.
#[tokio::test]
async fn every_parent_above_the_bound_has_its_own_estimate() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let city = |id: i32| Model { id, people: None, river: None, rank: rank(id), age: None };
    let cities: Vec<Model> = (0..20_000).map(city).collect();
    atlas::create(&db, &cities[..2000]).await;
    for chunk in cities[2000..].chunks(2000) {
        atlas::insert(&db, chunk).await;
    }
    db.execute_unprepared("ANALYZE").await.unwrap();
    let postgres = !test.url.starts_with("sqlite");
    let mut settings = vec!["SELECT 1", "CREATE INDEX city_rank ON city (rank, id)"];
    if postgres {
        settings.insert(1, "SET min_parallel_table_scan_size = 0");
        settings.insert(2, "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0");
    }
    for setting in settings {
        db.execute_unprepared(setting).await.unwrap();
        let mut db = db.clone();
        let statements = Statements::record(&mut db);
        let counts =
            count_up_to(&db, Lists::per_parent(City::find(), Column::Rank, [1, 0, 9, 2, 1]), 1000).await.unwrap();
        assert_eq!(statements.take().len(), if postgres { 2 } else { 1 });
        assert_eq!([counts[2], counts[3]], [Count::Exact(0), Count::Exact(400)]);
        for (place, rows) in [(0, 5200), (1, 14_400), (4, 5200)] {
            match counts[place] {
                Count::Estimate(about) => assert!(postgres && about.abs_diff(rows) < rows / 4, "{setting}: {counts:?}"),
                count => assert!(!postgres && count == Count::AtLeast(1001), "{setting}: {counts:?}"),
            }
        }
    }
}

/// 14,400 of the first rank, 5,200 of the second, 400 of the third.
fn rank(id: i32) -> i16 {
    match id % 50 {
        0 => 2,
        n if n % 4 == 1 => 1,
        _ => 0,
    }
}

/// Any column of numbers stands for a counter here.
#[tokio::test]
async fn a_kept_count_adds_up_its_column() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    let sum = |rank: Option<i16>| {
        let some = cities.iter().filter(|city| rank.is_none_or(|rank| city.rank == rank));
        some.map(|city| u64::try_from(city.id).unwrap()).sum::<u64>()
    };
    let statements = Statements::record(&mut db);
    let (all, of_each) = (Kept::sum_of(Column::Id), Kept::by_parent(Column::Rank, Column::Id));
    assert_eq!(kept_count(&db, City::find(), &all).await.unwrap(), sum(None));
    let lists = Lists::per_parent(City::find(), Column::Rank, RANKS);
    assert_eq!(kept_count(&db, &lists, &of_each).await.unwrap(), RANKS.map(|rank| sum(Some(rank))));
    assert_eq!(statements.take().len(), 2);
    assert!(kept_count(&db, &lists, &all).await.is_err() && kept_count(&db, City::find(), &of_each).await.is_err());
}
