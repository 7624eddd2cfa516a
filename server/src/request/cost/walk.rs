//! The walk through a document that adds up its cost.

use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition};
use async_graphql::{Name, Positioned, Variables};
use bookends_graphql::Cost as Declared;
use bookends_graphql::Scan;

use super::arguments::{Given, is_around, number, page_statements, size};
use super::declared::{
    CONDITIONS_FOR_ONE, COUNT, COUNTED_FOR_ONE, DeclaredCosts, FILTERED_FOR_ONE, NUMBERED_FOR_ONE, NUMBERS,
    OFFSET_FOR_ONE, STATEMENT, Tables, WRITE, around,
};
use super::filter::{Filter, MAX_VALUES};
use super::selection::SelectionCost;
use crate::config::Limits;
use crate::request::introspection;
use crate::request::response_key::times;
use crate::request::visit::{Fragment, Visitor, walk};

/// The walk, and what it has added up.
pub struct CostWalk<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    declared: &'a DeclaredCosts,
    /// The largest offset.
    max_offset: usize,
    /// The cost at which the count of introspection ends, of all fields together, once one is counted.
    left: Option<usize>,
    max_complexity: usize,
    /// The values in the filters so far.
    pub values: usize,
    /// The number of fields that the walk is in.
    level: usize,
    /// The selections that the walk is in, the innermost last: the type that is selected from, and the cost so far.
    open: Vec<(&'a str, SelectionCost)>,
    /// The costs of the fragments that were walked.
    known: HashMap<&'a Name, SelectionCost>,
    /// The filter that costs most.
    pub widest: Option<Filter>,
    /// Whether the cost depends on variables, or on the statistics of the database.
    pub varies: bool,
}

/// The cost of a fragment, beside its contents: the library walks also an empty one.
const FRAGMENT: SelectionCost = SelectionCost {
    once: 0,
    each: 1,
    depth: 0,
    statements: 0,
    counts: 0,
    counting: 0,
    page: false,
    around: 0,
    filters: 0,
    numbers: false,
    introspection: 0,
};

impl<'a> Visitor<'a> for CostWalk<'a> {
    fn enter_field(&mut self, field: &'a Positioned<Field>) {
        // Nothing is selected of a scalar.
        let is_leaf = field.node.selection_set.node.items.is_empty();
        let of = if is_leaf { "" } else { self.declared.introspection.type_of(self.on(), &field.node.name.node) };
        self.open(of);
        self.level += 1;
    }

    fn leave_field(&mut self, field: &'a Positioned<Field>) {
        self.level -= 1;
        let selected = self.close();
        let cost = if introspection::is(&field.node) {
            SelectionCost { depth: selected.depth + 1, ..self.introspected(&field.node) }
        } else {
            self.field(&field.node, selected)
        };
        self.add(cost);
    }

    fn enter_fragment(&mut self, fragment: Fragment<'a>) -> bool {
        if let Some(known) = fragment.name.and_then(|name| self.known.get(name).copied()) {
            self.add(FRAGMENT.and(known));
            return false;
        }
        let on = fragment.on.map_or_else(|| self.on(), |on| on.as_str());
        self.open(on);
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

impl<'a> CostWalk<'a> {
    /// A walk that has added up nothing yet, for requests within these limits.
    pub fn new(
        document: &'a ExecutableDocument,
        variables: &'a Variables,
        declared: &'a DeclaredCosts,
        limits: Limits,
    ) -> Self {
        Self {
            document,
            variables,
            declared,
            max_offset: usize::try_from(limits.max_offset).unwrap_or(usize::MAX),
            left: None,
            max_complexity: limits.max_complexity,
            values: 0,
            level: 0,
            open: Vec::new(),
            known: HashMap::new(),
            widest: None,
            varies: false,
        }
    }

    /// The cost of an operation's selection.
    pub fn cost(&mut self, operation: &'a OperationDefinition) -> SelectionCost {
        self.open(self.declared.introspection.root(operation.ty));
        // Deeper selections have been refused already.
        let _ = walk(self.document, &operation.selection_set.node, Limits::MAX_LEVELS + 1, self);
        self.close()
    }

    fn introspected(&mut self, field: &Field) -> SelectionCost {
        let introspection = &self.declared.introspection;
        let max = || introspection.whole().max(self.max_complexity).saturating_add(1);
        let left = self.left.get_or_insert_with(max);
        let each = introspection.count(self.document, self.variables, field, *left);
        *left -= each;
        self.varies = true;
        SelectionCost { each, introspection: each, ..SelectionCost::default() }
    }

    fn open(&mut self, on: &'a str) {
        self.open.push((on, SelectionCost::default()));
    }

    fn close(&mut self) -> SelectionCost {
        self.open.pop().unwrap_or_default().1
    }

    fn add(&mut self, cost: SelectionCost) {
        if let Some((_, open)) = self.open.last_mut() {
            *open = open.and(cost);
        }
    }

    /// The type that is selected from.
    fn on(&self) -> &'a str {
        self.open.last().map_or("", |(on, _)| on)
    }

    /// The cost of a field with these selections.
    fn field(&mut self, field: &Field, selected: SelectionCost) -> SelectionCost {
        let declared = self.declared.of(self.on(), &field.name.node);
        self.varies |= match declared {
            Some(Declared::List(_)) => {
                ["first", "last", "offset", "around"].iter().any(|name| Given::varies(field, name))
            }
            Some(Declared::Keys { argument, .. }) => Given::varies(field, argument),
            Some(Declared::CountUpTo { .. }) => Given::varies(field, "upTo"),
            _ => false,
        };
        let (more, size) = match declared {
            // The list of a count knows whether it reads rows.
            None | Some(Declared::Count | Declared::CountUpTo { .. }) => (0, 1),
            Some(Declared::Statement | Declared::Lookup) => (STATEMENT, 1),
            Some(Declared::Statements(count)) => (STATEMENT.saturating_mul(*count as usize), 1),
            Some(Declared::PageCursors { .. }) => (STATEMENT + if selected.numbers { self.numbers() } else { 0 }, 1),
            Some(Declared::List(scan)) => {
                let size = size(field, self.variables, scan.page_size());
                (STATEMENT * page_statements(field, self.variables), size)
            }
            Some(Declared::Keys { argument, types }) => match Given::of(field, argument, self.variables) {
                Some(Given::List(keys)) => (types * STATEMENT, keys),
                // A single value is a list of one.
                Some(_) => (types * STATEMENT, 1),
                // A request without it is refused.
                None => (0, 1),
            },
            Some(Declared::Write) => (WRITE, 1),
            Some(Declared::Scan) => (COUNT, 1),
        };
        let counting = match declared {
            Some(Declared::Count) => COUNT,
            Some(Declared::CountUpTo { default }) => {
                STATEMENT + number(field, "upTo", self.variables).unwrap_or(*default as usize) / COUNTED_FOR_ONE
            }
            _ => 0,
        };
        let counted = match declared {
            Some(Declared::List(scan))
                if !self.declared.tables.hides_rows && scan.is_counted(field, self.variables) =>
            {
                0
            }
            _ => selected.counting,
        };
        // What the rows of the list itself cost.
        let (filter, around_it) = match declared {
            Some(Declared::List(scan)) => {
                let pages = usize::from(selected.page) * page_statements(field, self.variables);
                let filter = self.filter(field, scan, pages, selected.counts);
                // More than the cap is refused for that, not for its cost.
                let skipped = number(field, "offset", self.variables).unwrap_or_default().min(self.max_offset);
                let skipped = skipped / OFFSET_FOR_ONE;
                // The rows on its other side, which the page does not show.
                let skipped = skipped + if is_around(field, self.variables) { size } else { 0 };
                (filter.saturating_add(skipped), selected.around.saturating_mul(size))
            }
            _ => (0, 0),
        };
        let times = times(field);
        let filters = selected.filters.saturating_mul(size.max(1)).saturating_mul(times).saturating_add(filter);
        let objects = selected.each.max(usize::from(size > 1)).saturating_mul(size.max(1));
        let statements = match declared {
            Some(Declared::Lookup) => usize::from(self.level == 0),
            Some(Declared::Keys { types, .. }) if more > 0 => *types,
            Some(Declared::Keys { .. } | Declared::Write) | None => 0,
            // The key of the page is looked up first.
            Some(Declared::List(_)) => page_statements(field, self.variables),
            // Beyond the bound, the planner is asked. Beyond the keys, their rows are counted.
            Some(Declared::CountUpTo { .. } | Declared::PageCursors { .. }) => 2,
            Some(Declared::Statement | Declared::Count | Declared::Scan) => 1,
            Some(Declared::Statements(count)) => *count as usize,
        };
        let (counts, around) = match declared {
            Some(Declared::Count | Declared::CountUpTo { .. } | Declared::Scan) => (1, 0),
            // In either direction, and the counts.
            Some(Declared::PageCursors { pages }) => (3, around(*pages)),
            _ => (0, 0),
        };
        SelectionCost {
            once: selected.once.saturating_add(more).saturating_add(counted),
            each: objects.saturating_add(1).saturating_mul(times).saturating_add(filter).saturating_add(around_it),
            depth: selected.depth + 1,
            statements: selected.statements.saturating_add(statements),
            counts,
            counting,
            page: counts == 0 || around > 0,
            around,
            filters,
            numbers: selected.numbers || NUMBERS.contains(&field.name.node.as_str()),
            introspection: selected.introspection,
        }
    }

    /// The cost of counting the keys on either side of a page.
    fn numbers(&self) -> usize {
        self.max_offset / NUMBERED_FOR_ONE
    }

    /// The cost of the filter of a list: in the statements of its page, if there is one, and in this many others.
    fn filter(&mut self, field: &Field, scan: &Scan, pages: usize, others: usize) -> usize {
        let Tables { backend, statistics, .. } = &self.declared.tables;
        let values = scan.values(field, self.variables, MAX_VALUES);
        self.values += values;
        if self.values > MAX_VALUES {
            // The request is refused.
            self.varies = true;
            return 0;
        }
        let Some([of_page, of_other]) = scan.rows(field, self.variables, *backend, || statistics()) else { return 0 };
        self.varies = true;
        let rows = of_page.saturating_mul(pages as u64).saturating_add(of_other.saturating_mul(others as u64));
        let compared = rows.saturating_mul(CONDITIONS_FOR_ONE.max(values as u64));
        let cost = compared / (FILTERED_FOR_ONE * CONDITIONS_FOR_ONE);
        let cost = usize::try_from(cost).unwrap_or(usize::MAX);
        if cost > self.widest.as_ref().map_or(0, |widest| widest.cost) {
            let rows = of_page.max(of_other);
            self.widest = Some(Filter { list: field.response_key().node.to_string(), rows, cost });
        }
        cost
    }
}
