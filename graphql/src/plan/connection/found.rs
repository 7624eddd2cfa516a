//! A page that the application has found, or an edge: its objects are read by their keys.

use async_graphql::Variables;
use keyset::{ColumnSet, Count, Join, Key, Order, Record, Row, Slice, StatementCache};
use sea_orm::Value;

use super::write::Connections;
use super::{Connection, Field, Nodes};
use crate::error::code;
use crate::plan::collect::Collected;
use crate::plan::fields::PlannedFields;
use crate::plan::object::{Objects, Selection, find};
use crate::plan::{Planner, Run};
use crate::{Error, Result};

/// What the application has found.
#[derive(Debug, Default)]
pub struct FoundPage {
    pub keys: Vec<Vec<Value>>,
    /// The cursor of each key, unless it is that in the order of the primary key.
    pub cursors: Option<Vec<String>>,
    pub has_previous: bool,
    pub has_next: bool,
    pub total: Option<u64>,
}

/// What is selected of a page that the application has found, or of an edge.
pub struct PlannedPage {
    /// The index of the object.
    object: usize,
    connection: Connection,
    /// What is read where no object is selected.
    key: Selection,
}

impl PlannedPage {
    /// Of a connection of the object of this name.
    pub fn connection(object: &str, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        Self::new(object, planner, |object, planner| Connection::new(object, None, &field.sets(), planner))
    }

    /// Of an edge of the object of this name.
    pub fn edge(object: &str, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        Self::new(object, planner, |object, planner| {
            let mut nodes = Nodes::new(object, None, planner);
            let fields = PlannedFields::new(std::slice::from_ref(field), |field| {
                Some(Field::Edges(nodes.edges(field, planner)))
            });
            Connection { name: nodes.name, fields, selections: nodes.selections, cache: StatementCache::default() }
        })
    }

    fn new<'p>(
        object: &str,
        planner: &mut Planner<'p>,
        plan: impl FnOnce(usize, &mut Planner<'p>) -> Connection,
    ) -> Self {
        let object = planner.declaration.index(object).unwrap_or_default();
        let key = Selection::new(object, &Vec::new(), None, planner);
        Self { object, connection: plan(object, planner), key }
    }

    /// The name of the object.
    pub fn object<'r>(&self, run: &Run<'r>) -> &'r str {
        &run.declaration.object(self.object).name
    }

    /// Whether it reads more than the rows of its objects: see [`Selection::reads_more`].
    pub fn reads_more(&self, variables: &Variables) -> bool {
        self.selections(variables).flatten().any(|selection| selection.reads_more(variables))
    }

    /// What is selected of the objects, at each place where they can be.
    pub fn selections<'p>(&'p self, variables: &Variables) -> impl Iterator<Item = Option<&'p Selection>> {
        self.connection.selections.iter().map(|(when, of)| when.holds(variables).then_some(of))
    }

    /// The edge of a row that was read already, with its objects.
    pub fn of_row<'p>(&'p self, order: &Order, key: &Key, objects: Vec<Option<Objects<'p>>>) -> Connections<'p> {
        let rows = vec![Row { key: key.clone(), item: () }];
        let slices = Some(Ok(vec![Slice { rows, ..Slice::default() }]));
        Connections { slices, objects, ..Connections::new(&self.connection, order.clone()) }
    }

    /// The edge of a record that was read with all columns of its table, and with the [relations](Self::joins).
    ///
    /// # Errors
    ///
    /// That of the record, if it is none of its table.
    pub async fn of_record(&self, order: &Order, key: &Key, record: &Record, run: &Run<'_>) -> Result<Connections<'_>> {
        let mut objects = Vec::new();
        for selection in self.selections(run.variables) {
            let mut read = selection.map(|selection| Objects::of_columns(selection, ColumnSet::ALL, run));
            if let Some(read) = &mut read {
                read.read(record).map_err(|error| run.reader.error(error))?;
                read.load(run).await;
            }
            objects.push(read);
        }
        Ok(self.of_row(order, key, objects))
    }

    /// The relations of its objects that are read with them.
    pub fn joins(&self, run: &Run<'_>) -> Vec<Join> {
        let mut joins = Vec::new();
        self.selections(run.variables).flatten().for_each(|selection| selection.joins(run, &mut joins));
        joins
    }

    /// Reads the objects of a page: one statement. Those that do not exist are left out.
    pub async fn read(&self, page: &FoundPage, run: &Run<'_>) -> Result<Connections<'_>> {
        let table = &run.declaration.object(self.object).table;
        let mut read = Connections::new(&self.connection, Order::of_table(table, [])?);
        let unknown = |what| Error::client(code::BAD_USER_INPUT, format!("this list does not tell {what}"));
        read.counts = Some(page.total.map(|total| vec![total]).ok_or_else(|| unknown("the number of its objects")));
        read.page_cursors = Some(Err(unknown("the cursors of other pages")));
        for field in self.connection.fields.selected(run.variables) {
            match field {
                Field::ApproximateCount(bound, _) => {
                    let count = page.total.map(|total| vec![Count::Exact(total)]);
                    read.approximate_counts.push((bound, count.ok_or_else(|| unknown("the number of its objects"))));
                }
                Field::Aggregates(aggregates) => read.aggregates.push((aggregates, Err(unknown("aggregates")))),
                _ => {}
            }
        }
        if !self.connection.fields.selected(run.variables).any(Field::needs_page) {
            return Ok(read);
        }
        let mut selected: Vec<&Selection> = self.selections(run.variables).flatten().collect();
        if selected.is_empty() {
            selected.push(&self.key);
        }
        let found = find(&selected, &page.keys, run).await?;
        let (mut rows, mut numbers, mut cursors) = (Vec::new(), Vec::new(), Vec::new());
        for (place, values) in page.keys.iter().enumerate() {
            let Some(number) = found.number(values) else { continue };
            let key = found.key(number).map_err(|error| run.reader.error(error))?;
            rows.push(Row { key: Key::new(&read.order, key)?, item: () });
            numbers.push(number);
            cursors.extend(page.cursors.as_ref().and_then(|cursors| cursors.get(place)).cloned());
        }
        read.slices = Some(Ok(vec![Slice { rows, has_previous: page.has_previous, has_next: page.has_next }]));
        (read.numbers, read.cursors) = (Some(numbers), page.cursors.is_some().then_some(cursors));
        let mut objects = found.objects.into_iter();
        let objects = self.selections(run.variables).map(|of| of.and_then(|_| objects.next()));
        read.objects = objects.collect();
        Ok(read)
    }
}
