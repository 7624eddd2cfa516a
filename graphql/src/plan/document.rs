//! A document whose fields are found without a search through all of it.

use std::collections::HashMap;
use std::sync::OnceLock;

use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned};

use super::collect::fields;

/// A document, and what planning has found in it.
pub struct Document {
    pub parsed: ExecutableDocument,
    index: OnceLock<Index>,
}

struct Index {
    /// The operations and the fragments, in the order of their places.
    definitions: Vec<(Pos, Definition)>,
    /// At how many places each response key stands.
    keys: HashMap<Name, usize>,
}

/// An operation, whose name may be missing, or a fragment.
enum Definition {
    Operation(Option<Name>),
    Fragment(Name),
}

impl Document {
    pub fn new(parsed: ExecutableDocument) -> Self {
        Self { parsed, index: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let operations = self.parsed.operations.iter();
            let operations = operations.map(|(name, found)| (found.pos, Definition::Operation(name.cloned())));
            let fragments = self.parsed.fragments.iter();
            let fragments = fragments.map(|(name, found)| (found.pos, Definition::Fragment(name.clone())));
            let mut definitions: Vec<_> = operations.chain(fragments).collect();
            definitions.sort_unstable_by_key(|(place, _)| *place);
            let mut keys = HashMap::new();
            for field in fields(&self.parsed) {
                *keys.entry(field.node.response_key().node.clone()).or_default() += 1;
            }
            Index { definitions, keys }
        })
    }

    fn selections(&self, definition: &Definition) -> Option<&SelectionSet> {
        let operation = match (definition, &self.parsed.operations) {
            (Definition::Operation(_), DocumentOperations::Single(operation)) => operation,
            (Definition::Operation(name), DocumentOperations::Multiple(operations)) => {
                operations.get(name.as_ref()?)?
            }
            (Definition::Fragment(name), _) => return Some(&self.parsed.fragments.get(name)?.node.selection_set.node),
        };
        Some(&operation.node.selection_set.node)
    }

    /// The field at this place. Selections stand in the order of their places.
    pub fn field(&self, place: Pos) -> Option<&Positioned<Field>> {
        let definitions = &self.index().definitions;
        let after = definitions.partition_point(|(begin, _)| *begin <= place);
        let mut set = self.selections(&definitions[after.checked_sub(1)?].1)?;
        loop {
            let after = set.items.partition_point(|item| item.pos <= place);
            set = match &set.items[after.checked_sub(1)?].node {
                Selection::Field(field) if field.pos == place => return Some(field),
                Selection::Field(field) => &field.node.selection_set.node,
                Selection::InlineFragment(inline) => &inline.node.selection_set.node,
                Selection::FragmentSpread(_) => return None,
            };
        }
    }

    /// Whether no other field of the document has this response key.
    pub fn has_once(&self, key: &Name) -> bool {
        self.index().keys.get(key) == Some(&1)
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn each_field_is_found_by_its_place() {
        let text = "query A { a(x: \"\"\"\n\n\"\"\") { b { c }\n c } ... on Q { ...F d: c } }
            fragment F on Q { e { ... { f } }, g } query B { a }";
        let document = Document::new(parse_query(text).unwrap());
        let mut places = 0;
        for field in fields(&document.parsed) {
            assert!(std::ptr::eq(document.field(field.pos).unwrap(), field), "{:?}", field.pos);
            places += 1;
        }
        assert_eq!(places, 9);
        for (line, column) in [(0, 0), (1, 2), (1, 12), (9, 9)] {
            assert!(document.field(Pos { line, column }).is_none());
        }
        assert!(document.has_once(&Name::new("d")) && !document.has_once(&Name::new("a")));
    }
}
