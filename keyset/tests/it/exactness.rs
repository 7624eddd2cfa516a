//! The engine against its naive twin: every row × order × bound × size, with ties and NULLs.

use keyset::{Args, Direction, End, Key, Limits, Nulls, Order, Page};
use sea_orm::DatabaseConnection;
use sea_orm::entity::prelude::*;
use testdb::TestDb;

use crate::atlas::{self, City, Column, Criterion, Model};
use crate::naive::{self, Expected};

pub const LIMITS: Limits = Limits { default: 100, max: 100, max_offset: 1_000_000 };

/// A position in a list: its row, which may be deleted since, and its cursor.
pub type Place = (Model, String);

/// The arguments of a page between two positions.
pub fn args((end, size): (End, usize), after: Option<&Place>, before: Option<&Place>) -> Args {
    let size = i64::try_from(size).ok();
    let (first, last) = if end == End::Front { (size, None) } else { (None, size) };
    let cursor = |place: Option<&Place>| place.map(|(_, cursor)| cursor.clone());
    Args { first, after: cursor(after), last, before: cursor(before), offset: None }
}

/// The page that the naive twin finds.
pub fn expected(
    cities: &[Model],
    criteria: &[Criterion],
    page: (End, usize),
    after: Option<&Place>,
    before: Option<&Place>,
) -> Expected {
    naive::slice(cities, criteria, page, after.map(|(row, _)| row), before.map(|(row, _)| row))
}

/// Compares one page with that of the naive twin.
async fn check(
    db: &DatabaseConnection,
    cities: &[Model],
    criteria: &[Criterion],
    page: (End, usize),
    after: Option<&Place>,
    before: Option<&Place>,
) {
    check_under(&atlas::order(criteria), db, cities, criteria, page, after, before).await;
}

/// The same under an order that is written differently from the criteria.
async fn check_under(
    order: &Order,
    db: &DatabaseConnection,
    cities: &[Model],
    criteria: &[Criterion],
    page: (End, usize),
    after: Option<&Place>,
    before: Option<&Place>,
) {
    let asked = Page::new(&args(page, after, before), order, LIMITS).unwrap();
    let slice = keyset::fetch(db, City::find(), &asked).await.unwrap();
    let twin = expected(cities, criteria, page, after, before);
    assert_eq!(Expected::of(&slice), twin, "{order}: {page:?} after {after:?} before {before:?}");
}

/// Every position of the list under this order.
pub async fn places(db: &DatabaseConnection, order: &Order) -> Vec<Place> {
    let page = Page::new(&Args::default(), order, LIMITS).unwrap();
    let slice = keyset::fetch(db, City::find(), &page).await.unwrap();
    let seal = |key: &Key| order.seal(key).unwrap().to_string();
    slice.rows.into_iter().map(|row| (row.item, seal(&row.key))).collect()
}

/// No bounds, a window, and every `step`-th position from each side.
pub fn bounds(places: &[Place], step: usize) -> Vec<(Option<&Place>, Option<&Place>)> {
    let mut bounds = vec![(None, None), (Some(&places[2]), Some(&places[9]))];
    bounds.extend(places.iter().step_by(step).flat_map(|place| [(Some(place), None), (None, Some(place))]));
    bounds
}

async fn check_all(db: &DatabaseConnection, cities: &[Model], criteria: &[Criterion], places: &[Place]) {
    let sizes = [0, 1, 2, 3, cities.len().saturating_sub(1), cities.len(), cities.len() + 1];
    for end in [End::Front, End::Back] {
        for size in sizes {
            check(db, cities, criteria, (end, size), None, None).await;
        }
        for (index, place) in places.iter().enumerate() {
            for size in sizes {
                check(db, cities, criteria, (end, size), Some(place), None).await;
                check(db, cities, criteria, (end, size), None, Some(place)).await;
            }
            // Crossed, equal, adjacent and distant pairs; under one sort, all of them.
            let near = [0, index.saturating_sub(1), index, index + 1, index + 3];
            for other in (0..places.len()).filter(|other| criteria.len() < 2 || near.contains(other)) {
                check(db, cities, criteria, (end, 2), Some(place), Some(&places[other])).await;
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
        let places = places(&db, &atlas::order(&criteria)).await;
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
        stale.push(places(&db, &atlas::order(criteria)).await);
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

    for (place, cursor) in places(&db, &atlas::order(&criteria)).await {
        let args = Args { first: Some(3), after: Some(cursor), ..Args::default() };
        let page = Page::new(&args, &order, LIMITS).unwrap();
        let slice = keyset::fetch(&db, City::find().filter(either.clone()), &page).await.unwrap();
        assert_eq!(Expected::of(&slice), naive::slice(&kept, &criteria, (End::Front, 3), Some(&place), None));
    }
}

#[tokio::test]
async fn three_sorts_are_paged_as_exactly_as_two() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    let mut orders = atlas::orders(3);
    orders.retain(|criteria| criteria.len() == 3);
    let sizes = [0, 1, 2, 3, 11, 12, 13];
    for criteria in atlas::affordable(&db, orders) {
        let places = places(&db, &atlas::order(&criteria)).await;
        for (index, place) in places.iter().enumerate() {
            for (end, size) in sizes.map(|size| (End::Front, size)).into_iter().chain([(End::Back, 1), (End::Back, 13)])
            {
                check(&db, &cities, &criteria, (end, size), Some(place), None).await;
            }
            for (end, size) in
                sizes.map(|size| (End::Back, size)).into_iter().chain([(End::Front, 1), (End::Front, 13)])
            {
                check(&db, &cities, &criteria, (end, size), None, Some(place)).await;
            }
            check(&db, &cities, &criteria, (End::Front, 2), Some(place), places.get(index + 4)).await;
            check(&db, &cities, &criteria, (End::Back, 2), Some(place), places.last()).await;
        }
    }
}

#[tokio::test]
async fn three_sorts_that_all_can_be_null_are_paged_as_exactly() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    let mut orders = atlas::orders_over([Column::People, Column::Age, Column::River], 3);
    orders.retain(|criteria| criteria.len() == 3);
    assert_eq!(orders.len(), 384);
    for criteria in atlas::affordable(&db, orders) {
        for place in &places(&db, &atlas::order(&criteria)).await {
            check(&db, &cities, &criteria, (End::Front, 3), Some(place), None).await;
            check(&db, &cities, &criteria, (End::Back, 3), None, Some(place)).await;
            check(&db, &cities, &criteria, (End::Back, 2), Some(place), None).await;
        }
    }
}

/// An order by a computed value has the same pages as the order by its column.
#[tokio::test]
async fn a_computed_order_is_paged_as_exactly() {
    use keyset::{Direction, Kind, Nulls, Sort};
    use sea_orm::sea_query::ExprTrait;

    let test = TestDb::new().await;
    let db = test.connect().await;
    let cities = atlas::cities();
    atlas::create(&db, &cities).await;
    for nulls in [Nulls::First, Nulls::Last] {
        let criteria = [(Column::People, Direction::Desc, nulls), (Column::Id, Direction::Asc, Nulls::Last)];
        let debt = Sort::expression("people owed", Column::People.into_expr().mul(-1_i64), Kind::BigInt).computed();
        let order = Order::of::<City>([debt.nulls(nulls), Sort::asc(Column::Id)]).unwrap();
        let places = places(&db, &order).await;
        for page in [(End::Front, 3), (End::Back, 3), (End::Front, 0), (End::Back, 12)] {
            for (index, place) in places.iter().enumerate() {
                for (after, before) in [(Some(place), None), (None, Some(place)), (Some(place), places.get(index + 4))]
                {
                    check_under(&order, &db, &cities, &criteria, page, after, before).await;
                }
            }
        }
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

/// The ranks have the name of the primary key. A page begins after a key none the less, in both directions.
#[tokio::test]
async fn a_column_may_have_the_name_of_another_key() {
    use sea_orm::{FromQueryResult, QuerySelect};

    #[derive(FromQueryResult)]
    struct Named {
        id: i16,
    }

    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let order = atlas::order(&[(Column::People, Direction::Desc, Nulls::Last)]);
    let mut cities = naive::sorted(&atlas::cities(), &[(Column::People, Direction::Desc, Nulls::Last)]);
    for end in [End::Front, End::Back] {
        let (mut found, mut last) = (Vec::new(), None);
        loop {
            let (size, cursor) = (Some(5), last.take());
            let args = match end {
                End::Front => Args { first: size, after: cursor, ..Args::default() },
                End::Back => Args { last: size, before: cursor, ..Args::default() },
            };
            let page = Page::new(&args, &order, LIMITS).unwrap();
            let ranks = City::find().select_only().column_as(Column::Rank, "id");
            let slice = keyset::fetch_into::<Named, _, _>(&db, ranks, &page).await.unwrap();
            let has_more = if end == End::Front { slice.has_next } else { slice.has_previous };
            let mut rows = slice.rows;
            if end == End::Back {
                rows.reverse();
            }
            last = rows.last().map(|row| order.seal(&row.key).unwrap().into());
            found.extend(rows.iter().map(|row| row.item.id));
            if !has_more {
                break;
            }
        }
        assert_eq!(found, cities.iter().map(|city| city.rank).collect::<Vec<_>>(), "{end:?}");
        cities.reverse();
    }
}
