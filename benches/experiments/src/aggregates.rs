//! Pages of books with their revenue, by ways to add it up.

use keyset::{Join, Key, Order, Page, StatementCache};
use sea_orm::prelude::Uuid;
use sea_orm::{ConnectionTrait, EntityTrait, QueryResult, Value};
use testdb::Statements;

use crate::measure::{COSTS, Way, costs};
use crate::shop::{book, book_stats, by_revenue};
use crate::table::shown;
use crate::{Bench, Database, Error, Experiment, Plot, Table, shop};

const SIZE: u32 = 10;

pub const EXPERIMENT: Experiment = Experiment {
    name: "aggregates",
    shows: "With kept sums, the bracket costs by revenue at most three times what it costs by id; without, a page \
            by revenue needs all sums.",
    does_not_show: "It does not show what keeping the sums costs the writers: `cargo bench --bench stats` does.",
    plot: Plot::Bars(0, 1),
    run: |bench| Box::pin(run(bench)),
};

/// An order of the list, in SQL and for the engine.
struct List {
    name: &'static str,
    order: Order,
    /// Of a table that has the revenue in a column.
    sql: &'static str,
    key_sql: &'static str,
}

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    shop::fill(bench).await?;
    let lists = [
        List { name: "id", order: Order::of::<book_stats::Entity>([])?, sql: "id", key_sql: "book_id" },
        List {
            name: "revenue",
            order: by_revenue()?,
            sql: "revenue DESC NULLS LAST, id DESC",
            key_sql: "revenue DESC NULLS LAST, book_id DESC",
        },
    ];
    let title = format!("Pages of {SIZE} books with name and revenue");
    let mut table = Table::new(title, &["order", "depth", "way"], bench.names(), &COSTS);
    for list in &lists {
        for depth in [0, bench.rows / 20] {
            let (bracket, keys) = keyset(bench, list, depth).await?;
            let ways = [
                ("join and `GROUP BY`", offset(bench, list, depth, JOIN)),
                ("correlated sub-query", offset(bench, list, depth, SUB_QUERY)),
                ("`book_stats`, `OFFSET`", offset(bench, list, depth, STATS)),
                ("`book_stats`, bracket", bracket),
            ];
            for (name, way) in &ways[..3] {
                check(bench, list, name, way, &keys).await?;
            }
            let statements: Vec<Way> = ways.iter().map(|(_, way)| way.clone()).collect();
            for ((way, _), costs) in ways.iter().zip(costs(bench, &statements).await?) {
                table.push(&[list.name, &shown(depth), way], costs);
            }
        }
    }
    Ok(vec![table])
}

const JOIN: &str = "SELECT book.id AS id, book.name, SUM(cents) AS revenue FROM book
    LEFT JOIN book_order ON book_order.book_id = book.id GROUP BY book.id, book.name";
const SUB_QUERY: &str =
    "SELECT id, name, (SELECT SUM(cents) FROM book_order WHERE book_id = book.id) AS revenue FROM book";
const STATS: &str = "SELECT id, name, revenue FROM book_stats JOIN book ON book.id = book_stats.book_id";

fn offset(bench: &Bench, list: &List, depth: u64, select: &str) -> Way {
    // The sums are in an order of their own table, whose index has its key.
    let order = if select == STATS { list.key_sql } else { list.sql };
    let sql = format!("{select} ORDER BY {order} LIMIT {SIZE} OFFSET {depth}");
    bench.databases.iter().map(|database| Some(vec![database.statement(&sql)])).collect()
}

/// The statement of the engine, as it sends it, and on each database the keys of the rows that it finds.
async fn keyset(bench: &Bench, list: &List, depth: u64) -> Result<(Way, Vec<Vec<Key>>), Error> {
    let book = Join::new::<book::Entity>("book", book_stats::Column::BookId, book::Column::Id);
    let (mut way, mut keys) = (Vec::new(), Vec::new());
    for database in &bench.databases {
        let mut page = Page::first(&list.order, SIZE);
        if let Some(before) = depth.checked_sub(1) {
            page = page.after(key(database, list, before).await?)?;
        }
        let mut db = database.db.clone();
        let sent = Statements::record(&mut db);
        let joins = std::slice::from_ref(&book);
        let slice =
            keyset::fetch_rows(&db, book_stats::Entity::find(), &page, joins, &StatementCache::default()).await?;
        way.push(Some(sent.take()));
        keys.push(slice.rows.into_iter().map(|row| row.key).collect());
    }
    Ok((way, keys))
}

/// Checks that a way finds the rows of these keys in their order.
async fn check(bench: &Bench, list: &List, name: &str, way: &Way, keys: &[Vec<Key>]) -> Result<(), Error> {
    for ((database, statements), expected) in bench.databases.iter().zip(way).zip(keys) {
        for statement in statements.iter().flatten() {
            let rows = database.db.query_all_raw(statement.clone()).await?;
            let keys = rows.iter().map(|row| list.key(row, "id")).collect::<Result<Vec<_>, _>>()?;
            if keys != *expected {
                return Err(Error::Unexpected(format!("the rows of the bracket by {name}, {}", database.name)));
            }
        }
    }
    Ok(())
}

impl List {
    /// The key of a row.
    fn key(&self, row: &QueryResult, id: &str) -> Result<Key, Error> {
        let id: Uuid = row.try_get("", id)?;
        let revenue: Option<i64> = row.try_get("", "revenue")?;
        let values: Vec<Value> =
            if self.order.sorts().len() == 1 { vec![id.into()] } else { vec![revenue.into(), id.into()] };
        Ok(Key::new(&self.order, values)?)
    }
}

/// The key of the row after so many.
async fn key(database: &Database, list: &List, depth: u64) -> Result<Key, Error> {
    let sql = format!("SELECT book_id, revenue FROM book_stats ORDER BY {} LIMIT 1 OFFSET {depth}", list.key_sql);
    list.key(&database.row(sql).await?, "book_id")
}
