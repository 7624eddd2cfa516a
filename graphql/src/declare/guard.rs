//! Guards: who may read a field, or call it.
//!
//! To a plan, a guard is a condition like that of `@include`: the variables of a request get the answer of each guard under a name
//! that no document can use. So a plan is made once for all viewers, and a refused field reads nothing.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_graphql::{Name, Value, Variables};

use super::declaration::{Declaration, Declaring};
use super::field::Field;
use super::rule::viewer_of;
use crate::error::code;
use crate::{Error, RequestData, Result};

/// Whether a request with these data may.
type Allows = dyn Fn(&dyn RequestData) -> bool + Send + Sync;

/// Who may read a field, or call it.
#[derive(Clone)]
pub(crate) struct Guard {
    /// Its name among the variables, once the declaration is checked.
    pub name: Name,
    allows: Arc<Allows>,
    /// Whether a refused field is null, in place of an error.
    pub is_null: bool,
}

impl Guard {
    pub(crate) fn new<V: Any>(allows: impl Fn(Option<&V>) -> bool + Send + Sync + 'static, is_null: bool) -> Self {
        Self { name: Name::new(""), allows: Arc::new(move |data| allows(viewer_of(data))), is_null }
    }

    /// Refuses a request with these data.
    ///
    /// # Errors
    ///
    /// [`FORBIDDEN`](code::FORBIDDEN).
    pub fn check(&self, field: &str, data: &dyn RequestData) -> Result<()> {
        if (self.allows)(data) { Ok(()) } else { Err(Self::refusal(field)) }
    }

    /// The error of a field that is refused.
    pub fn refusal(field: &str) -> Error {
        Error::client(code::FORBIDDEN, format!("`{field}` is not permitted to you"))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("is_null", &self.is_null).finish_non_exhaustive()
    }
}

/// Refuses a filter or an order by a field that the answers of the guards, in the variables of a request, do not allow.
///
/// # Errors
///
/// [`FORBIDDEN`](code::FORBIDDEN).
pub(crate) fn check(field: &str, guard: Option<&Guard>, variables: &Variables) -> Result<()> {
    let refuses = |guard: &Guard| variables.get(&guard.name) != Some(&Value::Boolean(true));
    if guard.is_some_and(refuses) { Err(Guard::refusal(field)) } else { Ok(()) }
}

impl Field {
    /// Lets only these viewers read the field. For others it is an error, `FORBIDDEN`, and its value is not read; nor can they
    /// filter, sort or aggregate by it. Its type is nullable. `V` is the type of the viewer; `None` is a request without one.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// struct Viewer { is_baker: bool }
    ///
    /// let mut tables = bookends_graphql::Declaring::new("Query");
    /// tables.entity::<cake::Entity>().change("name", |name| {
    ///     name.guard(|viewer: Option<&Viewer>| viewer.is_some_and(|viewer| viewer.is_baker));
    /// });
    /// # tables.check().unwrap();
    /// ```
    pub fn guard<V: Any>(&mut self, allows: impl Fn(Option<&V>) -> bool + Send + Sync + 'static) -> &mut Self {
        self.guard = Some(Guard::new(allows, false));
        self
    }

    /// The same, with null in place of the error.
    pub fn guard_or_null<V: Any>(&mut self, allows: impl Fn(Option<&V>) -> bool + Send + Sync + 'static) -> &mut Self {
        self.guard = Some(Guard::new(allows, true));
        self
    }
}

impl Declaring {
    /// Lets only these viewers call a declared field of the query, of the mutation or of the subscription: a list, an object by its
    /// key, a write or an event. For others it is an error, `FORBIDDEN`, and nothing runs. It does not guard the objects, which
    /// others can reach in other ways: for these, see [`ObjectType::rule`](crate::ObjectType::rule).
    pub fn guard<V: Any>(
        &mut self,
        field: impl Into<String>,
        allows: impl Fn(Option<&V>) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.guards.push((field.into(), Guard::new(allows, false)));
        self
    }

    /// Gives the guards to their fields, and names to all guards. Returns the faults.
    pub(super) fn place_guards(&mut self) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, guard) in std::mem::take(&mut self.guards) {
            let roots = self.roots.iter_mut().filter(|root| root.name == name).map(|root| &mut root.guard);
            let writes = self.writes.iter_mut().filter(|write| write.name == name).map(|write| &mut write.guard);
            let events = self.events.iter_mut().filter(|event| event.name == name).map(|event| &mut event.guard);
            let mut places = roots.chain(writes).chain(events).peekable();
            if places.peek().is_none() {
                faults.push(format!("`{name}` has a guard, and is no declared field of a root type"));
            }
            for place in places {
                *place = Some(guard.clone());
            }
        }
        for (number, guard) in guards(&mut self.objects, &mut self.roots).enumerate() {
            guard.name = Name::new(format!("guard {number}"));
        }
        faults
    }
}

/// The guards whose answers plans read.
fn guards<'d>(
    objects: &'d mut [super::object::ObjectType],
    roots: &'d mut [super::root::RootField],
) -> impl Iterator<Item = &'d mut Guard> {
    let of_fields = objects.iter_mut().flat_map(|object| &mut object.fields).filter_map(|field| field.guard.as_mut());
    of_fields.chain(roots.iter_mut().filter_map(|root| root.guard.as_mut()))
}

impl Declaration {
    /// Whether a field has a guard.
    pub(crate) fn has_guards(&self) -> bool {
        self.has_guards
    }

    /// The guards whose answers plans read.
    pub(super) fn guards(&self) -> impl Iterator<Item = &Guard> {
        let of_fields = self.objects.iter().flat_map(|object| &object.fields).filter_map(|field| field.guard.as_ref());
        of_fields.chain(self.roots.iter().filter_map(|root| root.guard.as_ref()))
    }

    /// The variables of a request with these data, and the answers of the guards.
    pub(crate) fn guarded<'v>(&self, variables: Cow<'v, Variables>, data: &dyn RequestData) -> Cow<'v, Variables> {
        if !self.has_guards {
            return variables;
        }
        let mut variables = variables.into_owned();
        for guard in self.guards() {
            variables.insert(guard.name.clone(), Value::Boolean((guard.allows)(data)));
        }
        Cow::Owned(variables)
    }
}
