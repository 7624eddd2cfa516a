//! A walk through the selections of a document.

use async_graphql::Name;
use async_graphql::Positioned;
use async_graphql::parser::types::{Directive, ExecutableDocument, Field, Selection, SelectionSet};

/// Receives what a walk passes. A field is left after all that is selected of it, and so is a fragment.
pub trait Visitor<'a> {
    /// A field begins.
    fn enter_field(&mut self, field: &'a Positioned<Field>);

    /// A field ends.
    fn leave_field(&mut self, _: &'a Positioned<Field>) {}

    /// A fragment begins. Returns whether to walk through it: a document can spread one fragment many times.
    fn enter_fragment(&mut self, fragment: Fragment<'a>) -> bool;

    /// A fragment ends that was walked through.
    fn leave_fragment(&mut self, _: Fragment<'a>) {}
}

/// A fragment where it is used.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// Its name, unless it is an inline fragment.
    pub name: Option<&'a Name>,
    /// Its type condition, if it has one.
    pub on: Option<&'a Name>,
    /// The directives of the place where it is used.
    pub directives: &'a [Positioned<Directive>],
}

/// The selections are nested deeper than the maximum, or a fragment contains itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep;

/// Walks through selections. `levels` is the maximum depth of fields and fragments. A fragment that the document does
/// not define is empty; validation reports it.
///
/// # Errors
///
/// [`TooDeep`].
pub fn walk<'a>(
    document: &'a ExecutableDocument,
    set: &'a SelectionSet,
    levels: usize,
    visitor: &mut impl Visitor<'a>,
) -> Result<(), TooDeep> {
    let below = levels.checked_sub(1).ok_or(TooDeep)?;
    for item in &set.items {
        match &item.node {
            Selection::Field(field) => {
                visitor.enter_field(field);
                walk(document, &field.node.selection_set.node, below, visitor)?;
                visitor.leave_field(field);
            }
            Selection::InlineFragment(inline) => {
                let on = inline.node.type_condition.as_ref().map(|condition| &condition.node.on.node);
                let fragment = Fragment { name: None, on, directives: &inline.node.directives };
                if visitor.enter_fragment(fragment) {
                    walk(document, &inline.node.selection_set.node, below, visitor)?;
                    visitor.leave_fragment(fragment);
                }
            }
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                let definition = document.fragments.get(name).map(|found| &found.node);
                let on = definition.map(|definition| &definition.type_condition.node.on.node);
                let fragment = Fragment { name: Some(name), on, directives: &spread.node.directives };
                if visitor.enter_fragment(fragment) {
                    if let Some(definition) = definition {
                        walk(document, &definition.selection_set.node, below, visitor)?;
                    }
                    visitor.leave_fragment(fragment);
                }
            }
        }
    }
    Ok(())
}
