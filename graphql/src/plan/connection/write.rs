//! The connections that were read, as JSON.

use keyset::{Count, Key, Order, PageCursors, Slice};

use super::aggregates::{Aggregates, Values};
use super::{Connection, EdgeField, Field, PageInfoField};
use crate::arguments::Given;
use crate::plan::fields::PlannedFields;
use crate::plan::object::Objects;
use crate::plan::writer::{Null, Writer, Written};
use crate::{Error, Result, connection, count, page_cursors};

/// The connections of lists that were read together.
pub struct Connections<'p> {
    pub(super) plan: &'p Connection,
    pub(super) order: Order,
    pub(super) slices: Option<Result<Vec<Slice<()>>>>,
    /// Which lists do not have the object that the page is to be around.
    pub(super) lacking: Vec<bool>,
    /// The objects of all pages, one after the other, for each selection.
    pub(super) objects: Vec<Option<Objects<'p>>>,
    pub(super) counts: Option<Result<Vec<u64>>>,
    pub(super) approximate_counts: Vec<(&'p Given, Result<Vec<Count>>)>,
    pub(super) page_cursors: Option<Result<Vec<PageCursors>>>,
    /// For each selection of aggregates, those of each list.
    pub(super) aggregates: Vec<(&'p Aggregates, Result<Vec<Values>>)>,
    /// The number of the object at each place, if they are not in the order of the page.
    pub(super) numbers: Option<Vec<usize>>,
    /// The cursor at each place, unless it is that of the key.
    pub(super) cursors: Option<Vec<String>>,
}

impl<'p> Connections<'p> {
    pub(super) fn new(plan: &'p Connection, order: Order) -> Self {
        Self {
            plan,
            order,
            slices: None,
            lacking: Vec::new(),
            objects: Vec::new(),
            counts: None,
            approximate_counts: Vec::new(),
            page_cursors: None,
            aggregates: Vec::new(),
            numbers: None,
            cursors: None,
        }
    }

    /// The number of the first object of each list.
    pub fn starts(&self) -> Vec<usize> {
        let slices = self.slices.iter().flatten().flatten();
        slices
            .scan(0, |next, slice| {
                let start = *next;
                *next += slice.rows.len();
                Some(start)
            })
            .collect()
    }

    /// Whether the list at this index does not have the object that its page is to be around.
    pub fn lacks_object(&self, index: usize) -> bool {
        self.lacking.get(index).copied().unwrap_or_default()
    }

    /// Writes the connection of the list at this index, whose first object has the number `start`.
    pub fn write(&self, index: usize, start: usize, writer: &mut Writer<'_>) -> Written {
        self.plan.fields.write(writer, |writer, field, position| {
            let slice = || Ok(&of(self.slices.as_ref())?[index]);
            let written = match field {
                Field::TypeName => {
                    writer.value(&connection::connection_name(&self.plan.name));
                    Ok(Ok(()))
                }
                Field::Edges(edges) => slice().map(|slice| self.edges(edges, slice, start, writer)),
                Field::Nodes(selection) => slice().map(|slice| {
                    writer
                        .list(start..start + slice.rows.len(), |writer, number| self.object(*selection, number, writer))
                }),
                Field::PageInfo(fields) => slice().map(|slice| self.page_info(fields, slice, start, writer)),
                Field::TotalCount => {
                    of(self.counts.as_ref()).and_then(|counts| count::int(counts[index])).map(|count| {
                        writer.value(&count);
                        Ok(())
                    })
                }
                Field::ApproximateCount(bound, plain) => self
                    .approximate_count(bound, index)
                    .map(|count| plain.write(&serde_json::to_value(count).unwrap_or_default(), writer)),
                Field::Aggregates(aggregates) => {
                    let is_of = |(known, _): &&(&Aggregates, _)| std::ptr::eq(*known, &raw const **aggregates);
                    let read = self.aggregates.iter().find(is_of).map(|(_, read)| read);
                    of(read).map(|lists| aggregates.write(&lists[index], writer))
                }
                Field::PageCursors(plain) => slice()
                    .and_then(|slice| {
                        let found = &of(self.page_cursors.as_ref())?[index];
                        page_cursors::PageCursors::new(found, slice, &self.order)
                    })
                    .map(|cursors| plain.write(&serde_json::to_value(cursors).unwrap_or_default(), writer)),
            };
            written.unwrap_or_else(|error: Error| Err(writer.fail(error, position)))
        })
    }

    fn edges(
        &self,
        edges: &PlannedFields<EdgeField>,
        slice: &Slice<()>,
        start: usize,
        writer: &mut Writer<'_>,
    ) -> Written {
        writer.list((start..).zip(&slice.rows), |writer, (place, row)| self.edge(edges, place, &row.key, writer))
    }

    fn edge(&self, edge: &PlannedFields<EdgeField>, place: usize, key: &Key, writer: &mut Writer<'_>) -> Written {
        edge.write(writer, |writer, field, position| {
            match field {
                EdgeField::TypeName => writer.value(&connection::edge_name(&self.plan.name)),
                EdgeField::Cursor => self.cursor(place, key, position, writer)?,
                EdgeField::Selected(selection) => self.object(*selection, place, writer)?,
            }
            Ok(())
        })
    }

    /// Writes the only edge; null if there is none.
    pub fn write_edge(&self, writer: &mut Writer<'_>) -> Written {
        let row = self.slices.iter().flatten().flatten().flat_map(|slice| &slice.rows).next();
        if let (Some(Field::Edges(edge)), Some(row)) = (self.plan.fields.selected(writer.variables).next(), row) {
            return self.edge(edge, 0, &row.key, writer);
        }
        writer.value(&());
        Ok(())
    }

    fn object(&self, selection: usize, place: usize, writer: &mut Writer<'_>) -> Written {
        let number = self.numbers.as_ref().map_or(place, |numbers| numbers[place]);
        self.objects[selection].as_ref().map_or(Err(Null), |objects| objects.write(number, writer))
    }

    fn cursor(&self, place: usize, key: &Key, position: async_graphql::Pos, writer: &mut Writer<'_>) -> Written {
        if let Some(cursors) = &self.cursors {
            writer.value(&cursors[place]);
            return Ok(());
        }
        writer.json.push(b'"');
        if let Err(error) = self.order.seal_into(key, &mut writer.json) {
            return Err(writer.fail(error.into(), position));
        }
        writer.json.push(b'"');
        Ok(())
    }

    fn page_info(
        &self,
        fields: &PlannedFields<PageInfoField>,
        slice: &Slice<()>,
        start: usize,
        writer: &mut Writer<'_>,
    ) -> Written {
        fields.write(writer, |writer, field, position| {
            let row = match field {
                PageInfoField::TypeName => {
                    writer.value(&"PageInfo");
                    return Ok(());
                }
                PageInfoField::HasPreviousPage => {
                    writer.value(&slice.has_previous);
                    return Ok(());
                }
                PageInfoField::HasNextPage => {
                    writer.value(&slice.has_next);
                    return Ok(());
                }
                PageInfoField::StartCursor => (start..).zip(&slice.rows).next(),
                PageInfoField::EndCursor => (start..).zip(&slice.rows).last(),
            };
            if let Some((place, row)) = row {
                return self.cursor(place, &row.key, position, writer);
            }
            writer.value(&());
            Ok(())
        })
    }

    fn approximate_count(&self, bound: &Given, index: usize) -> Result<count::ApproximateCount> {
        let found = self.approximate_counts.iter().find(|(known, _)| std::ptr::eq(*known, bound));
        of(found.map(|(_, counts)| counts))?[index].try_into()
    }
}

/// What was read.
fn of<R>(read: Option<&Result<R>>) -> Result<&R> {
    match read {
        Some(read) => read.as_ref().map_err(Error::clone),
        None => Err(Error::internal(&sea_orm::DbErr::Custom("a part of a list was not read".into()))),
    }
}
