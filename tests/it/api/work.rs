//! Work, counted in statements, rows and buffers: never in milliseconds.

use ::entity::book;
use ::entity::book_rating::Entity;
use bookends_server::db::tally::measured;
use bookshop::seed::Plan;
use bookshop::seed::Shop as Rows;
use keyset::bracket::bracket;
use keyset::{Args, Key, Limits, Order, Page, ReadRows, Record, StoredValue};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait, QueryTrait, Statement};
use serde_json::json;
use testdb::{plan, work};
use uuid::Uuid;

use crate::support::shop::{OFFERED, SMALL, Shop};

#[tokio::test]
async fn i4_a_count_is_a_statement_only_where_it_is_selected() {
    let shop = Shop::new(SMALL).await;
    let count =
        r#"SELECT CAST(COALESCE(SUM("book_rating_count"."rows"), 0) AS bigint) AS "count" FROM "book_rating_count""#;
    shop.statements.take();
    shop.data("{ ratings { totalCount nodes { id } } }").await;
    let statements = shop.statements.take();
    assert_eq!(statements.len(), 2);
    assert!(statements.iter().any(|statement| statement.sql == count));
    shop.data("{ ratings { totalCount } }").await;
    assert_eq!(shop.statements.take().iter().map(|statement| &statement.sql).collect::<Vec<_>>(), [count], "no page");
}

/// What is not selected is not read, and what is selected is read for all objects at once.
#[tokio::test]
async fn i2_i5_statements_depend_on_the_selection_and_not_on_the_number_of_objects() {
    let shop = Shop::new(Plan { books: 60, ratings: 900, orders: 900, rng_seed: 0 }).await;
    let info = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    let is_sqlite = shop.db.writer.get_database_backend() == DbBackend::Sqlite;
    // On PostgreSQL, the statement of a page reads the lists of its rows, and that of one object also those of the objects it refers to.
    let one = shop.data("{ ratings(first: 1) { nodes { id book { id } } } }").await["ratings"]["nodes"][0].clone();
    let (rating, book) = (&one["id"], &one["book"]["id"]);
    let page = format!("(first: 5) {{ {info} nodes {{ id }} }}");
    let nested = |on_sqlite, on_postgres| if is_sqlite { on_sqlite } else { on_postgres };
    for (query, statements) in [
        ("books(first: 50) { nodes { name } }".into(), 1),
        (
            format!("books(first: 50) {{ {info} nodes {{ ratings(first: 5) {{ {info} nodes {{ rating }} }} }} }}"),
            nested(2, 1),
        ),
        (
            "books(first: 50) { nodes { ratings(first: 5) { nodes { book { orders(first: 5) { nodes { id } } } } } } }"
                .into(),
            nested(3, 2),
        ),
        ("books(first: 50) { nodes { averageRating ratingCount totalRevenue orderCount } }".into(), 1),
        ("books(first: 50, orderBy: { field: AVERAGE_RATING }) { nodes { name } }".into(), 1),
        ("books(first: 50, search: \"the\") { nodes { name } }".into(), 1),
        ("books(first: 50, where: { ratingCount: { gt: 1 } }) { nodes { name } }".into(), 1),
        ("ratings(first: 50) { nodes { rating book { name averageRating } } }".into(), 1),
        ("orders(first: 50) { nodes { totalPrice book { name } } }".into(), 1),
        ("books(first: 50) { nodes { ratings { totalCount } orders { totalCount } } }".into(), 3),
        ("books(first: 50) { nodes { ratings(first: 3) { pageCursors { around { cursor } } } } }".into(), nested(3, 2)),
        (
            "books(first: 50) { nodes { a: ratings { nodes { id } } b: ratings(first: 2) { nodes { id } } } }".into(),
            nested(3, 1),
        ),
        (format!("book(id: {book}) {{ name }}"), 1),
        (format!("book(id: {book}) {{ name ratings{page} orders{page} }}"), nested(3, 1)),
        (format!("rating(id: {rating}) {{ book {{ name ratings{page} }} }}"), nested(2, 1)),
        (format!("node(id: {rating}) {{ ... on Rating {{ book {{ ratings{page} orders{page} }} }} }}"), nested(3, 1)),
        (format!("book(id: {book}) {{ ratings(first: 1) {{ nodes {{ book {{ orders{page} }} }} }} }}"), nested(3, 2)),
        (
            format!("book(id: {book}) {{ ratings(first: 1, offset: 1) {{ nodes {{ id }} }} orders{page} }}"),
            nested(4, 3),
        ),
        (format!("book(id: {book}) {{ ratings {{ totalCount nodes {{ id }} }} }}"), nested(3, 2)),
        ("books(first: 50) { totalCount }".into(), 1),
        ("books(first: 50) { __typename }".into(), 0),
    ] {
        shop.statements.take();
        shop.data(&format!("{{ {query} }}")).await;
        let run = shop.statements.take();
        assert_eq!(
            run.len(),
            statements,
            "{query} {:#?}",
            run.iter().map(|statement| &statement.sql).collect::<Vec<_>>()
        );
    }
    // Counting is one statement, and one more asks PostgreSQL's planner about those that have more.
    shop.data("{ books(first: 50) { nodes { ratings { approximateCount(upTo: 3) { value } } } } }").await;
    assert!(shop.statements.take().len() <= 3);
}

/// Every order that is offered, in its every direction and null placement.
pub fn orders() -> Vec<(&'static str, String)> {
    let mut orders = Vec::new();
    for (list, sorts) in OFFERED {
        for sorts in *sorts {
            for ways in 0..1 << (sorts.len() + 1) {
                let way = |place: usize| if ways >> place & 1 == 0 { "ASC" } else { "DESC" };
                let sort = |(place, field): (usize, &&str)| {
                    format!("{{ field: {field}, direction: {}, nulls: NULLS }}", way(place))
                };
                let sorts = [*sorts, &["CREATED_AT"]].concat();
                let sorts = sorts.iter().enumerate().map(sort).collect::<Vec<_>>().join(", ");
                orders.extend(["FIRST", "LAST"].map(|nulls| (*list, format!("[{}]", sorts.replace("NULLS", nulls)))));
            }
        }
    }
    orders
}

/// A connection of one's own, on which work is counted, to tables as they are some minutes after a load.
pub async fn settled(shop: &Shop) -> DatabaseConnection {
    let db = shop.test.connect().await;
    if db.get_database_backend() == DbBackend::Postgres {
        db.execute_unprepared("VACUUM ANALYZE").await.unwrap();
        // As the server's own connections have it.
        let setting = Statement::from_string(DbBackend::Postgres, "SHOW enable_incremental_sort");
        let own = shop.db.reader.read(setting).await.unwrap();
        assert!(matches!(&own[..], [Record::Stored(own)] if own.get(0) == StoredValue::Text("off")));
        db.execute_unprepared("SET enable_incremental_sort = off").await.unwrap();
    }
    db
}

/// A statement reads not many more rows than it shows: those of a few branches, and as many of a joined table; a
/// planner that knows how few are left may prefer to sort them. That is rows on PostgreSQL; on SQLite it is
/// instructions, of which a row takes some forty.
async fn assert_reads(db: &DatabaseConnection, statement: Statement, rows: u64) {
    let plan = plan(db, statement.clone()).await;
    if db.get_database_backend() == DbBackend::Postgres {
        let number = |word: &str| word.parse::<u64>().unwrap_or(0);
        let scans = plan.iter().filter(|line| line.contains(" Scan "));
        let read: u64 = scans.map(|line| line.split(' ').map(number).sum::<u64>()).sum();
        assert!(read <= 50 * rows, "{read} rows: {} {plan:#?}", statement.sql);
    } else {
        let work = work(db, statement.clone()).await;
        assert!(work <= 200 * rows, "{work} instructions: {} {plan:#?}", statement.sql);
    }
}

/// What the pages of a list read, at its beginning and far from it, forward and backward.
#[tokio::test]
async fn i3_every_order_costs_the_size_of_the_page() {
    let shop = Shop::new(Plan { books: 30_000, ratings: 30_000, orders: 30_000, rng_seed: 0 }).await;
    let db = settled(&shop).await;
    for (list, order) in orders() {
        let page = |args: &str| {
            format!("{{ {list}(orderBy: {order}, {args}) {{ nodes {{ id }} pageInfo {{ endCursor startCursor }} }} }}")
        };
        let mut cursor = String::new();
        for _ in 0..3 {
            let data = shop.data(&page(&format!("first: 100, after: \"{cursor}\""))).await;
            cursor = data[list]["pageInfo"]["endCursor"].as_str().unwrap().to_owned();
        }
        let far = shop.data(&page("last: 100")).await[list]["pageInfo"]["startCursor"].clone();
        shop.statements.take();
        for args in [
            "first: 10".to_owned(),
            "last: 10".to_owned(),
            format!("first: 10, after: \"{cursor}\""),
            format!("last: 10, before: \"{cursor}\""),
            format!("first: 10, after: {far}"),
            format!("last: 10, before: {far}"),
        ] {
            shop.data(&page(&args)).await;
            let statement = shop.statements.take().remove(0);
            assert_reads(&db, statement, 10).await;
        }
    }
}

#[tokio::test]
async fn l7_every_order_of_the_shop_has_an_index() {
    let shop = Shop::new(SMALL).await;
    let (declaration, db) = (bookshop::declaration(), shop.test.connect().await);
    assert_eq!(declaration.left_out().count(), 0);
    let advice = async || {
        let advice = declaration.index_advice(&shop.db.reader).await.unwrap();
        advice.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(advice().await, [""; 0]);
    db.execute_unprepared("DROP INDEX book_by_year_against_name").await.unwrap();
    let [lack] = advice().await.try_into().unwrap();
    assert!(lack.starts_with("no index serves `books(orderBy: [{field: YEAR"), "{lack}");
    assert!(lack.ends_with(r#"ON "book" ("year", "name" DESC, "id" DESC)"#), "{lack}");
    db.execute_unprepared(&lack[lack.find("CREATE INDEX").unwrap()..]).await.unwrap();
    assert_eq!(advice().await, [""; 0]);
}

/// A nested statement as it is run: on PostgreSQL once, on SQLite for each parent, whose key is its last parameter.
fn runs(nested: &Statement, parents: &[Uuid]) -> Vec<Statement> {
    if nested.db_backend == DbBackend::Postgres {
        return vec![nested.clone()];
    }
    let of_parent = |parent: &Uuid| {
        let mut run = nested.clone();
        *run.values.as_mut().unwrap().0.last_mut().unwrap() = (*parent).into();
        run
    };
    parents.iter().map(of_parent).collect()
}

/// The pages of a page's parents: their number times the size of the page, whatever the number of children.
#[tokio::test]
async fn i3_nested_lists_cost_the_sizes_of_their_pages() {
    const PARENTS: u64 = 10;
    let shop = Shop::new(Plan { books: PARENTS, ratings: 60_000, orders: 60_000, rng_seed: 0 }).await;
    let db = settled(&shop).await;
    let books: Vec<Uuid> = book::Entity::find().all(&db).await.unwrap().into_iter().map(|book| book.id).collect();
    for (list, field) in [("ratings", "RATING"), ("orders", "TOTAL_PRICE")] {
        for (a, b) in [("ASC", "ASC"), ("ASC", "DESC"), ("DESC", "ASC"), ("DESC", "DESC")] {
            let order = format!("[{{ field: {field}, direction: {a} }}, {{ field: CREATED_AT, direction: {b} }}]");
            for end in ["first", "last"] {
                let nested = format!("{list}({end}: 5, orderBy: {order}) {{ nodes {{ id }} }}");
                shop.statements.take();
                let (_, work) = measured(shop.data(&format!("{{ books {{ nodes {{ {nested} }} }} }}"))).await;
                let runs = runs(shop.statements.take().last().unwrap(), &books);
                let mut rows = 0;
                for run in &runs {
                    rows += db.query_all_raw(run.clone()).await.unwrap().len();
                    assert_reads(&db, run.clone(), 5 * PARENTS / runs.len() as u64).await;
                }
                if runs.len() == 1 {
                    // Its rows are the parents, with their lists as arrays.
                    assert_eq!(rows, books.len(), "{nested}");
                    rows = work.rows - rows;
                }
                // The server ran it as often: all else that it read are the parents. A run has a page and one row more.
                assert_eq!(work.rows, books.len() + rows, "{nested}");
                assert!((5 * 5..=6 * books.len()).contains(&rows), "{nested}: {rows} rows");
            }
        }
    }
}

#[tokio::test]
async fn i5_the_books_of_a_page_are_in_its_statement() {
    let shop = Shop::new(Plan { books: 50, ratings: 100, ..SMALL }).await;
    shop.statements.take();
    for list in ["nodes { book { id name } }", "edges { node { book { year } } }"] {
        shop.data(&format!("{{ ratings(first: 100) {{ {list} }} }}")).await;
        assert_eq!(shop.statements.take().len(), 1, "{list}");
    }
    // Aliases share a join: SQLite joins at most 64 tables.
    let aliases: Vec<_> = (0..70).map(|number| format!("b{number}: book {{ averageRating name }}")).collect();
    let aliases = aliases.join(" ");
    let books = shop
        .data(&format!("{{ ratings(first: 2) {{ nodes {{ {aliases} }} edges {{ node {{ {aliases} }} }} }} }}"))
        .await;
    assert_eq!(books["ratings"]["nodes"][1]["b0"], books["ratings"]["edges"][1]["node"]["b69"]);
    let run = shop.statements.take();
    assert_eq!((run.len(), run[0].sql.matches("LEFT JOIN").count()), (1, 2), "{}", run[0].sql);
    shop.data("{ ratings(first: 100) { nodes { rating } } }").await;
    assert!(!shop.statements.take().remove(0).sql.contains("\"book\""), "no book without `book`");
}

/// A column is read where a field needs it, at any depth, and only if no directive excludes the field.
#[tokio::test]
async fn i5_a_statement_reads_the_columns_that_are_selected() {
    let shop = Shop::new(Plan { books: 50, ratings: 100, ..SMALL }).await;
    let year = "query($year: Boolean!) { books(first: 2) { nodes { name year @include(if: $year) } } }";
    for (query, read, unread) in [
        ("{ books(first: 2) { nodes { name } } }", "\"book\".\"name\"", "year"),
        ("{ books(first: 2) { edges { cursor } } }", "\"book\".\"id\"", "\"book\".\"name\""),
        ("{ ratings(first: 2) { nodes { book { name } } } }", "\"t1.name\"", "year"),
        ("{ ratings(first: 2) { nodes { book { name } } } }", "\"book_rating\".\"book_id\"", "\"rating\""),
        ("{ ratings(first: 2) { nodes { book { averageRating } } } }", "\"t2.average_rating\"", "\"t1.name\""),
        (year, "\"book\".\"name\"", "year"),
    ] {
        shop.execute(query, json!({ "year": true })).await;
        shop.statements.take();
        shop.execute(query, json!({ "year": false })).await;
        let sql = shop.statements.take().remove(0).sql;
        assert!(sql.contains(read) && !sql.contains(unread), "{query}: {sql}");
    }
    // What one place needs is there, beside what another place needs.
    let books = "ratings(first: 2) { nodes { book { name } } edges { node { rating book { year } } } }";
    let all = "ratings(first: 2) { nodes { rating book { name year } } }";
    let data = shop.data(&format!("{{ {books} all: {all} }}")).await;
    for place in 0..2 {
        let (node, edge) = (&data["ratings"]["nodes"][place], &data["ratings"]["edges"][place]["node"]);
        let (whole, rating) = (&data["all"]["nodes"][place], &edge["rating"]);
        assert_eq!((&node["book"]["name"], rating), (&whole["book"]["name"], &whole["rating"]));
        assert_eq!(edge["book"]["year"], whole["book"]["year"]);
    }
    let node = shop.data("{ ratings(first: 1) { nodes { id } } }").await["ratings"]["nodes"][0]["id"].to_string();
    shop.statements.take();
    let found = shop.data(&format!("{{ node(id: {node}) {{ ... on Rating {{ book {{ name }} }} }} }}")).await;
    let sql = shop.statements.take().remove(0).sql;
    assert!(found["node"]["book"]["name"].is_string() && !sql.contains("year"), "{found} {sql}");
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
        let statement = bracket(Entity::find().as_query(), &page, backend).unwrap();
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
