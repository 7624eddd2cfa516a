//! The cost of a page by its depth, for each way to find it.

use std::collections::BTreeSet;

use keyset::bracket::bracket;
use sea_orm::{ConnectionTrait, QueryTrait};

use crate::items::{self, List, SIZE};
use crate::measure::{COSTS, Way, costs};
use crate::table::shown;
use crate::{Bench, Error, Experiment, Plot, Table};

pub const EXPERIMENT: Experiment = Experiment {
    name: "depth",
    shows: "`OFFSET` reads all rows before the page, and the OR predicate many amid ties; only the bracket reads \
            just the page in every order.",
    does_not_show: "It does not show a list that no index orders: there every way reads all rows.",
    plot: Plot::Lines(0, 1),
    run: |bench| Box::pin(run(bench)),
};

/// The ways to find a page. `OFFSET` and the bracket stand for every depth and every order.
const WAYS: [&str; 4] = ["`OFFSET`", "OR predicate", "row value", "bracket"];

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    items::fill(bench).await?;
    let mut tables = Vec::new();
    for list in items::lists()? {
        let title = format!("A page of {SIZE} {}", list.title);
        let mut table = Table::new(title, &["depth", "way"], bench.names(), &COSTS);
        for depth in depths(bench.rows) {
            let ways = ways(bench, &list, depth).await?;
            check(bench, &list, depth, &ways).await?;
            for (name, costs) in WAYS.iter().zip(costs(bench, &ways).await?) {
                if costs.iter().flatten().any(Option::is_some) {
                    table.push(&[&shown(depth), name], costs);
                }
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// No row, powers of ten, half of the rows, and all rows but a page.
fn depths(rows: u64) -> Vec<u64> {
    let powers = std::iter::successors(Some(10), |depth| Some(depth * 10)).take_while(|depth| *depth < rows);
    let depths: BTreeSet<u64> = powers.chain([0, rows / 2, rows]).collect();
    depths.into_iter().collect()
}

async fn ways(bench: &Bench, list: &List, depth: u64) -> Result<Vec<Way>, Error> {
    let mut ways = vec![Way::new(); WAYS.len()];
    for database in &bench.databases {
        let statement = |sql: String| Some(vec![database.statement(sql)]);
        let (mut or_predicate, mut row_value) = (None, None);
        if let Some(before) = depth.checked_sub(1) {
            let values = list.values(database, before).await?;
            or_predicate = statement(list.filtered(&list.or_predicate(&values), SIZE));
            row_value =
                list.row_value(&values, "<", ">").and_then(|condition| statement(list.filtered(&condition, SIZE)));
        }
        let page = list.page(database, depth).await?;
        let bracket = bracket(items::query().as_query(), &page, database.db.get_database_backend())?;
        let found = [statement(list.offset(depth)), or_predicate, row_value, Some(vec![bracket])];
        ways.iter_mut().zip(found).for_each(|(way, statements)| way.push(statements));
    }
    Ok(ways)
}

/// Checks that each way finds the rows of the bracket in their order.
async fn check(bench: &Bench, list: &List, depth: u64, ways: &[Way]) -> Result<(), Error> {
    for (place, database) in bench.databases.iter().enumerate() {
        let page = keyset::fetch(&database.db, items::query(), &list.page(database, depth).await?).await?;
        let expected: Vec<i64> = page.rows.iter().map(|row| row.item.id).collect();
        for (way_name, way) in WAYS.iter().zip(ways).filter(|(name, _)| **name != "bracket") {
            for statement in way[place].iter().flatten() {
                let rows = database.db.query_all_raw(statement.clone()).await?;
                let ids = rows.iter().map(|row| row.try_get("", "id")).collect::<Result<Vec<i64>, _>>()?;
                if ids != expected {
                    let name = database.name;
                    return Err(Error::Unexpected(format!(
                        "the rows of the bracket at depth {depth} by {way_name}, {name}"
                    )));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_powers_of_ten_up_to_the_rows() {
        assert_eq!(depths(1_000), [0, 10, 100, 500, 1_000]);
        assert_eq!(depths(2_000), [0, 10, 100, 1_000, 2_000]);
    }
}
