//! The time to make keys, in the server and in the databases.

use std::time::{Duration, Instant};

use super::kind::{KINDS, Kind};
use crate::table::{count, millis, shown};
use crate::{Bench, Database, Error, Measure, Table, Unit};

const ROUNDS: u64 = 5;
/// The keys whose order is looked at in a database.
const ORDERED: u64 = 10_000;

pub async fn run(bench: &Bench) -> Result<Table, Error> {
    let groups = [vec!["server".to_owned()], bench.names()].concat();
    let measures = [Measure::new("time", Unit::Milliseconds), Measure::new("in order", Unit::Percent)];
    let title = format!("{} keys, and how many of them are greater than the one before", shown(bench.keys));
    let mut table = Table::new(title, &["key"], groups, &measures);

    let number = bench.keys / ROUNDS;
    let mut server = [(Duration::ZERO, 0); KINDS.len()];
    // The last one is the loop alone.
    let mut times = vec![[Duration::ZERO; KINDS.len() + 1]; bench.databases.len()];
    for _ in 0..ROUNDS {
        for (kind, (time, greater)) in KINDS.iter().zip(&mut server) {
            let start = Instant::now();
            *greater += (kind.serve)(number)?;
            *time += start.elapsed();
        }
        for (database, times) in bench.databases.iter().zip(&mut times) {
            for (generator, time) in generators(database).iter().zip(times) {
                let Some(generator) = generator else { continue };
                let sql = format!("SELECT count({generator}) FROM {}", database.numbers(1, number));
                let start = Instant::now();
                database.integer(sql).await?;
                *time += start.elapsed();
            }
        }
    }

    let share = |greater: u64, pairs: u64| Some(100.0 * count(greater) / count(pairs));
    for (place, (kind, (time, greater))) in KINDS.iter().zip(server).enumerate() {
        let mut values = vec![vec![Some(millis(time)), share(greater, ROUNDS * (number - 1))]];
        for (database, times) in bench.databases.iter().zip(&times) {
            values.push(match kind.generator(database) {
                Some(generator) => {
                    vec![
                        Some(millis(times[place])),
                        share(greater_than_before(database, &generator).await?, ORDERED - 1),
                    ]
                }
                None => vec![None, None],
            });
        }
        table.push(&[kind.name], values);
    }
    let alone = times.iter().map(|times| vec![Some(millis(times[KINDS.len()])), None]);
    table.push(&["none: the loop alone"], [vec![None, None]].into_iter().chain(alone).collect());
    Ok(table)
}

fn generators(database: &Database) -> Vec<Option<String>> {
    let of_kind = |kind: Kind| kind.generator(database);
    KINDS.map(of_kind).into_iter().chain([Some("n".to_owned())]).collect()
}

async fn greater_than_before(database: &Database, generator: &str) -> Result<u64, Error> {
    // Materialised: otherwise each use of a key would make another one.
    let sql = format!(
        "WITH made AS MATERIALIZED (SELECT n, {generator} AS k FROM {})
         SELECT count(*) FROM (SELECT k, lag(k) OVER (ORDER BY n) AS before FROM made) AS pairs WHERE k > before",
        database.numbers(1, ORDERED)
    );
    Ok(database.integer(sql).await?.unsigned_abs())
}
