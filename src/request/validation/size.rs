//! The size of a document, before it is validated: validation walks a fragment once for each operation, and the library
//! walks it at each place where it is spread. Sixty fragments that each spread the next one twice are one line of text
//! and 2^60 fields.

use std::collections::HashMap;

use apollo_compiler::Name;
use apollo_compiler::ast::{Definition, Document, Selection};

use crate::config::Limits;
use crate::request::code::Code;
use crate::request::error::{Error, Result};

/// The maximum of selections, counting a fragment at each place where it is spread.
const MAX_SELECTIONS: usize = 5_000;

/// The number of fields and fragments of a document, each at each place where it is spread.
///
/// # Errors
///
/// [`Code::TooComplex`] if there are too many; [`Code::TooDeep`] if they are nested too deep.
pub fn check(document: &Document) -> Result<usize> {
    let mut fragments: HashMap<&Name, Fragment<'_>> = HashMap::new();
    for definition in &document.definitions {
        if let Definition::FragmentDefinition(fragment) = definition {
            fragments.insert(&fragment.name, Fragment::New(&fragment.selection_set));
        }
    }
    let mut sizes = Sizes { fragments };
    let mut total = 0_usize;
    for definition in &document.definitions {
        let size = match definition {
            Definition::OperationDefinition(operation) => sizes.of(&operation.selection_set, 1)?.selections,
            // A fragment that no operation spreads is validated, too.
            Definition::FragmentDefinition(fragment) if !sizes.is_known(&fragment.name) => {
                sizes.of_fragment(&fragment.name, 0)?.selections
            }
            _ => 0,
        };
        total = total.saturating_add(size);
    }
    if total > MAX_SELECTIONS {
        let message = format!(
            "the request has {total} fields and fragments, above the maximum of {MAX_SELECTIONS}; a fragment counts at \
             each place where it is spread"
        );
        return Err(Error::client(Code::TooComplex, message));
    }
    Ok(total)
}

#[derive(Clone, Copy, Default)]
struct Size {
    selections: usize,
    /// The number of levels of fields and fragments.
    levels: usize,
}

#[derive(Clone, Copy)]
enum Fragment<'a> {
    New(&'a [Selection]),
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
            let below = match selection {
                Selection::Field(field) => self.below(&field.selection_set, level)?,
                Selection::InlineFragment(inline) => self.below(&inline.selection_set, level)?,
                Selection::FragmentSpread(spread) => self.of_fragment(&spread.fragment_name, level)?,
            };
            size.selections = size.selections.saturating_add(below.selections).saturating_add(1);
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

    fn of_fragment(&mut self, name: &'a Name, level: usize) -> Result<Size> {
        match self.fragments.get(name).copied() {
            Some(Fragment::New(selections)) => {
                self.fragments.insert(name, Fragment::Open);
                let size = self.below(selections, level)?;
                self.fragments.insert(name, Fragment::Known(size));
                Ok(size)
            }
            Some(Fragment::Known(size)) => Ok(size),
            Some(Fragment::Open) | None => Ok(Size::default()),
        }
    }
}

fn too_deep() -> Error {
    let message = format!("fields and fragments are nested at most {} levels deep", Limits::MAX_LEVELS);
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
