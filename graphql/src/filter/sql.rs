//! From a filter to a condition of SQL.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use keyset::{Column, KeyRanges, Placement, ReadRows as _, Table};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{Condition, DbBackend, Value};

use super::{CountFilter, Filter, RelatedFilter, RelatedObjects, Test};
use crate::declare::declaration::Declaration;
use crate::declare::object::ObjectType;
use crate::declare::relation::Relation;
use crate::plan::Run;
use crate::{DateTime, Reader, RequestData};

/// What conditions are written for.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub backend: DbBackend,
    /// Whether some tables are on other servers.
    pub are_spread: bool,
    pub declaration: &'a Declaration,
    /// The tables of objects with rules, as the request shows them.
    tables: Tables<'a>,
    /// The table that has another name in a sub-query, and that name.
    renamed: Option<(&'a str, &'a str)>,
    /// The number of sub-queries around it.
    level: usize,
}

/// Who binds the values of rules.
#[derive(Clone, Copy)]
enum Tables<'a> {
    /// The conditions have those of a request with these data.
    Of(&'a dyn RequestData),
    /// The run that reads.
    In(&'a Run<'a>),
}

impl<'a> Target<'a> {
    /// Conditions for the rows that this reader reads, in a request with these data.
    pub fn new(declaration: &'a Declaration, reader: &Reader, data: &'a dyn RequestData) -> Self {
        Self::of(declaration, reader, Tables::Of(data))
    }

    /// Conditions for the rows that this run reads.
    pub fn of_run(run: &'a Run<'a>) -> Self {
        Self::of(run.declaration, run.reader, Tables::In(run))
    }

    fn of(declaration: &'a Declaration, reader: &Reader, tables: Tables<'a>) -> Self {
        let (backend, are_spread) = (reader.backend(), reader.placement() != Placement::Here);
        Self { backend, are_spread, declaration, tables, renamed: None, level: 0 }
    }

    /// The table of an object, of which only the rows exist that the request shows.
    pub fn table(&self, object: &ObjectType) -> Table {
        match self.tables {
            Tables::Of(data) => object.table_for(data),
            Tables::In(run) => object.table_in(run),
        }
    }

    /// The same of the object of a relation.
    pub fn related_table(&self, relation: &Relation) -> Option<Table> {
        match &relation.object {
            Some(related) => Some(self.table(self.declaration.object(related.index))),
            None => relation.table.clone(),
        }
    }

    /// Leaves only the rows that have a related object.
    pub fn require(&self, rows: &mut SelectStatement, objects: &RelatedObjects) {
        rows.and_where(Expr::exists(self.related(objects, None)));
    }

    /// The rows that match a filter.
    pub fn condition(&self, filter: &Filter) -> Condition {
        match filter {
            Filter::All(filters) => {
                filters.iter().fold(Condition::all(), |all, filter| all.add(self.condition(filter)))
            }
            Filter::Any(filters) if filters.is_empty() => Condition::all().add(never()),
            Filter::Any(filters) => {
                let any = filters.iter().fold(Condition::any(), |any, filter| any.add(holds(self.condition(filter))));
                // A database seeks few alternatives only. Where all of them lie in ranges of one key, it seeks these.
                match ranges(filter).filter(|_| self.renamed.is_none()) {
                    Some(ranges) => ranges.condition(self.backend, self.are_spread).add(any),
                    None => any,
                }
            }
            Filter::Not(filter) => Condition::all().add(complement(self.condition(filter))),
            Filter::Column(column, test) | Filter::Beside(_, column, test) => self.test(&self.named(column), test),
            Filter::CreatedAt(key, test) => self.created_at(key, test),
            Filter::Related(related) => {
                let RelatedFilter { objects, filter } = &**related;
                Condition::all().add(Expr::exists(self.related(objects, Some(filter))))
            }
            Filter::Count(count) => self.count(count),
        }
    }

    /// The column, under the name of its table here.
    fn named(&self, column: &Column) -> Column {
        match self.renamed {
            Some((table, name)) if column.table() == table => column.of(name.to_owned()),
            _ => column.clone(),
        }
    }

    fn test(&self, column: &Column, test: &Test<Value>) -> Condition {
        match test {
            Test::List(test) => Condition::all().add(test.condition(column, self.backend)),
            Test::Json(test) => Condition::all().add(test.condition(column, self.backend)),
            test => self.compare(column.expr(), test),
        }
    }

    fn compare(&self, expr: Expr, test: &Test<Value>) -> Condition {
        let is_in = |values: &[Value]| match values {
            [one] => expr.clone().eq(one.clone()),
            values => expr.clone().is_in(values.iter().cloned()),
        };
        let all = Condition::all();
        match test {
            Test::In(values) => all.add(is_in(values)),
            Test::NotIn(values) => all.add(complement(Condition::all().add(is_in(values)))),
            Test::Lt(than) => all.add(expr.lt(than.clone())),
            Test::Lte(than) => all.add(expr.lte(than.clone())),
            Test::Gt(than) => all.add(expr.gt(than.clone())),
            Test::Gte(than) => all.add(expr.gte(than.clone())),
            Test::IsNull(true) => all.add(expr.is_null()),
            Test::IsNull(false) => all.add(expr.is_not_null()),
            Test::StartsWith(prefix) => {
                all.add(expr.clone().gte(prefix)).add_option(successor(prefix).map(|end| expr.lt(end)))
            }
            Test::Contains(part) => {
                let place = if self.backend == DbBackend::Sqlite { "instr" } else { "strpos" };
                all.add(Func::cust(place).arg(expr).arg(part).gt(0))
            }
            // They are tests of a column.
            Test::List(_) | Test::Json(_) => all,
        }
    }

    fn created_at(&self, key: &Column, test: &Test<DateTime>) -> Condition {
        // Keys hold whole milliseconds, and a `DateTime` resolves nanoseconds.
        let step = TimeDelta::nanoseconds(1);
        let named = self.named(key);
        let until = |instant| Condition::all().add(keyset::as_of(named.clone(), instant));
        let since = |instant| Condition::all().add(keyset::since(named.clone(), instant));
        let within = |instants: &[DateTime]| match self.renamed {
            None => key_ranges(key, instants).condition(self.backend, self.are_spread),
            // Under another name, each range is an alternative.
            Some(_) => key_ranges(&named, instants).condition(self.backend, true),
        };
        match test {
            Test::In(instants) => within(instants),
            Test::NotIn(instants) => Condition::all().add(complement(within(instants))),
            Test::Lt(DateTime(than)) => until(*than - step),
            Test::Lte(DateTime(than)) => until(*than),
            Test::Gt(DateTime(than)) => since(*than + step),
            Test::Gte(DateTime(than)) => since(*than),
            Test::IsNull(is_null) => Condition::all().add(Expr::cust(if *is_null { "FALSE" } else { "TRUE" })),
            Test::StartsWith(_) | Test::Contains(_) | Test::List(_) | Test::Json(_) => Condition::all().add(never()),
        }
    }

    /// Whether the number of related objects fulfils a test.
    fn count(&self, CountFilter { objects, test, bound }: &CountFilter) -> Condition {
        let some = self.related(objects, None).limit(*bound).take();
        let count = Query::select().expr(Func::count(Expr::cust("*"))).from_subquery(some, "counted").take();
        self.compare(Expr::SubQuery(None, Box::new(count.into())), test)
    }

    /// The related objects of the row; those that match a filter.
    fn related(&self, objects: &RelatedObjects, filter: Option<&Filter>) -> SelectStatement {
        let RelatedObjects { object, on, with, .. } = objects;
        let object = self.declaration.object(*object);
        let (table, source) = (object.table.name(), self.table(object));
        // A name of its own, where the table may stand around the sub-query, too.
        let is_around = on.iter().any(|(from, _)| from.table() == table) || self.level > 0;
        let name = format!("{table}_{}", self.level + 1);
        let Self { backend, are_spread, declaration, tables, level, .. } = *self;
        let renamed = is_around.then_some((table, name.as_str()));
        let inner = Target { backend, are_spread, declaration, tables, renamed, level: level + 1 };
        let mut rows = Query::select().expr(Expr::cust("1")).take();
        rows.from(source.source(is_around.then_some(&name)));
        for (from, to) in on {
            rows.and_where(inner.named(to).expr().eq(self.named(from).expr()));
        }
        if let Some(with) = with {
            inner.require(&mut rows, with);
        }
        if let Some(filter) = filter {
            inner.join_beside(&mut rows, object, &needs_beside(filter));
            rows.cond_where(inner.condition(filter));
        }
        rows
    }

    /// Joins the rows of these relations, which every object has.
    pub fn join_beside(&self, rows: &mut SelectStatement, object: &ObjectType, relations: &BTreeSet<usize>) {
        for relation in relations.iter().map(|relation| &object.relations[*relation]) {
            let Some(table) = self.related_table(relation) else { continue };
            let on = relation.on().into_iter().map(|(from, to)| self.named(&from).expr().eq(to.expr()));
            rows.inner_join(table.source(None), on.fold(Condition::all(), Condition::add));
        }
    }
}

/// The relations whose columns a filter compares.
pub(crate) fn needs_beside(filter: &Filter) -> BTreeSet<usize> {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => filters.iter().flat_map(needs_beside).collect(),
        Filter::Not(filter) => needs_beside(filter),
        Filter::Beside(relation, ..) => BTreeSet::from([*relation]),
        Filter::Column(..) | Filter::CreatedAt(..) | Filter::Related(_) | Filter::Count(_) => BTreeSet::new(),
    }
}

/// The ranges of a key in which all rows lie that match, where a condition says so.
pub(super) fn ranges(filter: &Filter) -> Option<KeyRanges> {
    match filter {
        Filter::All(filters) => filters.iter().filter_map(ranges).next_back(),
        Filter::Any(filters) => {
            let mut each = filters.iter().map(ranges);
            let first = each.next()??;
            each.try_fold(first, |all, these| all.or(these?))
        }
        Filter::CreatedAt(key, Test::In(instants)) => Some(key_ranges(key, instants)),
        _ => None,
    }
}

fn key_ranges(key: &Column, instants: &[DateTime]) -> KeyRanges {
    KeyRanges::new(key.clone(), instants.iter().map(|DateTime(instant)| keyset::created_at(*instant)))
}

/// The rows for which a condition does not hold, including those for which SQL says "unknown".
pub(super) fn complement(condition: Condition) -> Expr {
    if condition.is_empty() {
        return never();
    }
    Expr::from(condition).is_not(Expr::custom_keyword("TRUE"))
}

/// A condition as part of an `OR`, where an empty one must not vanish.
fn holds(condition: Condition) -> Condition {
    if condition.is_empty() { Condition::all().add(Expr::cust("TRUE")) } else { condition }
}

/// No row.
pub fn never() -> Expr {
    Expr::cust("FALSE")
}

/// The first text, by code point, that is greater than every text with this prefix, if there is one.
fn successor(prefix: &str) -> Option<String> {
    let mut text: Vec<char> = prefix.chars().collect();
    while let Some(last) = text.pop() {
        // A range of `char` skips the surrogates.
        if let Some(next) = (last..=char::MAX).nth(1) {
            text.push(next);
            return Some(text.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(successor("ab").as_deref(), Some("ac"));
        assert_eq!(successor("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(successor("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(successor("\u{10ffff}"), None);
    }
}
