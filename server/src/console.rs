//! Lines for the person at the terminal, or for the machine that reads the log.

use std::fmt::Display;
use std::io::{self, Write};

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value};

use crate::config::LogFormat;

/// Prints what a command is for. A closed standard output is not an error.
pub fn print_line(line: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// Says what happens, in the format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Console {
    name: &'static str,
    format: LogFormat,
}

impl Console {
    /// For an application of this name, in this format.
    pub fn new(name: &'static str, format: LogFormat) -> Self {
        Self { name, format }
    }

    /// Whether lines are for people.
    pub fn is_text(self) -> bool {
        self.format == LogFormat::Text
    }

    /// Prints a line.
    pub fn say(self, line: impl Display) {
        let line = line.to_string();
        self.tell(&line, &line, &[]);
    }

    /// Prints a line, which is this message with these fields for a machine.
    pub fn tell(self, line: &str, message: &str, fields: &[(&str, &str)]) {
        if self.is_text() { print_line(line) } else { print_line(self.json("INFO", message, fields)) }
    }

    /// Prints why the program ends, to the standard error. A message can have several lines.
    pub fn fail(self, error: impl Display) {
        let error = error.to_string();
        let line = if self.is_text() {
            format!("{}: {error}", self.name)
        } else {
            self.json("ERROR", &error, &[]).to_string()
        };
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// A line as the log has it.
    fn json(self, level: &str, message: &str, fields: &[(&str, &str)]) -> Value {
        let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
        let own = [("timestamp", timestamp.as_str()), ("level", level), ("message", message), ("target", self.name)];
        let members = own.iter().chain(fields).map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        Value::Object(members.collect::<Map<_, _>>())
    }
}
