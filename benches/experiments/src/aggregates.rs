//! Pages of books with their revenue, by ways to add it up.

use keyset::{Join, Key, Order, Page, Texts};
use sea_orm::{EntityTrait, Value};
use testdb::Statements;

use crate::measure::{COSTS, Way, costs};
use crate::shop::{book, book_stats, by_revenue};
use crate::table::count;
use crate::{Bench, Database, Error, Experiment, Plot, Table, Unit, shop};

const SIZE: u32 = 10;

pub const EXPERIMENT: Experiment = Experiment {
    name: "aggregates",
    shows: "Sums that writes keep make a page by revenue as cheap as a page by id; sums that a page adds up cost as much as \
            the rows that it must add up to know its order.",
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
    key: &'static str,
}

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    shop::fill(bench).await?;
    let lists = [
        List { name: "id", order: Order::of::<book_stats::Entity>([])?, sql: "id", key: "book_id" },
        List {
            name: "revenue",
            order: by_revenue()?,
            sql: "revenue DESC NULLS LAST, id DESC",
            key: "revenue DESC NULLS LAST, book_id DESC",
        },
    ];
    let title = format!("Pages of {SIZE} books with name and revenue");
    let mut table = Table::new(title, &["order", "depth", "way"], bench.names(), &COSTS);
    for list in &lists {
        for depth in [0, bench.rows / 20] {
            let ways = [
                ("join and `GROUP BY`", offset(bench, list, depth, JOIN)),
                ("correlated sub-query", offset(bench, list, depth, SUB_QUERY)),
                ("`book_stats`, `OFFSET`", offset(bench, list, depth, STATS)),
                ("`book_stats`, bracket", keyset(bench, list, depth).await?),
            ];
            let statements: Vec<Way> = ways.iter().map(|(_, way)| way.clone()).collect();
            for ((way, _), costs) in ways.iter().zip(costs(bench, &statements).await?) {
                table.push(&[list.name, &Unit::Count.show(count(depth)), way], costs);
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
    let order = if select == STATS { list.key } else { list.sql };
    let sql = format!("{select} ORDER BY {order} LIMIT {SIZE} OFFSET {depth}");
    bench.databases.iter().map(|database| Some(vec![database.statement(&sql)])).collect()
}

/// The statement of the engine, as it sends it.
async fn keyset(bench: &Bench, list: &List, depth: u64) -> Result<Way, Error> {
    let book = Join::new::<book::Entity>("book", book_stats::Column::BookId, book::Column::Id);
    let mut way = Vec::new();
    for database in &bench.databases {
        let mut page = Page::first(&list.order, SIZE);
        if let Some(before) = depth.checked_sub(1) {
            page = page.after(key(database, list, before).await?)?;
        }
        let mut db = database.db.clone();
        let sent = Statements::record(&mut db);
        keyset::fetch_rows(&db, book_stats::Entity::find(), &page, std::slice::from_ref(&book), &Texts::default())
            .await?;
        way.push(Some(sent.take()));
    }
    Ok(way)
}

/// The key of the row after so many.
async fn key(database: &Database, list: &List, depth: u64) -> Result<Key, Error> {
    let sql = format!("SELECT book_id, revenue FROM book_stats ORDER BY {} LIMIT 1 OFFSET {depth}", list.key);
    let row = database.row(sql).await?;
    let id: sea_orm::prelude::Uuid = row.try_get("", "book_id")?;
    let revenue: Option<i64> = row.try_get("", "revenue")?;
    let values: Vec<Value> =
        if list.order.sorts().len() == 1 { vec![id.into()] } else { vec![revenue.into(), id.into()] };
    Ok(Key::new(&list.order, values)?)
}
