//! The cost of a page by its depth, for each way to find it.

use std::collections::BTreeSet;

use keyset::Page;
use keyset::bracket::bracket;
use sea_orm::QueryTrait;

use crate::items::{self, List, SIZE};
use crate::measure::{COSTS, Way, costs};
use crate::{Bench, Error, Experiment, Plot, Table, Unit};

pub const EXPERIMENT: Experiment = Experiment {
    name: "depth",
    shows: "`OFFSET` reads all rows before the page, and the OR predicate many of them; a row value and the \
            bracket read the page, and only the bracket does so in every order.",
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
            for (name, costs) in WAYS.iter().zip(costs(bench, &ways).await?) {
                if costs.iter().flatten().any(Option::is_some) {
                    table.push(&[&Unit::Count.show(crate::table::count(depth)), name], costs);
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
        let mut page = Page::first(&list.order, SIZE);
        let (mut or_predicate, mut row_value) = (None, None);
        if let Some(before) = depth.checked_sub(1) {
            let values = list.values(database, before).await?;
            page = page.after(list.key(&values)?)?;
            or_predicate = statement(list.filtered(&list.or_predicate(&values), SIZE));
            row_value =
                list.row_value(&values, "<", ">").and_then(|condition| statement(list.filtered(&condition, SIZE)));
        }
        let bracket = bracket(items::query().as_query(), &page, database.db.get_database_backend())?;
        let found = [statement(list.offset(depth)), or_predicate, row_value, Some(vec![bracket])];
        ways.iter_mut().zip(found).for_each(|(way, statements)| way.push(statements));
    }
    Ok(ways)
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
