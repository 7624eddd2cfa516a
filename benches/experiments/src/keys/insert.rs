//! Inserts: many rows in a transaction, one row, and one row by several writers at once.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use sea_orm::{ConnectionTrait, DatabaseConnection};

use super::target::{Cost, Target};
use crate::measure::median;
use crate::table::{count, millis, shown};
use crate::{Bench, Error, Measure, Table, Unit};

const ROUNDS: u64 = 10;
/// The rows of a transaction.
const BATCH: u64 = 1_000;
/// The rounds of single rows.
const SINGLE_ROUNDS: u64 = 5;
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
            let (size, index) = (target.size().await?, target.index_size().await?);
            let counts = [Some(log), Some(dirtied), Some(size), index];
            values.push([Some(millis(time))].into_iter().chain(counts.map(|number| number.map(count))).collect());
        }
        table.push(&[kind.name, if *is_indexed { "primary key" } else { "none" }], values);
    }
    Ok(table)
}

/// Inserts single rows into the full tables, by one writer and by several, in turns.
pub async fn single_rows(bench: &Bench, targets: &[Vec<Target<'_>>]) -> Result<Table, Error> {
    // As many for each writer.
    let rows = (bench.rows / 2_500 / WRITERS).max(1) * WRITERS;
    let mut writers = Vec::new();
    for database in &bench.databases {
        writers.push(database.writers(WRITERS).await?);
    }
    let mut counted = vec![vec![Cost::default(); bench.databases.len()]; targets.len()];
    let mut times = vec![vec![[Vec::new(), Vec::new()]; bench.databases.len()]; targets.len()];
    for round in 0..SINGLE_ROUNDS {
        let first = bench.rows + 1 + 3 * rows * round;
        for ((targets, costs), times) in targets.iter().zip(&mut counted).zip(&mut times) {
            for (((target, cost), [alone, together]), writers) in targets.iter().zip(costs).zip(times).zip(&writers) {
                let Cost { log, dirtied, .. } = target.insert(first, first + rows - 1, 1).await?;
                cost.log += log;
                cost.dirtied += dirtied;
                alone.push(time(*target, &writers[..1], first + rows, rows).await?);
                together.push(time(*target, writers, first + 2 * rows, rows).await?);
            }
        }
    }

    let measures = [
        Measure::new("log of a row", Unit::Bytes),
        Measure::new("dirtied pages of a row", Unit::Hundredths),
        Measure::new("a row by one writer", Unit::Milliseconds),
        Measure::new("a row by 8 writers", Unit::Milliseconds),
    ];
    let title = format!("Inserts of {} rows into the full tables, one in a transaction", shown(SINGLE_ROUNDS * rows));
    let mut table = Table::new(title, &["key"], bench.names(), &measures);
    for ((targets, costs), times) in targets.iter().zip(counted).zip(times) {
        let values = costs.into_iter().zip(times).map(|(cost, times)| {
            let of_row = |sum: u64| Some(count(sum) / count(SINGLE_ROUNDS * rows));
            let [alone, together] = times.map(|times| Some(median(times) / count(rows)));
            vec![of_row(cost.log), of_row(cost.dirtied), alone, together]
        });
        table.push(&[targets.first().map_or("", |target| target.kind.name)], values.collect());
    }
    Ok(table)
}

/// The time in which all writers together insert so many rows, after a checkpoint.
async fn time(target: Target<'_>, writers: &[DatabaseConnection], first: u64, rows: u64) -> Result<Duration, Error> {
    target.checkpoint().await?;
    let start = Instant::now();
    // All of them write at the right edge of an index in order.
    let numbers = |writer: usize| (first..first + rows).skip(writer).step_by(writers.len());
    try_join_all(writers.iter().enumerate().map(|(writer, db)| async move {
        for number in numbers(writer) {
            db.execute_raw(target.statement(number)).await?;
        }
        Ok::<_, Error>(())
    }))
    .await?;
    Ok(start.elapsed())
}
