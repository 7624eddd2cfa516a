//! The size of a document, before it is validated: validation walks a fragment once for each operation, and the library
//! walks it at each place where it is spread. Sixty fragments that each spread the next one twice are one line of text
//! and 2^60 fields. A thousand operations that spread a fragment with a thousand values have a million values.

use std::collections::HashMap;

use apollo_compiler::ast::{Argument, Definition, Directive, Document, Selection, Value};
use apollo_compiler::{Name, Node};

use crate::config::Limits;
use crate::request::code::Code;
use crate::request::error::{Error, Result};

/// The maximum of selections, counting a fragment at each place where it is spread.
const MAX_SELECTIONS: usize = 5_000;
/// The maximum of directives, arguments and values, counted in the same way. A document has fewer tokens, unless it
/// spreads fragments.
const MAX_VALUES: usize = 20_000;

/// The number of fields and fragments of a document, each at each place where it is spread.
///
/// # Errors
///
/// [`Code::TooComplex`] if there are too many; [`Code::TooDeep`] if they are nested too deep.
pub fn check(document: &Document) -> Result<usize> {
    let mut fragments: HashMap<&Name, Fragment<'_>> = HashMap::new();
    for definition in &document.definitions {
        if let Definition::FragmentDefinition(fragment) = definition {
            // Of several with one name, validation walks the first, and reports the others.
            fragments.entry(&fragment.name).or_insert(Fragment::New(&fragment.selection_set, &fragment.directives));
        }
    }
    let mut sizes = Sizes { fragments };
    let mut total = Size::default();
    for definition in &document.definitions {
        let size = match definition {
            Definition::OperationDefinition(operation) => sizes.of(&operation.selection_set, 1)?,
            // A fragment that no operation spreads is validated, too.
            Definition::FragmentDefinition(fragment) if !sizes.is_known(&fragment.name) => {
                sizes.measure_fragment(&fragment.name, 0)?
            }
            _ => Size::default(),
        };
        total.add(size);
    }
    let bounds = [
        (total.selections, MAX_SELECTIONS, "fields and fragments"),
        (total.values, MAX_VALUES, "directives, arguments and values"),
    ];
    for (count, max, what) in bounds {
        if count > max {
            let message = format!(
                "the request has {count} {what}, above the maximum of {max}; a fragment counts each time that it is \
                 spread"
            );
            return Err(Error::client(Code::TooComplex, message));
        }
    }
    Ok(total.selections)
}

#[derive(Clone, Copy, Default)]
struct Size {
    selections: usize,
    values: usize,
    /// The number of levels of fields and fragments.
    levels: usize,
}

impl Size {
    /// Adds what is beside, or below.
    fn add(&mut self, other: Self) {
        self.selections = self.selections.saturating_add(other.selections);
        self.values = self.values.saturating_add(other.values);
    }
}

#[derive(Clone, Copy)]
enum Fragment<'a> {
    New(&'a [Selection], &'a [Node<Directive>]),
    /// It is being counted. If it is met again, it contains itself: validation reports it.
    Open,
    Known(Size),
}

struct Sizes<'a> {
    fragments: HashMap<&'a Name, Fragment<'a>>,
}

impl<'a> Sizes<'a> {
    fn is_known(&self, name: &Name) -> bool {
        matches!(self.fragments.get(name), Some(Fragment::Known(_)))
    }

    /// The size of selections on this level.
    fn of(&mut self, selections: &'a [Selection], level: usize) -> Result<Size> {
        let mut size = Size::default();
        for selection in selections {
            let (below, values) = match selection {
                Selection::Field(field) => {
                    let values = count_arguments(&field.arguments) + count_directives(&field.directives);
                    (self.below(&field.selection_set, level)?, values)
                }
                Selection::InlineFragment(inline) => {
                    (self.below(&inline.selection_set, level)?, count_directives(&inline.directives))
                }
                Selection::FragmentSpread(spread) => {
                    (self.measure_fragment(&spread.fragment_name, level)?, count_directives(&spread.directives))
                }
            };
            size.add(below);
            size.add(Size { selections: 1, values, levels: 0 });
            size.levels = size.levels.max(below.levels + 1);
        }
        if level + size.levels > Limits::MAX_LEVELS + 1 { Err(too_deep()) } else { Ok(size) }
    }

    fn below(&mut self, selections: &'a [Selection], level: usize) -> Result<Size> {
        if level >= Limits::MAX_LEVELS && !selections.is_empty() {
            return Err(too_deep());
        }
        self.of(selections, level + 1)
    }

    fn measure_fragment(&mut self, name: &'a Name, level: usize) -> Result<Size> {
        match self.fragments.get(name).copied() {
            Some(Fragment::New(selections, directives)) => {
                self.fragments.insert(name, Fragment::Open);
                let mut size = self.below(selections, level)?;
                size.values = size.values.saturating_add(count_directives(directives));
                self.fragments.insert(name, Fragment::Known(size));
                Ok(size)
            }
            Some(Fragment::Known(size)) => Ok(size),
            Some(Fragment::Open) | None => Ok(Size::default()),
        }
    }
}

fn count_directives(directives: &[Node<Directive>]) -> usize {
    directives.iter().map(|directive| 1 + count_arguments(&directive.arguments)).sum()
}

fn count_arguments(arguments: &[Node<Argument>]) -> usize {
    arguments.iter().map(|argument| count_value(&argument.value)).sum()
}

/// The parser bounds how deep values are nested.
fn count_value(value: &Value) -> usize {
    let below: usize = match value {
        Value::List(items) => items.iter().map(|item| count_value(item)).sum(),
        Value::Object(fields) => fields.iter().map(|(_, value)| count_value(value)).sum(),
        _ => 0,
    };
    1 + below
}

fn too_deep() -> Error {
    let message = format!("fields and fragments must be nested at most {} levels deep", Limits::MAX_LEVELS);
    Error::client(Code::TooDeep, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn size(text: &str) -> std::result::Result<usize, Code> {
        let code = |error: Error| Code::of(&error.of_request()).unwrap();
        check(&Document::parse(text, "").unwrap()).map_err(code)
    }

    #[test]
    fn a_fragment_counts_where_it_is_spread() {
        assert_eq!(size("{ a b { c } }"), Ok(3));
        assert_eq!(size("{ ...F ...F } fragment F on Q { a }"), Ok(4));
        assert_eq!(size("{ ... { a } ...Missing }"), Ok(3));
        assert_eq!(size("{ a } fragment F on Q { a ...G } fragment G on Q { b }"), Ok(4));
        assert_eq!(size(&format!("{{ {} }}", "a ".repeat(5_000))), Ok(5_000));
        assert_eq!(size(&format!("{{ {} }}", "a ".repeat(5_001))), Err(Code::TooComplex));
        let twice = |n: usize| format!("fragment F{n} on Q {{ ...F{0} ...F{0} }}", n + 1);
        let doubling = (0..25).map(twice).collect::<Vec<_>>().join(" ");
        assert_eq!(size(&format!("{{ ...F0 }} {doubling} fragment F25 on Q {{ a }}")), Err(Code::TooComplex));
        assert_eq!(size("{ ...A } fragment A on Q { ...B } fragment B on Q { ...A }"), Ok(3));
        let first = "fragment F on Q { a b }";
        assert_eq!(size(&format!("{{ ...F }} {first} fragment F on Q {{ a }}")), Ok(3));
    }

    #[test]
    fn values_count_where_their_fragment_is_spread() {
        let values =
            |count: usize| format!("fragment F on Q {{ a(b: [{}]) @c(d: {{ e: 1 }}) }}", "1 ".repeat(count - 4));
        let operations = |count: usize| "query { ...F } ".repeat(count);
        assert_eq!(size(&format!("{} {}", operations(20), values(1_000))), Ok(40));
        assert_eq!(size(&format!("{} {}", operations(20), values(1_001))), Err(Code::TooComplex));
        assert_eq!(size(&format!("{} {}", operations(21), values(1_000))), Err(Code::TooComplex));
    }

    #[test]
    fn fields_and_fragments_are_levels() {
        let fields = |levels: usize| format!("{{ {} a {} }}", "a {".repeat(levels - 1), "}".repeat(levels - 1));
        assert_eq!(size(&fields(Limits::MAX_LEVELS)), Ok(Limits::MAX_LEVELS));
        assert_eq!(size(&fields(Limits::MAX_LEVELS + 1)), Err(Code::TooDeep));
        let chain = |length: usize| {
            let fragment = |n: usize| format!("fragment F{n} on Q {{ ...F{} }} ", n + 1);
            let fragments: Vec<String> = (1..length).rev().map(fragment).collect();
            let fragments = fragments.join(" ");
            format!("{{ ...F1 }} {fragments} fragment F{length} on Q {{ a }}")
        };
        assert!(size(&chain(Limits::MAX_LEVELS - 1)).is_ok());
        assert_eq!(size(&chain(Limits::MAX_LEVELS)), Err(Code::TooDeep));
        assert_eq!(size(&chain(1_000)), Err(Code::TooDeep));
    }
}
