//! The indexes of a database, as its catalogue describes them.

use std::collections::HashMap;

use sea_orm::{DbErr, Statement, Value};

use crate::dialect::Dialect;
use crate::{Column, Direction, Kind, Nulls, Order, ReadRows, Record, Table};

mod needed;

pub use needed::NeededIndex;

/// The indexes that rows can be read from in order: those of all rows, by the values of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexes {
    dialect: Dialect,
    /// The indexes of each table, by their names.
    tables: HashMap<String, HashMap<String, Vec<Part>>>,
}

/// A column of an index. On SQLite, NULL is the smallest value of each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// The name; empty for an expression, and for a column that is not compared as an order compares it.
    column: String,
    direction: Direction,
    nulls: Nulls,
}

impl Indexes {
    /// Reads those of the tables in the search path: one statement. Views, tables on other servers, and those from which
    /// tables of PostgreSQL inherit have none, and are left out.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read<C: ReadRows + ?Sized>(db: &C) -> Result<Self, DbErr> {
        let dialect = Dialect::of(db)?;
        let text = |record: &Record, column: &str| match record.value(column, Kind::Text)? {
            Value::String(text) => Ok::<_, DbErr>(text),
            _ => Ok(None),
        };
        let mut indexes = Self { dialect, tables: HashMap::new() };
        for record in db.read(Statement::from_string(db.backend(), catalogue(dialect).to_owned())).await? {
            let table = indexes.tables.entry(text(&record, "table")?.unwrap_or_default()).or_default();
            let Some(index) = text(&record, "index")? else { continue };
            let direction = if record.count("descending")? > 0 { Direction::Desc } else { Direction::Asc };
            let nulls = if record.count("nulls_first")? > 0 { Nulls::First } else { Nulls::Last };
            let column = text(&record, "column")?.unwrap_or_default();
            table.entry(index).or_default().push(Part { column, direction, nulls });
        }
        Ok(indexes)
    }

    /// Whether an index holds an order of the rows of a table; where columns refer to a parent, of those of each parent. A page then costs
    /// its size.
    pub fn hold(&self, order: &Order, table: &Table, parent: &[Column]) -> bool {
        let known = self.tables.get(table.name());
        let serves = |needed: NeededIndex, indexes: &HashMap<String, Vec<Part>>| {
            indexes.values().any(|index| needed.is_served_by(index))
        };
        let needed = NeededIndex::in_dialect(order, table, parent, self.dialect);
        needed.zip(known).is_some_and(|(needed, indexes)| serves(needed, indexes))
    }

    /// Whether a table is known, with its indexes or without one.
    pub fn know(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// The columns of each index of a table, in its order, with their directions and the places of their NULLs: up to the first that is
    /// none, such as an expression.
    pub fn of(&self, table: &str) -> impl Iterator<Item = Vec<(&str, Direction, Nulls)>> {
        let mut indexes: Vec<(&String, &Vec<Part>)> = self.tables.get(table).into_iter().flatten().collect();
        indexes.sort_unstable_by_key(|(name, _)| *name);
        let columns = |index: &'_ Vec<Part>| index.iter().take_while(|part| !part.column.is_empty()).count();
        indexes.into_iter().map(move |(_, index)| {
            index[..columns(index)].iter().map(|part| (part.column.as_str(), part.direction, part.nulls)).collect()
        })
    }

    /// Whether a table has no such index. `false` for a table that is not known.
    pub fn lack(&self, needed: &NeededIndex) -> bool {
        let known = self.tables.get(needed.table());
        known.is_some_and(|indexes| !indexes.values().any(|index| needed.is_served_by(index)))
    }
}

/// The columns of all indexes, in their order.
///
/// PostgreSQL: an order compares by the collation of the column, and by the default operators of its type. An index of a table does not
/// have the rows of those that inherit from it.
///
/// SQLite: an index ends in the key of the row. That of a table with row ids is the only column of the primary key that has no
/// index of its own, and the table is its index. The collation of a column is not in the catalogue: an index has it, unless it names another.
fn catalogue(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres { .. } => {
            "SELECT t.relname::text AS \"table\", i.indexrelid::text AS \"index\", a.attname::text AS \"column\",
                    COALESCE(k.option & 1, 0)::bigint AS \"descending\", COALESCE(k.option & 2, 0)::bigint AS \"nulls_first\"
             FROM pg_class t
             LEFT JOIN (pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam AND m.amname = 'btree')
                 ON i.indrelid = t.oid AND i.indisvalid AND i.indpred IS NULL
             LEFT JOIN LATERAL unnest(i.indkey, i.indoption, i.indclass, i.indcollation)
                 WITH ORDINALITY AS k (number, option, class, comparison, place) ON k.place <= i.indnkeyatts
             LEFT JOIN pg_opclass o ON o.oid = k.class AND o.opcdefault
             LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number AND a.attnum <> 0
                 AND a.attcollation = k.comparison AND o.oid IS NOT NULL
             WHERE t.relkind IN ('r', 'p', 'm') AND NOT t.relispartition AND t.relnamespace <> 'pg_catalog'::regnamespace
               AND pg_table_is_visible(t.oid)
               AND NOT (t.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = t.oid))
             ORDER BY t.oid, i.indexrelid, k.place"
        }
        Dialect::Sqlite => {
            "WITH stored AS (
                 SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
             ), row_id AS (
                 SELECT t.name AS \"table\", c.name AS \"column\" FROM stored t JOIN pragma_table_info(t.name) c
                 WHERE NOT t.wr AND c.pk = 1 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) WHERE origin = 'pk')
             )
             SELECT t.name AS \"table\", i.name AS \"index\",
                    CASE WHEN x.cid = -1 THEN r.\"column\" WHEN x.coll = 'BINARY' OR s.sql IS NULL OR s.sql NOT LIKE '%collate%' THEN x.name END AS \"column\",
                    COALESCE(x.\"desc\", 0) AS \"descending\", NOT COALESCE(x.\"desc\", 0) AS \"nulls_first\", x.seqno AS place
             FROM stored t
             LEFT JOIN row_id r ON r.\"table\" = t.name
             LEFT JOIN pragma_index_list(t.name) i ON NOT i.partial
             LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = i.name
             LEFT JOIN pragma_index_xinfo(i.name) x
             UNION ALL SELECT \"table\", '', \"column\", 0, 1, 0 FROM row_id
             ORDER BY \"table\", \"index\", place"
        }
    }
}
