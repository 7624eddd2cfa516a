//! A document whose parts are found without a search through all of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned};

use super::collect::{Chain, collect, fields};

/// A document, and what planning has found in it.
pub struct Document {
    pub parsed: ExecutableDocument,
    index: OnceLock<Index>,
    /// The fields at the root of operations, by the places of these.
    roots: Mutex<HashMap<Pos, Arc<RootPlaces>>>,
}

/// The fields at the root of an operation.
#[derive(Default)]
pub struct RootPlaces {
    /// The places of each response key, each with the directives on the way to it.
    pub keys: HashMap<Name, Vec<(Chain, Pos)>>,
    /// The number of places.
    pub count: usize,
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
        Self { parsed, index: OnceLock::new(), roots: Mutex::default() }
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

    /// The selections of the operation at this place.
    fn operation(&self, place: Pos) -> Option<&SelectionSet> {
        let definitions = &self.index().definitions;
        let found = definitions.binary_search_by_key(&place, |(begin, _)| *begin).ok()?;
        self.selections(&definitions[found].1)
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

    /// The fields at the root of the operation at this place; `None` if it has no such operation.
    pub fn roots(&self, operation: Pos) -> Option<Arc<RootPlaces>> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = roots.get(&operation) {
            return Some(Arc::clone(known));
        }
        let set = vec![(Chain::default(), self.operation(operation)?)];
        let mut found = RootPlaces::default();
        for field in collect(&set, &self.parsed.fragments, &|_| true) {
            found.count += field.places.len();
            let places = field.places.into_iter().map(|place| (place.chain, place.field.pos)).collect();
            found.keys.insert(field.key.clone(), places);
        }
        let found = Arc::new(found);
        roots.insert(operation, Arc::clone(&found));
        Some(found)
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

    #[test]
    fn the_roots_of_an_operation_are_those_of_its_fragments_too() {
        let document = Document::new(parse_query("{ a b ...F ...F } fragment F on Q { a c }").unwrap());
        let (_, operation) = document.parsed.operations.iter().next().unwrap();
        let roots = document.roots(operation.pos).unwrap();
        let places = |key: &str| roots.keys[&Name::new(key)].len();
        assert_eq!([places("a"), places("b"), places("c"), roots.keys.len(), roots.count], [3, 1, 2, 3, 6]);
        assert!(document.roots(Pos { line: 1, column: 2 }).is_none());
    }
}
