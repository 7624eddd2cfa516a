//! Mutations of one object, as data: they create, change or delete a row.

use std::fmt;
use std::sync::Arc;

use async_graphql::{InputType, Value};

use super::guard::Guard;
use super::names::{camel, noun};
use super::relation::Related;
use crate::connection::edge_name;
use crate::error::code;
use crate::scalar::refused;
use crate::{Error, Result};

pub(crate) mod input;
mod read;

use input::InputField;
pub(crate) use read::RowInput;

/// What is done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// It is created.
    Create,
    /// It is changed.
    Update,
    /// It is deleted.
    Delete,
}

impl WriteKind {
    fn verb(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    /// What was done, as the end of a name.
    pub(crate) fn done(self) -> &'static str {
        match self {
            Self::Create => "Created",
            Self::Update => "Updated",
            Self::Delete => "Deleted",
        }
    }
}

/// Checks the value of a field of an input, and returns it as it is stored.
type Prepare = Arc<dyn Fn(&Value) -> Result<Value> + Send + Sync>;

/// A declared mutation of one object.
#[derive(Clone)]
pub struct WriteField {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: WriteKind,
    pub(crate) object: Related,
    /// The fields of its input that set columns, once the declaration is checked.
    pub(crate) inputs: Vec<InputField>,
    /// The field with the object that it locks and returns, and the number of the relation, once it is known.
    pub(crate) parent: Option<(String, usize)>,
    /// Who may call it, unless everybody may.
    pub(crate) guard: Option<Guard>,
    without: Vec<String>,
    required: Vec<String>,
    descriptions: Vec<(String, String)>,
    prepared: Vec<(String, Prepare)>,
}

impl WriteField {
    pub(crate) fn new(kind: WriteKind, object: &str) -> Self {
        let noun = noun(object);
        let description = match kind {
            WriteKind::Create => format!("Creates an object: {noun}."),
            WriteKind::Update => {
                format!("Changes an object: {noun}. Fields that are not given keep their values.")
            }
            WriteKind::Delete => format!("Deletes an object: {noun}."),
        };
        Self {
            name: format!("{}{object}", kind.verb()),
            description,
            kind,
            object: Related::named(object),
            inputs: Vec::new(),
            parent: None,
            guard: None,
            without: Vec::new(),
            required: Vec::new(),
            descriptions: Vec::new(),
            prepared: Vec::new(),
        }
    }

    /// Gives it another name.
    pub fn rename(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = name.into();
        self
    }

    /// Describes it.
    pub fn describe(&mut self, description: impl Into<String>) -> &mut Self {
        self.description = description.into();
        self
    }

    /// Describes the field of this name in its input or in its payload. By default, a field of the input has the description that
    /// the field of the object has.
    pub fn describe_field(&mut self, field: impl Into<String>, description: impl Into<String>) -> &mut Self {
        self.descriptions.push((field.into(), description.into()));
        self
    }

    /// Takes a field out of the input: clients do not set it.
    pub fn without(&mut self, field: impl Into<String>) -> &mut Self {
        self.without.push(field.into());
        self
    }

    /// Requires a field of the input that is optional otherwise.
    pub fn require(&mut self, field: impl Into<String>) -> &mut Self {
        self.required.push(field.into());
        self
    }

    /// Locks the object in this field of the object before it writes, and returns it in the payload. Of a created object, the payload
    /// has the cursor of the edge before it in the list of that object, too.
    ///
    /// Use it where a write changes the other row, too, such as a sum that a trigger keeps, and where that object can be deleted with
    /// its rows: both then lock it first.
    pub fn with_parent(&mut self, field: impl Into<String>) -> &mut Self {
        self.parent = Some((field.into(), 0));
        self
    }

    /// Checks the value of a field of its input, if it is given and not null. The error says what is expected, as a fragment in
    /// lower case. All errors of an input are in one response, each with the name of its field.
    pub fn check<T: InputType + 'static>(
        &mut self,
        field: impl Into<String>,
        check: impl Fn(T) -> std::result::Result<(), String> + Send + Sync + 'static,
    ) -> &mut Self {
        self.prepared.push((
            field.into(),
            Arc::new(move |value| {
                check(parsed(value)?).map_err(unfit)?;
                Ok(value.clone())
            }),
        ));
        self
    }

    /// The same, and stores what it returns in place of the value.
    pub fn prepare<T: InputType + 'static>(
        &mut self,
        field: impl Into<String>,
        prepare: impl Fn(T) -> std::result::Result<T, String> + Send + Sync + 'static,
    ) -> &mut Self {
        let prepare = move |value: &Value| Ok(prepare(parsed(value)?).map_err(unfit)?.to_value());
        self.prepared.push((field.into(), Arc::new(prepare)));
        self
    }

    pub(crate) fn input_name(&self) -> String {
        format!("{}Input", stem(&self.name))
    }

    pub(crate) fn payload_name(&self) -> String {
        format!("{}Payload", stem(&self.name))
    }

    /// The names of fields of the input that are checked, required or taken out.
    pub(crate) fn named(&self) -> impl Iterator<Item = &str> {
        let names = self.without.iter().chain(&self.required);
        self.prepared.iter().map(|(name, _)| name).chain(names).map(String::as_str)
    }

    /// The names of the fields that are described.
    pub(crate) fn described(&self) -> impl Iterator<Item = &str> {
        self.descriptions.iter().map(|(name, _)| name.as_str())
    }

    /// The description of a field of its input or of its payload, instead of this one.
    pub(crate) fn description_of(&self, field: &str, otherwise: impl Into<String>) -> String {
        let own = self.descriptions.iter().find(|(name, _)| name == field);
        own.map_or_else(|| otherwise.into(), |(_, description)| description.clone())
    }

    /// The fields of its payload. A parent is the object of this type; whether it can be null is said with it.
    pub(crate) fn payload(&self, parent: Option<(&str, bool)>) -> Vec<PayloadField> {
        let (object, noun) = (&self.object.name, noun(&self.object.name));
        let text = || "String".to_owned();
        let field = |what, name: &str, ty: String, description: &str| PayloadField {
            what,
            name: name.to_owned(),
            ty,
            description: self.description_of(name, description),
        };
        let mut fields = match self.kind {
            WriteKind::Create => vec![
                field(
                    Returned::Edge,
                    &format!("{}Edge", camel(object)),
                    format!("{}!", edge_name(object)),
                    &format!("The new {noun}, as an edge of its list, sorted by `orderBy`."),
                ),
                field(
                    Returned::Previous,
                    "previousEdgeCursor",
                    text(),
                    "The cursor of the edge before the new one. Null if the new edge is the first.",
                ),
            ],
            WriteKind::Update => {
                vec![field(Returned::Object, &camel(object), format!("{object}!"), &format!("The changed {noun}."))]
            }
            WriteKind::Delete => {
                let description = format!("The global id of the deleted {noun}.");
                vec![field(Returned::DeletedId, "deletedId", "ID!".into(), &description)]
            }
        };
        if let (Some((name, _)), Some((ty, is_nullable))) = (&self.parent, parent) {
            if self.kind == WriteKind::Create {
                let description = format!(
                    "The cursor of the edge before the new one in the list of the `{name}`. Null if the new edge is the first."
                );
                let cursor = format!("previousEdgeCursorOf{}", stem(name));
                fields.push(field(Returned::PreviousOfParent, &cursor, text(), &description));
            }
            let ty = if is_nullable { ty.to_owned() } else { format!("{ty}!") };
            fields.push(field(Returned::Parent, name, ty, &format!("The `{name}` of the {noun}.")));
        }
        let description = "The `clientMutationId` of the input. Null if the input has none.";
        fields.push(field(Returned::ClientMutationId, "clientMutationId", text(), description));
        fields
    }
}

/// A field of the payload of a declared mutation.
pub(crate) struct PayloadField {
    pub what: Returned,
    pub name: String,
    pub ty: String,
    pub description: String,
}

/// What a field of a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returned {
    Edge,
    /// The cursor of the edge before the new one.
    Previous,
    /// The same in the list of the parent.
    PreviousOfParent,
    Object,
    Parent,
    DeletedId,
    ClientMutationId,
}

impl fmt::Debug for WriteField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteField").field("name", &self.name).field("object", &self.object).finish_non_exhaustive()
    }
}

fn parsed<T: InputType>(value: &Value) -> Result<T> {
    T::parse(Some(value.clone())).map_err(refused)
}

fn unfit(message: String) -> Error {
    Error::client(code::BAD_USER_INPUT, message)
}

/// The name of a field as the beginning of the names of its types: `rateBook` is `RateBook`.
pub(crate) fn stem(field: &str) -> String {
    let mut letters = field.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
