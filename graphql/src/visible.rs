//! Whether rows that are known show.

use std::sync::{Arc, Mutex, PoisonError};

use keyset::{Column, Statistics, Table};
use sea_orm::{DbErr, Value};

use crate::declare::declaration::Declaration;
use crate::declare::field::FieldKind;
use crate::{EventRow, Reader, RequestData, WriteKind};

/// The rows that a table counts as in prices, if its objects have a rule.
pub const RULED_ROWS: u64 = 10_000;

/// Statistics that say nothing of how many rows some tables have: each counts as one of [`RULED_ROWS`].
#[derive(Debug, Default)]
pub struct Assumed {
    tables: Vec<String>,
    /// The last statistics, and what is assumed in their place.
    last: Mutex<Option<[Arc<Statistics>; 2]>>,
}

impl Assumed {
    /// Of these tables.
    pub fn of(tables: Vec<String>) -> Self {
        Self { tables, last: Mutex::default() }
    }

    /// What is assumed in place of these statistics.
    pub fn instead_of(&self, statistics: Arc<Statistics>) -> Arc<Statistics> {
        if self.tables.is_empty() {
            return statistics;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some([of, assumed]) if Arc::ptr_eq(of, &statistics) => Arc::clone(assumed),
            _ => {
                let assumed = Arc::new(statistics.assuming(self.tables.iter().map(String::as_str), RULED_ROWS));
                *last = Some([statistics, Arc::clone(&assumed)]);
                assumed
            }
        }
    }
}

impl Declaration {
    /// The table of the objects of this name, of which only the rows exist that a request with these data shows.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn table_for(&self, object: &str, data: &dyn RequestData) -> Table {
        self.declared(object).table_for(data)
    }

    /// Whether objects of this name have a rule.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn has_rule(&self, object: &str) -> bool {
        self.declared(object).has_rule()
    }

    /// The statistics by which requests are priced. A price says nothing of rows that do not show: a table whose objects have a rule
    /// counts as one of [`RULED_ROWS`].
    pub(crate) fn priced_by(&self, statistics: Arc<Statistics>) -> Arc<Statistics> {
        self.prices.instead_of(statistics)
    }

    /// The tables of which rules hide rows, or edges, and those of which nothing is known.
    pub(crate) fn ruled_tables(&self) -> Vec<String> {
        let fields = self.objects().iter().flat_map(|object| &object.fields);
        let lists = fields.filter_map(|field| if let FieldKind::List(list) = &field.kind { Some(list) } else { None });
        let junctions = lists.filter(|list| self.node_of(list).is_some()).map(|list| self.object(list.of.index));
        // A view has no statistics.
        let ruled = self.objects().iter().filter(|object| object.has_rule() || object.is_unknown());
        ruled.chain(junctions).map(|object| object.table.name().to_owned()).collect()
    }

    /// The columns that the rules of the objects of this name read: all, if that is not known.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub fn rule_columns(&self, object: &str) -> Vec<Column> {
        let object = self.declared(object);
        let known = object.rule_columns().map(|columns| columns.into_iter().cloned().collect());
        known.unwrap_or_else(|| object.table.columns().to_vec())
    }

    /// Whether an event about a row with these values shows to a request with these data, as what it says. To a viewer, a row that a
    /// change brings into view is created, and one that it takes out of view is deleted.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    ///
    /// # Panics
    ///
    /// Panics if no such object is declared.
    pub async fn tells(
        &self,
        (kind, object): (WriteKind, &str),
        row: &EventRow,
        before: Option<&EventRow>,
        reader: &Reader,
        data: &dyn RequestData,
    ) -> Result<bool, DbErr> {
        let table = self.table_for(object, data);
        let shows = async |row: &[Value]| keyset::has_row(reader, &table, row).await;
        Ok(match (kind, before) {
            (_, None) => shows(row).await?,
            (WriteKind::Create, Some(before)) => shows(row).await? && !shows(before).await?,
            (WriteKind::Update, Some(before)) => shows(row).await? && shows(before).await?,
            (WriteKind::Delete, Some(before)) => shows(before).await? && !shows(row).await?,
        })
    }
}
