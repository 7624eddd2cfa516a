//! The statement that reads a page with its two neighbours.
//!
//! Going forward after a key:
//!
//! ```text
//! witness side: a row of the ranges at or before the key                 -> has_previous
//! page side:    ranges strictly beyond the key, order,       limit n+1   -> the rows, and has_next
//! ```
//!
//! The statement is one `UNION ALL`; of one branch, it is the branch. A segment number, `keyset_segment`, tells the
//! branches apart: the rows of a statement of one branch have none, and count as those of segment 1. A key is in the
//! column that the query selects for it, otherwise in `keyset_0`, `keyset_1` and so on, one for each sort. Both flags
//! are exact even if the row of the key no longer exists, or the page is empty.
//!
//! The outer `ORDER BY` guarantees the order of the rows, unless they are put in order where they are read (`compare`). It
//! has no segment, which the keys imply. So PostgreSQL merges the branches. A branch that is ordered by the keys as the
//! whole is, such as the farthest range, is read row by row, as far as the page needs it. Of the witness side, one row is
//! read, from any of its ranges, unless the page is around a row.
//!
//! ```sql
//! -- cities ORDER BY id, the first 20 after a cursor
//! SELECT * FROM (SELECT id, name, 0 AS keyset_segment FROM city
//!                WHERE id <= $1 ORDER BY id DESC LIMIT 1) AS r
//! UNION ALL
//! SELECT * FROM (SELECT id, name, 1 AS keyset_segment FROM city
//!                WHERE id > $2 ORDER BY id ASC LIMIT 21) AS r
//! ORDER BY id ASC LIMIT 22
//! ```
//!
//! Going backward, the statement is the same on the reversed order. With both cursors, the far bound is a computed
//! column, `keyset_inside`. It is not a filter: with a filter, a short window would scan to the end of the table.

use sea_orm::sea_query::{CaseStatement, Condition, Expr, Query, SelectStatement, UnionType, WithClause};
use sea_orm::{DbBackend, DbErr, Statement};

use crate::dialect::Dialect;
use crate::join::{Join, ROWS, joined};
use crate::keyed_rows::KeyedRows;
use crate::range::{self, Edge, Index, Range};
use crate::row_order::{RowOrder, SEGMENT};
use crate::start::Start;
use crate::{Order, Page};

/// The segment of the rows on the near side of the page.
pub(crate) const WITNESS: i32 = 0;
/// The column that is 1 for a row short of the far cursor, else 0. Without a far cursor it is absent.
pub(crate) const INSIDE: &str = "keyset_inside";

/// The statement that reads this page of a query's rows. See the [module](self) for its form.
///
/// The query brings its columns, filters and joins. Its own order, limit and offset are dropped. The page's
/// offset is no part of the statement: [`fetch`](crate::fetch) looks up its key first. It runs the statement without its outer order
/// where all keys are integers, UUIDs or texts [by code point](crate::Sort::by_code_point). Use this function to inspect the
/// statement, or to explain it:
///
/// ```
/// # use sea_orm::{DbBackend, EntityTrait, QueryTrait, tests_cfg::cake};
/// use keyset::{Order, Page, bracket::bracket};
///
/// let page = Page::first(&Order::of::<cake::Entity>([])?, 2);
/// let statement = bracket(cake::Entity::find().as_query(), &page, DbBackend::Sqlite)?;
/// assert!(statement.sql.ends_with(r#"FROM "cake" ORDER BY "cake"."id" ASC LIMIT 3"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`DbErr::BackendNotSupported`] unless the backend is PostgreSQL or SQLite.
pub fn bracket(query: &SelectStatement, page: &Page, backend: DbBackend) -> Result<Statement, DbErr> {
    let dialect = Dialect::of_backend(backend)?;
    let order = RowOrder::of(query, &[], page);
    Ok(dialect.statement(&select(query, page, &order, Index::OfOrder, dialect)))
}

/// The bracket as part of a larger statement.
pub(crate) fn select(
    query: &SelectStatement,
    page: &Page,
    order: &RowOrder,
    index: Index,
    dialect: Dialect,
) -> SelectStatement {
    Bracket::new(query, page, order, index, dialect).ordered(order, dialect)
}

/// The same without an order of its rows: the statement around it has one, or the reader puts them in order.
///
/// Sorting rows twice takes longer than reading them, at least on SQLite, which sorts every sub-query.
pub(crate) fn select_unordered(
    query: &SelectStatement,
    page: &Page,
    order: &RowOrder,
    index: Index,
    dialect: Dialect,
) -> SelectStatement {
    let bracket = Bracket::new(query, page, order, index, dialect);
    // Without the limit, the branches of several ranges would have more rows than the page.
    if bracket.pages > 1 { bracket.ordered(order, dialect) } else { bracket.union() }
}

/// The statement that reads a page of one list, with its joins. Where keys are compared here, its rows are in no order.
pub(crate) fn select_joined(
    query: &SelectStatement,
    page: &Page,
    order: &RowOrder,
    joins: &[Join],
    index: Index,
    dialect: Dialect,
) -> SelectStatement {
    if page.order.is_compared_here() {
        return joined(select_unordered(query, page, order, index, dialect), joins, dialect);
    }
    if joins.is_empty() {
        return select(query, page, order, index, dialect);
    }
    let mut statement = joined(select_unordered(query, page, order, index, dialect), joins, dialect);
    order.sort_table(&mut statement, ROWS, dialect);
    statement
}

/// The branches of a bracket, each in order, and within its limit.
struct Bracket {
    branches: Vec<SelectStatement>,
    /// How many of them have rows of the page.
    pages: usize,
    candidates: Option<WithClause>,
    limit: u64,
}

impl Bracket {
    fn new(query: &SelectStatement, page: &Page, row_order: &RowOrder, index: Index, dialect: Dialect) -> Self {
        let (order, back) = page.travel();
        let starts = Start::of(query, page, dialect);
        let far = page.far().map(|key| key.bind(&page.order, dialect));
        let source = KeyedRows::of(query, &order, row_order.keys());
        let (order, back) = (source.order(order), source.order(back));

        let inside = far.as_ref().map(|far| inside(&back, far, index, dialect));
        let size = u64::from(page.size) + 1;

        let branch = |segment: i32, range: &Range, order: &Order, start: &Start, limit: u64| {
            let mut rows = source.rows.clone();
            if let Some(exists) = &start.exists {
                rows.cond_where(exists.clone());
            }
            if row_order.has_segment() {
                rows.expr_as(Expr::cust(segment.to_string()), SEGMENT);
            }
            if let Some(inside) = &inside {
                rows.expr_as(inside.clone(), INSIDE);
            }
            let Some(postings) = order.postings() else {
                range.confine(&mut rows, order, index, dialect);
                return rows.limit(limit).take();
            };
            // The leaps have the range and its limit. With them here, too, PostgreSQL's planner may prefer a scan.
            let far = far.as_ref().filter(|_| segment != WITNESS);
            rows.with_cte(postings.leaps(&source.rows, range, order, far, limit, dialect));
            for sort in order.sorts() {
                dialect.order_by(&mut rows, sort.expr.clone(), sort, false);
            }
            rows
        };
        let (mut before, mut ahead) = (Vec::new(), Vec::new());
        for start in &starts {
            let (witnesses, ranges) = start.ranges(&order, &back, dialect);
            before.extend(witnesses.iter().map(|range| branch(WITNESS, range, &back, start, page.witnesses())));
            let pages = (1..).zip(&ranges);
            ahead.extend(pages.map(|(segment, range)| branch(segment, range, &order, start, size)));
        }
        if page.witnesses() == 1 && before.len() > 1 {
            before = vec![one_of(before)];
        }
        let limit = size + before.len() as u64 * page.witnesses();
        let pages = ahead.len();
        Self { branches: before.into_iter().chain(ahead).collect(), pages, candidates: source.candidates, limit }
    }

    fn ordered(self, order: &RowOrder, dialect: Dialect) -> SelectStatement {
        let (is_union, limit) = (self.branches.len() > 1, self.limit);
        let mut rows = self.union();
        if is_union {
            order.sort(&mut rows, dialect);
            rows.limit(limit);
        }
        rows
    }

    fn union(mut self) -> SelectStatement {
        let mut union = match self.branches.pop() {
            Some(branch) if self.branches.is_empty() => branch,
            last => union_all(self.branches.into_iter().chain(last).map(wrapped)),
        };
        if let Some(candidates) = self.candidates {
            union.with_cte(candidates);
        }
        union
    }
}

/// Whether a row lies strictly short of the far cursor, as a value: whether it is in a range beyond it, going back.
fn inside(back: &Order, far: &[Option<Expr>], index: Index, dialect: Dialect) -> CaseStatement {
    let ranges = range::beyond(back, far, Edge::Exclusive, dialect);
    let any = ranges.iter().fold(Condition::any(), |any, range| any.add(range.condition(back, index, dialect)));
    Expr::case(any, Expr::cust("1")).finally(Expr::cust("0"))
}

/// A row of any of these: the database stops at the first that it finds.
fn one_of(witnesses: Vec<SelectStatement>) -> SelectStatement {
    union_all(witnesses.into_iter().map(wrapped)).limit(1).take()
}

/// SQLite accepts a limit within the branch of a union only in a sub-query, and no parentheses around the branch.
pub(crate) fn wrapped(rows: SelectStatement) -> SelectStatement {
    Query::select().expr(Expr::cust("*")).from_subquery(rows, "r").take()
}

pub(crate) fn union_all(mut branches: impl Iterator<Item = SelectStatement>) -> SelectStatement {
    let mut union = branches.next().unwrap_or_default();
    for branch in branches {
        union.union(UnionType::All, branch);
    }
    union
}
