//! The work of a page of a search, counted: 100,000 titles.

use bookshop::seed::Plan;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use serde_json::{Value, json};
use testdb::{plan, work};

use crate::support::shop::Shop;

/// 30,000 titles have `common`, 100 of them `rare`; 100 others have `scarce`.
async fn crowd() -> Shop {
    let shop = Shop::new(Plan { books: 0, ratings: 0, orders: 0, rng_seed: 0 }).await;
    let is_postgres = shop.db.writer.get_database_backend() == DbBackend::Postgres;
    let numbers = if is_postgres {
        "SELECT n FROM generate_series(1, 100000) AS n"
    } else {
        "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100000) SELECT n FROM t"
    };
    let name = "CASE WHEN n % 10 < 3 THEN 'common' ELSE 'x' END
        || CASE n % 1000 WHEN 500 THEN ' rare' WHEN 505 THEN ' scarce' ELSE '' END";
    // Neither limit is for a set-up: that of the server's SQLite, and that of its connections to PostgreSQL.
    let _suspension = shop.db.suspend_deadline();
    let db = if is_postgres { shop.test.connect().await } else { shop.db.writer.clone() };
    let insert = format!("INSERT INTO book (name, year) SELECT {name}, n % 100 FROM ({numbers}) AS numbers");
    db.execute_unprepared(&insert).await.unwrap();
    let analyze = if is_postgres { "VACUUM ANALYZE" } else { "ANALYZE" };
    db.execute_unprepared(analyze).await.unwrap();
    shop
}

/// The rows that a statement reads. On SQLite, instructions stand for them: some forty for each row.
async fn read(db: &DatabaseConnection, statement: Statement) -> (f64, String) {
    let plan = plan(db, statement.clone()).await;
    if db.get_database_backend() == DbBackend::Postgres {
        let number = |word: &str| word.parse::<f64>().unwrap_or(0.0);
        let scans = plan.iter().filter(|line| line.contains("Scan book"));
        let read = scans.map(|line| line.split(' ').map(number).sum::<f64>()).sum();
        return (read, format!("{plan:#?} {}", statement.sql));
    }
    let instructions = u32::try_from(work(db, statement.clone()).await).unwrap();
    (f64::from(instructions) / 40.0, format!("{plan:#?} {}", statement.sql))
}

#[tokio::test]
async fn i3_a_page_of_a_search_by_time_costs_its_size_at_any_depth() {
    let shop = crowd().await;
    let db = shop.test.connect().await;
    for (search, most) in [("common", 100.0), ("common rare", 500.0), ("rare common", 500.0), ("scarce common", 500.0)]
    {
        for direction in ["ASC", "DESC"] {
            let query = "query($search: String, $direction: SortDirection, $first: Int, $last: Int, $after: String, $before: String) {
                books(search: $search, orderBy: { field: CREATED_AT, direction: $direction },
                    first: $first, last: $last, after: $after, before: $before)
                { nodes { name } pageInfo { hasNextPage startCursor endCursor } } }";
            let page = async |mut arguments: Value| {
                arguments["search"] = search.into();
                arguments["direction"] = direction.into();
                shop.statements.take();
                let answer = shop.execute(query, arguments.clone()).await;
                assert_eq!(answer["errors"], Value::Null, "{answer}");
                let [statement] = shop.statements.take().try_into().unwrap();
                let (rows, plan) = read(&db, statement).await;
                assert!(rows <= most, "{search} {direction} {arguments}: {rows} rows, not {most}: {plan}");
                answer["data"]["books"].clone()
            };
            let first = page(json!({ "first": 10 })).await;
            let is_found = first["nodes"].as_array().unwrap().len() == 10;
            assert_eq!(is_found, search != "scarce common");
            // Deep in the list, where all books are counted from its beginning.
            let books = "query($direction: SortDirection, $after: String) { books(orderBy: { field: CREATED_AT, direction: $direction },
                first: 100, after: $after) { pageInfo { endCursor } } }";
            let mut cursor = Value::Null;
            for _ in 0..20 {
                let answer = shop.execute(books, json!({ "direction": direction, "after": cursor })).await;
                cursor = answer["data"]["books"]["pageInfo"]["endCursor"].clone();
            }
            page(json!({ "first": 10, "after": cursor })).await;
            page(json!({ "last": 10, "before": cursor })).await;
            let last = page(json!({ "last": 10 })).await;
            let far = &last["pageInfo"]["startCursor"];
            page(json!({ "last": 10, "before": far })).await;
            page(json!({ "first": 10, "after": far })).await;
        }
    }
}
