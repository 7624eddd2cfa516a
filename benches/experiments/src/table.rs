//! Results: a row for each way, and for each database the same measures.

use std::time::Duration;

use serde::Serialize;

/// The unit of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A number of things.
    Count,
    /// A number of things, to hundredths: a mean.
    Hundredths,
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Percent.
    Percent,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measure {
    /// The name, as the heading of a column.
    pub name: &'static str,
    /// The unit of the values.
    pub unit: Unit,
}

/// What one way costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was measured.
    pub labels: Vec<String>,
    /// For each group, a value for each measure; none where there is no such way.
    pub values: Vec<Vec<Option<f64>>>,
}

/// A table of results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What the rows have in common.
    pub title: String,
    /// The headings of the labels.
    pub labels: Vec<&'static str>,
    /// Where it was measured: usually the databases.
    pub groups: Vec<String>,
    /// The measures of each group.
    pub measures: Vec<Measure>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Measure {
    /// A measure with this heading.
    pub const fn new(name: &'static str, unit: Unit) -> Self {
        Self { name, unit }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, labels: &[&'static str], groups: Vec<String>, measures: &[Measure]) -> Self {
        Self { title: title.into(), labels: labels.to_vec(), groups, measures: measures.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, labels: &[&str], values: Vec<Vec<Option<f64>>>) {
        self.rows.push(Row { labels: labels.iter().map(ToString::to_string).collect(), values });
    }

    /// The value of a measure in the row with these labels, if the table has it.
    pub fn value(&self, labels: &[&str], group: &str, measure: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.labels == labels)?;
        let group = self.groups.iter().position(|name| name == group)?;
        let measure = self.measures.iter().position(|one| one.name == measure)?;
        row.values[group][measure]
    }

    /// The table in Markdown.
    pub fn to_markdown(&self) -> String {
        let headings = self
            .groups
            .iter()
            .flat_map(|group| self.measures.iter().map(move |measure| format!("{group}: {}", measure.name)));
        let head: Vec<String> = self.labels.iter().map(ToString::to_string).chain(headings).collect();
        let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for row in &self.rows {
            let values = row.values.iter().flat_map(|values| values.iter().zip(&self.measures));
            let values = values.map(|(value, measure)| value.map_or_else(|| "–".to_owned(), |v| measure.unit.show(v)));
            let cells: Vec<String> = row.labels.iter().cloned().chain(values).collect();
            text.extend(["| ", &cells.join(" | "), " |\n"]);
        }
        text
    }
}

impl Unit {
    /// A value with its unit, to three digits.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Count => grouped(value),
            Self::Hundredths => format!("{value:.2}"),
            Self::Percent => format!("{value:.0} %"),
            Self::Bytes => scaled(value, &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)]),
            Self::Milliseconds => scaled(value, &[("ns", 1e-6), ("µs", 1e-3), ("ms", 1.0), ("s", 1e3)]),
        }
    }
}

fn scaled(value: f64, units: &[(&str, f64)]) -> String {
    let (unit, size) = units.iter().rev().find(|(_, size)| value >= *size).unwrap_or(&units[0]);
    let value = value / size;
    let digits = if value >= 100.0 || value.fract() == 0.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{} {unit}", if digits == 0 { grouped(value) } else { format!("{value:.digits$}") })
}

/// A whole number, in groups of three digits.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time as a value.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A number of things as text.
pub fn shown(number: u64) -> String {
    Unit::Count.show(count(number))
}

/// A number of things as a value.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
pub fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        assert_eq!(Unit::Count.show(1_234_567.0), "1,234,567");
        assert_eq!(Unit::Hundredths.show(0.0449), "0.04");
        assert_eq!(Unit::Milliseconds.show(0.0234), "23.4 µs");
        assert_eq!(Unit::Milliseconds.show(11_751.0), "11.8 s");
        assert_eq!(Unit::Milliseconds.show(0.0), "0 ns");
        assert_eq!(Unit::Bytes.show(41_234_432.0), "41.2 MB");
        assert_eq!(Unit::Bytes.show(27.0), "27 B");
        assert_eq!(Unit::Percent.show(50.2), "50 %");
    }

    #[test]
    fn a_table_has_a_column_for_each_measure_of_each_group() {
        let groups = vec!["SQLite".to_owned(), "PostgreSQL".to_owned()];
        let mut table = Table::new("pages", &["way"], groups, &[Measure::new("work", Unit::Count)]);
        table.push(&["bracket"], vec![vec![Some(581.0)], vec![None]]);
        let text = "| way | SQLite: work | PostgreSQL: work |\n|---|---|---|\n| bracket | 581 | – |\n";
        assert_eq!(table.to_markdown(), text);
        assert_eq!(table.value(&["bracket"], "SQLite", "work"), Some(581.0));
        assert_eq!(table.value(&["bracket"], "PostgreSQL", "work"), None);
        assert_eq!(table.value(&["offset"], "SQLite", "work"), None);
    }
}
