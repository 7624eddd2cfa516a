//! Shows what a value means: a cursor, a global id, a UUID, a ULID.
//!
//! Some texts can be read as several kinds. The kinds are tried in the order of [`KINDS`]: the first that fits is shown,
//! and `also` names the others.

mod cursor;
mod global_id;
mod paginator;
mod part;
mod ulid;
mod uuid;
mod value;

use part::{Part, Parts, printable};

/// A kind of value, and how it is read: its parts, or why the text is none.
type Kind = (&'static str, fn(&str) -> Result<Parts, String>);

/// A UUID without hyphens can also be a cursor: hexadecimal digits are base 64, too.
const KINDS: [Kind; 5] = [
    ("UUID", uuid::read),
    ("ULID", ulid::read),
    ("global id", global_id::read),
    ("cursor", cursor::read),
    ("cursor of django-universal-paginator", paginator::read),
];

/// The text is no value that can be shown.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value is none of these: {0}")]
pub struct InspectError(String);

/// The parts of a value: as a table with a line for each part, or as JSON.
///
/// # Errors
///
/// [`InspectError`] for a text of no kind. It says why for each kind.
pub fn inspect(text: &str, is_json: bool) -> Result<String, InspectError> {
    let parts = read(text)?;
    Ok(if is_json { parts.to_json() } else { parts.to_table() })
}

fn read(text: &str) -> Result<Parts, InspectError> {
    let mut found = Vec::new();
    let mut reasons = Vec::new();
    for (kind, read) in KINDS {
        match read(text) {
            Ok(parts) => found.push((kind, parts)),
            Err(reason) => reasons.push(format!("{kind} ({reason})")),
        }
    }
    let mut found = found.into_iter();
    let Some((kind, parts)) = found.next() else { return Err(InspectError(printable(&reasons.join(", ")))) };
    let also: Vec<Part> = found.map(|(kind, _)| kind.into()).collect();
    let mut all = Parts::default().with("kind", kind).and(parts);
    if !also.is_empty() {
        all = all.with("also", also);
    }
    Ok(all)
}
