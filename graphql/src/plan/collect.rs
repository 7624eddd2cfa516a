//! The fields of a selection set, merged by response key (GraphQL, section 6.3.2, `CollectFields`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use async_graphql::parser::types::{Directive, ExecutableDocument, Field, FragmentDefinition, Selection, SelectionSet};
use async_graphql::{Name, Positioned, Value, Variables};
use async_graphql_value::Value as Written;

/// The fragments of a document.
pub type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;

/// `@skip` and `@include` on the way to a selection: all of them must hold.
#[derive(Clone, Debug, Default)]
pub struct Chain(Arc<[(Name, bool)]>);

impl Chain {
    /// Whether the selection is included with all variables.
    pub fn is_always(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the selection is included with these variables. To the library, an absent one is false.
    #[inline]
    pub fn holds(&self, variables: &Variables) -> bool {
        self.is_always() || self.holds_with(variables)
    }

    fn holds_with(&self, variables: &Variables) -> bool {
        self.0.iter().all(|(name, expected)| (variables.get(name) == Some(&Value::Boolean(true))) == *expected)
    }

    /// The chain with one more condition: this variable is true, or not.
    fn and_if(&self, name: &Name, expected: bool) -> Self {
        Self(self.0.iter().cloned().chain([(name.clone(), expected)]).collect())
    }

    /// The chain with the directives of a selection below it; `None` if they never hold.
    fn and(&self, directives: &[Positioned<Directive>]) -> Option<Self> {
        let mut chain: Vec<_> = Vec::new();
        for directive in directives {
            let expected = match directive.node.name.node.as_str() {
                "include" => true,
                "skip" => false,
                _ => continue,
            };
            match directive.node.get_argument("if").map(|value| &value.node) {
                Some(Written::Variable(name)) => chain.push((name.clone(), expected)),
                Some(Written::Boolean(value)) if *value != expected => return None,
                _ => {}
            }
        }
        if chain.is_empty() {
            return Some(self.clone());
        }
        Some(Self(self.0.iter().cloned().chain(chain).collect()))
    }
}

/// When a field is selected: if any of these chains holds.
#[derive(Clone, Debug)]
pub struct When(Option<Vec<Chain>>);

impl When {
    /// Whether the field is selected with these variables.
    pub fn holds(&self, variables: &Variables) -> bool {
        self.0.as_ref().is_none_or(|chains| chains.iter().any(|chain| chain.holds(variables)))
    }

    /// When either field is selected.
    pub fn or(&self, other: Self) -> Self {
        match (&self.0, other.0) {
            (Some(these), Some(others)) => Self(Some(these.iter().cloned().chain(others).collect())),
            _ => Self(None),
        }
    }
}

/// The selection sets of one field, each with the directives on the way to it.
pub type Sets<'a> = Vec<(Chain, &'a SelectionSet)>;

/// A field of the response.
#[derive(Clone)]
pub struct Collected<'a> {
    /// The name in the response.
    pub key: &'a Name,
    /// The field in the document, at each place where it stands: valid documents repeat it with the same arguments.
    pub places: Vec<Place<'a>>,
}

/// A place where a field stands.
#[derive(Clone)]
pub struct Place<'a> {
    /// The number of fields before it, in the order of the document.
    pub number: usize,
    /// The directives on the way to it.
    pub chain: Chain,
    /// The field.
    pub field: &'a Positioned<Field>,
}

impl<'a> Collected<'a> {
    /// A field that stands at one place.
    pub fn alone(key: &'a Name, field: &'a Positioned<Field>) -> Self {
        Self { key, places: vec![Place { number: 0, chain: Chain::default(), field }] }
    }

    /// The field where this variable is true, or where it is not.
    pub fn only_if(&self, name: &Name, expected: bool) -> Self {
        let place = |place: &Place<'a>| Place { chain: place.chain.and_if(name, expected), ..place.clone() };
        Self { key: self.key, places: self.places.iter().map(place).collect() }
    }

    /// The field at its first place.
    pub fn field(&self) -> &'a Positioned<Field> {
        self.places[0].field
    }

    pub fn name(&self) -> &'a str {
        self.field().node.name.node.as_str()
    }

    pub fn when(&self) -> When {
        let is_always = self.places.iter().any(|place| place.chain.is_always());
        When((!is_always).then(|| self.places.iter().map(|place| place.chain.clone()).collect()))
    }

    pub fn sets(&self) -> Sets<'a> {
        self.places.iter().map(|place| (place.chain.clone(), &place.field.node.selection_set.node)).collect()
    }
}

/// Collects the fields of these sets. `applies` says whether a fragment on a type does.
pub fn collect<'a>(sets: &Sets<'a>, fragments: &'a Fragments, applies: &dyn Fn(&str) -> bool) -> Vec<Collected<'a>> {
    let mut collecting = Collecting { fragments, applies, fields: Vec::new(), known: HashMap::new(), places: 0 };
    for (chain, set) in sets {
        collecting.walk(chain, set);
    }
    collecting.fields
}

/// All fields of a document, each where it is written.
pub fn fields(document: &ExecutableDocument) -> impl Iterator<Item = &Positioned<Field>> {
    let operations = document.operations.iter().map(|(_, operation)| &operation.node.selection_set.node);
    let fragments = document.fragments.values().map(|fragment| &fragment.node.selection_set.node);
    let mut sets: Vec<&SelectionSet> = operations.chain(fragments).collect();
    let mut items = [].iter();
    std::iter::from_fn(move || {
        loop {
            match items.next().map(|item: &Positioned<Selection>| &item.node) {
                Some(Selection::Field(field)) => {
                    #[cfg(test)]
                    visits::add(1);
                    sets.push(&field.node.selection_set.node);
                    return Some(field);
                }
                Some(Selection::InlineFragment(inline)) => sets.push(&inline.node.selection_set.node),
                Some(Selection::FragmentSpread(_)) => {}
                None => items = sets.pop()?.items.iter(),
            }
        }
    })
}

/// The fields so far.
struct Collecting<'a, 'c> {
    fragments: &'a Fragments,
    applies: &'c dyn Fn(&str) -> bool,
    fields: Vec<Collected<'a>>,
    /// The index of each response key.
    known: HashMap<&'a Name, usize>,
    places: usize,
}

impl<'a> Collecting<'a, '_> {
    fn walk(&mut self, chain: &Chain, set: &'a SelectionSet) {
        for item in &set.items {
            #[cfg(test)]
            visits::add(1);
            let Some(chain) = chain.and(item.node.directives()) else { continue };
            match &item.node {
                Selection::Field(field) => {
                    let key = &field.node.response_key().node;
                    let place = Place { number: self.places, chain, field };
                    self.places += 1;
                    match self.known.entry(key) {
                        Entry::Occupied(known) => self.fields[*known.get()].places.push(place),
                        Entry::Vacant(new) => {
                            new.insert(self.fields.len());
                            self.fields.push(Collected { key, places: vec![place] });
                        }
                    }
                }
                Selection::InlineFragment(inline) => {
                    let condition = inline.node.type_condition.as_ref();
                    if condition.is_none_or(|on| (self.applies)(&on.node.on.node)) {
                        self.walk(&chain, &inline.node.selection_set.node);
                    }
                }
                Selection::FragmentSpread(spread) => {
                    let fragment = self.fragments.get(&spread.node.fragment_name.node).map(|found| &found.node);
                    if let Some(fragment) = fragment.filter(|found| (self.applies)(&found.type_condition.node.on.node))
                    {
                        self.walk(&chain, &fragment.selection_set.node);
                    }
                }
            }
        }
    }
}

/// The number of selections that this thread has visited.
#[cfg(test)]
pub mod visits {
    use std::cell::Cell;

    thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    pub fn add(selections: usize) {
        VISITS.set(VISITS.get() + selections);
    }

    /// Those since the last call.
    pub fn take() -> usize {
        VISITS.take()
    }
}
