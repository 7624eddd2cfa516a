//! The price of a request, computed from its document and variables before anything is read.
//!
//! Every field costs 1, and a list costs its size times the cost of a selected object. A field that needs a statement
//! costs 50 more, once: at any depth, that statement serves all objects. A field that counts or looks around costs what
//! it may read. A mutation costs 200, and a subscription costs what one of its events costs. Each field declares its
//! [`Cost`] where it is defined. Introspection costs what it returns (`introspection`).
//!
//! The filter of a list costs 1 for every 200 rows that it may read, in each statement over the list: a part of the table
//! if an index serves it, otherwise all of it, and for each row those of related objects. The [`Statistics`] of the
//! database say how many that is.
//!
//! A fragment costs at each place where it is spread, and is walked once.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use async_graphql::parser::types::{ExecutableDocument, Field, SelectionSet};
use async_graphql::{Name, Positioned, Value, Variables};
use async_graphql_value::{Number, Value as Written};
use keyset::Statistics;
use keyset_graphql::Cost as Declared;
use keyset_graphql::list::Scan;
use sea_orm::DbBackend;

use super::code::Code;
use super::error::{Error, Result};
use super::introspection::Introspection;
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

/// The price of a statement.
const STATEMENT: usize = 50;
/// The price of a write transaction.
const WRITE: usize = 200;
/// The price of an exact count: the number of rows is unknown.
const COUNT: usize = 1000;
/// The number of rows of a bounded count that cost 1.
const COUNTED_FOR_ONE: usize = 10;
/// The maximum number of conditions and values in the filters of a request, as often as they are used.
const MAX_VALUES: usize = 100_000;
/// The number of rows that a filter may read for 1: about a tenth of a millisecond.
const FILTERED_FOR_ONE: u64 = 200;

/// The prices of a schema.
#[derive(Clone, Debug)]
pub struct Prices {
    /// Those that its types declare, by the names of fields: of the root types, and of all others.
    roots: HashMap<&'static str, Declared>,
    fields: HashMap<&'static str, Declared>,
    introspection: Introspection,
    tables: Tables,
}

/// The tables that filters read.
#[derive(Clone)]
pub struct Tables {
    /// The database.
    pub backend: DbBackend,
    /// Its current statistics.
    pub statistics: Arc<dyn Fn() -> Arc<Statistics> + Send + Sync>,
}

impl Default for Tables {
    /// Tables of which nothing is known: filters cost nothing.
    fn default() -> Self {
        Self { backend: DbBackend::Sqlite, statistics: Arc::new(Arc::default) }
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tables").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl Prices {
    /// Collects the declarations of the root types of a schema, and of all others.
    ///
    /// # Panics
    ///
    /// Panics if two fields of one name declare different prices.
    pub fn new(
        roots: impl IntoIterator<Item = Vec<(&'static str, Declared)>>,
        fields: impl IntoIterator<Item = Vec<(&'static str, Declared)>>,
        introspection: Introspection,
        tables: Tables,
    ) -> Self {
        Self { roots: by_name(roots), fields: by_name(fields), introspection, tables }
    }

    /// The prices as the documentation lists them: parts of a request, and the cost of each.
    pub fn table(&self) -> Vec<(String, String)> {
        let mut fields: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (field, cost) in self.roots.iter().chain(&self.fields) {
            let names = fields.entry(described(cost)).or_default();
            if !names.contains(field) {
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
        let filter = format!("1 for every {FILTERED_FOR_ONE} rows that it may read, in each statement over the list");
        rows.push(("the filter of a list".into(), filter));
        rows.push(("`__schema`, `__type`".into(), "1 for each field of each object that they return".into()));
        rows.push(("a subscription".into(), "the cost of one event".into()));
        rows
    }
}

/// What a declared price adds to the 1 of every field.
fn described(cost: &Declared) -> String {
    match cost {
        Declared::Statement | Declared::Lookup => format!("{STATEMENT} more"),
        Declared::List(_) => format!("{STATEMENT} more, and the cost of its selection for each object of the page"),
        Declared::Keys { argument, types } => {
            format!("{} more, and the cost of its selection for each of the `{argument}`", types * STATEMENT)
        }
        Declared::Count => format!("{COUNT} more"),
        Declared::CountUpTo { default } => {
            format!("{STATEMENT} more, and `upTo` / {COUNTED_FOR_ONE} (`upTo` is {default} by default)")
        }
        Declared::PageCursors { pages } => {
            format!("{STATEMENT} more, and {} times the size of the page", around(*pages))
        }
        Declared::Write => format!("{WRITE} more"),
    }
}

/// How many pages of keys `pageCursors` reads: those on either side, and the last one.
fn around(pages: u32) -> usize {
    2 * pages as usize + 1
}

fn by_name(declared: impl IntoIterator<Item = Vec<(&'static str, Declared)>>) -> HashMap<&'static str, Declared> {
    let mut prices = HashMap::new();
    for (field, cost) in declared.into_iter().flatten() {
        let earlier = prices.insert(field, cost.clone());
        assert!(earlier.is_none_or(|earlier| earlier == cost), "`{field}` declares two prices");
    }
    prices
}

/// The price of a request: the maxima of the operations of its document.
#[derive(Clone, Debug, Default)]
pub struct Price {
    pub cost: usize,
    /// The depth, in fields.
    pub depth: usize,
    /// The maximum number of statements.
    pub statements: usize,
    /// What all filters cost together.
    filters: usize,
    /// The filter that costs most.
    widest: Option<Filter>,
    /// Whether the filters have more values than are priced.
    has_too_many_values: bool,
}

/// A filter that reads rows.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The response key of its list.
    list: String,
    /// The rows that a statement reads.
    rows: u64,
    /// The cost of all statements.
    cost: usize,
}

/// The price of a request.
pub fn price(document: &ExecutableDocument, variables: &Variables, prices: &Prices, limits: Limits) -> Price {
    let mut pricing = Pricing {
        document,
        variables,
        prices,
        left: limits.max_complexity.saturating_add(1),
        values: 0,
        level: 0,
        open: Vec::new(),
        known: HashMap::new(),
        widest: None,
    };
    let mut price = Price::default();
    for (_, operation) in document.operations.iter() {
        let cost = pricing.price(&operation.node.selection_set.node);
        price.cost = price.cost.max(cost.once.saturating_add(cost.each));
        price.filters = price.filters.max(cost.filters);
        price.depth = price.depth.max(cost.depth);
        price.statements = price.statements.max(cost.statements);
    }
    Price { widest: pricing.widest, has_too_many_values: pricing.values > MAX_VALUES, ..price }
}

impl Price {
    /// The depth alone.
    pub fn without_cost(self) -> Self {
        Self { cost: 0, ..self }
    }

    /// Refuses a request that costs too much or is too deep.
    ///
    /// # Errors
    ///
    /// [`Code::TooComplex`] and [`Code::TooDeep`], with the cost, the limit and the setting.
    pub fn check(&self, limits: Limits) -> Result<()> {
        if self.has_too_many_values {
            let message = "the filters of a request have at most 100,000 conditions and values";
            return Err(Error::client(Code::TooComplex, message));
        }
        let (Self { cost, depth, widest, .. }, Limits { max_complexity, max_depth, .. }) = (self, limits);
        let (cost, depth) = (*cost, *depth);
        if cost > max_complexity {
            let remedy = match widest {
                // Without filters, the request would fit.
                Some(filter) if cost - self.filters.min(cost) <= max_complexity => filter.to_string(),
                _ => "request smaller pages or fewer fields".to_owned(),
            };
            let message = format!(
                "the request costs {cost}, above the maximum of {max_complexity} (the setting MAX_COMPLEXITY): {remedy}"
            );
            return Err(Error::client(Code::TooComplex, message));
        }
        if depth > max_depth {
            let message =
                format!("the request is {depth} levels deep, above the maximum of {max_depth} (the setting MAX_DEPTH)");
            return Err(Error::client(Code::TooDeep, message));
        }
        Ok(())
    }
}

/// The price of a selection.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Once, for all objects.
    once: usize,
    /// For each object.
    each: usize,
    /// The depth, in fields.
    depth: usize,
    /// The maximum number of statements.
    statements: usize,
    /// How many of them read the rows of the list that is selected from, beside its page.
    counts: usize,
    /// Whether the page is selected.
    page: bool,
    /// How many pages of keys are read around it.
    around: usize,
    /// The part of `each` that filters cost.
    filters: usize,
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { list, rows, .. } = self;
        write!(
            formatter,
            "the filter of `{list}` may read {rows} rows. Compare `id`, `createdAt` or another field that an index serves, \
             outside of `or` and `not`, or list the related objects instead"
        )
    }
}

impl Cost {
    fn and(self, other: Self) -> Self {
        Self {
            once: self.once.saturating_add(other.once),
            each: self.each.saturating_add(other.each),
            depth: self.depth.max(other.depth),
            statements: self.statements.saturating_add(other.statements),
            counts: self.counts.saturating_add(other.counts),
            page: self.page || other.page,
            around: self.around.saturating_add(other.around),
            filters: self.filters.saturating_add(other.filters),
        }
    }
}

struct Pricing<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    prices: &'a Prices,
    /// The cost at which the count of introspection ends, of all fields together.
    left: usize,
    /// The values in the filters so far.
    values: usize,
    /// The number of fields that the walk is in.
    level: usize,
    /// The prices so far of the selections that the walk is in, the innermost last.
    open: Vec<Cost>,
    /// The prices of the fragments that were walked.
    known: HashMap<&'a Name, Cost>,
    widest: Option<Filter>,
}

/// The price of a fragment, beside its contents: the library walks also an empty one.
const FRAGMENT: Cost =
    Cost { once: 0, each: 1, depth: 0, statements: 0, counts: 0, page: false, around: 0, filters: 0 };

impl<'a> Visitor<'a> for Pricing<'a> {
    fn enter_field(&mut self, _: &'a Positioned<Field>) {
        self.open.push(Cost::default());
        self.level += 1;
    }

    fn leave_field(&mut self, field: &'a Positioned<Field>) {
        self.level -= 1;
        let selected = self.close();
        let introspection = &self.prices.introspection;
        let cost = match introspection.count(self.document, self.variables, &field.node, self.left) {
            Some(each) => {
                self.left -= each;
                Cost { each, depth: selected.depth + 1, ..Cost::default() }
            }
            None => self.field(&field.node, selected),
        };
        self.add(cost);
    }

    fn enter_fragment(&mut self, fragment: Fragment<'a>) -> bool {
        if let Some(known) = fragment.name.and_then(|name| self.known.get(name).copied()) {
            self.add(FRAGMENT.and(known));
            return false;
        }
        self.open.push(Cost::default());
        true
    }

    fn leave_fragment(&mut self, fragment: Fragment<'a>) {
        let cost = self.close();
        if let Some(name) = fragment.name {
            self.known.insert(name, cost);
        }
        self.add(FRAGMENT.and(cost));
    }
}

impl<'a> Pricing<'a> {
    fn price(&mut self, set: &'a SelectionSet) -> Cost {
        self.open.push(Cost::default());
        // Deeper selections have been refused already.
        let _ = walk(self.document, set, Limits::MAX_LEVELS + 1, self);
        self.close()
    }

    fn close(&mut self) -> Cost {
        self.open.pop().unwrap_or_default()
    }

    fn add(&mut self, cost: Cost) {
        if let Some(open) = self.open.last_mut() {
            *open = open.and(cost);
        }
    }

    /// The price of a field with these selections.
    fn field(&mut self, field: &Field, selected: Cost) -> Cost {
        let prices = if self.level == 0 { &self.prices.roots } else { &self.prices.fields };
        let declared = prices.get(field.name.node.as_str());
        let (more, size) = match declared {
            None => (0, 1),
            Some(Declared::Statement | Declared::Lookup | Declared::PageCursors { .. }) => (STATEMENT, 1),
            Some(Declared::List(_)) => (STATEMENT, self.size(field)),
            Some(Declared::Keys { argument, types }) => match self.argument(field, argument) {
                Some(Given::List(keys)) => (types * STATEMENT, keys),
                // A single value is a list of one.
                Some(_) => (types * STATEMENT, 1),
                // A field of the same name without the argument.
                None => (0, 1),
            },
            Some(Declared::Count) => (COUNT, 1),
            Some(Declared::CountUpTo { default }) => {
                (STATEMENT + self.number(field, "upTo").unwrap_or(*default as usize) / COUNTED_FOR_ONE, 1)
            }
            Some(Declared::Write) => (WRITE, 1),
        };
        // What the rows of the list itself cost.
        let (filter, around_it) = match declared {
            Some(Declared::List(scan)) => {
                let filter = self.filter(field, scan, selected.counts + usize::from(selected.page));
                (filter, selected.around.saturating_mul(size))
            }
            _ => (0, 0),
        };
        let filters = selected.filters.saturating_mul(size.max(1)).saturating_add(filter);
        let objects = selected.each.max(usize::from(size > 1)).saturating_mul(size.max(1));
        let statements = match declared {
            Some(Declared::Lookup) => usize::from(self.level == 0),
            Some(Declared::Keys { types, .. }) if more > 0 => *types,
            Some(Declared::Keys { .. } | Declared::Write) | None => 0,
            // Beyond the bound the planner is asked too.
            Some(Declared::CountUpTo { .. }) => 2,
            Some(Declared::Statement | Declared::List(_) | Declared::Count | Declared::PageCursors { .. }) => 1,
        };
        let (counts, around) = match declared {
            Some(Declared::Count | Declared::CountUpTo { .. }) => (1, 0),
            // In either direction.
            Some(Declared::PageCursors { pages }) => (2, around(*pages)),
            _ => (0, 0),
        };
        Cost {
            once: selected.once.saturating_add(more),
            each: objects.saturating_add(filter).saturating_add(around_it).saturating_add(1),
            depth: selected.depth + 1,
            statements: selected.statements.saturating_add(statements),
            counts,
            page: counts == 0,
            around,
            filters,
        }
    }

    /// The cost of the filter of a list, in this many statements.
    fn filter(&mut self, field: &Field, scan: &Scan, statements: usize) -> usize {
        let Tables { backend, statistics } = &self.prices.tables;
        self.values += scan.values(field, self.variables, MAX_VALUES);
        if self.values > MAX_VALUES {
            // The request is refused.
            return 0;
        }
        let rows = scan.rows(field, self.variables, *backend, || statistics());
        let cost = rows.saturating_mul(statements as u64) / FILTERED_FOR_ONE;
        let cost = usize::try_from(cost).unwrap_or(usize::MAX);
        if cost > self.widest.as_ref().map_or(0, |widest| widest.cost) {
            self.widest = Some(Filter { list: field.response_key().node.to_string(), rows, cost });
        }
        cost
    }

    /// The size of a page, clamped: a page that is too large is refused for its size, not for its cost.
    fn size(&self, field: &Field) -> usize {
        let asked = self.number(field, "first").or_else(|| self.number(field, "last"));
        let default = usize::try_from(keyset::Limits::default().default).unwrap_or(usize::MAX);
        asked.unwrap_or(default).min(Limits::MAX_OBJECTS)
    }

    fn number(&self, field: &Field, name: &str) -> Option<usize> {
        match self.argument(field, name)? {
            Given::Number(number) => Some(number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)),
            Given::List(_) | Given::Other => None,
        }
    }

    /// An argument, its variable resolved at the top level.
    fn argument(&self, field: &Field, name: &str) -> Option<Given> {
        Some(match &field.get_argument(name)?.node {
            Written::Variable(name) => match self.variables.get(name)? {
                Value::Number(number) => Given::Number(number.clone()),
                Value::List(items) => Given::List(items.len()),
                _ => Given::Other,
            },
            Written::Number(number) => Given::Number(number.clone()),
            Written::List(items) => Given::List(items.len()),
            _ => Given::Other,
        })
    }
}

/// The part of an argument that a price depends on.
enum Given {
    Number(Number),
    /// A list of this length.
    List(usize),
    Other,
}
