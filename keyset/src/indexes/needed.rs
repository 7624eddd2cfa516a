//! The index that an order needs.
//!
//! A range begins with equal values of the first sorts, and ends in an order of the others. So the index has the columns of the sorts, in their
//! order and directions, or in the opposite ones: it is read both ways. A list of each parent needs the columns that refer to
//! the parent before them.
//!
//! The NULLs of the first sort are a range of their own, and can stand anywhere; PostgreSQL recognises the index by its default
//! placement. Those of a later sort must stand where the order has them. On SQLite they are the smallest values, and no
//! index can have them elsewhere.

use std::fmt;

use sea_orm::{DbBackend, DbErr};

use super::Part;
use crate::dialect::Dialect;
use crate::statistics::quoted;
use crate::{Column, Direction, Order, Sort, Table};

/// An index that holds an order of the rows of a table.
///
/// ```
/// # use sea_orm::{DbBackend, tests_cfg::fruit};
/// use keyset::{NeededIndex, Order, Sort, Table};
///
/// let fruits = Table::of::<fruit::Entity>();
/// let order = Order::of_table(&fruits, [Sort::desc(fruit::Column::Name)])?;
/// let needed = NeededIndex::of(&order, &fruits, &[fruit::Column::CakeId.into()], DbBackend::Postgres)?.unwrap();
/// assert_eq!(needed.to_string(), r#"CREATE INDEX ON "fruit" ("cake_id", "name", "id")"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// As text it is the statement that creates it.
#[derive(Clone, Debug)]
pub struct NeededIndex {
    table: String,
    /// The columns that refer to the parent, in any order and direction.
    parent: Vec<String>,
    parts: Vec<Part>,
    dialect: Dialect,
}

impl NeededIndex {
    /// The index of an order of the rows of a table; where columns refer to a parent, of those of each parent. `None` where no index
    /// holds the order: a sort is an expression or a column of another table, or has its NULLs where SQLite cannot have them.
    ///
    /// # Errors
    ///
    /// [`DbErr::BackendNotSupported`] unless it is PostgreSQL or SQLite.
    pub fn of(order: &Order, table: &Table, parent: &[Column], backend: DbBackend) -> Result<Option<Self>, DbErr> {
        Ok(Self::in_dialect(order, table, parent, Dialect::of_backend(backend)?))
    }

    pub(super) fn in_dialect(order: &Order, table: &Table, parent: &[Column], dialect: Dialect) -> Option<Self> {
        let is_here = parent.iter().all(|column| column.table() == table.name());
        let sorts = order.sorts().iter().enumerate();
        let others =
            sorts.filter(|(_, sort)| !parent.iter().any(|column| sort.column_in(table) == Some(column.name())));
        let parts = others.map(|(place, sort)| part(place, sort, table, dialect)).collect::<Option<_>>();
        let parent = parent.iter().map(|column| column.name().to_owned()).collect();
        let of = |parts| Self { table: table.name().to_owned(), parent, parts, dialect };
        parts.filter(|_| is_here).map(of)
    }

    /// The table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The names of its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parent.iter().chain(self.parts.iter().map(|part| &part.column)).map(String::as_str)
    }

    /// Whether this index is one that another order needs, too.
    pub fn serves(&self, other: &Self) -> bool {
        let ascending = |column: &String| Part::new(column, Direction::Asc, self.dialect);
        let index = || self.parent.iter().map(ascending).chain(self.parts.iter().cloned()).collect::<Vec<_>>();
        self.table == other.table && other.is_served_by(&index())
    }

    pub(super) fn is_served_by(&self, index: &[Part]) -> bool {
        let Some((first, rest)) = index.split_at_checked(self.parent.len()) else { return false };
        let Some(rest) = rest.get(..self.parts.len()) else { return false };
        let begins = self.parent.iter().all(|column| first.iter().any(|part| part.column == *column));
        begins && (rest == self.parts || rest == self.reversed())
    }

    fn reversed(&self) -> Vec<Part> {
        self.parts.iter().cloned().map(Part::reversed).collect()
    }
}

/// A sort in an index of this table.
fn part(place: usize, sort: &Sort, table: &Table, dialect: Dialect) -> Option<Part> {
    let native = Part::new(sort.column_in(table)?, sort.direction, dialect);
    let nulls = if place > 0 && sort.nullable { sort.nulls } else { native.nulls };
    (!dialect.is_sqlite() || nulls == native.nulls).then_some(Part { nulls, ..native })
}

impl Part {
    /// With its NULLs where they are by default.
    fn new(column: &str, direction: Direction, dialect: Dialect) -> Self {
        Self { column: column.to_owned(), direction, nulls: dialect.native_nulls(direction) }
    }

    fn reversed(self) -> Self {
        Self { direction: self.direction.reversed(), nulls: self.nulls.reversed(), ..self }
    }
}

/// The statement that creates it. Its first sort is ascending. PostgreSQL chooses a name, which is never too long.
impl fmt::Display for NeededIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_descending = self.parts.first().is_some_and(|first| first.direction == Direction::Desc);
        let parts = if is_descending { self.reversed() } else { self.parts.clone() };
        let mut name = vec![self.table.clone()];
        let mut columns = Vec::new();
        for column in &self.parent {
            name.push(column.clone());
            columns.push(quoted(column));
        }
        for Part { column, direction, nulls } in parts {
            let descending = if direction == Direction::Desc { " DESC" } else { "" };
            let placed = match nulls {
                _ if nulls == self.dialect.native_nulls(direction) => "",
                crate::Nulls::First => " NULLS FIRST",
                crate::Nulls::Last => " NULLS LAST",
            };
            name.push(format!("{column}{}", descending.to_lowercase().replace(' ', "_")));
            columns.push(format!("{}{descending}{placed}", quoted(&column)));
        }
        let name = if self.dialect.is_sqlite() { format!("{} ", quoted(&name.join("_"))) } else { String::new() };
        write!(f, "CREATE INDEX {name}ON {} ({})", quoted(&self.table), columns.join(", "))
    }
}
