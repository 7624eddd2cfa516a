//! The result of an experiment with where it was measured: as Markdown, as JSON, as a plot.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::{Bench, Error, Experiment, Machine, Plot, Table, plot};

/// What an experiment found.
#[derive(Serialize)]
pub struct Report {
    /// The name of the experiment.
    pub experiment: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// What it does not show.
    pub does_not_show: &'static str,
    /// Where it ran. The load is that at its beginning.
    pub machine: Machine,
    /// The databases with their versions.
    pub databases: Vec<String>,
    /// The number of rows of a list.
    pub rows: u64,
    /// The number of keys of a generator.
    pub keys: u64,
    /// What was measured.
    pub tables: Vec<Table>,
    #[serde(skip)]
    plot: Plot,
}

impl Report {
    /// Runs an experiment.
    ///
    /// # Errors
    ///
    /// [`Error`] if a database fails.
    pub async fn of(experiment: &Experiment, bench: &Bench) -> Result<Self, Error> {
        let machine = Machine::read();
        let tables = (experiment.run)(bench).await?;
        Ok(Self {
            experiment: experiment.name,
            shows: experiment.shows,
            does_not_show: experiment.does_not_show,
            machine,
            databases: bench.databases.iter().map(|one| format!("{} {}", one.name, one.version)).collect(),
            rows: bench.rows,
            keys: bench.keys,
            tables,
            plot: experiment.plot,
        })
    }

    /// The tables, below what they show, and above where they were measured.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}\n{}\n", self.experiment, self.shows, self.does_not_show);
        for table in &self.tables {
            // Writing into a text cannot fail.
            let _ = write!(text, "\n{}:\n\n{}", table.title, table.to_markdown());
        }
        let Machine { processor, cores, memory, load, system } = &self.machine;
        let databases = self.databases.join(", ");
        let _ = writeln!(text, "\n{databases}; {processor}, {cores} cores, {memory}, {system}; load {load}.");
        text
    }

    /// The plot.
    ///
    /// # Errors
    ///
    /// [`Error::Plot`] if it cannot be drawn.
    pub fn to_svg(&self) -> Result<String, Error> {
        plot::draw(&self.tables, self.plot)
    }

    /// Writes `NAME.md`, `NAME.json` and `NAME.svg` into a folder, which is created if it is absent.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            |error| Error::File { path, error }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let files =
            [("md", self.to_markdown()), ("json", serde_json::to_string_pretty(self)? + "\n"), ("svg", self.to_svg()?)];
        for (kind, text) in files {
            let path = folder.join(format!("{}.{kind}", self.experiment));
            fs::write(&path, text).map_err(failed(&path))?;
        }
        Ok(())
    }
}
