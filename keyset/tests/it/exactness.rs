//! The engine against its naive twin: every row × order × bound × size, with ties and NULLs.

use keyset::{Args, End, Key, Limits, Page};
use sea_orm::DatabaseConnection;
use sea_orm::entity::prelude::*;
use testdb::TestDb;

use crate::atlas::{self, City, Column, Criterion, Model};
use crate::naive::{self, Expected};

const LIMITS: Limits = Limits { default: 100, max: 100 };

/// A place in a list: the row that stands there, or stood, and its cursor.
type Place = (Model, String);

/// Compares one page with the naive twin's.
async fn check(
    db: &DatabaseConnection,
    cities: &[Model],
    criteria: &[Criterion],
    (end, size): (End, usize),
    after: Option<&Place>,
    before: Option<&Place>,
) {
    let order = atlas::order(criteria);
    let size_asked = i64::try_from(size).ok();
    let (first, last) = if end == End::Front { (size_asked, None) } else { (None, size_asked) };
    let cursor = |place: Option<&Place>| place.map(|(_, cursor)| cursor.clone());
    let args = Args { first, after: cursor(after), last, before: cursor(before) };
    let page = Page::new(&args, &order, LIMITS).unwrap();
    let slice = keyset::fetch(db, City::find(), &page).await.unwrap();

    let found = Expected {
        ids: slice.rows.iter().map(|row| row.item.id).collect(),
        has_previous: slice.has_previous,
        has_next: slice.has_next,
    };
    let row = |place: Option<&'_ Place>| place.map(|(row, _)| row.clone());
    let (after, before) = (row(after), row(before));
    let expected = naive::slice(cities, criteria, (end, size), after.as_ref(), before.as_ref());
    assert_eq!(found, expected, "{order}: {end:?} {size} after {after:?} before {before:?}");
}

/// Every place of the list under this order.
async fn places(db: &DatabaseConnection, criteria: &[Criterion]) -> Vec<Place> {
    let order = atlas::order(criteria);
    let page = Page::new(&Args::default(), &order, LIMITS).unwrap();
    let slice = keyset::fetch(db, City::find(), &page).await.unwrap();
    let seal = |key: &Key| order.seal(key).unwrap().to_string();
    slice.rows.into_iter().map(|row| (row.item, seal(&row.key))).collect()
}

async fn check_all(db: &DatabaseConnection, cities: &[Model], criteria: &[Criterion], places: &[Place]) {
    for end in [End::Front, End::Back] {
        for size in [0, 1, 2, 3, cities.len().saturating_sub(1), cities.len(), cities.len() + 1] {
            check(db, cities, criteria, (end, size), None, None).await;
        }
        for (index, place) in places.iter().enumerate() {
            for size in [0, 1, 3, cities.len()] {
                check(db, cities, criteria, (end, size), Some(place), None).await;
                check(db, cities, criteria, (end, size), None, Some(place)).await;
            }
            // Crossed, equal, adjacent and distant pairs.
            for other in [0, index.saturating_sub(1), index, index + 1, index + 3] {
                let other = places.get(other);
                check(db, cities, criteria, (end, 2), Some(place), other).await;
            }
        }
    }
}

#[tokio::test]
async fn b_c_d_every_page_under_every_order_equals_the_naive_twins() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    for criteria in atlas::orders(2) {
        let places = places(&db, &criteria).await;
        let rows: Vec<_> = places.iter().map(|(row, _)| row.clone()).collect();
        assert_eq!(rows, naive::sorted(&cities, &criteria), "{}", atlas::order(&criteria));
        check_all(&db, &cities, &criteria, &places).await;
    }
}

#[tokio::test]
async fn d3_e1_a_cursor_outlives_its_row() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let mut cities = atlas::cities();
    atlas::create(&db, &cities).await;
    let orders = atlas::orders(1);
    let mut stale = Vec::new();
    for criteria in &orders {
        stale.push(places(&db, criteria).await);
    }

    City::delete_many().filter(Column::Id.is_in([0, 3, 4, 11])).exec(&db).await.unwrap();
    cities.retain(|city| ![0, 3, 4, 11].contains(&city.id));
    City::update_many().col_expr(Column::People, 9.into()).filter(Column::Id.eq(5)).exec(&db).await.unwrap();
    cities.iter_mut().filter(|city| city.id == 5).for_each(|city| city.people = Some(9));
    for (criteria, places) in orders.iter().zip(&stale) {
        check_all(&db, &cities, criteria, places).await;
    }

    City::delete_many().exec(&db).await.unwrap();
    for (criteria, places) in orders.iter().zip(&stale) {
        check_all(&db, &[], criteria, places).await;
    }
}

#[tokio::test]
async fn a_top_level_or_in_the_callers_filter_does_not_leak() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    let criteria = [(Column::Rank, keyset::Direction::Desc, keyset::Nulls::Last)];
    let order = atlas::order(&criteria);
    let either = sea_orm::Condition::any().add(Column::Id.lt(4)).add(Column::People.eq(2));
    let kept: Vec<_> = cities.iter().filter(|city| city.id < 4 || city.people == Some(2)).cloned().collect();

    for (place, cursor) in places(&db, &criteria).await {
        let args = Args { first: Some(3), after: Some(cursor), ..Args::default() };
        let page = Page::new(&args, &order, LIMITS).unwrap();
        let slice = keyset::fetch(&db, City::find().filter(either.clone()), &page).await.unwrap();
        let expected = naive::slice(&kept, &criteria, (End::Front, 3), Some(&place), None);
        assert_eq!(slice.rows.iter().map(|row| row.item.id).collect::<Vec<_>>(), expected.ids);
        assert_eq!((slice.has_previous, slice.has_next), (expected.has_previous, expected.has_next));
    }
}

#[tokio::test]
async fn columns_may_be_projected_at_will() {
    use sea_orm::{DerivePartialModel, QuerySelect};

    #[derive(DerivePartialModel)]
    #[sea_orm(entity = "City")]
    struct OnlyRank {
        rank: i16,
    }

    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let order = atlas::order(&[]);
    let page = Page::new(&Args { first: Some(2), ..Args::default() }, &order, LIMITS).unwrap();
    let query = City::find().select_only().column(Column::Rank);
    let slice = keyset::fetch_into::<OnlyRank, _, _>(&db, query, &page).await.unwrap();
    let expected = naive::sorted(&atlas::cities(), &[]);
    assert_eq!(slice.rows.iter().map(|row| row.item.rank).collect::<Vec<_>>(), [expected[0].rank, expected[1].rank]);
    assert!(slice.has_next);
}
