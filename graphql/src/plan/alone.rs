//! A field of a query as a document of its own, for async-graphql.

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Positioned, Variables};

use super::collect::{Chain, Collected, Fragments};

/// A field of a query, at each place where it stands in the document, and the fragments that it needs.
pub struct Alone {
    places: Vec<(Chain, Positioned<Field>)>,
    /// The query without its fields.
    query: OperationDefinition,
    fragments: Fragments,
}

impl Alone {
    pub fn new(field: &Collected<'_>, query: &OperationDefinition, fragments: &Fragments) -> Self {
        let places: Vec<_> = field.places.iter().map(|place| (place.chain.clone(), place.field.clone())).collect();
        let mut needed = Fragments::new();
        for (_, field) in &places {
            need(&field.node.selection_set.node, fragments, &mut needed);
        }
        let selection_set = Positioned::new(SelectionSet::default(), query.selection_set.pos);
        let (variable_definitions, directives) = (query.variable_definitions.clone(), query.directives.clone());
        let query = OperationDefinition { ty: query.ty, variable_definitions, directives, selection_set };
        Self { places, query, fragments: needed }
    }

    /// The document for these variables. Positions are those of the whole document.
    pub fn document(&self, variables: &Variables) -> ExecutableDocument {
        let places = self.places.iter().filter(|(chain, _)| chain.holds(variables));
        let field = |(_, field): &(Chain, Positioned<Field>)| {
            let pos = field.pos;
            Positioned::new(Selection::Field(field.clone()), pos)
        };
        let mut query = self.query.clone();
        query.selection_set.node.items = places.map(field).collect();
        let pos = query.selection_set.pos;
        ExecutableDocument {
            operations: DocumentOperations::Single(Positioned::new(query, pos)),
            fragments: self.fragments.clone(),
        }
    }
}

/// Adds the fragments that a selection needs.
fn need(set: &SelectionSet, fragments: &Fragments, needed: &mut Fragments) {
    for item in &set.items {
        match &item.node {
            Selection::Field(field) => need(&field.node.selection_set.node, fragments, needed),
            Selection::InlineFragment(inline) => need(&inline.node.selection_set.node, fragments, needed),
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                if let Some(fragment) = fragments.get(name).filter(|_| !needed.contains_key(name)) {
                    needed.insert(name.clone(), fragment.clone());
                    need(&fragment.node.selection_set.node, fragments, needed);
                }
            }
        }
    }
}
