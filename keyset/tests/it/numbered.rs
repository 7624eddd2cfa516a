//! The pages around a page.

use keyset::{Args, Key, MOST_PAGES, Order, Page, PageCursors, fetch, page_cursors};
use sea_orm::{DatabaseConnection, EntityTrait};
use testdb::{Statements, TestDb};

use crate::atlas::{self, City};
use crate::exactness::{LIMITS, places};

/// The index in the list of the first row of the page that a key opens.
async fn opens(db: &DatabaseConnection, order: &Order, list: &[i32], key: Option<&Key>) -> usize {
    let after = key.map(|key| order.seal(key).unwrap().into());
    let page = Page::new(&Args { first: Some(1), after, ..Args::default() }, order, LIMITS).unwrap();
    let slice = fetch(db, City::find(), &page).await.unwrap();
    list.iter().position(|id| *id == slice.rows[0].item.id).unwrap()
}

#[tokio::test]
async fn every_cursor_opens_the_page_it_is_of() {
    let test = TestDb::new().await;
    let mut db = test.connect().await;
    atlas::create(&db, &atlas::cities()).await;
    let statements = Statements::record(&mut db);
    for criteria in atlas::orders(1) {
        let order = atlas::order(&criteria);
        let places = places(&db, &order).await;
        let list: Vec<i32> = places.iter().map(|(city, _)| city.id).collect();
        for size in [1, 2, 5, 12, 13] {
            for start in 0..list.len() {
                let after = start.checked_sub(1).map(|before| places[before].1.clone());
                let args = Args { first: i64::try_from(size).ok(), after, ..Args::default() };
                let page = Page::new(&args, &order, LIMITS).unwrap();
                let slice = fetch(&db, City::find(), &page).await.unwrap();
                for pages in [0, 1, 3, 99] {
                    statements.take();
                    let found = page_cursors(&db, City::find(), &page, &slice, pages).await.unwrap();
                    assert_eq!(statements.take().len(), 1);
                    let case = format!("{order}: {size} after {start}, {pages} pages: {found:?}");
                    let pages = pages.min(MOST_PAGES) as usize;

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

                    let number = (start <= pages * size + 1).then(|| 1 + start.div_ceil(size) as u64);
                    assert_eq!(found.number, number, "{case}");
                    let end = opens(&db, &order, &list, found.last.as_ref()).await;
                    assert_eq!(end, list.len().saturating_sub(size), "{case}");
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
    let none = PageCursors { number: None, previous: vec![], next: vec![], last: None };
    assert_eq!(page_cursors(&db, City::find(), &page, &slice, 5).await.unwrap(), none);
}
