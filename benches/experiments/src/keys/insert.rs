//! Inserts: many rows in a transaction, one row, and one row by several writers at once.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use sea_orm::ConnectionTrait;

use super::target::{Cost, Target};
use crate::table::{count, millis};
use crate::{Bench, Error, Measure, Table, Unit};

const ROUNDS: u64 = 10;
/// The rows of a transaction.
const BATCH: u64 = 1_000;
const WRITERS: u64 = 8;

/// Fills the tables in turns. Each item has one table for each database.
pub async fn batches(bench: &Bench, targets: &[Vec<Target<'_>>]) -> Result<Table, Error> {
    let mut costs = vec![vec![Cost::default(); bench.databases.len()]; targets.len()];
    for target in targets.iter().flatten() {
        target.create().await?;
    }
    let rows = bench.rows / ROUNDS;
    for round in 0..ROUNDS {
        for (target, cost) in targets.iter().flatten().zip(costs.iter_mut().flatten()) {
            let inserted = target.insert(round * rows + 1, (round + 1) * rows, BATCH).await?;
            cost.time += inserted.time;
            cost.log += inserted.log;
            cost.dirtied += inserted.dirtied;
        }
    }

    let measures = [
        Measure::new("time", Unit::Milliseconds),
        Measure::new("log", Unit::Bytes),
        Measure::new("dirtied pages", Unit::Count),
        Measure::new("table", Unit::Bytes),
        Measure::new("index", Unit::Bytes),
    ];
    let title = format!("Insert of {} rows, {} in a transaction", shown(ROUNDS * rows), shown(BATCH));
    let mut table = Table::new(title, &["key", "index"], bench.names(), &measures);
    for (targets, costs) in targets.iter().zip(costs) {
        let Some(Target { kind, is_indexed, .. }) = targets.first() else { continue };
        let mut values = Vec::new();
        for (target, Cost { time, log, dirtied }) in targets.iter().zip(costs) {
            let [size, index] = target.sizes().await?;
            let index = is_indexed.then(|| count(index));
            values.push(vec![Some(millis(time)), Some(count(log)), Some(count(dirtied)), Some(count(size)), index]);
        }
        table.push(&[kind.name, if *is_indexed { "unique" } else { "none" }], values);
    }
    Ok(table)
}

/// Inserts single rows into the full tables, by one writer, then by several.
pub async fn single_rows(bench: &Bench, targets: &[Vec<Target<'_>>]) -> Result<Table, Error> {
    let rows = (bench.rows / 500).max(WRITERS);
    let (first, last) = (bench.rows + 1, bench.rows + rows);
    let measures = [
        Measure::new("a row", Unit::Milliseconds),
        Measure::new("log", Unit::Bytes),
        Measure::new("dirtied pages", Unit::Count),
        Measure::new("a row by 8 writers", Unit::Milliseconds),
    ];
    let title = format!("Insert of {} rows into the indexed tables, one in a transaction", shown(rows));
    let mut table = Table::new(title, &["key"], bench.names(), &measures);
    for targets in targets {
        let mut values = Vec::new();
        for target in targets {
            let alone = target.insert(first, last, 1).await?;
            let together = together(*target, last + 1, rows / WRITERS).await?;
            values.push(vec![
                Some(millis(alone.time) / count(rows)),
                Some(count(alone.log) / count(rows)),
                Some(count(alone.dirtied)),
                Some(millis(together) / count(rows / WRITERS * WRITERS)),
            ]);
        }
        table.push(&[targets.first().map_or("", |target| target.kind.name)], values);
    }
    Ok(table)
}

/// The time in which all writers together insert so many rows each.
async fn together(target: Target<'_>, first: u64, rows: u64) -> Result<Duration, Error> {
    let pool = &target.database.pool(u32::try_from(WRITERS).unwrap_or(u32::MAX)).await?;
    let start = Instant::now();
    let writers = (0..WRITERS).map(|writer| async move {
        for number in 0..rows {
            let number = first + writer * rows + number;
            pool.execute_raw(target.statement(number, number)).await?;
        }
        Ok::<_, Error>(())
    });
    try_join_all(writers).await?;
    Ok(start.elapsed())
}

fn shown(number: u64) -> String {
    Unit::Count.show(count(number))
}
