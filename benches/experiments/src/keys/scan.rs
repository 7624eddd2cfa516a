//! A hundredth of the rows, in the middle of the order of their keys: in which order they were created, and on how many
//! pages they lie.

use super::target::Target;
use crate::measure::{COSTS, costs};
use crate::table::{count, shown};
use crate::{Bench, Error, Measure, Table, Unit};

/// Reads ranges of the tables. Each item has one table for each database.
pub async fn run(bench: &Bench, targets: &[Vec<Target<'_>>]) -> Result<Table, Error> {
    let measures = [
        Measure::new("in creation order", Unit::Percent),
        Measure::new("table pages", Unit::Count),
        COSTS[0],
        COSTS[1],
    ];
    let rows = bench.rows / 100;
    let title = format!("Range scan of {} neighbours in the middle of the index", shown(rows));
    let mut table = Table::new(title, &["key"], bench.names(), &measures);
    let (mut ways, mut facts) = (Vec::new(), Vec::new());
    for targets in targets {
        let (mut way, mut of_kind) = (Vec::new(), Vec::new());
        for target in targets {
            let range = range(*target, bench.rows / 2, rows).await?;
            let sql = format!("SELECT CAST(sum(n) AS bigint) FROM {} WHERE {range}", target.table());
            way.push(Some(vec![target.database.statement(sql)]));
            of_kind.push([Some(in_creation_order(*target).await?), pages(*target, &range).await?]);
        }
        ways.push(way);
        facts.push(of_kind);
    }
    for ((targets, facts), costs) in targets.iter().zip(facts).zip(costs(bench, &ways).await?) {
        let values = facts.into_iter().zip(costs).map(|(facts, costs)| [facts.to_vec(), costs].concat());
        table.push(&[targets.first().map_or("", |target| target.kind.name)], values.collect());
    }
    Ok(table)
}

/// The condition for so many keys after so many.
async fn range(target: Target<'_>, first: u64, rows: u64) -> Result<String, Error> {
    let bound = async |place: u64| {
        let quoted = target.database.choose("quote(id)", "quote_literal(id)");
        target
            .database
            .text(format!("SELECT {quoted} FROM {} ORDER BY id LIMIT 1 OFFSET {place}", target.table()))
            .await
    };
    Ok(format!("id >= {} AND id < {}", bound(first).await?, bound(first + rows).await?))
}

/// The share of neighbours in the index of which the greater was inserted later.
async fn in_creation_order(target: Target<'_>) -> Result<f64, Error> {
    let table = target.table();
    let pairs = format!("SELECT n, lag(n) OVER (ORDER BY id) AS before FROM {table}");
    let later = target.database.integer(format!("SELECT count(*) FROM ({pairs}) AS pairs WHERE n > before")).await?;
    let rows = target.database.integer(format!("SELECT count(*) FROM {table}")).await?;
    Ok(100.0 * count(later.unsigned_abs()) / count(rows.unsigned_abs().max(2) - 1))
}

/// The pages of the table with rows of a range. SQLite does not say where a row lies; there the table is in the order of
/// its keys.
async fn pages(target: Target<'_>, range: &str) -> Result<Option<f64>, Error> {
    if target.database.file().is_some() {
        return Ok(None);
    }
    let sql = format!("SELECT count(DISTINCT (ctid::text::point)[0]) FROM {} WHERE {range}", target.table());
    Ok(Some(count(target.database.integer(sql).await?.unsigned_abs())))
}
