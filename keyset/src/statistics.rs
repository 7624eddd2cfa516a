//! Statistics of tables: how many rows they have, and which columns their indexes begin with.
//!
//! A condition that an index serves reads a part of a table; any other may read all of it. The statistics say how large
//! either is. They also say which tables are on other servers. They are read from the catalogue, and from the indexes themselves, and are
//! old by the time that they are used: they shape and price a statement, and never answer one.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{DbErr, Statement, Value};

use crate::Column;
use crate::dialect::Dialect;
use crate::{Kind, Placement, ReadRows};

/// Different values are counted up to this. An index has a descent for each, and a column with more is as selective.
const MAX_VALUES: u32 = 1000;

/// The rows of a SQLite file that holds nothing but short rows.
const AT_MOST: &str = "SELECT page_count * page_size / 32 AS \"rows\" FROM pragma_page_count, pragma_page_size";

/// The first number of the statistics of an index is that of its rows, and the next one the mean number with one value of its
/// first column.
const ANALYZED: &str = "SELECT tbl AS \"table\", stat AS \"stat\",
        (SELECT name FROM pragma_index_info(idx) WHERE seqno = 0) AS \"column\" FROM sqlite_stat1";

/// The tables that Citus distributes, or copies to every server, with the planner's estimates of the rows of all shards.
const DISTRIBUTED: &str = "SELECT t.relname::text AS \"table\",
        (SELECT COALESCE(sum(s.result::float8), 0)::bigint FROM run_command_on_shards(p.logicalrelid, $$
            SELECT CASE WHEN relpages > 0 AND reltuples >= 0
                THEN reltuples::float8 / relpages * (pg_relation_size(oid) / current_setting('block_size')::int)
                ELSE pg_relation_size(oid) / 64 END
            FROM pg_class WHERE oid = '%s'::regclass$$) s WHERE s.success) AS \"rows\"
    FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
    WHERE pg_table_is_visible(t.oid) AND has_table_privilege(t.oid, 'SELECT')";

/// The tables of a database.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    tables: HashMap<String, Table>,
    /// Whether one of them is not [here](Placement::Here).
    are_spread: bool,
}

#[derive(Clone, Debug, Default)]
struct Table {
    rows: u64,
    placement: Placement,
    /// The values of each column that an index begins with.
    values: HashMap<String, Values>,
    /// The milliseconds in which the first and the last UUIDv7 of a unique column was generated.
    times: HashMap<String, [u64; 2]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Values {
    /// How many are different.
    different: u64,
    /// How many rows have the most frequent one; 0 if that is not known.
    most: u64,
}

/// How many rows an index reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// The number of rows with the most frequent value of the column, or the mean if that is more or the former is not known. Where the
    /// column has more than 1,000 values, the mean is a thousandth of the rows at most.
    pub per_value: u64,
    /// The rows in a range whose bounds are not known: a third of them, as PostgreSQL's planner assumes.
    pub range: u64,
}

impl Statistics {
    /// Reads the statistics of all tables in the search path.
    ///
    /// PostgreSQL estimates the rows of a table, as its planner does, and of the most frequent value; a table that may not be read is left out.
    /// SQLite counts them: it reads every page of the table's smallest index, and of each index with up to 1,000 different values. These are counted
    /// by one descent for each; a table on another server is taken to have as many. A table that Citus distributes has the estimates of all
    /// shards, each of which is asked.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read<C: ReadRows + ?Sized>(db: &C) -> Result<Self, DbErr> {
        let dialect = Dialect::of(db)?;
        let statement = |sql: String| Statement::from_string(db.backend(), sql);
        let text = |record: &crate::Record, column: &str| match record.value(column, Kind::Text)? {
            Value::String(Some(text)) => Ok(text),
            _ => Err(DbErr::Type(format!("expected the name of a {column}"))),
        };
        let (mut statistics, mut has_citus) = (Self::default(), false);
        for record in db.read(statement(tables(dialect).to_owned())).await? {
            let table = match dialect {
                Dialect::Postgres { .. } => {
                    has_citus = record.count("citus")? > 0;
                    let is_foreign = record.count("foreign")? > 0;
                    let placement = if is_foreign { Placement::Foreign } else { Placement::Here };
                    Table { rows: record.count("rows")?, placement, ..Table::default() }
                }
                Dialect::Sqlite => Table::default(),
            };
            statistics.tables.insert(text(&record, "table")?, table);
        }
        if has_citus {
            for record in db.read(statement(DISTRIBUTED.to_owned())).await? {
                let Some(table) = statistics.tables.get_mut(&text(&record, "table")?) else { continue };
                (table.rows, table.placement) = (record.count("rows")?, Placement::Distributed);
            }
        }
        statistics.are_spread = statistics.tables.values().any(|table| table.placement != Placement::Here);
        if dialect.is_sqlite() {
            for (name, table) in &mut statistics.tables {
                let count = format!("SELECT count(*) AS \"rows\" FROM {}", quoted(name));
                table.rows = match db.read(statement(count)).await {
                    Ok(counted) => first(&counted, "rows")?,
                    // The time limit of the connection is over: the table is as large as the file at most.
                    Err(_) => first(&db.read(statement(AT_MOST.to_owned())).await?, "rows")?,
                };
            }
        }
        for record in db.read(statement(indexes(dialect).to_owned())).await? {
            let (name, column) = (text(&record, "table")?, text(&record, "column")?);
            let Some(table) = statistics.tables.get_mut(&name) else { continue };
            let values = if record.count("single")? > 0 {
                Values { different: table.rows, most: 1 }
            } else if table.placement != Placement::Here {
                // Each descent would be a round trip to every other server.
                Values { different: MAX_VALUES.into(), most: 0 }
            } else if let Some(known) = table.values.get(&column) {
                *known
            } else {
                let counted = match db.read(statement(different(&name, &column, dialect.is_sqlite()))).await {
                    // The time limit of the connection is over.
                    Err(_) if dialect.is_sqlite() => db.read(statement(different(&name, &column, false))).await?,
                    counted => counted?,
                };
                let share = u128::from(record.count("most")?) * u128::from(table.rows) / 1_000_000;
                let most = first(&counted, "most")?.max(u64::try_from(share).unwrap_or(table.rows));
                Values { different: first(&counted, "values")?, most }
            };
            if record.count("single")? > 0 && table.placement == Placement::Here && !table.times.contains_key(&column) {
                let ends = db.read(statement(ends(&name, &column))).await?;
                let millis = |end| match ends.first()?.value(end, Kind::Uuid) {
                    Ok(Value::Uuid(Some(key))) => u64::try_from(key.as_u128() >> 80).ok(),
                    _ => None,
                };
                table
                    .times
                    .extend(millis("first").zip(millis("last")).map(|(first, last)| (column.clone(), [first, last])));
            }
            let known = table.values.entry(column).or_default();
            if values.different >= known.different {
                *known = values;
            }
        }
        Ok(statistics)
    }

    /// What the last `ANALYZE` of SQLite found, by one statement: for estimates. Empty on PostgreSQL, whose planner estimates
    /// better, and where nothing was analysed.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn analyzed<C: ReadRows + ?Sized>(db: &C) -> Result<Self, DbErr> {
        let (dialect, mut statistics) = (Dialect::of(db)?, Self::default());
        if !dialect.is_sqlite() {
            return Ok(statistics);
        }
        let records = match db.read(Statement::from_string(db.backend(), ANALYZED.to_owned())).await {
            Err(error) if error.to_string().contains("no such table: sqlite_stat1") => return Ok(statistics),
            records => records?,
        };
        for record in records {
            let Value::String(Some(name)) = record.value("table", Kind::Text)? else { continue };
            let Value::String(Some(stat)) = record.value("stat", Kind::Text)? else { continue };
            let mut numbers = stat.split(' ').map_while(|number| number.parse::<u64>().ok());
            let table = statistics.tables.entry(name).or_default();
            let rows = numbers.next().unwrap_or_default();
            table.rows = table.rows.max(rows);
            if let (Value::String(Some(column)), Some(per_value)) =
                (record.value("column", Kind::Text)?, numbers.next())
            {
                let values = table.values.entry(column).or_default();
                values.different = (rows / per_value.max(1)).max(values.different);
            }
        }
        Ok(statistics)
    }

    /// The same, as if each of these tables had this many rows, of which a thousandth have one value of a column that an index begins
    /// with: whatever the tables hold.
    #[must_use]
    pub fn assuming<'t>(&self, tables: impl IntoIterator<Item = &'t str>, rows: u64) -> Self {
        let mut assumed = self.clone();
        for name in tables {
            let table = assumed.tables.entry(name.to_owned()).or_default();
            let most = rows.div_ceil(MAX_VALUES.into());
            table.values.values_mut().for_each(|values| *values = Values { different: MAX_VALUES.into(), most });
            table.times.clear();
            table.rows = rows;
        }
        assumed
    }

    /// The number of rows of a table; 0 if it is not known.
    pub fn rows(&self, table: &str) -> u64 {
        self.tables.get(table).map_or(0, |table| table.rows)
    }

    /// Where these tables are: where one is distributed, or else foreign, statements are written for that.
    pub fn placement<'t>(&self, tables: impl IntoIterator<Item = &'t str>) -> Placement {
        // Each page asks: few databases have such tables, and some have a thousand tables.
        if !self.are_spread {
            return Placement::Here;
        }
        let placed = tables.into_iter().filter_map(|table| Some(self.tables.get(table)?.placement));
        placed.fold(Placement::Here, |all, one| match (all, one) {
            (Placement::Distributed, _) | (_, Placement::Distributed) => Placement::Distributed,
            (Placement::Foreign, _) | (_, Placement::Foreign) => Placement::Foreign,
            (Placement::Here, Placement::Here) => Placement::Here,
        })
    }

    /// How many rows have a UUIDv7 in this column that was generated by an instant, as if all had come at an even pace; `None` if it is no
    /// such column, or not unique.
    pub fn created_by(&self, key: impl Into<Column>, instant: DateTime<Utc>) -> Option<u64> {
        let key = key.into();
        let table = self.tables.get(&key.table())?;
        let [first, last] = *table.times.get(key.name())?;
        let instant = u64::try_from(instant.timestamp_millis()).unwrap_or(0).clamp(first, last);
        let share = u128::from(table.rows) * u128::from(instant - first) / u128::from((last - first).max(1));
        Some(if instant == last { table.rows } else { u64::try_from(share).unwrap_or(table.rows) })
    }

    /// How many rows an index reads for a condition on a column; `None` if no index begins with it.
    pub fn indexed(&self, column: impl Into<Column>) -> Option<Indexed> {
        let column = column.into();
        let table = self.tables.get(&column.table())?;
        let Values { different, most } = *table.values.get(column.name())?;
        Some(Indexed { per_value: table.rows.div_ceil(different.max(1)).max(most), range: table.rows / 3 })
    }
}

fn first(records: &[crate::Record], column: &str) -> Result<u64, DbErr> {
    records.first().map_or(Ok(0), |record| record.count(column))
}

/// The tables, without those in which SQLite's virtual tables keep their contents. On PostgreSQL with the planner's estimate
/// of their rows: it scales the rows at the last `ANALYZE` by the growth of the file, and assumes short rows where there
/// was none. A partitioned table has the rows of its partitions: `autovacuum` never analyses the whole. The file of a foreign
/// partition is not here.
fn tables(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres { .. } => {
            "SELECT t.relname::text AS \"table\",
                    COALESCE(SUM(CASE
                        WHEN leaf.relkind <> 'r' THEN GREATEST(leaf.reltuples, 0)
                        WHEN leaf.relpages > 0 AND leaf.reltuples >= 0
                        THEN leaf.reltuples::float8 / leaf.relpages
                            * (pg_relation_size(leaf.oid) / current_setting('block_size')::int)
                        ELSE pg_relation_size(leaf.oid) / 64 END), 0)::bigint AS \"rows\",
                    count(*) FILTER (WHERE leaf.relkind = 'f') AS \"foreign\",
                    (SELECT count(*) FROM pg_extension WHERE extname = 'citus') AS \"citus\"
             FROM pg_class t
             LEFT JOIN LATERAL pg_partition_tree(t.oid) p ON p.isleaf
             LEFT JOIN pg_class leaf ON leaf.oid = CASE t.relkind WHEN 'p' THEN p.relid ELSE t.oid END
             WHERE t.relkind IN ('r', 'p', 'f') AND NOT t.relispartition AND t.relnamespace <> 'pg_catalog'::regnamespace
               AND pg_table_is_visible(t.oid) AND has_table_privilege(t.oid, 'SELECT')
             GROUP BY t.oid, t.relname"
        }
        Dialect::Sqlite => {
            "SELECT name AS \"table\" FROM pragma_table_list
             WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        }
    }
}

/// What the indexes begin with that serve every row, and whether that is all that they hold uniquely; and the share of the rows, in
/// millionths, that have the most frequent value, as PostgreSQL's planner knows it. Those of a partition are those of the whole.
fn indexes(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres { .. } => {
            "SELECT t.relname::text AS \"table\", a.attname::text AS \"column\",
                    (i.indisunique AND i.indnkeyatts = 1)::int::bigint AS \"single\",
                    COALESCE((SELECT (max(s.most_common_freqs[1]) * 1000000)::bigint FROM pg_stats s
                        WHERE s.schemaname = t.relnamespace::regnamespace::text AND s.tablename = t.relname
                          AND s.attname = a.attname), 0) AS \"most\"
             FROM pg_index i
             JOIN pg_class t ON t.oid = i.indrelid
             JOIN pg_class x ON x.oid = i.indexrelid
             JOIN pg_am m ON m.oid = x.relam
             JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
             WHERE m.amname = 'btree' AND i.indisvalid AND i.indpred IS NULL AND NOT t.relispartition
               AND t.relnamespace <> 'pg_catalog'::regnamespace AND pg_table_is_visible(t.oid)"
        }
        // The key of a table with row ids has no index of its own.
        Dialect::Sqlite => {
            "SELECT t.name AS \"table\", c.name AS \"column\",
                    i.\"unique\" AND (SELECT count(*) FROM pragma_index_info(i.name)) = 1 AS \"single\",
                    0 AS \"most\"
             FROM sqlite_schema t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
             WHERE t.type = 'table' AND c.seqno = 0 AND NOT i.partial AND c.name IS NOT NULL
             UNION ALL
             SELECT t.name, c.name, 1, 0 FROM sqlite_schema t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND c.pk = 1 AND c.type = 'INTEGER'
               AND (SELECT count(*) FROM pragma_table_info(t.name) k WHERE k.pk > 0) = 1"
        }
    }
}

/// Counts the different values of a column that an index begins with: each is the first one beyond the one before it. If it
/// `counts` their rows, it reads the index of all of them, to find the most frequent one.
fn different(table: &str, column: &str, counts: bool) -> String {
    let (table, column) = (quoted(table), quoted(column));
    let most = if counts {
        format!("max((SELECT count(*) FROM {table} WHERE {column} = v.x))")
    } else {
        "CAST(0 AS bigint)".into()
    };
    format!(
        "WITH RECURSIVE v(x, n) AS (
             SELECT (SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column} LIMIT 1), 1
             UNION ALL
             SELECT (SELECT {column} FROM {table} WHERE {column} > v.x ORDER BY {column} LIMIT 1), v.n + 1
             FROM v WHERE v.x IS NOT NULL AND v.n < {MAX_VALUES}
         )
         SELECT count(x) AS \"values\", COALESCE({most}, 0) AS \"most\" FROM v"
    )
}

/// The first and the last value of a column that an index begins with.
fn ends(table: &str, column: &str) -> String {
    let (table, column) = (quoted(table), quoted(column));
    format!(
        "SELECT (SELECT {column} FROM {table} ORDER BY {column} LIMIT 1) AS \"first\",
                (SELECT {column} FROM {table} ORDER BY {column} DESC LIMIT 1) AS \"last\""
    )
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
