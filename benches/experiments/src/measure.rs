//! The cost of ways to one answer, taken in turns.

use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Statement};
use testdb::try_work;

use crate::table::{count, millis};
use crate::{Bench, Database, Error, Measure, Unit};

/// How often a way is taken. PostgreSQL plans the first five executions of a statement with parameters, so that the median
/// is of a statement that is planned.
const ROUNDS: usize = 15;
/// How often a way is taken that takes long.
const FEW_ROUNDS: usize = 5;
/// How long that is, for all of its rounds.
const LONG: Duration = Duration::from_secs(2);

/// What [`costs`] measures of each way.
pub const COSTS: [Measure; 2] = [Measure::new("work", Unit::Count), Measure::new("time", Unit::Milliseconds)];

/// The statements of one way, for each database; none where the way does not exist.
pub type Way = Vec<Option<Vec<Statement>>>;

/// The work and the median time of each way on each database. All of them take turns, so that whatever else the machine
/// does meets all of them.
pub async fn costs(bench: &Bench, ways: &[Way]) -> Result<Vec<Vec<Vec<Option<f64>>>>, Error> {
    let mut times = vec![vec![Vec::new(); bench.databases.len()]; ways.len()];
    for round in 0..ROUNDS {
        for (way, times) in ways.iter().zip(&mut times) {
            for ((database, statements), times) in bench.databases.iter().zip(way).zip(times) {
                let spent: Duration = times.iter().sum();
                if let Some(statements) = statements
                    && (round < FEW_ROUNDS || spent < LONG)
                {
                    times.push(time(database, statements).await?);
                }
            }
        }
    }
    let mut costs = Vec::new();
    for (way, times) in ways.iter().zip(times) {
        let mut of_way = Vec::new();
        for ((database, statements), times) in bench.databases.iter().zip(way).zip(times) {
            of_way.push(match statements {
                Some(statements) => vec![Some(count(counted(database, statements).await?)), Some(median(times))],
                None => vec![None, None],
            });
        }
        costs.push(of_way);
    }
    Ok(costs)
}

async fn time(database: &Database, statements: &[Statement]) -> Result<Duration, Error> {
    let start = Instant::now();
    for statement in statements {
        database.db.query_all_raw(statement.clone()).await?;
    }
    Ok(start.elapsed())
}

async fn counted(database: &Database, statements: &[Statement]) -> Result<u64, Error> {
    let mut sum = 0;
    for statement in statements {
        sum += try_work(&database.db, statement.clone()).await?;
    }
    Ok(sum)
}

/// The median in milliseconds.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    millis(times.get(times.len() / 2).copied().unwrap_or_default())
}
