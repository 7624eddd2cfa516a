//! What is selected of the payload of a declared mutation. It is read in the transaction of the write.

use async_graphql::{ID, Variables};
use keyset::{Key, Order, Record, StatementCache};
use sea_orm::{DbErr, Value};

use super::collect::{Collected, collect};
use super::connection::{FoundPage, PlannedPage};
use super::fields::PlannedFields;
use super::object::Selection;
use super::writer::{Shown, Writer};
use super::{Planner, Run};
use crate::Result;
use crate::declare::write::{Returned, WriteField};
use crate::value;

/// What is selected of a payload.
pub(crate) struct RowPayload {
    fields: PlannedFields<Part>,
    /// The statements that find the place of a created row.
    pub places: StatementCache,
}

enum Part {
    TypeName(String),
    Leaf(Returned),
    Edge(Box<PlannedPage>),
    Object(Box<Selection>),
    Parent(Box<Selection>),
}

/// What a write has done.
#[derive(Debug, Default)]
pub struct RowWritten {
    /// The key of the row.
    pub key: Vec<Value>,
    /// The place of a created row, if it was looked for.
    pub(crate) place: Option<Place>,
    /// The cursor of the edge before it.
    pub previous: Option<String>,
    /// The same in the list of its parent.
    pub previous_of_parent: Option<String>,
    /// The key of its parent.
    pub parent: Option<Vec<Value>>,
}

/// The place of a created row in the order of the input.
#[derive(Debug)]
pub(crate) struct Place {
    pub order: Order,
    pub key: Key,
    /// The row, with what the [edge](RowPayload::edge) shows of its relations.
    pub record: Record,
}

impl RowPayload {
    pub fn new(write: &WriteField, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let (name, declaration) = (write.payload_name(), planner.declaration);
        let payload = write.payload(declaration.parent_of(write));
        let fields = PlannedFields::new(&collect(&field.sets(), planner.fragments, &|on| on == name), |field| {
            let mut planner = planner.of_statement();
            if field.name() == "__typename" {
                return Some(Part::TypeName(name.clone()));
            }
            let declared = payload.iter().find(|declared| declared.name == field.name())?;
            let object = declared.ty.trim_end_matches('!');
            Some(match declared.what {
                Returned::Edge => Part::Edge(Box::new(PlannedPage::edge(&write.object.name, field, &mut planner))),
                Returned::Object => Part::Object(Box::new(value::select(object, field, &mut planner))),
                Returned::Parent => Part::Parent(Box::new(value::select(object, field, &mut planner))),
                leaf => Part::Leaf(leaf),
            })
        });
        Self { fields, places: StatementCache::default() }
    }

    /// Whether this is selected.
    pub fn needs(&self, wanted: Returned, variables: &Variables) -> bool {
        self.fields.selected(variables).any(|part| matches!(part, Part::Leaf(leaf) if *leaf == wanted))
    }

    /// Whether the place of a created object in its lists is selected.
    pub fn needs_place(&self, variables: &Variables) -> bool {
        let of_place = [Returned::Previous, Returned::PreviousOfParent];
        let is_edge = |part: &Part| matches!(part, Part::Edge(_));
        self.fields.selected(variables).any(is_edge) || of_place.into_iter().any(|what| self.needs(what, variables))
    }

    /// The edge that is selected first. Its objects are read with the place.
    pub fn edge(&self, variables: &Variables) -> Option<&PlannedPage> {
        self.fields.selected(variables).find_map(|part| if let Part::Edge(edge) = part { Some(&**edge) } else { None })
    }

    /// Reads and writes what is selected.
    pub async fn show(
        &self,
        write: &WriteField,
        done: &RowWritten,
        client_mutation_id: Option<&str>,
        run: &Run<'_>,
    ) -> Shown {
        let mut parts = Vec::new();
        for part in self.fields.selected(run.variables) {
            parts.push(self.part(part, write, done, client_mutation_id, run).await);
        }
        let (mut writer, mut parts) = (Writer::new(run), parts.into_iter());
        let written = self.fields.write(&mut writer, |writer, _, position| match parts.next() {
            Some(Ok(part)) => writer.append(part),
            Some(Err(error)) => Err(writer.fail(error, position)),
            None => Ok(()),
        });
        writer.finish(written)
    }

    async fn part(
        &self,
        part: &Part,
        write: &WriteField,
        done: &RowWritten,
        client_mutation_id: Option<&str>,
        run: &Run<'_>,
    ) -> Result<Shown> {
        let mut writer = Writer::new(run);
        let mut written = Ok(());
        match part {
            Part::TypeName(name) => writer.value(name),
            Part::Leaf(Returned::Previous) => writer.value(&done.previous),
            Part::Leaf(Returned::PreviousOfParent) => writer.value(&done.previous_of_parent),
            Part::Leaf(Returned::DeletedId) => {
                let id: Option<ID> = run.declaration.id(&write.object.name, &done.key);
                writer.value(&id.map(|id| id.0));
            }
            Part::Leaf(_) => writer.value(&client_mutation_id),
            Part::Edge(planned) => {
                let place = done.place.as_ref().ok_or_else(|| run.reader.error(DbErr::RecordNotInserted))?;
                let is_first = self.edge(run.variables).is_some_and(|first| std::ptr::eq(first, planned.as_ref()));
                let read = if is_first {
                    planned.of_record(&place.order, &place.key, &place.record, run).await?
                } else {
                    let cursors = Some(vec![place.order.seal(&place.key)?.into()]);
                    let page = FoundPage { keys: vec![done.key.clone()], cursors, ..FoundPage::default() };
                    planned.read(&page, run).await?
                };
                written = read.write_edge(&mut writer);
            }
            Part::Object(selection) => {
                let found = selection.find(run, std::slice::from_ref(&done.key)).await?;
                written = found.write(&done.key, &mut writer);
            }
            Part::Parent(selection) => match &done.parent {
                Some(key) if key.iter().all(|value| *value != value.as_null()) => {
                    written = selection.find(run, std::slice::from_ref(key)).await?.write(key, &mut writer);
                }
                _ => writer.value(&()),
            },
        }
        Ok(writer.finish(written))
    }
}
