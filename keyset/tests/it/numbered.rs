//! The pages around a page.

use keyset::{Args, End, Key, Lists, MAX_PAGES, Order, Page, PageCursors, Reach, fetch, page_cursors};
use sea_orm::prelude::*;
use testdb::TestDb;

use crate::atlas::{self, City, Column};
use crate::exactness::{LIMITS, args, bounds, places};

/// Numbers only where the looks to either side say them.
fn near(pages: u32) -> Reach {
    Reach { pages, ..Reach::default() }
}

/// Where the last page begins, seen from a page.
fn last_of(start: usize, size: usize, length: usize) -> usize {
    match length.saturating_sub(start + size) {
        0 => start,
        after => start + size + (after - 1) / size * size,
    }
}

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
                    let found = page_cursors(&db, City::find(), &page, &slice, near(pages)).await.unwrap();
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
                    let is_end_near = start + size * (1 + pages) >= list.len();
                    let final_start = last_of(start, size, list.len());
                    let last_number =
                        number.filter(|_| is_end_near).map(|number| number + ((final_start - start) / size) as u64);
                    assert_eq!(found.last_number, last_number, "{case}");
                    let end = opens(&db, &order, &list, found.last.as_ref()).await;
                    assert_eq!(end, if is_end_near { final_start } else { list.len().saturating_sub(size) }, "{case}");
                }
            }
        }
    }
}

#[tokio::test]
async fn numbers_are_those_of_a_walk_as_far_as_rows_are_counted() {
    let (_test, db, statements) = atlas::recorded().await;
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        let list: Vec<i32> = places.iter().map(|(city, _)| city.id).collect();
        for (size, start) in [1, 2, 5].into_iter().flat_map(|size| (0..list.len()).map(move |start| (size, start))) {
            // A walk from the beginning comes to every page that begins a multiple of its size after it.
            let number = 1 + start.div_ceil(size) as u64;
            let after = start.checked_sub(1).map(|before| places[before].1.clone());
            let first = i64::try_from(size).ok();
            let page = Page::new(&Args { first, after, ..Args::default() }, &order, LIMITS).unwrap();
            let slice = fetch(&db, City::find(), &page).await.unwrap();
            let following = list.len().saturating_sub(start + size);
            let final_start = last_of(start, size, list.len());
            let last_number = number + ((final_start - start) / size) as u64;
            for (before, after) in [(4, 0), (0, 4), (9, 9), (99, 99)] {
                let case = format!("{order}: {size} after {start}, {before} before and {after} after");
                statements.take();
                let reach = Reach { pages: 1, before, after };
                let found = page_cursors(&db, City::find(), &page, &slice, reach).await.unwrap();
                assert!(statements.take().len() <= 2, "{case}");
                let is_number = start <= (before as usize).max(size + 1);
                let is_last = following <= (after as usize).max(size);
                assert_eq!(found.number, is_number.then_some(number), "{case}");
                assert_eq!(found.last_number, (is_number && is_last).then_some(last_number), "{case}");
                let opened = opens(&db, &order, &list, found.last.as_ref()).await;
                assert_eq!(opened, if is_last { final_start } else { list.len() - size }, "{case}");

                // An offset says how many rows are on its side: they are not counted.
                let front = Args { first, offset: i64::try_from(start).ok(), ..Args::default() };
                let back = Args { last: first, offset: i64::try_from(following).ok(), ..Args::default() };
                for (args, is_number, is_last) in [(front, true, is_last), (back, is_number, true)] {
                    let page = Page::new(&args, &order, LIMITS).unwrap();
                    if fetch(&db, City::find(), &page).await.unwrap().rows.len() != slice.rows.len() {
                        // From the back, the page is another one where fewer rows are left.
                        continue;
                    }
                    let found = page_cursors(&db, City::find(), &page, &slice, reach).await.unwrap();
                    assert_eq!(found.number, is_number.then_some(number), "{case} {args:?}");
                    assert_eq!(found.last_number, (is_number && is_last).then_some(last_number), "{case} {args:?}");
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
    assert_eq!(page_cursors(&db, City::find(), &page, &slice, near(5)).await.unwrap(), none);
    // Nor if the slice was cut by another page.
    let rows = fetch(&db, City::find(), &first(2)).await.unwrap();
    assert_eq!(page_cursors(&db, City::find(), &page, &rows, near(5)).await.unwrap(), none);
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
                for reach in [near(0), near(2), near(99), Reach { pages: 0, before: 9, after: 9 }] {
                    statements.take();
                    let many =
                        page_cursors(&db, Lists::per_parent(City::find(), Column::Rank, ranks), &page, &slices, reach);
                    let many = many.await.unwrap();
                    assert!(statements.take().len() <= 2 * usize::from(!none));
                    assert_eq!(many.len(), ranks.len());
                    for ((rank, slice), found) in ranks.iter().zip(&slices).zip(many) {
                        let children = City::find().filter(Column::Rank.eq(*rank));
                        let one = page_cursors(&db, children, &page, slice, reach).await.unwrap();
                        assert_eq!(found, one, "{order}: rank {rank}, {reach:?} around {asked:?}");
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
        let many = page_cursors(&db, Lists::per_parent(City::find(), Column::Rank, ranks()), &page, &slices, near(1))
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
    let many =
        page_cursors(&db, Lists::per_parent(some, Column::Rank, (0..3).cycle().take(60)), &page, &slices, near(1))
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
    let refused = page_cursors(&db, Lists::per_parent(City::find(), Column::Rank, [0, 1, 2]), &page, &slices, near(1))
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), "Custom Error: expected a slice for each of 3 lists, not 2");
}
