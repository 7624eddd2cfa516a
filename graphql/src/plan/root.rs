//! A declared field of the query in a plan: a list, or objects by their keys.

use async_graphql::{ID, Pos};
use sea_orm::Value;

use super::collect::Collected;
use super::list::{Lists, PlannedList};
use super::object::{Boxed, FoundObjects, Selection};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::arguments::Given;
use crate::declare::root::{RootField, RootKind};
use crate::error::code;
use crate::{Error, Result};

/// How a declared field of the query is read.
pub enum PlannedRoot {
    List(Box<PlannedList>),
    ByKeys(ByKeys),
}

/// Objects by the keys in the arguments of a field: one object, which can be null, or a list of them.
pub struct ByKeys {
    arguments: Given,
    kind: RootKind,
    selections: Selections,
}

/// What is selected of each type, by the index of the object.
pub type Selections = Vec<(usize, Selection)>;

/// A declared field of the query, as it was read.
pub enum RootValue<'p> {
    List(Box<Lists<'p>>),
    ByKeys(Result<Found<'p>>, bool),
}

/// The keys of objects, with the indexes of these, and the objects of each type.
pub struct Found<'p> {
    keys: Vec<(usize, Vec<Value>)>,
    found: Vec<(usize, FoundObjects<'p>)>,
}

impl PlannedRoot {
    /// The plan of a field of the query.
    pub fn new(root: &RootField, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let selections = match &root.kind {
            RootKind::List { index, kept, .. } => {
                let kept = kept.as_deref().cloned();
                return Self::List(Box::new(PlannedList::of_query(*index, kept, field, planner)));
            }
            RootKind::Object { index, .. } => vec![(*index, Selection::new(*index, &field.sets(), None, planner))],
            RootKind::Node | RootKind::Nodes => of_nodes(field, planner),
        };
        Self::ByKeys(ByKeys { arguments: Given::of(&field.field().node), kind: root.kind.clone(), selections })
    }

    /// Whether one statement reads what is selected.
    pub fn reads_once(&self, run: &Run<'_>) -> bool {
        match self {
            Self::List(list) => list.reads_once(run),
            Self::ByKeys(by_keys) => {
                !by_keys.is_list() && by_keys.selections.iter().all(|(_, of)| of.is_found_once(run))
            }
        }
    }

    /// Reads what is selected.
    pub fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, RootValue<'p>> {
        match self {
            Self::List(list) => Box::pin(async move { RootValue::List(Box::new(list.of_all(run).await)) }),
            Self::ByKeys(by_keys) => {
                Box::pin(async move { RootValue::ByKeys(by_keys.read(run).await, by_keys.is_list()) })
            }
        }
    }
}

impl ByKeys {
    fn is_list(&self) -> bool {
        matches!(self.kind, RootKind::Nodes)
    }

    async fn read(&self, run: &Run<'_>) -> Result<Found<'_>> {
        let keys = self.keys(run)?;
        find(&self.selections, keys, run).await
    }

    /// The keys in the arguments.
    fn keys(&self, run: &Run<'_>) -> Result<Vec<(usize, Vec<Value>)>> {
        let (arguments, declaration) = (self.arguments.bind(run.variables), run.declaration);
        match &self.kind {
            RootKind::Object { index, key, .. } => {
                Ok(vec![(*index, key.key(&arguments, declaration, declaration.object(*index))?)])
            }
            RootKind::Nodes => {
                let (ids, max): (Vec<ID>, _) = (arguments.get("ids")?, run.reader.limits().max);
                if u32::try_from(ids.len()).is_ok_and(|asked| asked <= max) {
                    return ids.iter().map(|id| declaration.named(id)).collect();
                }
                let message = format!("`ids` must have at most {max} ids, not {}", ids.len());
                Err(Error::client(code::BAD_USER_INPUT, message))
            }
            RootKind::Node | RootKind::List { .. } => Ok(vec![declaration.named(&arguments.get("id")?)?]),
        }
    }
}

/// What is selected of each type with global ids. Another statement reads each.
pub fn of_nodes(field: &Collected<'_>, planner: &mut Planner<'_>) -> Selections {
    let (objects, sets) = (planner.declaration.objects().iter().enumerate(), field.sets());
    let nodes = objects.filter(|(_, object)| object.tag.is_some());
    nodes.map(|(index, _)| (index, Selection::new(index, &sets, None, &mut planner.of_statement()))).collect()
}

/// Finds objects by their keys: one statement per type.
pub async fn find<'p>(
    selections: &'p [(usize, Selection)],
    keys: Vec<(usize, Vec<Value>)>,
    run: &Run<'_>,
) -> Result<Found<'p>> {
    let mut found = Vec::new();
    for (index, selection) in selections {
        let of_type: Vec<Vec<Value>> = keys.iter().filter(|(of, _)| of == index).map(|(_, key)| key.clone()).collect();
        if !of_type.is_empty() {
            found.push((*index, selection.find(run, &of_type).await?));
        }
    }
    Ok(Found { keys, found })
}

impl Found<'_> {
    fn write_one(&self, (index, key): &(usize, Vec<Value>), writer: &mut Writer<'_>) -> Written {
        let Some((_, found)) = self.found.iter().find(|(of, _)| of == index) else {
            writer.value(&());
            return Ok(());
        };
        found.write(key, writer)
    }

    /// Writes the only object.
    pub fn write(&self, writer: &mut Writer<'_>) -> Written {
        self.keys.iter().try_for_each(|key| self.write_one(key, writer))
    }

    /// Writes the objects as a list.
    pub fn write_list(&self, writer: &mut Writer<'_>) -> Written {
        writer.list(self.keys.iter(), |writer, key| {
            writer.nullable(|writer| self.write_one(key, writer));
            Ok(())
        })
    }
}

impl RootValue<'_> {
    /// Whether the whole query is null because of it.
    pub fn fails_query(&self) -> bool {
        matches!(self, Self::ByKeys(Err(_), true))
    }

    /// Writes its value. The field has this position.
    pub fn write(&self, position: Pos, writer: &mut Writer<'_>) -> Written {
        match self {
            // A list is null beside its error, and fails nothing around it.
            Self::List(list) => {
                list.write(0, position, writer);
                Ok(())
            }
            Self::ByKeys(Ok(found), true) => found.write_list(writer),
            Self::ByKeys(Err(error), true) => Err(writer.fail(error.clone(), position)),
            Self::ByKeys(found, false) => {
                writer.nullable(|writer| match found {
                    Ok(found) => found.write(writer),
                    Err(error) => Err(writer.fail(error.clone(), position)),
                });
                Ok(())
            }
        }
    }
}
