//! A page for each of many parents, against the naive twin of each.

use keyset::{Args, End, Page, fetch_many};
use sea_orm::EntityTrait;

use crate::atlas::{self, City, Column, Model};
use crate::exactness::{LIMITS, args, bounds, expected, places};
use crate::naive::Expected;

/// The children of a parent: the cities of a rank.
fn children(cities: &[Model], rank: i16) -> Vec<Model> {
    cities.iter().filter(|city| city.rank == rank).cloned().collect()
}

#[tokio::test]
async fn every_parent_has_its_own_exact_slice() {
    let (_test, db, statements) = atlas::recorded().await;
    let cities = atlas::cities();
    // Twice the same parent, and one that does not exist.
    let ranks = [1, 0, 9, 1, 2];

    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        for (after, before) in bounds(&places, 3) {
            for asked in [End::Front, End::Back].into_iter().flat_map(|end| [0, 1, 2, 12].map(|size| (end, size))) {
                let page = Page::new(&args(asked, after, before), &order, LIMITS).unwrap();
                statements.take();
                let slices = fetch_many(&db, City::find(), Column::Rank, ranks, &page).await.unwrap();
                assert_eq!(statements.take().len(), 1, "I2");
                assert_eq!(slices.len(), ranks.len());
                for (rank, slice) in ranks.iter().zip(slices) {
                    let twin = expected(&children(&cities, *rank), &criteria, asked, after, before);
                    assert_eq!(Expected::of(&slice), twin, "{order}: rank {rank}, {asked:?} {after:?} {before:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn hundreds_of_parents_are_a_statement_or_a_few() {
    let (test, db, statements) = atlas::recorded().await;
    let page = Page::new(&Args { first: Some(2), ..Args::default() }, &atlas::order(&[]), LIMITS).unwrap();
    for (parents, on_sqlite) in [(0_i16, 0), (1, 1), (400, 1), (401, 2), (900, 3)] {
        statements.take();
        let slices = fetch_many(&db, City::find(), Column::Rank, 0..parents, &page).await.unwrap();
        let run = statements.take().len();
        let expected = if test.url.starts_with("sqlite") { on_sqlite } else { on_sqlite.min(1) };
        assert_eq!((slices.len(), run), (usize::try_from(parents).unwrap(), expected));
        assert!(slices.iter().skip(3).all(|slice| slice.rows.is_empty() && !slice.has_next && !slice.has_previous));
        assert!(slices.iter().take(3).all(|slice| slice.rows.len() == 2 && slice.has_next));
    }
}
