//! Marks: values in a statement that stand for those of cursors and parents, which differ from page to page (`statement_cache`).

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use sea_orm::Value;

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The value at this place of the key after which a page begins.
    After(usize),
    /// The value at this place of the key before which a page ends.
    Before(usize),
    /// The value at this index of those that are given beside the page.
    Given(usize),
}

impl Mark {
    /// The mark as a value of a statement.
    pub(crate) fn value(self) -> Value {
        let (kind, place) = match self {
            Self::After(place) => ('a', place),
            Self::Before(place) => ('b', place),
            Self::Given(place) => ('g', place),
        };
        write(kind, place)
    }

    /// The mark that a value is.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let (kind, place) = read(value)?;
        match kind {
            'a' => Some(Self::After(place)),
            'b' => Some(Self::Before(place)),
            'g' => Some(Self::Given(place)),
            _ => None,
        }
    }
}

/// A value of a kind and a number, which no client can send.
pub(crate) fn write(kind: char, number: usize) -> Value {
    format!("{}{kind}{number}", *SECRET).into()
}

/// The kind and the number of a value that [`write`] has made.
pub(crate) fn read(value: &Value) -> Option<(char, usize)> {
    let Value::String(Some(text)) = value else { return None };
    let mut mark = text.strip_prefix(SECRET.as_str())?.chars();
    let kind = mark.next()?;
    Some((kind, mark.as_str().parse().ok()?))
}

/// The beginning of every mark. No client can send it, because it is random.
static SECRET: LazyLock<String> = LazyLock::new(|| {
    let random = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", random(), random())
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_known_by_its_value() {
        for mark in [Mark::After(0), Mark::Before(1), Mark::Given(12)] {
            assert_eq!(Mark::of(&mark.value()), Some(mark));
        }
        for value in [Value::from("a0"), 7.into(), Value::String(None), format!("{}x1", *SECRET).into()] {
            assert_eq!(Mark::of(&value), None, "{value:?}");
        }
    }
}
