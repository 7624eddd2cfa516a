//! The costs that a schema declares, and the units of all costs.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use bookends_graphql::{Cost as Declared, FieldCost};
use keyset::Statistics;
use sea_orm::DbBackend;

use crate::request::introspection::Introspection;
use crate::request::response_key::KEY;

/// The cost of a statement.
pub const STATEMENT: usize = 50;
/// The cost of a write transaction.
pub const WRITE: usize = 200;
/// The cost of an exact count that reads rows: their number is unknown.
pub const COUNT: usize = 1000;
/// The number of rows of a bounded count that cost 1.
pub const COUNTED_FOR_ONE: usize = 10;
/// The number of rows that an offset skips for 1.
pub const OFFSET_FOR_ONE: usize = 200;
/// The number of rows of `MAX_OFFSET` for 1, where the rows beside a page are counted.
pub const NUMBERED_FOR_ONE: usize = 1000;
/// The fields of `pageCursors` for which they are counted.
pub const NUMBERS: [&str; 2] = ["page", "last"];
/// The number of rows that a filter may read for 1: about a tenth of a millisecond.
pub const FILTERED_FOR_ONE: u64 = 200;
/// The number of conditions and values that each of these rows is compared with for that.
pub const CONDITIONS_FOR_ONE: u64 = 8;

/// The costs of a schema.
#[derive(Clone, Debug)]
pub struct DeclaredCosts {
    /// Those of the fields of each type.
    types: HashMap<String, HashMap<String, Declared>>,
    pub(super) introspection: Introspection,
    pub(super) tables: Tables,
}

/// The tables that filters read.
#[derive(Clone)]
pub struct Tables {
    /// The database.
    pub backend: DbBackend,
    /// Whether it hides rows by itself: then it counts what it keeps.
    pub hides_rows: bool,
    /// Its current statistics.
    pub statistics: Arc<dyn Fn() -> Arc<Statistics> + Send + Sync>,
}

impl Default for Tables {
    /// Tables of which nothing is known: filters cost nothing.
    fn default() -> Self {
        Self { backend: DbBackend::Sqlite, hides_rows: false, statistics: Arc::new(Arc::default) }
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tables").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl DeclaredCosts {
    /// Those that a schema declares. All other fields cost 1.
    pub fn new(fields: impl IntoIterator<Item = FieldCost>, introspection: Introspection, tables: Tables) -> Self {
        let mut types: HashMap<_, HashMap<_, _>> = HashMap::new();
        for FieldCost { on, field, cost } in fields {
            types.entry(on).or_default().insert(field, cost);
        }
        Self { types, introspection, tables }
    }

    /// The cost of a field of a type.
    pub(super) fn of(&self, on: &str, field: &str) -> Option<&Declared> {
        self.types.get(on)?.get(field)
    }

    /// The costs as the documentation lists them: parts of a request, and the cost of each.
    pub fn table(&self) -> Vec<(String, String)> {
        let mut fields: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (field, cost) in self.types.values().flatten() {
            let names = fields.entry(described(cost)).or_default();
            if !names.contains(&field.as_str()) {
                names.push(field);
            }
        }
        let mut rows: Vec<(String, String)> = Vec::new();
        for (cost, mut names) in fields {
            names.sort_unstable();
            rows.push((format!("`{}`", names.join("`, `")), cost));
        }
        rows.sort_unstable();
        rows.insert(0, ("every field, and every fragment".into(), "1".into()));
        let long = format!("its cost without statements and filters, for every {KEY} characters");
        rows.push((format!("a field whose response key has more than {KEY} characters"), long));
        let filter = format!(
            "1 for every {FILTERED_FOR_ONE} rows that it may read, in each statement over the list; a filter with more than \
             {CONDITIONS_FOR_ONE} conditions and values, an eighth of that for each of them"
        );
        rows.push(("the filter of a list".into(), filter));
        rows.push((
            "the `offset` of a list".into(),
            format!("{STATEMENT} more, and 1 for every {OFFSET_FOR_ONE} objects that it skips"),
        ));
        rows.push(("the `around` of a list".into(), "1 more for each object of the page".into()));
        let whole =
            "1 for each field of each object that they return; the whole schema may cost more than `MAX_COMPLEXITY`";
        rows.push(("`__schema`, `__type`".into(), whole.into()));
        rows.push(("a subscription".into(), "the cost of one event".into()));
        rows
    }
}

/// What a declared cost adds to the 1 of every field.
fn described(cost: &Declared) -> String {
    match cost {
        Declared::Statement | Declared::Lookup => format!("{STATEMENT} more"),
        Declared::Statements(count) => format!("{} more", STATEMENT.saturating_mul(*count as usize)),
        Declared::List(_) => format!("{STATEMENT} more, and the cost of its selection for each object of the page"),
        Declared::Keys { argument, types } => {
            format!("{} more, and the cost of its selection for each of the `{argument}`", types * STATEMENT)
        }
        Declared::Scan => format!("{COUNT} more"),
        Declared::Count => format!("{COUNT} more, if the list is filtered"),
        Declared::CountUpTo { default } => {
            format!(
                "{STATEMENT} more, and `upTo` / {COUNTED_FOR_ONE} (`upTo` is {default} by default), if the list is filtered"
            )
        }
        Declared::PageCursors { pages } => {
            format!(
                "{STATEMENT} more, {} times the size of the page, and where `{}` is selected `MAX_OFFSET` / {NUMBERED_FOR_ONE}",
                around(*pages),
                NUMBERS.join("` or `"),
            )
        }
        Declared::Write => format!("{WRITE} more"),
    }
}

/// How many pages of keys `pageCursors` reads: those on either side, and the last one.
pub fn around(pages: u32) -> usize {
    2 * pages as usize + 1
}
