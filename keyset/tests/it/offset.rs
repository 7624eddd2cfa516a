//! Pages after an offset, against the naive twin.

use keyset::{Args, End, Key, Lists, Order, Page, Slice, Sort, StatementCache, fetch, fetch_rows};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;

use crate::atlas::{self, City, Column, Criterion, Model};
use crate::exactness::{LIMITS, args};
use crate::naive::{self, Expected};

/// The page after an offset, as the naive twin finds it: the rows of a walk that skips them.
pub fn expected(cities: &[Model], criteria: &[Criterion], (end, size): (End, usize), offset: usize) -> Expected {
    let list = naive::sorted(cities, criteria);
    let Some(passed) = offset.checked_sub(1) else { return naive::slice(cities, criteria, (end, size), None, None) };
    let end_of_list = list.len().checked_sub(1);
    let (front, back) = match (end, end_of_list) {
        (_, None) => return naive::slice(cities, criteria, (end, size), None, None),
        (End::Front, Some(place)) => (Some(&list[passed.min(place)]), None),
        (End::Back, Some(place)) => (None, Some(&list[place - passed.min(place)])),
    };
    naive::slice(cities, criteria, (end, size), front, back)
}

pub fn page(order: &Order, (end, size): (End, usize), offset: usize) -> Page {
    let args = Args { offset: i64::try_from(offset).ok(), ..args((end, size), None, None) };
    Page::new(&args, order, LIMITS).unwrap()
}

/// The keys of a page, and its flags.
fn keys<M>(slice: Slice<M>) -> (Vec<Key>, bool, bool) {
    (slice.rows.into_iter().map(|row| row.key).collect(), slice.has_previous, slice.has_next)
}

#[tokio::test]
async fn a_page_after_an_offset_is_that_of_a_walk_under_every_order() {
    let (_test, db, statements) = atlas::recorded().await;
    let cities = atlas::cities();
    for criteria in atlas::orders(2) {
        let order = atlas::order(&criteria);
        for (end, size) in [End::Front, End::Back].into_iter().flat_map(|end| [0, 1, 3, 20].map(|size| (end, size))) {
            for offset in 0..=cities.len() + 2 {
                statements.take();
                let slice = fetch(&db, City::find(), &page(&order, (end, size), offset)).await.unwrap();
                let twin = expected(&cities, &criteria, (end, size), offset);
                let case = format!("{order}: {size} from the {end:?} after {offset}");
                assert_eq!(Expected::of(&slice), twin, "{case}");
                // The key, and the page. Each range of NULLs takes a count and a key more.
                let ranges =
                    1 + usize::from(criteria.iter().any(|(column, ..)| column.def().is_null())) * criteria.len();
                assert!(statements.take().len() <= if offset == 0 { 1 } else { 2 * (ranges + 1) }, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_filter_applies_before_the_offset() {
    let (_test, db, _) = atlas::recorded().await;
    let kept: Vec<_> = atlas::cities().into_iter().filter(|city| city.rank != 1).collect();
    for criteria in atlas::orders(1) {
        for offset in 0..=kept.len() + 1 {
            let asked = page(&atlas::order(&criteria), (End::Front, 2), offset);
            let slice = fetch(&db, City::find().filter(Column::Rank.ne(1)), &asked).await.unwrap();
            assert_eq!(Expected::of(&slice), expected(&kept, &criteria, (End::Front, 2), offset), "{offset}");
        }
    }
}

#[tokio::test]
async fn an_offset_skips_a_row_once_however_many_related_rows_it_has() {
    let (_test, db, _) = atlas::recorded().await;
    let cities = atlas::cities();
    let one = "EXISTS (SELECT 1 FROM city AS b WHERE b.rank = city.rank)";
    let nested = "EXISTS (SELECT 1 FROM city AS b WHERE b.id = city.id
        AND EXISTS (SELECT 1 FROM city AS c WHERE c.rank = b.rank))";
    for filter in [one, nested].map(Expr::cust) {
        for criteria in atlas::orders(1) {
            for offset in 0..=cities.len() + 1 {
                let asked = page(&atlas::order(&criteria), (End::Front, 2), offset);
                let slice = fetch(&db, City::find().filter(filter.clone()), &asked).await.unwrap();
                assert_eq!(Expected::of(&slice), expected(&cities, &criteria, (End::Front, 2), offset), "{offset}");
            }
        }
    }
}

#[tokio::test]
async fn every_parent_has_an_offset_in_its_own_list() {
    let (_test, db, _) = atlas::recorded().await;
    let texts = StatementCache::default();
    // One parent is given twice, and one does not exist.
    let ranks = [1_i16, 0, 9, 1, 2];
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        for (end, offset) in [End::Front, End::Back].into_iter().flat_map(|end| (0..7).map(move |n| (end, n))) {
            let asked = page(&order, (end, 2), offset);
            let lists = Lists::per_parent(City::find(), Column::Rank, ranks);
            let slices = fetch(&db, &lists, &asked).await.unwrap();
            for (rank, slice) in ranks.iter().zip(&slices) {
                let children: Vec<_> = atlas::cities().into_iter().filter(|city| city.rank == *rank).collect();
                let twin = expected(&children, &criteria, (end, 2), offset);
                assert_eq!(Expected::of(slice), twin, "{order}: rank {rank} from the {end:?} after {offset}");
            }
            let rows = fetch_rows(&db, &lists, &asked, &[], &texts).await.unwrap();
            assert_eq!(
                rows.into_iter().map(keys).collect::<Vec<_>>(),
                slices.into_iter().map(keys).collect::<Vec<_>>()
            );
        }
    }
}

#[tokio::test]
async fn a_computed_order_is_skipped_as_exactly() {
    use keyset::{Direction, Kind, Nulls};
    use sea_orm::sea_query::ExprTrait;

    let (_test, db, _) = atlas::recorded().await;
    for nulls in [Nulls::First, Nulls::Last] {
        let criteria = [(Column::People, Direction::Desc, nulls), (Column::Id, Direction::Asc, Nulls::Last)];
        let debt = Sort::expression("people owed", Column::People.into_expr().mul(-1_i64), Kind::BigInt).computed();
        let order = Order::of::<City>([debt.nulls(nulls), Sort::asc(Column::Id)]).unwrap();
        for (end, offset) in [End::Front, End::Back].into_iter().flat_map(|end| (0..14).map(move |n| (end, n))) {
            let slice = fetch(&db, City::find(), &page(&order, (end, 3), offset)).await.unwrap();
            assert_eq!(
                Expected::of(&slice),
                expected(&atlas::cities(), &criteria, (end, 3), offset),
                "{end:?} {offset}"
            );
        }
    }
}

#[tokio::test]
async fn an_empty_list_has_no_rows_before_any_offset() {
    let (_test, db, _) = atlas::recorded().await;
    City::delete_many().exec(&db).await.unwrap();
    for criteria in atlas::orders(1) {
        for end in [End::Front, End::Back] {
            let slice = fetch(&db, City::find(), &page(&atlas::order(&criteria), (end, 2), 3)).await.unwrap();
            assert!(slice.rows.is_empty() && !slice.has_previous && !slice.has_next);
        }
    }
}
