//! Relations to one, read in the statement of the rows that refer to them.
//!
//! The tables are joined to the bracket, outside its limits: the bracket still finds its rows by its indexes alone, and
//! the database looks up one related row for each of them.
//!
//! ```sql
//! SELECT r.*, cake_1.id AS "cake_1.id", cake_1.name AS "cake_1.name"
//! FROM (/* bracket */) AS r LEFT JOIN cake AS cake_1 ON cake_1.id = r.cake_id
//! ORDER BY r.id
//! ```

use std::collections::HashSet;
use std::sync::Arc;

use sea_orm::sea_query::{
    Asterisk, CommonTableExpression, Condition, Expr, ExprTrait, IntoIden, IntoTableRef, JoinType, Query,
    SelectStatement, WithClause,
};
use sea_orm::{DbErr, DynIden, QueryTrait, Value};

use crate::Column;
use crate::dialect::Dialect;
use crate::{ColumnSet, Kind, Modelled, ReadRows, Record, Table};

/// The table of the rows that others are joined to.
pub(crate) const ROWS: &str = "r";

/// A relation to one: for each row, the row of another table with this value in a unique column. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Join {
    table: Table,
    /// The name of the joined table, unique in the statement.
    name: Arc<str>,
    /// The table that refers to it.
    rows: Arc<str>,
    /// The columns that refer to it, and those that they equal.
    on: Arc<[(DynIden, DynIden)]>,
    /// The columns of the joined table, and their names in the result.
    columns: Arc<[(Expr, String)]>,
    presence: Presence,
    /// Which columns are read.
    read: ColumnSet,
}

impl Join {
    /// Joins the row whose `to` equals the column `from` of the listed rows. `to` must be unique. `name` must be unique
    /// in the statement.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::{cake, fruit};
    /// use keyset::Join;
    ///
    /// let cake = Join::new::<cake::Entity>("cake_1", fruit::Column::CakeId, cake::Column::Id);
    /// ```
    pub fn new<E: Modelled>(name: &str, from: impl Into<Column>, to: E::Column) -> Self {
        Self::to(&Table::of::<E>(), name, None, &[(from.into(), to.into())])
    }

    /// Joins to the rows of another join instead, which must stand before this one.
    #[must_use]
    pub fn then<E: Modelled>(&self, name: &str, from: impl Into<Column>, to: E::Column) -> Self {
        Self::to(&Table::of::<E>(), name, Some(self), &[(from.into(), to.into())])
    }

    /// Joins the row of this table in which the second of each of these columns equals the first. Together, the second ones must
    /// be unique. The first ones are those of the listed rows, or of the rows of another join.
    ///
    /// # Panics
    ///
    /// Panics without a column.
    pub fn to(table: &Table, name: &str, rows: Option<&Self>, on: &[(Column, Column)]) -> Self {
        let prefix = prefix(name);
        let column = |column: &Column| (column.of(name.to_owned()).select_expr(), format!("{prefix}{}", column.name()));
        Self {
            name: name.into(),
            rows: rows.map_or_else(|| ROWS.into(), |rows| Arc::clone(&rows.name)),
            on: on.iter().map(|(from, to)| (from.iden(), to.iden())).collect(),
            columns: table.columns().iter().map(column).collect(),
            presence: Presence::of(table, &on[0].1),
            read: ColumnSet::ALL,
            table: table.clone(),
        }
    }

    /// The table.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The same relation, of which only these columns are read. If each of them can be NULL, the one that finds its row is
    /// read, too: it tells whether there is a row.
    #[must_use]
    pub fn of_columns(&self, columns: ColumnSet) -> Self {
        Self { read: self.presence.with(columns), ..self.clone() }
    }

    /// Reads these columns, too: for another use of the relation in the same statement.
    pub fn read_also(&mut self, columns: ColumnSet) {
        self.read = self.read | self.presence.with(columns);
    }

    /// The same relation to the rows of this table that are read: the same table, [restricted](Table::only) or not.
    #[must_use]
    pub fn to_rows_of(self, table: Table) -> Self {
        Self { table, ..self }
    }

    /// The same relation to all rows of its table.
    pub(crate) fn unrestricted(&self) -> Self {
        Self { table: self.table.unrestricted(), ..self.clone() }
    }

    /// The query of the rows that it can join, unless all are.
    pub(crate) fn restriction(&self) -> Option<&SelectStatement> {
        self.table.restriction()
    }

    /// Its name in the statement.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// By which of its columns a row is known to be there.
    pub(crate) fn presence(&self) -> Presence {
        self.presence
    }

    /// What is read of its rows, and the names that it has there.
    pub(crate) fn selected(&self) -> impl Iterator<Item = (Expr, String)> {
        self.columns.iter().enumerate().filter(|(number, _)| self.read.contains(*number)).map(|(_, it)| it.clone())
    }

    /// The names of its columns in the result.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(_, alias)| alias.as_str())
    }

    /// The name of this column in the result.
    pub(crate) fn alias(&self, column: &Column) -> DynIden {
        self.columns[column.number()].1.clone().into_iden()
    }

    /// What the names of its columns in the result begin with.
    pub(crate) fn prefix(&self) -> String {
        prefix(&self.name)
    }
}

/// What the names of the columns of a join of this name begin with. With a point: `t1_id` may be a column of the listed rows.
fn prefix(join: &str) -> String {
    format!("{join}.")
}

impl PartialEq for Join {
    /// Joins of one name are one relation of a statement. Which rows are read of its table is compared apart.
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.table.name(), &self.rows, &self.on, self.read)
            == (&other.name, other.table.name(), &other.rows, &other.on, other.read)
    }
}

/// By which of its columns a joined row is known to be there. The others can be NULL in a row that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Presence {
    /// The number of the column that finds the row.
    to: usize,
    /// What is read for it.
    read: ColumnSet,
    /// The columns that are never NULL.
    not_null: ColumnSet,
}

impl Presence {
    fn of(table: &Table, to: &Column) -> Self {
        let columns = table.columns().iter();
        let not_null = columns.filter(|column| !column.is_nullable() && column.kind() != Kind::Unsupported);
        Self {
            to: to.number(),
            read: ColumnSet::of_value(to.number(), to.kind()),
            not_null: not_null.map(|column| ColumnSet::of(column.number())).collect(),
        }
    }

    /// The number of the column that tells it, where these are read.
    pub fn told_by(self, columns: ColumnSet) -> usize {
        (columns & self.not_null).first().unwrap_or(self.to)
    }

    /// These columns, and the one that tells it.
    pub fn with(self, columns: ColumnSet) -> ColumnSet {
        if (columns & self.not_null).first().is_some() { columns } else { columns | self.read }
    }
}

/// Reads the rows of a query with their relations: one statement. Like [`fetch_rows`](crate::fetch_rows), for rows that
/// are no page.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn find_rows<C, Q>(db: &C, query: &Q, joins: &[Join]) -> Result<Vec<Record>, DbErr>
where
    C: ReadRows + ?Sized,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let dialect = Dialect::of(db)?;
    db.read(dialect.statement(&joined(query.as_query().clone(), joins, dialect))).await
}

/// Reads the relations of one row that is known already, from the columns that refer to them: one statement.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn find_related<C, K>(
    db: &C,
    references: impl IntoIterator<Item = (K, Value)>,
    joins: &[Join],
) -> Result<Record, DbErr>
where
    C: ReadRows + ?Sized,
    K: Into<Column>,
{
    let (mut row, mut named) = (Query::select(), HashSet::new());
    for (column, value) in references {
        let column = column.into();
        // Several joins can refer to one column.
        if named.insert(column.name()) {
            row.expr_as(column.bound(Expr::value(value)), column.iden());
        }
    }
    let dialect = Dialect::of(db)?;
    let rows = db.read(dialect.statement(&joined(row, joins, dialect))).await?;
    rows.into_iter().next().ok_or_else(|| DbErr::RecordNotFound("the row of the relations".into()))
}

/// The rows with their relations, in no order.
pub(crate) fn joined(rows: SelectStatement, joins: &[Join], dialect: Dialect) -> SelectStatement {
    if joins.is_empty() {
        return rows;
    }
    let mut joined = Query::select().expr(Expr::cust("r.*")).take();
    if dialect.is_distributed() {
        joined.with_cte(looked_up(rows, joins)).from(ROWS);
    } else {
        joined.from_subquery(rows, ROWS);
    }
    join(&mut joined, joins, dialect);
    joined
}

/// The rows, and those of each relation that they refer to, as tables of their names. Citus would read the whole of a table that is
/// joined to rows of several servers. It sends the keys to every server of the table instead:
///
/// ```sql
/// WITH r AS MATERIALIZED (/* bracket */),
///      cake_1 AS MATERIALIZED (SELECT cake_1.* FROM cake AS cake_1 WHERE (cake_1.id) IN (SELECT cake_id FROM r))
/// ```
fn looked_up(rows: SelectStatement, joins: &[Join]) -> WithClause {
    let table = |name: &str, query: SelectStatement| {
        CommonTableExpression::new().table_name(name.to_owned()).query(query).materialized(true).to_owned()
    };
    let mut with = WithClause::new();
    with.cte(table(ROWS, rows));
    for Join { table: of, name, rows, on, .. } in joins {
        let name = name.to_string();
        let (from, to): (Vec<_>, Vec<_>) = on.iter().cloned().unzip();
        let keys = Query::select().columns(from).from(rows.to_string()).take();
        let to = Expr::tuple(to.into_iter().map(|to| Expr::col((name.clone(), to))));
        let mut found = Query::select();
        found.column((name.clone(), Asterisk)).from(of.source(Some(&name))).and_where(to.in_subquery(keys));
        with.cte(table(&name, found));
    }
    with
}

/// Joins the relations to the rows of a statement.
pub(crate) fn join(statement: &mut SelectStatement, joins: &[Join], dialect: Dialect) {
    join_tables(statement, joins, dialect);
    for (expr, alias) in joins.iter().flat_map(Join::selected) {
        statement.expr_as(expr, alias);
    }
}

/// The same, of which nothing is selected.
pub(crate) fn join_tables(statement: &mut SelectStatement, joins: &[Join], dialect: Dialect) {
    for Join { table, name, rows, on, .. } in joins {
        let source =
            if dialect.is_distributed() { name.to_string().into_table_ref() } else { table.source(Some(name)) };
        let name = name.to_string().into_iden();
        let on = on.iter().fold(Condition::all(), |all, (from, to)| {
            all.add(Expr::col((name.clone(), to.clone())).eq(Expr::col((rows.to_string(), from.clone()))))
        });
        statement.join(JoinType::LeftJoin, source, on);
    }
}
