//! Work, counted in statements, rows and buffers: never in milliseconds.

use ::entity::book_rating::Entity;
use bookends::config::Plan;
use bookends::seed::Shop as Rows;
use keyset::bracket::bracket;
use keyset::{Args, Key, Limits, Order, Page};
use sea_orm::{DbBackend, EntityTrait, QueryTrait};
use testdb::{plan, work};

use crate::shop::{SMALL, Shop};

#[tokio::test]
async fn i1_a_page_is_one_statement_with_its_flags() {
    let shop = Shop::new(SMALL).await;
    let cursor = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { id rating } }";
    shop.statements.take();
    for args in ["first: 5", "last: 5", "first: 0"] {
        shop.data(&format!("{{ ratings({args}) {{ {cursor} }} }}")).await;
        assert_eq!(shop.statements.take().len(), 1, "{args}");
    }
    let end = shop.data("{ ratings(first: 5) { pageInfo { endCursor } } }").await["ratings"]["pageInfo"].take();
    shop.statements.take();
    shop.data(&format!("{{ ratings(first: 5, after: {}) {{ {cursor} }} }}", end["endCursor"])).await;
    assert_eq!(shop.statements.take().len(), 1);
}

#[tokio::test]
async fn i4_a_count_is_a_statement_only_where_it_is_selected() {
    let shop = Shop::new(SMALL).await;
    shop.statements.take();
    shop.data("{ ratings { totalCount nodes { id } } }").await;
    let statements = shop.statements.take();
    assert_eq!(statements.len(), 2);
    assert_eq!(statements[1].sql, r#"SELECT COUNT(*) AS "count" FROM "book_rating""#);
}

/// On many threads, so that a page's fields are resolved while others still wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i5_the_books_of_a_page_are_one_statement() {
    let shop = Shop::new(Plan { books: 50, ratings: 100, ..SMALL }).await;
    shop.statements.take();
    for list in ["nodes { book { id name } }", "edges { node { book { year } } }"] {
        for _ in 0..20 {
            shop.data(&format!("{{ ratings(first: 100) {{ {list} }} }}")).await;
            assert_eq!(shop.statements.take().len(), 2, "{list}");
        }
    }
    shop.data("{ ratings(first: 100) { nodes { rating } } }").await;
    assert_eq!(shop.statements.take().len(), 1, "no book without `book`");
}

/// Pages of ten: at both ends, at several depths, backward, and in a window of four.
fn pages(order: &Order, plan: Plan) -> Vec<(String, Page)> {
    let rows = Rows::new(plan);
    let cursor = |number: u64| {
        let key = Key::new(order, vec![rows.rating(number - 1).id.into()]).unwrap();
        Some(order.seal(&key).unwrap().into())
    };
    let first = Args { first: Some(10), ..Args::default() };
    let last = Args { last: Some(10), ..Args::default() };
    let mut pages = vec![("first".to_owned(), first.clone()), ("last".to_owned(), last.clone())];
    for number in [plan.ratings / 20, plan.ratings / 2, plan.ratings - 10] {
        pages.push((format!("after {number}"), Args { after: cursor(number), ..first.clone() }));
        pages.push((format!("before {number}"), Args { before: cursor(number), ..last.clone() }));
        let window = Args { after: cursor(number), before: cursor(number + 4), ..first.clone() };
        pages.push((format!("four after {number}"), window));
    }
    let page = |args| Page::new(&args, order, Limits::default()).unwrap();
    pages.into_iter().map(|(name, args)| (name, page(args))).collect()
}

#[tokio::test]
async fn i3_a_page_costs_the_same_at_any_depth() {
    let shop = Shop::new(Plan::SAMPLE).await;
    // One connection: the counter is set on it.
    let db = shop.test.connect().await;
    let backend = db.get_database_backend();
    let order = Order::of::<Entity>([]).unwrap();
    for (name, page) in pages(&order, Plan::SAMPLE) {
        let statement = bracket(Entity::find().as_query(), &page, backend);
        let (work, plan) = (work(&db, statement.clone()).await, plan(&db, statement).await);
        let branches = if name == "first" || name == "last" { 1 } else { 2 };
        let reads: Vec<&String> = plan.iter().filter(|line| line.contains("book_rating")).collect();
        assert_eq!(reads.len(), branches, "{name}: {plan:#?}");
        if backend == DbBackend::Postgres {
            // Two descents of a tree of two levels, and the rows' own blocks; a cold catalogue at first.
            assert!(work <= 12, "{name}: {work} buffers");
            for line in reads {
                let rows = line.strip_prefix("Index Scan book_rating book_rating_pkey read ");
                let rows = rows.and_then(|rows| rows.strip_suffix(" removed 0")).and_then(|rows| rows.parse().ok());
                assert!(rows.is_some_and(|rows: u64| rows <= 11), "{name}: {line}");
            }
        } else {
            // Some forty instructions a row: with a row more for every row skipped, this would be a hundred thousand.
            assert!(work <= 600, "{name}: {work} instructions");
            for line in reads {
                let sought = line.starts_with("SEARCH book_rating USING PRIMARY KEY (id");
                // From an end of the list there is nothing to seek: the limit stops the scan.
                assert!(sought || (branches == 1 && line == "SCAN book_rating"), "{name}: {line}");
            }
            // What is sorted is the page alone: a sort stands behind the scan of a branch that has its limit.
            for pair in plan.windows(2).filter(|pair| pair[1].contains("TEMP B-TREE")) {
                assert_eq!(pair[0], "SCAN r", "{name}: {plan:#?}");
            }
        }
    }
}
