//! An event, and the kinds of events that an application declares.

use bookends_graphql::{Declaration, EventField, EventRow, WriteKind};
use keyset::{Column, Table};
use sea_orm::Value;
use uuid::Uuid;

/// The number of events that a subscriber may fall behind.
pub const RING: usize = 1024;

/// A change of a row that was committed.
#[derive(Clone, Debug)]
pub struct Event {
    /// The number of its kind.
    pub(super) of: usize,
    pub(super) row: EventRow,
    /// The row before it was changed, with its key and what it referred to alone, if it referred to others.
    pub(super) before: Option<EventRow>,
    /// The primary key of a row that was created, if it is a UUID of version 7.
    pub(super) key: Option<Uuid>,
}

/// A kind of events: what happens to the rows of a table.
#[derive(Clone, Debug)]
pub struct EventType {
    /// Its position among the kinds of the application.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) object: String,
    pub(super) kind: WriteKind,
    pub(super) table: Table,
    /// The columns that an event tells of a row that is gone: its key, what it refers to, and what the rules of its object read.
    telling: Vec<Column>,
    makes_keys: bool,
    /// Whether it depends on the viewer what an event says.
    pub(super) is_ruled: bool,
}

impl EventType {
    /// The kinds that are declared.
    pub(super) fn all(declaration: &Declaration) -> Vec<Self> {
        let of = |(number, event): (usize, &EventField)| {
            let table = declaration.table(event.object()).clone();
            let (name, object) = (event.event_name().to_owned(), event.object().to_owned());
            let is_ruled = declaration.has_rule(&object);
            // A row with a rule can come into view long after its key was made.
            let (mut telling, makes_keys) = (event.telling(&table), declaration.makes_keys(&object) && !is_ruled);
            telling.extend(declaration.rule_columns(&object));
            Self { number, name, object, kind: event.kind(), table, telling, makes_keys, is_ruled }
        };
        declaration.events().iter().enumerate().map(of).collect()
    }

    /// The key of rows that can be found by the time of their creation: a UUID that the server makes.
    pub(super) fn found_by(&self) -> Option<&Column> {
        self.table.key().next().filter(|_| self.makes_keys && self.kind == WriteKind::Create)
    }

    /// The event of a row that was changed, and the row before.
    pub(super) fn after(&self, before: &Event, event: Event) -> Event {
        let columns = self.table.columns().iter();
        let told =
            |row: &EventRow| columns.clone().zip(row.iter()).map(|(column, value)| self.told(column, value)).collect();
        let (before, after): (EventRow, EventRow) = (told(&before.row), told(&event.row));
        Event { before: (before != after).then_some(before), ..event }
    }

    /// Whether an event of this kind can say that a row was changed: that it came into view, or out of it.
    pub(super) fn tells_change(&self) -> bool {
        self.kind == WriteKind::Update || self.is_ruled
    }

    /// Whether the two are about one row.
    pub(super) fn is_same(&self, one: &Event, other: &Event) -> bool {
        one.of == other.of && self.table.key().all(|key| one.row.get(key.number()) == other.row.get(key.number()))
    }

    fn told(&self, column: &Column, value: &Value) -> Value {
        if self.telling.contains(column) { value.clone() } else { column.kind().null() }
    }

    /// The columns that an event tells of a row before its change.
    pub(super) fn telling(&self) -> &[Column] {
        &self.telling
    }

    /// Whether its events tell the value of this column.
    pub(super) fn tells(&self, column: &Column) -> bool {
        self.kind != WriteKind::Delete || self.telling.contains(column)
    }

    /// The event of a row with these values, which are in the order of the columns.
    pub(super) fn event(&self, mut values: Vec<Value>) -> Event {
        for (column, value) in self.table.columns().iter().zip(&mut values) {
            if !self.tells(column) {
                *value = column.kind().null();
            }
        }
        let key = self.found_by().and_then(|key| match values.get(key.number()) {
            Some(Value::Uuid(key)) => *key,
            _ => None,
        });
        Event { of: self.number, row: values.into(), before: None, key: key.filter(|key| key.get_version_num() == 7) }
    }
}
