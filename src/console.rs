//! Lines for the person at the terminal.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line. A closed standard output is not an error.
pub fn print_line(line: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}
