//! Plans: what is selected, in the form in which it is read and written.
//!
//! ```text
//! document → collect → plan                     once per document
//! arguments → page → bracket → rows → JSON      for each request
//! ```
//!
//! A query is planned from the declaration of its fields and its document (`query`). Fields of mutations and subscriptions, and
//! those that an application resolves, are planned when async-graphql resolves them (`resolved`). A plan does not depend on variables. They are bound when it is executed: the arguments of lists, and the conditions of
//! `@skip` and `@include`. (The idea of a plan instead of resolvers is that of Tailcall and Exograph, and of Benjie
//! Gillam's Grafast.)

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use async_graphql::Variables;
use async_graphql::registry::Registry;
use keyset::Join;
use sea_orm::{ColumnTrait, EntityTrait, IdenStatic as _};

pub mod alone;
pub mod collect;
pub mod connection;
pub mod document;
pub mod fields;
pub mod object;
pub mod pause;
pub mod plain;
pub mod plans;
pub mod query;
pub mod relation;
pub mod resolved;
pub mod variables;
pub mod writer;

#[cfg(test)]
mod tests;

use collect::Fragments;

use crate::Reader;
use crate::object::{Fields, RowObject};

/// What planning needs to know.
pub struct Planner<'a> {
    pub fragments: &'a Fragments,
    registry: &'a Registry,
    /// The joins in the statement, by what they join: several selections share one.
    joins: Vec<(String, Join)>,
    /// The declared fields of the types so far.
    declared: Rc<RefCell<HashMap<TypeId, Rc<dyn Any>>>>,
}

impl<'a> Planner<'a> {
    /// The planner of a field of a document with these fragments.
    pub fn new(fragments: &'a Fragments, registry: &'a Registry) -> Self {
        Self { fragments, registry, joins: Vec::new(), declared: Rc::default() }
    }

    /// The declared fields of a type.
    pub fn declared<T: RowObject>(&self) -> Rc<Fields<T>> {
        let known = self.declared.borrow().get(&TypeId::of::<T>()).cloned();
        known.and_then(|known| known.downcast().ok()).unwrap_or_else(|| {
            let fields = Rc::new(Fields::<T>::of());
            self.declared.borrow_mut().insert(TypeId::of::<T>(), Rc::<Fields<T>>::clone(&fields));
            fields
        })
    }

    /// Whether a fragment on this type applies to an object.
    pub fn is_a(&self, object: &str, on: &str) -> bool {
        object == on || self.registry.types.get(on).is_some_and(|on| on.is_possible_type(object))
    }

    /// A join of the statement: to its rows, or to those of another join.
    pub fn join<E: EntityTrait>(&mut self, rows: Option<&Join>, from: impl ColumnTrait, to: E::Column) -> Join {
        let what =
            format!("{:?} {} {}.{}", rows.map(Join::name), from.as_str(), E::default().table_name(), to.as_str());
        if let Some((_, known)) = self.joins.iter().find(|(known, _)| *known == what) {
            return known.clone();
        }
        let name = format!("t{}", self.joins.len() + 1);
        let join = match rows {
            None => Join::new::<E>(&name, from, to),
            Some(rows) => rows.then::<E>(&name, from, to),
        };
        self.joins.push((what, join.clone()));
        join
    }

    /// The planner of another statement.
    pub fn of_statement(&self) -> Planner<'_> {
        Planner { joins: Vec::new(), declared: Rc::clone(&self.declared), ..*self }
    }
}

/// What reading needs to know.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub reader: &'a Reader,
    pub variables: &'a Variables,
    /// Whether it shows the row of an event, which was read before: what the row refers to may have been deleted since.
    pub is_event: bool,
}

impl Run<'_> {
    /// The same without a snapshot, if one statement reads all of a query.
    pub fn of_whole_query(self, is_one_statement: impl FnOnce() -> bool) -> Self {
        let reader = self.reader.without_snapshot().filter(|_| is_one_statement());
        Self { reader: reader.unwrap_or(self.reader), ..self }
    }
}
