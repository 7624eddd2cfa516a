//! The statement that reads a page with its two neighbours.
//!
//! Going forward after a key:
//!
//! ```text
//! witness side: ranges at or before the key, reversed order, limit 1     -> has_previous
//! page side:    ranges strictly beyond the key, order,       limit n+1   -> the rows, and has_next
//! ```
//!
//! All of it is one `UNION ALL`; a segment number tells the branches apart, and the outer `ORDER BY` makes the order
//! the SQL's promise. The row that the key was taken from need not exist any more, and the page may be empty: both
//! flags are exact all the same.
//!
//! ```sql
//! -- ratings ORDER BY id, the first 20 after a cursor
//! SELECT * FROM (SELECT id, rating, id AS keyset_0, 0 AS keyset_segment FROM book_rating
//!                WHERE id <= $1 ORDER BY id DESC LIMIT 1) AS r
//! UNION ALL
//! SELECT * FROM (SELECT id, rating, id AS keyset_0, 1 AS keyset_segment FROM book_rating
//!                WHERE id > $2 ORDER BY id ASC LIMIT 21) AS r
//! ORDER BY keyset_segment ASC, keyset_0 ASC LIMIT 22
//! ```
//!
//! Backward is the same on the reversed order. With both cursors the far bound is a computed column of the rows,
//! `keyset_inside`, and never a filter, so that a short window cannot send the scan to the end of the table.

use sea_orm::sea_query::{
    Alias, CaseStatement, CommonTableExpression, Condition, Expr, IntoIden, Order as SqlOrder, OrderedStatement, Query,
    SelectStatement, UnionType, WithClause,
};
use sea_orm::{DbBackend, DynIden, Statement};

use crate::dialect::Dialect;
use crate::range::{self, Edge, Range};
use crate::{Key, Order, Page};

/// Says which branch a row comes from: [`WITNESS`], or the page's ranges from 1, the nearest first.
pub(crate) const SEGMENT: &str = "keyset_segment";
/// The segment of the rows on the near side of the page.
pub(crate) const WITNESS: i32 = 0;
/// 1 where a row lies short of the far cursor, else 0; absent where there is no far cursor.
pub(crate) const INSIDE: &str = "keyset_inside";
/// The table of the rows that a computed order is over.
const CANDIDATES: &str = "keyset_candidates";

/// The column that holds the value of the sort at this place.
pub(crate) fn key_column(place: usize) -> DynIden {
    // Few orders have more sorts: these cost no allocation.
    const FIRST: [&str; 4] = ["keyset_0", "keyset_1", "keyset_2", "keyset_3"];
    FIRST.get(place).map_or_else(|| Alias::new(format!("keyset_{place}")).into_iden(), |name| name.into_iden())
}

/// The statement that reads this page of these rows: see the [module](self) for its shape.
///
/// The query brings its columns, filters and joins; an order, a limit or an offset of its own has no meaning here and
/// is dropped. [`fetch`](crate::fetch) runs it; by itself it is for looking at, or for a plan:
///
/// ```
/// # use sea_orm::{DbBackend, EntityTrait, QueryTrait, tests_cfg::cake};
/// use keyset::{Args, Limits, Order, Page, bracket::bracket};
///
/// let page = Page::new(&Args { first: Some(2), ..Args::default() }, &Order::of::<cake::Entity>([])?, Limits::default())?;
/// let statement = bracket(cake::Entity::find().as_query(), &page, DbBackend::Sqlite);
/// assert!(statement.sql.ends_with(r#"ORDER BY "keyset_segment" ASC, "keyset_0" ASC LIMIT 3"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bracket(query: &SelectStatement, page: &Page, backend: DbBackend) -> Statement {
    let dialect = Dialect(backend);
    dialect.statement(&select(query, page, dialect))
}

/// The same, as a part for a larger statement.
pub(crate) fn select(query: &SelectStatement, page: &Page, dialect: Dialect) -> SelectStatement {
    let (order, back) = page.travel();
    let near = page.near().map(|key| key.bind(dialect));
    let far = page.far().map(|key| key.bind(dialect));
    let source = Source::of(query, &order);
    let (order, back) = (source.order(order), source.order(back));

    let (witnesses, ranges) = match &near {
        None => (Vec::new(), range::all(&order)),
        Some(near) => (
            range::beyond(&back, near, Edge::Inclusive, dialect),
            range::beyond(&order, near, Edge::Exclusive, dialect),
        ),
    };
    let inside = far.map(|far| inside(&back, &far, dialect));
    let size = u64::from(page.size) + 1;
    let limit = size + witnesses.len() as u64;

    let branch = |segment: i32, range: &Range, order: &Order, limit: u64| {
        let mut rows = source.rows.clone();
        rows.expr_as(Expr::cust(segment.to_string()), SEGMENT);
        if let Some(inside) = &inside {
            rows.expr_as(inside.clone(), INSIDE);
        }
        range.confine(&mut rows, order, dialect);
        rows.limit(limit);
        wrapped(rows)
    };
    let witnesses = witnesses.iter().map(|range| branch(WITNESS, range, &back, 1));
    let pages = (1..).zip(&ranges).map(|(segment, range)| branch(segment, range, &order, size));
    let mut union = union_all(witnesses.chain(pages));
    order_by_keys(&mut union, &order, dialect);
    union.limit(limit);
    if let Some(candidates) = source.candidates {
        union.with_cte(candidates);
    }
    union
}

/// Where the branches take their rows from, with the keys among the columns.
struct Source {
    rows: SelectStatement,
    candidates: Option<WithClause>,
}

impl Source {
    /// The query itself, so that each branch is a descent of an index. Under a computed order there is no index: then
    /// the query's rows are computed once, and the branches take theirs from those.
    fn of(query: &SelectStatement, order: &Order) -> Self {
        let mut rows = query.clone();
        rows.clear_order_by().reset_limit().reset_offset();
        for (place, sort) in order.sorts().iter().enumerate() {
            rows.expr_as(sort.expr.clone(), key_column(place));
        }
        if !order.is_computed() {
            return Self { rows, candidates: None };
        }
        let table = CommonTableExpression::new().table_name(CANDIDATES).query(rows).materialized(true).to_owned();
        let rows = Query::select().expr(Expr::cust("*")).from(CANDIDATES).take();
        Self { rows, candidates: Some(WithClause::new().cte(table).to_owned()) }
    }

    /// An order over the query, as an order over these rows.
    fn order(&self, order: Order) -> Order {
        if self.candidates.is_some() { order.over_columns(key_column) } else { order }
    }
}

/// Whether a row lies strictly short of the far cursor: the ranges beyond it on the way back, as one value.
fn inside(back: &Order, far: &Key, dialect: Dialect) -> CaseStatement {
    let ranges = range::beyond(back, far, Edge::Exclusive, dialect);
    let any = ranges.iter().fold(Condition::any(), |any, range| any.add(range.condition(back, dialect)));
    Expr::case(any, Expr::cust("1")).finally(Expr::cust("0"))
}

/// SQLite takes no parentheses around the branches of a union, and no limit within them without.
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

/// By segment, and by the keys within it.
pub(crate) fn order_by_keys(rows: &mut impl OrderedStatement, order: &Order, dialect: Dialect) {
    rows.order_by(SEGMENT, SqlOrder::Asc);
    for (place, sort) in order.sorts().iter().enumerate() {
        dialect.order_by(rows, Expr::col(key_column(place)), sort, sort.nullable);
    }
}
