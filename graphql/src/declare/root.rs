//! The declared fields of the query, as data.

use std::fmt;
use std::sync::Arc;

use async_graphql::ID;
use keyset::Kept;
use sea_orm::Value;

use super::declaration::Declaration;
use super::guard::Guard;
use super::object::ObjectType;
use crate::Result;
use crate::arguments::Arguments;
use crate::input::InputFields;

/// A declared field of the query.
#[derive(Clone, Debug)]
pub struct RootField {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: RootKind,
    /// Who may call it, unless everybody may.
    pub(crate) guard: Option<Guard>,
}

/// What a field of the query returns.
#[derive(Clone, Debug)]
pub(crate) enum RootKind {
    /// All objects of this name. The index is that of the object in the declaration.
    List {
        object: String,
        index: usize,
        kept: Option<Box<Kept>>,
    },
    /// The object of this name with a key.
    Object {
        object: String,
        index: usize,
        key: Arc<dyn KeyArguments>,
    },
    Node,
    Nodes,
}

/// The arguments that name one object.
pub trait KeyArguments: Send + Sync + fmt::Debug + 'static {
    /// Describes them.
    fn describe(&self, arguments: &mut InputFields<'_>);

    /// The values of the primary key that they name.
    ///
    /// # Errors
    ///
    /// Any error: the field is then null beside it.
    fn key(&self, arguments: &Arguments<'_>, declaration: &Declaration, object: &ObjectType) -> Result<Vec<Value>>;
}

/// The argument `id`: a global id.
#[derive(Debug)]
pub(crate) struct ById;

impl KeyArguments for ById {
    fn describe(&self, arguments: &mut InputFields<'_>) {
        arguments.field::<ID>("id", "Returns the object with this global id.");
    }

    fn key(&self, arguments: &Arguments<'_>, declaration: &Declaration, object: &ObjectType) -> Result<Vec<Value>> {
        declaration.key(&object.name, &arguments.get("id")?)
    }
}

impl RootField {
    pub(crate) fn new(name: &str, kind: RootKind) -> Self {
        Self { name: name.to_owned(), description: String::new(), kind, guard: None }
    }

    /// Describes it.
    pub fn describe(&mut self, description: impl Into<String>) -> &mut Self {
        self.description = description.into();
        self
    }

    /// Says that the database keeps the number of objects of the list: see [`Field::kept`](crate::Field::kept).
    ///
    /// # Panics
    ///
    /// Panics if the field is no list.
    pub fn kept(&mut self, count: Kept) -> &mut Self {
        let RootKind::List { kept, .. } = &mut self.kind else { panic!("`{}` is no list", self.name) };
        *kept = Some(Box::new(count));
        self
    }
}
