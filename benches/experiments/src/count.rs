//! The number of rows of a list, by the statements that clients and frameworks send.

use sea_orm::DbErr;

use crate::measure::{COSTS, Way, costs};
use crate::table::shown;
use crate::{Bench, Database, Error, Experiment, Measure, Plot, Table, Unit, shop};

/// A bounded count is exact up to this.
const BOUND: u64 = 1_000;

pub const EXPERIMENT: Experiment = Experiment {
    name: "count",
    shows: "A count reads every row that it counts, also rows of a join that do not change it; bounds and estimates \
            do not.",
    does_not_show: "It does not show the pages that SQLite's `COUNT(*)` of a whole table reads, nor how far an \
            estimate is off after many writes.",
    plot: Plot::Bars(0, 2),
    run: |bench| Box::pin(run(bench)),
};

/// The ways to count.
const WAYS: [&str; 5] = ["`COUNT(*)`", "over the aggregate join", "over the sub-query form", "bounded", "estimate"];

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    shop::fill(bench).await?;
    let statements: Vec<[String; 5]> = bench.databases.iter().map(statements).collect();
    let way = |way: usize| {
        let databases = bench.databases.iter().zip(&statements);
        databases.map(|(database, texts)| Some(vec![database.statement(&texts[way])])).collect()
    };
    let ways: Vec<Way> = (0..WAYS.len()).map(way).collect();
    let measures = [Measure::new("answer", Unit::Count), COSTS[0], COSTS[1]];
    let title = format!("Books of {} with their revenue", shown(bench.rows));
    let mut table = Table::new(title, &["count"], bench.names(), &measures);
    for ((name, costs), way) in WAYS.iter().zip(costs(bench, &ways).await?).zip(0..) {
        let mut values = Vec::new();
        for ((database, texts), costs) in bench.databases.iter().zip(&statements).zip(costs) {
            let answer = database.integer(&texts[way]).await?;
            let answer = u64::try_from(answer).map_err(|error| DbErr::Type(error.to_string()))?;
            values.push([vec![Some(crate::table::count(answer))], costs].concat());
        }
        table.push(&[name], values);
    }
    Ok(vec![table])
}

fn statements(database: &Database) -> [String; 5] {
    [
        "SELECT COUNT(*) FROM book".to_owned(),
        "SELECT COUNT(*) FROM (SELECT book.id, book.name, SUM(cents) AS revenue FROM book
         LEFT JOIN book_order ON book_order.book_id = book.id GROUP BY book.id, book.name) AS books"
            .to_owned(),
        "SELECT COUNT(*) FROM (SELECT id, name, (SELECT SUM(cents) FROM book_order WHERE book_id = book.id) AS revenue
         FROM book) AS books"
            .to_owned(),
        format!("SELECT COUNT(*) FROM (SELECT 1 AS one FROM book LIMIT {}) AS books", BOUND + 1),
        database
            .choose(
                // The first number of the statistics is that of the rows.
                "SELECT CAST(stat AS INTEGER) FROM sqlite_stat1 WHERE tbl = 'book' LIMIT 1",
                "SELECT reltuples::bigint FROM pg_class WHERE oid = 'book'::regclass",
            )
            .to_owned(),
    ]
}
