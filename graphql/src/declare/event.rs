//! Events of one object, as data: it was created, changed or deleted.

use async_graphql::ID;
use keyset::{Column, Table};
use sea_orm::Value;

use super::declaration::Declaration;
use super::guard::Guard;
use super::relation::Related;
use super::write::input::Reference;
use super::write::{WriteKind, stem};
use crate::connection::edge_name;
use crate::{Arguments, Result};

/// A declared subscription to what happens to the objects of one type.
#[derive(Clone, Debug)]
pub struct EventField {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: WriteKind,
    pub(crate) object: Related,
    event: String,
    /// Who may call it, unless everybody may.
    pub(crate) guard: Option<Guard>,
    /// The objects by whose global ids a subscriber chooses, once the declaration is checked.
    pub(crate) references: Vec<Reference>,
}

impl EventField {
    pub(crate) fn new(kind: WriteKind, object: &str) -> Self {
        let description = match kind {
            WriteKind::Create => "Each new object, as an edge of its list.",
            WriteKind::Update => "Each changed object, as an edge of its list, with its cursor after the change.",
            WriteKind::Delete => "Each deleted object.",
        };
        let mut name = object.to_owned() + kind.done();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        Self {
            name,
            description: description.to_owned(),
            kind,
            object: Related::named(object),
            event: object.to_owned() + kind.done(),
            guard: None,
            references: Vec::new(),
        }
    }

    /// Gives the field of the subscription another name.
    pub fn rename(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = name.into();
        self
    }

    /// Describes it.
    pub fn describe(&mut self, description: impl Into<String>) -> &mut Self {
        self.description = description.into();
        self
    }

    /// Gives the event another name than that of its object and of what happened: `CityCreated`. Servers on one database tell
    /// each other this name: it never changes.
    pub fn event(&mut self, event: impl Into<String>) -> &mut Self {
        self.event = event.into();
        self
    }

    /// The name of the event.
    pub fn event_name(&self) -> &str {
        &self.event
    }

    /// What happens to the object.
    pub fn kind(&self) -> WriteKind {
        self.kind
    }

    /// The name of the object.
    pub fn object(&self) -> &str {
        &self.object.name
    }

    /// The columns that an event of a deleted object needs: its key, and those by which subscribers choose.
    pub fn telling(&self, table: &Table) -> Vec<Column> {
        let of_references = self.references.iter().flat_map(|reference| &reference.columns);
        table.key().chain(of_references).cloned().collect()
    }

    /// The type of its field, without `!`.
    pub(crate) fn ty(&self) -> String {
        match self.kind {
            WriteKind::Create | WriteKind::Update => edge_name(&self.object.name),
            WriteKind::Delete => format!("{}Payload", stem(&self.name)),
        }
    }

    /// Reads the arguments by which a subscriber chooses: columns, and the values that they must have.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](crate::error::code::ID_INVALID).
    pub(crate) fn chosen(&self, declaration: &Declaration, arguments: &Arguments<'_>) -> Result<Vec<(Column, Value)>> {
        let mut chosen = Vec::new();
        for reference in &self.references {
            if let Some(id) = arguments.get::<Option<ID>>(&reference.name)? {
                let key = declaration.key(&declaration.object(reference.target).name, &id)?;
                chosen.extend(reference.columns.iter().cloned().zip(key));
            }
        }
        Ok(chosen)
    }
}
