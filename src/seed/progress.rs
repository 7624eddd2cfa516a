//! Progress: a bar for each table on a terminal, otherwise a line.

use std::io::IsTerminal;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::config::LogFormat;
use crate::console::Console;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A bar for each table.
    Bars,
    /// A line for each full table.
    Lines,
    /// The same as JSON.
    Json,
}

/// The progress of one table.
#[derive(Debug)]
pub struct Table {
    progress: Progress,
    name: &'static str,
    bar: ProgressBar,
}

impl Progress {
    /// Bars for people at a terminal.
    pub fn of(console: Console) -> Self {
        match (console.is_text(), std::io::stdout().is_terminal()) {
            (true, true) => Self::Bars,
            (true, false) => Self::Lines,
            (false, _) => Self::Json,
        }
    }

    /// The progress of a table with this many rows.
    pub fn table(self, name: &'static str, rows: u64) -> Table {
        let target = match self {
            Self::Bars => ProgressDrawTarget::stdout(),
            Self::Lines | Self::Json => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{msg:8} {wide_bar} {human_pos}/{human_len} {eta:>4}");
        let bar = ProgressBar::with_draw_target(Some(rows), target).with_message(name);
        Table { progress: self, name, bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())) }
    }
}

impl Table {
    /// Adds rows.
    pub fn add(&self, rows: u64) {
        self.bar.inc(rows);
    }

    /// Reports that the table is full.
    pub fn finish(self) {
        self.bar.finish();
        let format = match self.progress {
            Progress::Bars => return,
            Progress::Lines => LogFormat::Text,
            Progress::Json => LogFormat::Json,
        };
        Console::new(format).say(format_args!("{}: {} rows", self.name, HumanCount(self.bar.position())));
    }
}
