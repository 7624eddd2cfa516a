//! The pages around a page.

use keyset::{Args, End, Key, Lists, MAX_PAGES, Order, Page, PageCursors, fetch, page_cursors};
use sea_orm::prelude::*;
use testdb::TestDb;

use crate::atlas::{self, City, Column};
use crate::exactness::{LIMITS, args, bounds, places};

/// The index of the first row of the page that a key opens.
async fn opens(db: &DatabaseConnection, order: &Order, list: &[i32], key: Option<&Key>) -> usize {
    let after = key.map(|key| order.seal(key).unwrap().into());
    let page = Page::new(&Args { first: Some(1), after, ..Args::default() }, order, LIMITS).unwrap();
    let slice = fetch(db, City::find(), &page).await.unwrap();
    list.iter().position(|id| *id == slice.rows[0].item.id).unwrap()
}

#[tokio::test]
async fn every_cursor_opens_the_page_it_is_of() {
    let (_test, db, statements) = atlas::recorded().await;
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        let keys: Vec<Key> = places.iter().map(|(_, cursor)| order.open(cursor).unwrap()).collect();
        let list: Vec<i32> = places.iter().map(|(city, _)| city.id).collect();
        for size in [1, 2, 5, 12, 13] {
            for start in 0..list.len() {
                let after = start.checked_sub(1).map(|before| places[before].1.clone());
                let args = Args { first: i64::try_from(size).ok(), after, ..Args::default() };
                let page = Page::new(&args, &order, LIMITS).unwrap();
                let slice = fetch(&db, City::find(), &page).await.unwrap();
                for pages in [0, 1, 3, 99] {
                    statements.take();
                    let found = page_cursors(&db, City::find(), &page, &slice, pages, 0).await.unwrap();
                    assert_eq!(statements.take().len(), 1);
                    let case = format!("{order}: {size} after {start}, {pages} pages: {found:?}");
                    let pages = pages.min(MAX_PAGES) as usize;

                    let expected = (1..=pages).map(|page| start + page * size).filter(|first| *first < list.len());
                    let mut next = Vec::new();
                    for key in &found.next {
                        next.push(opens(&db, &order, &list, Some(key)).await);
                    }
                    assert_eq!(next, expected.collect::<Vec<_>>(), "{case}");

                    let expected = (1..=pages).take_while(|page| (page - 1) * size < start);
                    let mut previous = Vec::new();
                    for key in &found.previous {
                        previous.push(opens(&db, &order, &list, key.as_ref()).await);
                    }
                    let expected: Vec<_> = expected.map(|page| start.saturating_sub(page * size)).collect();
                    assert_eq!(previous, expected, "{case}");

                    assert_eq!(found.current.as_ref(), start.checked_sub(1).map(|place| &keys[place]), "{case}");
                    let number = (start <= pages * size + 1).then(|| 1 + start.div_ceil(size) as u64);
                    assert_eq!(found.number, number, "{case}");
                    // Where both ends of the list are near, its length is known, and with it the last page's beginning.
                    let ends_near = number.is_some() && start + size * (1 + pages) >= list.len();
                    let last = (list.len() - 1) / size;
                    assert_eq!(found.last_number, ends_near.then_some(1 + last as u64), "{case}");
                    let end = opens(&db, &order, &list, found.last.as_ref()).await;
                    assert_eq!(end, if ends_near { last * size } else { list.len().saturating_sub(size) }, "{case}");
                }
            }
        }
    }
}

#[tokio::test]
async fn numbers_are_those_of_a_walk_within_reach() {
    let (_test, db, statements) = atlas::recorded().await;
    for criteria in atlas::orders(2) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        let list: Vec<i32> = places.iter().map(|(city, _)| city.id).collect();
        for size in [1, 2, 5] {
            // A walk gives each page its number.
            for (number, start) in (1..).zip((0..list.len()).step_by(size)) {
                let after = start.checked_sub(1).map(|before| places[before].1.clone());
                let first = i64::try_from(size).ok();
                let page = Page::new(&Args { first, after, ..Args::default() }, &order, LIMITS).unwrap();
                let skipped = Args { first, offset: i64::try_from(start).ok(), ..Args::default() };
                let skipped = Page::new(&skipped, &order, LIMITS).unwrap();
                let slice = fetch(&db, City::find(), &page).await.unwrap();
                let last = (list.len() - 1) / size;
                for within in [4, 9, 99] {
                    statements.take();
                    let found = page_cursors(&db, City::find(), &page, &slice, 1, within).await.unwrap();
                    let run = statements.take().len();
                    let case = format!("{order}: page {number} of {size} within {within}: {found:?}");
                    assert!(run <= 2, "{case}");
                    let reached = start <= (within as usize).max(size + 1);
                    assert_eq!(found.number, reached.then_some(number), "{case}");
                    let is_whole = start <= size + 1 && start + 2 * size >= list.len();
                    let within_last = last * size <= within as usize;
                    assert_eq!(found.last_number, (is_whole || within_last).then_some(1 + last as u64), "{case}");
                    if within == 99 {
                        assert_eq!(opens(&db, &order, &list, found.last.as_ref()).await, last * size, "{case}");
                    }

                    // An offset says the number: only what follows is counted.
                    let by_offset = page_cursors(&db, City::find(), &skipped, &slice, 1, within).await.unwrap();
                    assert_eq!(by_offset.number, Some(number), "{case}");
                    if within == 99 {
                        assert_eq!(by_offset, found);
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn around_an_empty_page_there_is_nothing() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let page = Page::new(&Args { first: Some(0), ..Args::default() }, &atlas::order(&[]), LIMITS).unwrap();
    let slice = fetch(&db, City::find(), &page).await.unwrap();
    let none =
        PageCursors { number: None, current: None, previous: vec![], next: vec![], last: None, last_number: None };
    assert_eq!(page_cursors(&db, City::find(), &page, &slice, 5, 9).await.unwrap(), none);
    // Nor if the slice was cut by another page.
    let rows = fetch(&db, City::find(), &first(2)).await.unwrap();
    assert_eq!(page_cursors(&db, City::find(), &page, &rows, 5, 9).await.unwrap(), none);
}

fn first(size: i64) -> Page {
    Page::new(&Args { first: Some(size), ..Args::default() }, &atlas::order(&[]), LIMITS).unwrap()
}

#[tokio::test]
async fn every_parent_has_the_cursors_of_its_own_list() {
    let (_test, db, statements) = atlas::recorded().await;
    // One parent is given twice, and one does not exist.
    let ranks = [1, 0, 9, 1, 2];
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        for (after, before) in bounds(&places, 4) {
            for asked in [End::Front, End::Back].into_iter().flat_map(|end| [0, 1, 2, 5].map(|size| (end, size))) {
                let page = Page::new(&args(asked, after, before), &order, LIMITS).unwrap();
                let slices = fetch(&db, Lists::per_parent(City::find(), Column::Rank, ranks), &page).await.unwrap();
                let none = slices.iter().all(|slice| slice.rows.is_empty());
                for pages in [0, 2, 99] {
                    statements.take();
                    let many = page_cursors(
                        &db,
                        Lists::per_parent(City::find(), Column::Rank, ranks),
                        &page,
                        &slices,
                        pages,
                        0,
                    );
                    let many = many.await.unwrap();
                    assert_eq!(statements.take().len(), usize::from(!none));
                    assert_eq!(many.len(), ranks.len());
                    for ((rank, slice), found) in ranks.iter().zip(&slices).zip(many) {
                        let children = City::find().filter(Column::Rank.eq(*rank));
                        let one = page_cursors(&db, children, &page, slice, pages, 0).await.unwrap();
                        assert_eq!(found, one, "{order}: rank {rank}, {pages} pages around {asked:?}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn hundreds_of_parents_with_children_are_a_statement_or_a_few() {
    let (test, db, statements) = atlas::recorded().await;
    let page = first(2);
    for (parents, run) in [(0, 0), (1, 1), (133, 1), (134, 2), (300, 3)] {
        let ranks = || (0..3).cycle().take(parents);
        let slices = fetch(&db, Lists::per_parent(City::find(), Column::Rank, ranks()), &page).await.unwrap();
        statements.take();
        let many = page_cursors(&db, Lists::per_parent(City::find(), Column::Rank, ranks()), &page, &slices, 1, 0)
            .await
            .unwrap();
        assert_eq!((many.len(), statements.take().len()), (parents, run));
        assert!(many.iter().zip(many.iter().skip(3)).all(|(one, same)| one == same && one.next.len() == 1));
    }

    // A statement has at most 32,000 parameters on SQLite, and 65,000 on PostgreSQL. Here each bracket has 1,000.
    let some = City::find().filter(Column::Id.is_in(0..1000));
    let slices =
        fetch(&db, Lists::per_parent(some.clone(), Column::Rank, (0..3).cycle().take(60)), &page).await.unwrap();
    statements.take();
    let many = page_cursors(&db, Lists::per_parent(some, Column::Rank, (0..3).cycle().take(60)), &page, &slices, 1, 0)
        .await
        .unwrap();
    assert!(many.iter().all(|around| around.next.len() == 1));
    let most = if test.url.starts_with("sqlite") { 32_000 } else { 65_000 };
    let run = statements.take();
    assert!(run.len() > 1);
    assert!(run.iter().all(|statement| statement.values.as_ref().unwrap().0.len() <= most));
}

#[tokio::test]
async fn a_parent_without_a_slice_is_refused() {
    let test = TestDb::new().await;
    let db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let page = first(2);
    let slices = fetch(&db, Lists::per_parent(City::find(), Column::Rank, [0, 1]), &page).await.unwrap();
    let refused = page_cursors(&db, Lists::per_parent(City::find(), Column::Rank, [0, 1, 2]), &page, &slices, 1, 0)
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), "Custom Error: expected a slice for each of 3 lists, not 2");
}
