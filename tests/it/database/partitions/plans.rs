//! Work on partitions, counted in rows and in partitions that are read.

use std::collections::BTreeSet;

use bookshop::seed::Plan;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, Value};
use testdb::{plan, rows_read};

use super::layout::{ALL, Layout, PARTITIONS};
use crate::api::work::{orders, settled};

const LARGE: Plan = Plan { books: 300, ratings: 30_000, orders: 30_000, rng_seed: 0 };

/// Where no more rows of a partition have a key beyond that of the cursor, the planner may read these instead of looking up the ties
/// of the cursor among them: they are on a page or two.
const FEW: u64 = 128;

/// The table of a list.
fn table(list: &str) -> &'static str {
    if list == "ratings" { "book_rating" } else { "book_order" }
}

#[tokio::test]
async fn i3_a_bracket_reads_partitions_times_page_rows_at_any_depth() {
    for layout in ALL {
        let Some(shop) = layout.shop(LARGE).await else { return };
        let db = settled(&shop).await;
        for (list, order) in orders().into_iter().filter(|(list, _)| *list != "books") {
            let page = |args: &str| {
                format!(
                    "{{ {list}(orderBy: {order}, {args}) {{ nodes {{ id }} pageInfo {{ endCursor startCursor }} }} }}"
                )
            };
            let mut cursors = Vec::new();
            for offset in [3_000, 15_000, 27_000] {
                let data = shop.data(&page(&format!("first: 10, offset: {offset}"))).await;
                cursors.push(data[list]["pageInfo"]["endCursor"].clone());
            }
            let mut args = vec!["first: 10".to_owned(), "last: 10".to_owned()];
            args.extend(cursors.iter().map(|cursor| format!("first: 10, after: {cursor}")));
            args.extend(cursors.iter().map(|cursor| format!("last: 10, before: {cursor}")));
            for args in args {
                shop.statements.take();
                shop.data(&page(&args)).await;
                let statement = shop.statements.take().remove(0);
                let rows = rows_read(&db, statement.clone(), table(list)).await;
                let plan = plan(&db, statement).await;
                let is_filtered = plan.iter().any(|scan| scan.contains("_pkey") && !scan.ends_with(" removed 0"));
                let few = if is_filtered { PARTITIONS * FEW } else { 0 };
                let is_bounded = rows > 0 && rows <= PARTITIONS * (10 + 2) + few;
                assert!(is_bounded, "{layout:?} {list} {order} {args}: {rows} {plan:#?}");
            }
        }
    }
}

#[tokio::test]
async fn i3_nested_lists_read_partitions_times_their_pages() {
    for layout in ALL {
        let Some(shop) = layout.shop(Plan { books: 10, ratings: 60_000, orders: 60_000, rng_seed: 0 }).await else {
            return;
        };
        let db = settled(&shop).await;
        for (list, field) in [("ratings", "RATING"), ("orders", "TOTAL_PRICE")] {
            for (a, b) in [("ASC", "ASC"), ("ASC", "DESC"), ("DESC", "ASC"), ("DESC", "DESC")] {
                let order = format!("[{{ field: {field}, direction: {a} }}, {{ field: CREATED_AT, direction: {b} }}]");
                for end in ["first", "last"] {
                    let nested = format!("{list}({end}: 5, orderBy: {order}) {{ nodes {{ id }} }}");
                    shop.statements.take();
                    shop.data(&format!("{{ books {{ nodes {{ {nested} }} }} }}")).await;
                    let statement = shop.statements.take().pop().unwrap();
                    let rows = rows_read(&db, statement.clone(), table(list)).await;
                    let is_bounded = rows > 0 && rows <= 10 * PARTITIONS * (5 + 2);
                    assert!(is_bounded, "{layout:?} {nested}: {rows} {:#?}", plan(&db, statement).await);
                }
            }
        }
    }
}

/// The partitions that a statement reads, with a plan for its values, and with one for any values.
async fn partitions(db: &DatabaseConnection, statement: &Statement) -> [BTreeSet<String>; 2] {
    let explain = "EXPLAIN (ANALYZE, FORMAT JSON)";
    let own = Statement { sql: format!("{explain} {}", statement.sql), ..statement.clone() };
    let literal = |value: &Value| match value {
        Value::Uuid(Some(id)) => format!("'{id}'"),
        other => panic!("{other:?} is no key"),
    };
    let values: Vec<String> = statement.values.iter().flat_map(|values| &values.0).map(literal).collect();
    let prepared = format!("SET plan_cache_mode = force_generic_plan; PREPARE page AS {}", statement.sql);
    let own = db.query_one_raw(own).await.unwrap().unwrap().try_get_by_index(0).unwrap();
    db.execute_unprepared(&prepared).await.unwrap();
    let execute = format!("{explain} EXECUTE page({})", values.join(", "));
    let generic = db.query_one_raw(Statement::from_string(DbBackend::Postgres, execute)).await.unwrap().unwrap();
    let generic = generic.try_get_by_index(0).unwrap();
    db.execute_unprepared("DEALLOCATE page; RESET plan_cache_mode").await.unwrap();
    [own, generic].map(|plan: serde_json::Value| {
        let mut names = BTreeSet::new();
        executed(&plan[0]["Plan"], &mut names);
        names
    })
}

fn executed(node: &serde_json::Value, names: &mut BTreeSet<String>) {
    if let (Some(name), Some(loops)) = (node["Relation Name"].as_str(), node["Actual Loops"].as_f64())
        && loops > 0.0
    {
        names.insert(name.to_owned());
    }
    node["Plans"].as_array().into_iter().flatten().for_each(|node| executed(node, names));
}

/// Two at most: the page may begin in one and end in the next, or its neighbour may be in the one before.
#[tokio::test]
async fn a_page_by_key_reads_the_ranges_that_it_is_in() {
    let Some(shop) = Layout::Range.shop(LARGE).await else { return };
    let db = shop.test.connect().await;
    let page = |args: &str| format!("{{ ratings({args}) {{ nodes {{ id }} pageInfo {{ endCursor }} }} }}");
    // The first range ends with 10,080 minutes.
    for (offset, ranges) in [(5_000, 1), (10_065, 2), (10_070, 2), (15_000, 1), (25_000, 1)] {
        let cursor = shop.data(&page(&format!("first: 10, offset: {offset}"))).await["ratings"]["pageInfo"].take();
        let cursor = &cursor["endCursor"];
        for args in [format!("first: 10, after: {cursor}"), format!("last: 10, before: {cursor}")] {
            shop.statements.take();
            shop.data(&page(&args)).await;
            let statement = shop.statements.take().remove(0);
            for read in partitions(&db, &statement).await {
                assert!(!read.is_empty() && read.len() <= ranges, "{offset} {args}: {read:?} {}", statement.sql);
            }
        }
    }
}

/// The nearer branch of an order by rating is bounded by the key, too.
#[tokio::test]
async fn a_tie_reads_no_range_before_its_key() {
    let Some(shop) = Layout::Range.shop(LARGE).await else { return };
    let db = settled(&shop).await;
    let by = "orderBy: [{ field: RATING, direction: DESC }, { field: CREATED_AT, direction: ASC }]";
    let last = format!("{{ ratings(last: 20, where: {{ rating: {{ eq: 3 }} }}, {by}) {{ edges {{ cursor }} }} }}");
    let cursor = shop.data(&last).await["ratings"]["edges"][0]["cursor"].take();
    shop.statements.take();
    shop.data(&format!("{{ ratings(first: 10, after: {cursor}, {by}) {{ nodes {{ id }} }} }}")).await;
    let statement = shop.statements.take().remove(0);
    let plan = plan(&db, statement).await;
    let scans = |partition: &str| plan.iter().filter(|line| line.contains(&format!(" {partition} "))).count();
    // Two branches look back from the key, one looks forward within the tie, and one is beyond it.
    assert_eq!(["book_rating_oldest", "book_rating_2022_01_15"].map(scans), [3, 4], "{plan:#?}");
}

#[tokio::test]
async fn an_object_is_read_from_one_partition() {
    for layout in ALL {
        let Some(shop) = layout.shop(LARGE).await else { return };
        let db = shop.test.connect().await;
        let [_, rating, _] = shop.first_of_each().await;
        shop.statements.take();
        shop.data(&format!("{{ node(id: {rating:?}) {{ id }} }}")).await;
        let statement = shop.statements.take().remove(0);
        for read in partitions(&db, &statement).await {
            assert_eq!(read.len(), 1, "{layout:?}: {read:?}");
        }
    }
}

/// A default partition would be read by every page: so the document has none.
#[tokio::test]
async fn a_default_partition_is_in_the_way() {
    let Some(shop) = Layout::Range.shop(LARGE).await else { return };
    let db = shop.test.connect().await;
    let page = "{ ratings(first: 10, offset: 5000) { nodes { id } pageInfo { endCursor } } }";
    let cursor = shop.data(page).await["ratings"]["pageInfo"]["endCursor"].take();
    shop.statements.take();
    shop.data(&format!("{{ ratings(first: 10, after: {cursor}) {{ nodes {{ id }} }} }}")).await;
    let statement = shop.statements.take().remove(0);
    assert!(partitions(&db, &statement).await.iter().all(|read| read.len() == 1));
    let default = "ALTER TABLE book_rating DETACH PARTITION book_rating_2027_01_01;
        ALTER TABLE book_rating ATTACH PARTITION book_rating_2027_01_01 DEFAULT";
    db.execute_unprepared(default).await.unwrap();
    assert!(partitions(&db, &statement).await.iter().all(|read| read.len() > 2));
}
