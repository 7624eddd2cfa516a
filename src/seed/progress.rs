//! Progress: a line for each table, which counts its rows on a terminal.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter};
use std::io::{IsTerminal, Write, stdout};

use bookends_server::Console;
use bookends_server::config::LogFormat;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A line for each table that counts.
    Counting,
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
    rows: u64,
    done: Cell<u64>,
}

impl Progress {
    /// Counting for people at a terminal.
    pub fn of(console: Console) -> Self {
        match (console.is_text(), std::io::stdout().is_terminal()) {
            (true, true) => Self::Counting,
            (true, false) => Self::Lines,
            (false, _) => Self::Json,
        }
    }

    /// The progress of a table with this many rows.
    pub fn table(self, name: &'static str, rows: u64) -> Table {
        Table { progress: self, name, rows, done: Cell::new(0) }
    }
}

impl Table {
    /// Adds rows.
    pub fn add(&self, rows: u64) {
        let (before, done) = (self.done.get(), self.done.get() + rows);
        self.done.set(done);
        let percent = |rows: u64| rows * 100 / self.rows.max(1);
        if self.progress == Progress::Counting && percent(done) > percent(before) {
            let (done, rows) = (Count(done), Count(self.rows));
            // It is only a sign of life.
            let _ = write!(stdout(), "\r{:8} {:3} %  {done} of {rows}", self.name, percent(self.done.get()));
            let _ = stdout().flush();
        }
    }

    /// Reports that the table is full.
    pub fn finish(self) {
        let format = match self.progress {
            Progress::Counting => {
                let _ = writeln!(stdout());
                return;
            }
            Progress::Lines => LogFormat::Text,
            Progress::Json => LogFormat::Json,
        };
        Console::new(env!("CARGO_PKG_NAME"), format).say(format_args!(
            "{}: {} rows",
            self.name,
            Count(self.done.get())
        ));
    }
}

/// A number with commas between its thousands.
struct Count(u64);

impl Display for Count {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            let separator = if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
            write!(formatter, "{separator}{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn thousands_are_separated() {
        let shown = [0, 999, 1000, 20_000, 1_234_567].map(|number| Count(number).to_string());
        assert_eq!(shown, ["0", "999", "1,000", "20,000", "1,234,567"]);
    }
}
