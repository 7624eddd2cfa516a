//! The parts of a value, as a table and as JSON.

use serde::{Serialize, Serializer};

use crate::invisible::is_invisible;

/// Named parts, in their order.
#[derive(Debug, Default)]
pub struct Parts(Vec<(&'static str, Part)>);

/// A part.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Part {
    /// A text.
    Text(String),
    /// A number that every reader of JSON reads exactly.
    Number(i128),
    /// A truth value.
    Bool(bool),
    /// Nothing.
    Null,
    /// It has parts itself.
    Parts(Parts),
    /// It consists of several.
    List(Vec<Part>),
}

impl Parts {
    /// With one more part.
    pub fn with(mut self, name: &'static str, part: impl Into<Part>) -> Self {
        self.0.push((name, part.into()));
        self
    }

    /// With these parts, too.
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// As one line of JSON.
    pub fn to_json(&self) -> String {
        // Nothing here fails: keys are texts.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A line for each part: its path, and what it is.
    pub fn to_table(&self) -> String {
        let mut lines = Vec::new();
        self.lines("", &mut lines);
        let width = lines.iter().map(|(path, _)| path.len()).max().unwrap_or_default();
        let lines: Vec<String> = lines.into_iter().map(|(path, text)| format!("{path:width$}  {text}")).collect();
        lines.join("\n")
    }

    fn lines(&self, path: &str, lines: &mut Vec<(String, String)>) {
        for (name, part) in &self.0 {
            part.lines(&format!("{path}{name}"), lines);
        }
    }
}

impl Part {
    fn lines(&self, path: &str, lines: &mut Vec<(String, String)>) {
        match self {
            Self::Text(text) => lines.push((path.to_owned(), printable(text))),
            Self::Number(number) => lines.push((path.to_owned(), number.to_string())),
            Self::Bool(is_true) => lines.push((path.to_owned(), is_true.to_string())),
            Self::Null => lines.push((path.to_owned(), "null".into())),
            Self::Parts(parts) => parts.lines(&format!("{path}."), lines),
            Self::List(list) if list.is_empty() => lines.push((path.to_owned(), "none".into())),
            Self::List(list) => {
                for (position, part) in (1_u32..).zip(list) {
                    part.lines(&format!("{path}.{position}"), lines);
                }
            }
        }
    }
}

/// A text on one line that changes nothing in a terminal: control characters, ends of lines and what is invisible are escaped.
pub fn printable(text: &str) -> String {
    let is_unfit = |letter: char| {
        letter.is_control()
            || is_invisible(letter)
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
    };
    let escaped = |letter: char| if is_unfit(letter) { letter.escape_default().to_string() } else { letter.into() };
    text.chars().map(escaped).collect()
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, part)| (name, part)))
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// From 2^53 on, a reader of JSON may round a number: it becomes a text.
impl From<i128> for Part {
    fn from(number: i128) -> Self {
        if number.unsigned_abs() < 1 << 53 { Self::Number(number) } else { Self::Text(number.to_string()) }
    }
}

impl From<Parts> for Part {
    fn from(parts: Parts) -> Self {
        Self::Parts(parts)
    }
}

impl From<Vec<Part>> for Part {
    fn from(list: Vec<Part>) -> Self {
        Self::List(list)
    }
}

/// So many bits, as hexadecimal digits.
pub fn hexadecimal(value: u128, bits: u8) -> Part {
    let width = usize::from(bits.div_ceil(4));
    Parts::default().with("bits", i128::from(bits)).with("hex", format!("{value:0width$x}")).into()
}
