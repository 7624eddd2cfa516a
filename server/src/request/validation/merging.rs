//! Whether fields of one response key have the same arguments (section 5.3.2). `apollo-compiler` 1.33 checks it, but two
//! lists are the same to it if one begins with the other.

use std::collections::HashSet;

use apollo_compiler::ast::Value;
use apollo_compiler::collections::IndexMap;
use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{ExecutableDocument, Name, Node, Schema};

use super::Findings;

/// Checks the fields of a document that is valid otherwise.
pub fn check(schema: &Schema, document: &ExecutableDocument, found: &mut Findings) {
    let mut check = Check { schema, document, found };
    for operation in document.operations.iter() {
        check.merged(&[&operation.selection_set]);
    }
}

struct Check<'a, 'f> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    found: &'f mut Findings,
}

/// A field, and the type that it is selected of.
type Selected<'a> = (&'a Name, &'a Node<Field>);

impl<'a> Check<'a, '_> {
    /// Checks selections that the response merges.
    fn merged(&mut self, sets: &[&'a SelectionSet]) {
        let (mut fields, mut fragments) = (IndexMap::default(), HashSet::new());
        for set in sets {
            self.collect(set, &mut fields, &mut fragments);
        }
        for fields in fields.into_values().filter(|fields| !fields.is_empty()) {
            for fields in self.groups(fields) {
                let (_, first) = fields[0];
                let other = fields.iter().find(|(_, field)| !is_same(first, field));
                if let Some((_, field)) = other {
                    let key = field.response_key();
                    let text = || format!("fields of the response key `{key}` have different arguments");
                    self.found.add(field.location(), text);
                }
                let below: Vec<_> = fields.iter().map(|(_, field)| &field.selection_set).collect();
                if below.iter().any(|set| !set.selections.is_empty()) {
                    self.merged(&below);
                }
            }
        }
    }

    fn collect(
        &self,
        set: &'a SelectionSet,
        fields: &mut IndexMap<&'a Name, Vec<Selected<'a>>>,
        fragments: &mut HashSet<&'a Name>,
    ) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => fields.entry(field.response_key()).or_default().push((&set.ty, field)),
                Selection::InlineFragment(inline) => self.collect(&inline.selection_set, fields, fragments),
                Selection::FragmentSpread(spread) => {
                    let fragment = self.document.fragments.get(&spread.fragment_name);
                    if let Some(fragment) = fragment.filter(|_| fragments.insert(&spread.fragment_name)) {
                        self.collect(&fragment.selection_set, fields, fragments);
                    }
                }
            }
        }
    }

    /// The fields that one object can have at the same time.
    fn groups(&self, fields: Vec<Selected<'a>>) -> Vec<Vec<Selected<'a>>> {
        let is_object = |(of, _): &Selected<'a>| matches!(self.schema.types.get(*of), Some(ExtendedType::Object(_)));
        if !fields.iter().all(is_object) {
            return vec![fields];
        }
        let mut groups: IndexMap<&Name, Vec<Selected<'a>>> = IndexMap::default();
        for field in fields {
            groups.entry(field.0).or_default().push(field);
        }
        groups.into_values().collect()
    }
}

/// Whether two fields have lists of the same length in their arguments.
fn is_same(one: &Field, other: &Field) -> bool {
    let mut arguments = one.arguments.iter();
    arguments.all(|argument| match other.specified_argument_by_name(&argument.name) {
        Some(value) => has_same_lists(&argument.value, value),
        None => true,
    })
}

fn has_same_lists(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| has_same_lists(one, other))
        }
        (Value::Object(one), Value::Object(others)) => one.iter().all(|(name, value)| {
            let other = others.iter().find(|(other, _)| other == name);
            other.is_none_or(|(_, other)| has_same_lists(value, other))
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "interface N { f(l: [Int], i: I): N } input I { l: [Int] }
        type A implements N { f(l: [Int], i: I): N } type B implements N { f(l: [Int], i: I): N } type Query { n: N }";

    #[track_caller]
    fn check(selection: &str, expected: usize) {
        let schema = Schema::parse_and_validate(SCHEMA, "").unwrap();
        let query = format!("{{ n {{ {selection} }} }} fragment F on N {{ f(l: [1, 2]) {{ __typename }} }}");
        let document = ExecutableDocument::parse(&schema, &query, "").unwrap();
        let mut found = Findings::default();
        super::check(&schema, &document, &mut found);
        assert_eq!(found.list.len(), expected, "{selection}");
    }

    #[test]
    fn lists_of_different_lengths_differ() {
        let f = |list: &str| format!("f(l: {list}) {{ __typename }}");
        check(&format!("{} {}", f("[1, 2]"), f("[1, 2]")), 0);
        check(&format!("{} {}", f("[1]"), f("[]")), 1);
        check(&format!("{} ...F", f("[1]")), 1);
        check(&format!("... on A {{ {} }} ... on B {{ {} }}", f("[1]"), f("[]")), 0);
        check(&format!("... on A {{ {} }} ... on N {{ {} }}", f("[1]"), f("[]")), 1);
        check(&format!("f {{ {} }} f {{ {} }}", f("[1]"), f("[]")), 1);
        check("f(i: { l: [1] }) { __typename } f(i: { l: [] }) { __typename }", 1);
    }
}
