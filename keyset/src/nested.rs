//! A page and lists of each of its rows, or of the rows that they refer to, in one statement.
//!
//! ```sql
//! SELECT keyset_parents.*, keyset_list_0.*
//! FROM (/* bracket of the page */) AS keyset_parents
//! LEFT JOIN LATERAL (/* arrays, WHERE cake_id = keyset_parents.id */) AS keyset_list_0 ON TRUE
//! ```
//!
//! One statement sees one state of the database, so it needs no transaction. The rows that are no part of the page have lists, too: between two
//! cursors, these may be many. The text of each list is kept on its own, and put into that of the page.

use std::sync::Arc;

use sea_orm::sea_query::{Asterisk, ColumnRef, Condition, Expr, IntoIden, JoinType, Query, SelectStatement};
use sea_orm::{DbErr, Statement};

use crate::arrays::{ListArrays, length_of_list, slices_of};
use crate::bracket::select_joined;
use crate::dialect::Dialect;
use crate::many::PARENTS;
use crate::range::Index;
use crate::row_order::RowOrder;
use crate::slice::Reader;
use crate::source::Parents;
use crate::statement_cache::{Form, Shape, StatementCache, Written, written_for};
use crate::{Column, Columns, Join, Kind, Many, ManyBy, Page, ReadRows, Record, Slice, TableRows, fetch_rows};

/// A list of each row of a page, or of the row that it refers to.
#[derive(Clone, Copy, Debug)]
pub struct ListPerRow<'a> {
    /// Its rows, and those of the lists of all other rows of the page.
    pub rows: &'a TableRows,
    /// The columns that are referred to. The page must select them.
    pub key: &'a [Column],
    /// The relation of the page whose rows have these columns. Without one, it is the page's rows.
    pub of: Option<&'a Join>,
    /// The columns that refer to them.
    pub references: &'a [Column],
    /// What is read of the list.
    pub page: &'a Page,
    /// The relations of its rows.
    pub joins: &'a [Join],
    /// The texts of earlier statements of this list, of this key and this relation, and of no other one.
    pub cache: &'a StatementCache,
}

/// A page, and for each of its lists the slice of each row.
pub type WithLists = (Slice<Record>, Vec<Result<Vec<Slice<Record>>, DbErr>>);

/// Whether lists of rows with this key can be [read with them](fetch_nested) through this connection.
///
/// The connection must read [arrays](Many::Arrays), of tables that are not distributed. The key must consist of integers or UUIDs. Texts
/// of two columns may have two collations.
pub fn can_nest<C: ReadRows + ?Sized>(db: &C, key: &[Column]) -> bool {
    let is_plain = |column: &Column| matches!(column.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Uuid);
    db.reads_many() == ManyBy::Arrays
        && Dialect::of(db).is_ok_and(|dialect| !dialect.is_sqlite() && !dialect.is_distributed())
        && key.iter().all(is_plain)
}

/// Reads a page like [`fetch_rows`](crate::fetch_rows), and lists of each of its rows, or of its relations: one statement. See [`can_nest`].
/// If it fails, another one reads the page, and the error is that of the lists.
///
/// # Errors
///
/// [`DbErr`] if the database fails. [`DbErr::Type`] for a page, or a page of a list, after an [offset](Page::offset).
pub async fn fetch_nested<C: ReadRows + ?Sized>(
    db: &C,
    rows: &TableRows,
    page: &Page,
    joins: &[Join],
    cache: &StatementCache,
    nested: &[ListPerRow<'_>],
) -> Result<WithLists, DbErr> {
    let (statement, columns) = statement(Dialect::of(db)?, rows, page, joins, cache, nested)?;
    let mut read = match db.read_many(statement, Many::Arrays(columns)).await {
        Ok(read) => read.into_iter(),
        Err(error) => {
            let slice = fetch_rows(db, rows.clone(), page, joins, cache).await?;
            return Ok((slice, nested.iter().map(|_| Err(error.clone())).collect()));
        }
    };
    let rows = read.next().unwrap_or_default();
    if rows.iter().enumerate().any(|(number, row)| row.number() != number) {
        return Err(DbErr::Type("expected the rows of one result".into()));
    }
    let lists =
        nested.iter().enumerate().map(|(list, of)| slices_of(&rows, list, read.next().unwrap_or_default(), of.page));
    let lists: Vec<_> = lists.collect();
    let slice = Slice::of(rows, &mut Reader::new(page))?;
    let of_page = |mut found: Vec<Slice<Record>>| {
        let numbers = slice.rows.iter().map(|row| row.item.number());
        numbers.map(|number| found.get_mut(number).map(std::mem::take).unwrap_or_default()).collect()
    };
    let lists = lists.into_iter().map(|found| found.map(of_page)).collect();
    Ok((slice, lists))
}

/// The statement, and the columns of each list.
fn statement(
    dialect: Dialect,
    rows: &TableRows,
    page: &Page,
    joins: &[Join],
    cache: &StatementCache,
    nested: &[ListPerRow<'_>],
) -> Result<(Statement, Vec<Arc<Columns>>), DbErr> {
    for page in nested.iter().map(|list| list.page).chain([page]) {
        page.check(dialect).map_err(|error| DbErr::Type(error.to_string()))?;
        if page.offset > 0 {
            return Err(DbErr::Type("a page after an offset is read alone".into()));
        }
    }
    let shape = Shape { query: &rows.0, page, joins, parents: &[], form: Form::PageWith(nested.len()), dialect };
    let write = |_, query: &SelectStatement, joins: &[Join], page: &Page| {
        Ok(dialect.statement(&with_lists(query, joins, page, nested.len(), dialect)).into())
    };
    let Statement { mut sql, values, .. } = written_for(Some(cache), shape, &[], write)?.statement;
    let (mut values, mut columns) = (values.map_or_else(Vec::new, |values| values.0), Vec::with_capacity(nested.len()));
    for (number, list) in nested.iter().enumerate() {
        let part = list.part(values.len(), dialect)?;
        sql = sql.replacen(&format!("SELECT {}", part_name(number)), &part.statement.sql, 1);
        values.extend(part.statement.values.into_iter().flat_map(|values| values.0));
        columns.extend(part.list);
    }
    Ok((dialect.raw(sql, values.into_iter()), columns))
}

/// What stands for the select of a list in the statement of the page.
fn part_name(list: usize) -> String {
    format!(":keyset_list_{list}:")
}

/// The page, beside this number of lists.
fn with_lists(query: &SelectStatement, joins: &[Join], page: &Page, lists: usize, dialect: Dialect) -> SelectStatement {
    let order = RowOrder::of(query, joins, page);
    let rows = select_joined(query, page, &order, joins, Index::OfOrder, dialect);
    let mut statement = Query::select().column((PARENTS, Asterisk)).from_subquery(rows, PARENTS).take();
    for list in 0..lists {
        let name = length_of_list(list).into_iden();
        let part = Query::select().expr(Expr::cust(part_name(list))).take();
        statement.column(ColumnRef::Asterisk(Some(name.clone().into()))).join_lateral(
            JoinType::LeftJoin,
            part,
            name,
            Condition::all().add(Expr::cust("TRUE")),
        );
    }
    if !order.is_compared_here() {
        order.sort_table(&mut statement, PARENTS, dialect);
    }
    statement
}

impl ListPerRow<'_> {
    /// Its part of the statement, whose other parts before it have this many parameters.
    fn part(&self, parameters: usize, dialect: Dialect) -> Result<Written, DbErr> {
        let Self { rows, key, of, references, page, joins, cache } = *self;
        let parents = Parents { references: references.into(), values: [].into() };
        let write = |_, query: &SelectStatement, joins: &[Join], page: &Page| {
            let name = |column: &Column| of.map_or_else(|| column.iden(), |relation| relation.alias(column));
            let parent = key.iter().map(|column| Expr::col((PARENTS, name(column))));
            let list = ListArrays::of(&parents.children(query, parent), page, joins, dialect)?;
            let (sql, values) = dialect.numbered_after(&list.select, parameters);
            Ok(Written { statement: dialect.raw(sql, values.into_iter()), list: Some(list.columns) })
        };
        let form = Form::PartAfter(parameters);
        let shape = Shape { query: &rows.0, page, joins, parents: references, form, dialect };
        written_for(Some(cache), shape, &[], write)
    }
}
