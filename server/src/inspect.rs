//! Shows what a value means: a cursor, a global id, a UUID, a ULID.
//!
//! Some texts can be read as several kinds. All that fit are shown, in the order of [`KINDS`].

mod cursor;
mod global_id;
mod instant;
mod paginator;
mod part;
mod ulid;
mod uuid;
mod value;

use bookends_graphql::Declaration;
use part::{Part, Parts, printable};

/// A kind of value, and how it is read: its parts, or why the text is none.
type Kind = (&'static str, fn(&Declaration, &str) -> Result<Parts, String>);

/// A UUID without hyphens can also be a cursor: hexadecimal digits are base 64, too.
const KINDS: [Kind; 5] = [
    ("UUID", |_, text| uuid::read(text)),
    ("ULID", |_, text| ulid::read(text)),
    ("global id", global_id::read),
    ("cursor", cursor::read),
    ("cursor of django-universal-paginator", |_, text| paginator::read(text)),
];

/// The text is no value that can be shown.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value is none of these: {0}")]
pub struct InspectError(String);

/// The parts of a value of this schema: as a table with a line for each part, or as JSON. If the text can be read as several kinds, there
/// is a table for each, and JSON has a list of the others under `also`.
///
/// # Errors
///
/// [`InspectError`] for a text of no kind. It says why for each kind.
pub fn inspect(declaration: &Declaration, text: &str, is_json: bool) -> Result<String, InspectError> {
    let readings = read(declaration, text)?;
    Ok(if is_json { to_json(readings) } else { readings.iter().map(Parts::to_table).collect::<Vec<_>>().join("\n\n") })
}

/// What the text can be, at least one kind.
fn read(declaration: &Declaration, text: &str) -> Result<Vec<Parts>, InspectError> {
    let mut found = Vec::new();
    let mut reasons = Vec::new();
    for (kind, read) in KINDS {
        match read(declaration, text) {
            Ok(parts) => found.push(Parts::default().with("kind", kind).and(parts)),
            Err(reason) => reasons.push(format!("{kind} ({reason})")),
        }
    }
    if found.is_empty() { Err(InspectError(printable(&reasons.join(", ")))) } else { Ok(found) }
}

fn to_json(readings: Vec<Parts>) -> String {
    let mut readings = readings.into_iter();
    let first = readings.next().unwrap_or_default();
    let also: Vec<Part> = readings.map(Part::from).collect();
    if also.is_empty() { first.to_json() } else { first.with("also", also).to_json() }
}
