//! One experiment.

use futures_util::future::BoxFuture;

use crate::{Bench, Error, Table};

/// An experiment, and how to read its result.
pub struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub shows: &'static str,
    /// What it does not show, in one sentence.
    pub does_not_show: &'static str,
    /// What its plot has.
    pub plot: Plot,
    /// Measures.
    pub run: Run,
}

/// Measures on a bench.
pub type Run = fn(&Bench) -> BoxFuture<'_, Result<Vec<Table>, Error>>;

/// The measure of a table that is plotted, both by their positions.
#[derive(Clone, Copy, Debug)]
pub enum Plot {
    /// A bar for each row.
    Bars(usize, usize),
    /// A line for each second label, over the first label as a number.
    Lines(usize, usize),
}
