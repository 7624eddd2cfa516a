//! The texts of statements, kept for pages of one shape.
//!
//! Writing a bracket takes longer than binding its parameters, and the pages of one list differ mostly in the values of
//! their cursors. So a statement is written once with marks in place of these values. Later pages replace the marks.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::sea_query::{Expr, Query, SelectStatement};
use sea_orm::{DbErr, Statement, Value};

use crate::dialect::Dialect;
use crate::join::joined;
use crate::mark::Mark;
use crate::source::array;
use crate::{Column, Columns, End, Join, Key, Order, Page, Sort};

mod query_values;

use query_values::QueryValues;

/// The number of shapes whose texts are kept.
const MAX: usize = 8;
/// The longest text that is kept, in bytes, with its parameters.
const MAX_SIZE: usize = 32 << 10;
/// The maximum of bytes that all texts of the process keep.
const MAX_KEPT: usize = 32 << 20;
/// The bytes that are kept.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The texts of a list's statements. Keep one beside a list that is read often, and pass it to
/// [`fetch_rows`](crate::fetch_rows).
///
/// It holds the texts of the eight shapes used last, none longer than 32 KiB, and all together hold at most 32 MiB.
/// Pages of one shape have the same query, except for the values in its filters; the same order, size and end; cursors with
/// NULL and infinite dates at the same places; and the same joins.
#[derive(Default)]
pub struct StatementCache(Mutex<Vec<Arc<Text>>>);

/// What a statement reads besides its query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// The page of one list.
    Page,
    /// The same, with so many lists of each row.
    PageWith(usize),
    /// A list of a row of it: a part of the statement. So many parameters are those of parts before it.
    PartAfter(usize),
    /// The lists of so many parents in a union; on PostgreSQL, of all parents.
    Union(usize),
    /// The list of one parent of many.
    Each,
    /// The lists of all parents, as arrays.
    Arrays,
}

/// A statement that was written.
pub(crate) struct Written {
    pub statement: Statement,
    /// The columns of its rows, if they are arrays.
    pub list: Option<Arc<Columns>>,
}

impl From<Statement> for Written {
    fn from(statement: Statement) -> Self {
        Self { statement, list: None }
    }
}

/// What a text depends on, besides the values of the cursors, of the query and of the parents.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'a> {
    pub query: &'a SelectStatement,
    pub page: &'a Page,
    pub joins: &'a [Join],
    /// The references to the parents.
    pub parents: &'a [Column],
    pub form: Form,
    pub dialect: Dialect,
}

/// A statement with marks.
struct Text {
    query: SelectStatement,
    values: QueryValues,
    order: Order,
    end: End,
    size: u32,
    cursors: [Option<Vec<Option<Value>>>; 2],
    joins: Vec<Join>,
    parents: Vec<Column>,
    form: Form,
    dialect: Dialect,
    sql: String,
    list: Option<Arc<Columns>>,
    parameters: Vec<Parameter>,
    /// Its bytes in [`KEPT`].
    kept: usize,
}

/// A parameter of a statement.
#[derive(Debug, PartialEq)]
enum Parameter {
    Value(Value),
    Marked(Mark),
    /// The value at this index of those of the query.
    OfQuery(usize),
}

impl StatementCache {
    /// The statement of this shape. `write` writes it for a query, its joins, and a page with marks in its cursors; `None` if it
    /// needs several statements. `given` are the values for the marks of [`Mark::Given`].
    ///
    /// # Errors
    ///
    /// The error of `write`.
    pub(crate) fn statement(
        &self,
        shape: Shape<'_>,
        given: &[Value],
        write: impl Fn(&SelectStatement, &[Join], &Page) -> Result<Option<Written>, DbErr>,
    ) -> Result<Option<Written>, DbErr> {
        let Shape { query, page, joins, dialect, .. } = shape;
        let are_restricted =
            |text: &Text| text.joins.iter().map(Join::restriction).eq(joins.iter().map(Join::restriction));
        if let Some(known) = self.find(|text| text.fits(shape) && text.query == *query && are_restricted(text)) {
            return Ok(Some(known.bind(page, given, known.values.all())));
        }
        let mut values = QueryValues::of(&restricted(query, joins, dialect), dialect);
        if !values.are_none()
            && let Some(known) = self.find(|text| text.fits(shape) && text.values.fit(&values))
        {
            return Ok(Some(known.bind(page, given, values.all())));
        }
        let page_marked = marked(page);
        let Some(written) = write(query, joins, &page_marked)? else { return Ok(None) };
        if !values.are_none() {
            let none = Query::select().expr_as(Expr::cust("1"), "keyset_none").take();
            let whole: Vec<Join> = joins.iter().map(Join::unrestricted).collect();
            values.fix(write(&none, &whole, &page_marked)?.and_then(|written| written.statement.values));
        }
        let text = Text::new(shape, values, written);
        let statement = text.bind(page, given, text.values.all());
        if let Some(text) = text.kept() {
            let mut kept = self.lock();
            if kept.len() == MAX {
                kept.remove(0);
            }
            kept.push(Arc::new(text));
        }
        Ok(Some(statement))
    }

    /// The text that fits, which is then the last to be dropped.
    fn find(&self, fits: impl Fn(&Text) -> bool) -> Option<Arc<Text>> {
        let mut kept = self.lock();
        let found = kept.iter().rposition(|text| fits(text))?;
        kept[found..].rotate_left(1);
        kept.last().map(Arc::clone)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Text>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The statement of a shape with these values: from the cache if there is one.
pub(crate) fn written_for(
    cache: Option<&StatementCache>,
    shape: Shape<'_>,
    given: &[Value],
    write: impl Fn(Vec<Value>, &SelectStatement, &[Join], &Page) -> Result<Written, DbErr>,
) -> Result<Written, DbErr> {
    let mark = |(place, value): (usize, &Value)| match value {
        Value::Array(..) => array(vec![Mark::Given(place).value()]),
        _ => Mark::Given(place).value(),
    };
    let marks = || given.iter().enumerate().map(mark).collect();
    let kept = cache
        .map(|cache| cache.statement(shape, given, |query, joins, page| write(marks(), query, joins, page).map(Some)));
    match kept.transpose()?.flatten() {
        Some(kept) => Ok(kept),
        None => write(given.to_vec(), shape.query, shape.joins, shape.page),
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.kept, Relaxed);
    }
}

impl fmt::Debug for StatementCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatementCache").finish_non_exhaustive()
    }
}

impl Text {
    fn new(shape: Shape<'_>, of_query: QueryValues, Written { statement, list }: Written) -> Self {
        let Shape { query, page, joins, parents, form, dialect } = shape;
        let values = statement.values.into_iter().flat_map(|values| values.0);
        let parameter = |value| match Parameter::of(value) {
            Parameter::Value(value) => of_query.position(&value).map_or(Parameter::Value(value), Parameter::OfQuery),
            marked => marked,
        };
        let parameters = values.map(parameter).collect();
        Self {
            query: query.clone(),
            values: of_query,
            order: page.order.clone(),
            end: page.end,
            size: page.size,
            cursors: written(page),
            joins: joins.to_vec(),
            parents: parents.to_vec(),
            form,
            dialect,
            sql: statement.sql,
            list,
            parameters,
            kept: 0,
        }
    }

    /// The text, counted as kept; `None` if it is too long, or too much is kept already.
    fn kept(mut self) -> Option<Self> {
        let parameters = self.parameters.iter().map(Parameter::size).sum::<usize>();
        // The query has them, too, as it is and as it is written alone.
        let values = self.values.all().iter().map(|value| 2 * size(value)).sum::<usize>();
        let size = self.sql.len() + self.values.text_len() + parameters + values;
        if size > MAX_SIZE || KEPT.fetch_add(size, Relaxed) + size > MAX_KEPT {
            if size <= MAX_SIZE {
                KEPT.fetch_sub(size, Relaxed);
            }
            return None;
        }
        self.kept = size;
        Some(self)
    }

    /// Whether it is of this shape, if the queries are.
    fn fits(&self, shape: Shape<'_>) -> bool {
        let Shape { page, joins, parents, form, dialect, .. } = shape;
        self.size == page.size
            && self.end == page.end
            && self.dialect == dialect
            && self.cursors == written(page)
            && self.form == form
            && self.parents == parents
            && self.order == page.order
            && self.joins == joins
    }

    fn bind(&self, page: &Page, given: &[Value], of_query: &[Value]) -> Written {
        let of_key = |key: Option<&Key>, place: usize| key.map(|key| self.dialect.bind(&key.values()[place]));
        let value = |parameter: &Parameter| match parameter {
            Parameter::Value(value) => Some(value.clone()),
            Parameter::Marked(Mark::After(place)) => of_key(page.after.as_ref(), *place),
            Parameter::Marked(Mark::Before(place)) => of_key(page.before.as_ref(), *place),
            Parameter::Marked(Mark::Given(place)) => given.get(*place).cloned(),
            Parameter::OfQuery(place) => of_query.get(*place).cloned(),
        };
        let statement = self.dialect.raw(self.sql.clone(), self.parameters.iter().filter_map(value));
        Written { statement, list: self.list.clone() }
    }
}

/// The query with all values that it has of its own: with its joins, if some rows of theirs are not read.
fn restricted<'q>(query: &'q SelectStatement, joins: &[Join], dialect: Dialect) -> Cow<'q, SelectStatement> {
    if joins.iter().any(|join| join.restriction().is_some()) {
        Cow::Owned(joined(query.clone(), joins, dialect))
    } else {
        Cow::Borrowed(query)
    }
}

/// Whether a value of a cursor is no parameter: a range depends on NULL, and infinite dates are written as they are.
fn is_written(value: &Value, sort: &Sort) -> bool {
    *value == value.as_null() || sort.is_infinite(value)
}

/// The values of the cursors that are no parameters.
fn written(page: &Page) -> [Option<Vec<Option<Value>>>; 2] {
    let value = |(value, sort): (&Value, &Sort)| is_written(value, sort).then(|| value.clone());
    let written = |key: &Key| key.values().iter().zip(page.order.sorts()).map(value).collect();
    [page.after.as_ref().map(written), page.before.as_ref().map(written)]
}

/// The page with marks in its cursors.
fn marked(page: &Page) -> Page {
    let key = |key: &Option<Key>, mark: fn(usize) -> Mark| {
        let value = |(place, (value, sort)): (usize, (&Value, &Sort))| {
            if is_written(value, sort) { value.clone() } else { mark(place).value() }
        };
        let marked = |key: &Key| key.values().iter().zip(page.order.sorts()).enumerate().map(value).collect();
        key.as_ref().map(|key| Key::of_values(marked(key)))
    };
    Page { after: key(&page.after, Mark::After), before: key(&page.before, Mark::Before), ..page.clone() }
}

/// The size of a value in bytes, about.
fn size(value: &Value) -> usize {
    let more = match value {
        Value::String(Some(text)) => text.len(),
        Value::Bytes(Some(bytes)) => bytes.len(),
        Value::Array(_, Some(values)) => values.len() * size_of::<Value>(),
        _ => 0,
    };
    size_of::<Value>() + more
}

impl Parameter {
    /// Its size in bytes, about.
    fn size(&self) -> usize {
        if let Self::Value(value) = self { size(value) } else { size_of::<Self>() }
    }

    fn of(value: Value) -> Self {
        let marked = match &value {
            // The parents on PostgreSQL.
            Value::Array(_, Some(values)) => values.first().and_then(Mark::of),
            value => Mark::of(value),
        };
        marked.map_or(Self::Value(value), Self::Marked)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use sea_orm::tests_cfg::{cake, fruit};
    use sea_orm::{DbBackend, EntityTrait, QueryTrait};

    use super::*;
    use crate::Sort;
    use crate::bracket::bracket;

    #[test]
    fn the_text_that_was_used_least_recently_is_dropped() {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let (texts, query) = (StatementCache::default(), cake::Entity::find().into_query());
        let is_written = |size: usize| {
            let page = Page::first(&order, size.try_into().unwrap());
            let shape = Shape {
                query: &query,
                page: &page,
                joins: &[],
                parents: &[],
                form: Form::Page,
                dialect: Dialect::Sqlite,
            };
            let is_written = Cell::new(false);
            let write = |_: &SelectStatement, _: &[Join], _: &Page| {
                is_written.set(true);
                Ok(Some(Dialect::Sqlite.raw("SELECT 1".into(), std::iter::empty()).into()))
            };
            texts.statement(shape, &[], write).unwrap().unwrap();
            is_written.get()
        };
        assert!((0..MAX).all(is_written) && !(0..MAX).any(is_written));
        assert!(!is_written(0) && is_written(MAX));
        assert!(!is_written(0) && is_written(1));
    }

    /// Equal values of two sorts, or of two cursors, are two parameters.
    #[test]
    fn on_postgresql_each_value_of_a_cursor_is_one_parameter() {
        let sorts = [Sort::desc(fruit::Column::CakeId), Sort::asc(fruit::Column::Id)];
        let order = Order::of::<fruit::Entity>(sorts).unwrap();
        let key = |cake: i32, id: i32| Key::new(&order, vec![cake.into(), id.into()]).unwrap();
        let query = fruit::Entity::find().into_query();
        let dialect = Dialect::of_backend(DbBackend::Postgres).unwrap();
        let texts = StatementCache::default();
        for (after, before) in [([1, 1], [1, 1]), ([1, 2], [3, 4])] {
            let page = Page::first(&order, 2).after(key(after[0], after[1])).unwrap();
            let page = page.before(key(before[0], before[1])).unwrap();
            let shape = Shape { query: &query, page: &page, joins: &[], parents: &[], form: Form::Page, dialect };
            let write = |query: &SelectStatement, _: &[Join], page: &Page| {
                bracket(query, page, DbBackend::Postgres).map(|it| Some(it.into()))
            };
            let statement = texts.statement(shape, &[], write).unwrap().unwrap().statement;
            let expected = bracket(&query, &page, DbBackend::Postgres).unwrap();
            assert_eq!(statement.to_string(), expected.to_string());
            let mut values: Vec<_> = statement.values.unwrap().0;
            values.sort_by_key(ToString::to_string);
            assert_eq!(values, [after, before].concat().into_iter().map(Value::from).collect::<Vec<_>>());
        }
    }
}
