//! Pages around a row, against a list that is cut by hand.

use keyset::{Args, Around, Limits, Lists, Order, PageError, Record, Slice, fetch_around};
use sea_orm::entity::prelude::*;
use sea_orm::{Condition, DatabaseConnection, Select};

use crate::atlas::{self, City, Column, Model};
use crate::exactness::LIMITS;
use crate::naive;

pub fn around(order: &Order, size: usize, id: i32) -> Around {
    let args = Args { first: i64::try_from(size).ok(), ..Args::default() };
    Around::new(&args, order, LIMITS, Condition::all().add(Column::Id.eq(id))).unwrap()
}

/// The ids of a page and its flags.
pub type Page = (Vec<i32>, bool, bool);

pub fn ids(order: &Order, slice: Slice<Record>) -> Page {
    // Every order of the atlas ends in the id.
    let id = |key: &keyset::Key| match key.values()[order.sorts().len() - 1] {
        sea_orm::Value::Int(Some(id)) => id,
        ref other => panic!("{other:?} is no id"),
    };
    (slice.rows.iter().map(|row| id(&row.key)).collect(), slice.has_previous, slice.has_next)
}

/// The page of a list around an id: half of the others before it, and as many rows as there can be.
pub fn expected(list: &[Model], size: usize, id: i32) -> Option<Page> {
    let place = list.iter().position(|city| city.id == id)?;
    let start = place.saturating_sub((size - 1) / 2).min(list.len().saturating_sub(size));
    let end = list.len().min(start + size);
    Some((list[start..end].iter().map(|city| city.id).collect(), start > 0, end < list.len()))
}

async fn check(db: &DatabaseConnection, rows: Select<City>, list: &[Model], order: &Order) {
    for size in [1, 2, 3, 4, 7, 12, 13] {
        for id in -1..13 {
            let asked = around(order, size, id);
            let found = fetch_around(db, rows.clone(), &asked, &[]).await.unwrap();
            let found = found.map(|slice| ids(order, slice));
            assert_eq!(found, expected(list, size, id), "{order}: {size} around {id}");
        }
    }
}

#[tokio::test]
async fn a_row_stands_in_its_page_under_every_order() {
    let (_test, db, _) = atlas::recorded().await;
    for criteria in atlas::orders(2) {
        let list = naive::sorted(&atlas::cities(), &criteria);
        check(&db, City::find(), &list, &atlas::order(&criteria)).await;
    }
}

#[tokio::test]
async fn a_row_that_the_filter_leaves_out_has_no_page() {
    let (_test, db, statements) = atlas::recorded().await;
    let kept: Vec<_> = atlas::cities().into_iter().filter(|city| city.rank != 1).collect();
    for criteria in atlas::orders(1) {
        let rows = City::find().filter(Column::Rank.ne(1));
        check(&db, rows.clone(), &naive::sorted(&kept, &criteria), &atlas::order(&criteria)).await;
        statements.take();
        let asked = around(&atlas::order(&criteria), 3, kept[0].id);
        fetch_around(&db, rows, &asked, &[]).await.unwrap();
        assert_eq!(statements.take().len(), 1);
    }
}

#[tokio::test]
async fn only_the_list_that_has_the_row_has_a_page() {
    let (_test, db, _) = atlas::recorded().await;
    let ranks = [1_i16, 0, 9, 1, 2];
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        for id in -1..13 {
            let lists = Lists::per_parent(City::find(), Column::Rank, ranks);
            let found = fetch_around(&db, lists, &around(&order, 3, id), &[]).await.unwrap();
            for (rank, slice) in ranks.iter().zip(found) {
                let children: Vec<_> = atlas::cities().into_iter().filter(|city| city.rank == *rank).collect();
                let twin = expected(&naive::sorted(&children, &criteria), 3, id);
                assert_eq!(slice.map(|slice| ids(&order, slice)), twin, "{order}: rank {rank} around {id}");
            }
        }
    }
}

#[test]
fn a_page_around_a_row_has_a_size_and_nothing_else() {
    let order = atlas::order(&[]);
    let refused =
        |args: Args| Around::new(&args, &order, Limits::default(), Condition::all()).map(|around| around.page().size());
    let text = Some("x".to_owned());
    let empty = Some(String::new());
    assert_eq!(refused(Args { after: text.clone(), ..Args::default() }), Err(PageError::AroundWith("after")));
    assert_eq!(refused(Args { before: text, ..Args::default() }), Err(PageError::AroundWith("before")));
    assert_eq!(refused(Args { last: Some(3), ..Args::default() }), Err(PageError::AroundWith("last")));
    assert_eq!(refused(Args { offset: Some(0), ..Args::default() }), Err(PageError::AroundWith("offset")));
    assert_eq!(refused(Args { first: Some(0), ..Args::default() }), Err(PageError::AroundNothing));
    assert_eq!(
        refused(Args { first: Some(101), ..Args::default() }),
        Err(PageError::Size { argument: "first", asked: 101, max: 100 })
    );
    assert_eq!(refused(Args { after: empty.clone(), before: empty, ..Args::default() }), Ok(20));
}
