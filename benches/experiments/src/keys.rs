//! Keys: what it costs to make them, to insert them, and to read a range of them.

mod generate;
mod insert;
mod kind;
mod scan;
mod target;

use crate::{Bench, Error, Experiment, Plot, Table};
use kind::{KINDS, prepare};
use target::Target;

pub const EXPERIMENT: Experiment = Experiment {
    name: "keys",
    shows: "Random keys dirty more pages of the index and write more log; without an index, their order changes \
            neither.",
    does_not_show: "It does not show a table larger than memory, where each page is a read of the disk, nor writers \
            on many cores.",
    plot: Plot::Bars(1, 2),
    run: |bench| Box::pin(run(bench)),
};

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    for database in &bench.databases {
        prepare(database).await?;
    }
    let made = generate::run(bench).await?;
    let mut indexed = Vec::new();
    for kind in KINDS {
        let of_kind = bench.databases.iter().map(|database| Target { database, kind, is_indexed: true });
        indexed.push(of_kind.collect::<Vec<_>>());
    }
    let bare: Vec<Vec<Target<'_>>> = indexed
        .iter()
        .map(|targets| targets.iter().map(|target| Target { is_indexed: false, ..*target }).collect())
        .collect();
    let inserted = insert::batches(bench, &[bare, indexed.clone()].concat()).await?;
    for database in &bench.databases {
        database.settle().await?;
    }
    let scanned = scan::run(bench, &indexed).await?;
    let single = insert::single_rows(bench, &indexed).await?;
    Ok(vec![made, inserted, scanned, single])
}
