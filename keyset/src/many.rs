//! One statement for many parents: a bracket, or a count, for each of them.
//!
//! On PostgreSQL the parents are one array, so one text serves any number of parents:
//!
//! ```sql
//! SELECT p.keyset_batch, r.*
//! FROM (SELECT parent AS keyset_parent, CAST(n - 1 AS integer) AS keyset_batch
//!       FROM unnest((SELECT $1)) WITH ORDINALITY AS p (parent, n)) AS p
//! JOIN LATERAL (/* bracket, WHERE cake_id = p.keyset_parent */) AS r ON TRUE
//! ORDER BY keyset_batch, r.name, r.id
//! ```
//!
//! SQLite has no `LATERAL`: through most connections the statement is a union of one term per parent. The terms share all other
//! parameters. The number of terms is rounded up to a power of two by parents that are NULL, so there are few texts:
//!
//! ```sql
//! WITH keyset_brackets AS MATERIALIZED (
//!     SELECT *, 0 AS keyset_batch FROM (/* bracket, WHERE cake_id = ?2 */) UNION ALL
//!     SELECT *, 1 AS keyset_batch FROM (/* bracket, WHERE cake_id = ?3 */))
//! SELECT r.* FROM keyset_brackets AS r ORDER BY keyset_batch, r.name, r.id
//! ```
//!
//! Where keys are compared here (`compare`), both end without `ORDER BY`.
//!
//! Without `MATERIALIZED`, SQLite merges the terms pairwise, which takes twice as many instructions. Either way the
//! cost is parents × page, however many children there are.
//!
//! A connection that runs a statement many times in one trip needs no union: it runs the bracket of one parent for each
//! of them, which takes SQLite a third of the time. Through one that reads arrays, PostgreSQL sends a row for each list (`arrays`).

use std::fmt::Write;

use sea_orm::sea_query::{ColumnRef, Condition, Expr, JoinType, Order as SqlOrder, Query, SelectStatement};
use sea_orm::{DbErr, Statement, Value};

use crate::arrays::{ListArrays, slices_of};
use crate::batch::{BATCH, batch};
use crate::bracket::{select_joined, select_unordered};
use crate::count::{COUNT, limited_count};
use crate::dialect::Dialect;
use crate::join::{ROWS, join};
use crate::mark::Mark;
use crate::range::Index;
use crate::row_order::RowOrder;
use crate::slice::Reader;
use crate::source::{Parents, columns_of, parent_name};
use crate::statement_cache::{Form, Shape, StatementCache, Written, written_for};
use crate::{Join, Many, ManyBy, Page, ReadRows, Record, Slice};

/// The table of the parents.
pub(crate) const PARENTS: &str = "keyset_parents";
/// The table of the brackets of all parents.
const BRACKETS: &str = "keyset_brackets";
/// The number of terms up to which a text is kept.
const MAX_KEPT: usize = 256;
/// What stands for a value of the parent in a term, until its parameter is numbered: see [`placeholders`].
const PLACEHOLDER: &str = ":keyset_parent";

/// Reads the same page for each parent.
pub(crate) async fn fetch<C>(
    db: &C,
    query: &SelectStatement,
    parents: &Parents,
    page: &Page,
    joins: &[Join],
    dialect: Dialect,
    cache: Option<&StatementCache>,
) -> Result<Vec<Slice<Record>>, DbErr>
where
    C: ReadRows + ?Sized,
{
    match db.reads_many() {
        ManyBy::Values if dialect.is_sqlite() && parents.width() == 1 => {
            return each(db, query, parents, page, joins, cache).await;
        }
        ManyBy::Arrays if !dialect.is_sqlite() => {
            return arrays(db, query, parents, page, joins, dialect, cache).await;
        }
        _ => {}
    }
    let mut found: Vec<_> = parents.each().map(|_| Vec::new()).collect();
    let mut reader = Reader::new(page);
    for Chunk { statement, lists } in brackets(query, parents, page, joins, dialect, cache)? {
        for row in db.read(statement).await? {
            if let Some(list) = lists.get(batch(&row)?) {
                found[*list].push(reader.read(row)?);
            }
        }
    }
    Ok(found.iter_mut().map(|found| reader.cut(found)).collect())
}

/// The same with one statement, which is run for each parent on SQLite.
async fn each<C>(
    db: &C,
    query: &SelectStatement,
    parents: &Parents,
    page: &Page,
    joins: &[Join],
    cache: Option<&StatementCache>,
) -> Result<Vec<Slice<Record>>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let dialect = Dialect::Sqlite;
    let (lists, values) = parents.present()?;
    let mut slices: Vec<_> = parents.each().map(|_| Slice::cut(Vec::new(), page)).collect();
    let Some(first) = values.first() else { return Ok(slices) };
    let write = |parent: Vec<Value>, query: &SelectStatement, joins: &[Join], page: &Page| {
        let children = parents.children(query, placeholders(1));
        let order = RowOrder::of(query, joins, page);
        let (sql, mut values) =
            Dialect::numbered(&select_joined(&children, page, &order, joins, Index::OfParent, dialect));
        values.extend(parent);
        Ok(dialect.raw(numbered(&sql, values.len(), 1), values.into_iter()).into())
    };
    let shape = Shape { query, page, joins, parents: &parents.references, form: Form::Each, dialect };
    let statement = written_for(cache, shape, std::slice::from_ref(first), write)?.statement;
    let mut reader = Reader::new(page);
    for (list, rows) in lists.into_iter().zip(db.read_many(statement, Many::Values(values)).await?) {
        slices[list] = Slice::of(rows, &mut reader)?;
    }
    Ok(slices)
}

/// The same with one statement of PostgreSQL, whose rows are the lists.
async fn arrays<C>(
    db: &C,
    query: &SelectStatement,
    parents: &Parents,
    page: &Page,
    joins: &[Join],
    dialect: Dialect,
    cache: Option<&StatementCache>,
) -> Result<Vec<Slice<Record>>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let (lists, values) = parents.present()?;
    let mut slices: Vec<_> = parents.each().map(|_| Slice::default()).collect();
    if lists.is_empty() {
        return Ok(slices);
    }
    let width = parents.width();
    let values = columns_of(&values, width);
    let write = |values: Vec<Value>, query: &SelectStatement, joins: &[Join], page: &Page| {
        let parent = (0..width).map(|place| Expr::col((PARENTS, parent_name(place))));
        let list = ListArrays::of(&parents.children(query, parent), page, joins, dialect)?;
        let statement = dialect.statement(&joined(values, list.select, None, dialect));
        Ok::<_, DbErr>(Written { statement, list: Some(list.columns) })
    };
    let shape = Shape { query, page, joins, parents: &parents.references, form: Form::Arrays, dialect };
    let Written { statement, list } = written_for(cache, shape, &values, write)?;
    let mut read = db.read_many(statement, Many::Arrays(list.into_iter().collect())).await?.into_iter();
    let (rows, list) = (read.next().unwrap_or_default(), read.next().unwrap_or_default());
    for (row, slice) in rows.iter().zip(slices_of(&rows, 0, list, page)?) {
        if let Some(list) = lists.get(batch(row)?) {
            slices[*list] = slice;
        }
    }
    Ok(slices)
}

/// The statements that read a bracket for each parent.
fn brackets(
    query: &SelectStatement,
    parents: &Parents,
    page: &Page,
    joins: &[Join],
    dialect: Dialect,
    cache: Option<&StatementCache>,
) -> Result<Vec<Chunk>, DbErr> {
    let write = |parents: &Parents, query: &SelectStatement, joins: &[Join], page: &Page| {
        let order = RowOrder::of(query, joins, page);
        let bracket = |parent: Vec<Expr>| {
            select_unordered(&parents.children(query, parent), page, &order, Index::OfParent, dialect)
        };
        chunks(parents, bracket, Some((&order, joins)), dialect)
    };
    let (lists, mut values) = parents.present()?;
    // On PostgreSQL the parents are one value. On SQLite each is one, and NULLs fill up the terms.
    let width = parents.width();
    let terms = if dialect.is_sqlite() { lists.len().next_power_of_two() } else { 1 };
    let Some(cache) = cache.filter(|_| !values.is_empty() && terms <= MAX_KEPT) else {
        return write(parents, query, joins, page);
    };
    if dialect.is_sqlite() {
        pad(&mut values, terms, width);
    } else {
        values = columns_of(&values, width);
    }
    let shape = Shape { query, page, joins, parents: &parents.references, form: Form::Union(terms), dialect };
    let statement = cache.statement(shape, &values, |query, joins, page| {
        let marks = (0..terms * width).map(|place| Mark::Given(place).value()).collect();
        let marks = Parents { values: marks, ..parents.clone() };
        let mut chunks = write(&marks, query, joins, page)?;
        // With many parameters, several statements share the parents.
        Ok(if chunks.len() == 1 { chunks.pop().map(|chunk| chunk.statement.into()) } else { None })
    })?;
    match statement {
        Some(written) => Ok(vec![Chunk { statement: written.statement, lists }]),
        None => write(parents, query, joins, page),
    }
}

/// Counts the children of each parent, up to a limit.
pub(crate) async fn count_up_to<C>(
    db: &C,
    rows: &SelectStatement,
    parents: &Parents,
    limit: u64,
    dialect: Dialect,
) -> Result<Vec<u64>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let term = |parent: Vec<Expr>| limited_count(parents.children(rows, parent), limit);
    let mut counts = vec![0; parents.len()];
    for Chunk { statement, lists } in chunks(parents, term, None, dialect)? {
        for row in db.read(statement).await? {
            if let Some(list) = lists.get(batch(&row)?) {
                counts[*list] = row.count(COUNT)?;
            }
        }
    }
    Ok(counts)
}

/// A statement for some of the parents.
struct Chunk {
    statement: Statement,
    /// The list of each batch.
    lists: Vec<usize>,
}

/// The statements that run a term for each parent. The rows of a bracket are joined to their relations and ordered.
fn chunks(
    parents: &Parents,
    term: impl Fn(Vec<Expr>) -> SelectStatement,
    bracket: Option<(&RowOrder, &[Join])>,
    dialect: Dialect,
) -> Result<Vec<Chunk>, DbErr> {
    let (lists, values) = parents.present()?;
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let width = parents.width();
    Ok(match dialect {
        Dialect::Postgres { .. } => {
            let parent = (0..width).map(|place| Expr::col((PARENTS, parent_name(place)))).collect();
            let joined = joined(columns_of(&values, width), term(parent), bracket, dialect);
            vec![Chunk { statement: dialect.statement(&joined), lists }]
        }
        Dialect::Sqlite => {
            let (term, mut shared) = Dialect::numbered(&term(placeholders(width).collect()));
            let rows = bracket.map(|bracket| {
                let mut rows = Query::select().expr(Expr::cust("r.*")).from_as(BRACKETS, ROWS).take();
                let (sql, values) = dialect.numbered_after(&finish(&mut rows, bracket, dialect), shared.len());
                shared.extend(values);
                sql
            });
            let (max_terms, max_parameters) = dialect.limits();
            let size = (max_parameters.saturating_sub(shared.len()) / width).clamp(1, max_terms);
            let union = |(lists, values): (&[usize], &[Value])| {
                let terms = lists.len().next_power_of_two().min(size);
                let mut values = values.to_vec();
                pad(&mut values, terms, width);
                let sql = union(&term, shared.len(), terms, width, rows.as_deref());
                let values = shared.iter().cloned().chain(values);
                Chunk { statement: dialect.raw(sql, values), lists: lists.to_vec() }
            };
            lists.chunks(size).zip(values.chunks(size * width)).map(union).collect()
        }
    })
}

/// What stands for the values of a parent in a term.
fn placeholders(width: usize) -> impl Iterator<Item = Expr> {
    (0..width).map(|place| Expr::cust(format!("{PLACEHOLDER}_{place}_")))
}

/// The term with the values of its parent as parameters, of which the first has this number.
fn numbered(term: &str, first: usize, width: usize) -> String {
    let number = |term: String, place| term.replace(&format!("{PLACEHOLDER}_{place}_"), &format!("?{}", first + place));
    (0..width).fold(term.to_owned(), number)
}

/// Fills up the parents with NULLs, which have no children, to this number.
fn pad(values: &mut Vec<Value>, parents: usize, width: usize) {
    for place in values.len()..parents * width {
        values.push(values[place % width].as_null());
    }
}

/// The parents as an array for each value of their keys, with the term joined to each of them.
fn joined(
    parents: Vec<Value>,
    term: SelectStatement,
    bracket: Option<(&RowOrder, &[Join])>,
    dialect: Dialect,
) -> SelectStatement {
    // sea-query has no `WITH ORDINALITY`.
    let array = |place| parent_name(place).replace("keyset_", "");
    let list = |item: &dyn Fn(usize) -> String| (0..parents.len()).map(item).collect::<Vec<_>>().join(", ");
    let columns = format!(
        "{}, CAST(n - 1 AS integer) AS {BATCH} FROM unnest({}) WITH ORDINALITY AS p ({}, n)",
        list(&|place| format!("{} AS {}", array(place), parent_name(place))),
        // It plans a statement again for each array whose length it sees, if few parents look cheaper than the ten that it assumes.
        list(&|place| format!("(SELECT ${})", place + 1)),
        list(&array),
    );
    let parents = Query::select().expr(Expr::cust_with_values(columns, parents)).take();
    let mut statement = Query::select();
    statement
        .column((PARENTS, BATCH))
        .column(ColumnRef::Asterisk(Some(ROWS.into())))
        .from_subquery(parents, PARENTS)
        .join_lateral(JoinType::InnerJoin, term, ROWS, Condition::all().add(Expr::cust("TRUE")));
    match bracket {
        None => statement,
        Some(bracket) => finish(&mut statement, bracket, dialect),
    }
}

/// A union of terms whose parents are the parameters after the shared ones. `rows` selects from it in order.
fn union(term: &str, shared: usize, terms: usize, width: usize, rows: Option<&str>) -> String {
    let mut union = String::with_capacity(terms * (term.len() + 64));
    for batch in 0..terms {
        let separator = if batch == 0 { "" } else { " UNION ALL " };
        let term = numbered(term, shared + batch * width + 1, width);
        // Writing into a string does not fail.
        let _ = write!(union, "{separator}SELECT *, {batch} AS {BATCH} FROM ({term}) AS r");
    }
    match rows {
        None => union,
        Some(rows) => format!("WITH {BRACKETS} AS MATERIALIZED ({union}) {rows}"),
    }
}

/// Joins the rows to their relations. Unless keys are compared here, it orders them: by parent first, in which order they are
/// found.
fn finish(rows: &mut SelectStatement, (order, joins): (&RowOrder, &[Join]), dialect: Dialect) -> SelectStatement {
    join(rows, joins, dialect);
    if !order.is_compared_here() {
        rows.order_by(BATCH, SqlOrder::Asc);
        order.sort_table(rows, ROWS, dialect);
    }
    rows.take()
}
