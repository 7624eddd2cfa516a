//! The catalogue of SQLite: the declared types of columns, and the values that they have where these do not tell.

use std::collections::HashMap;

use sea_orm::sea_query::{ColumnType, StringLen};
use sea_orm::{ConnectionTrait, DbErr};

use super::{Catalog, FoundColumn, FoundKey, FoundTable, quoted, rows};

const TABLES: &str = "
    SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND type <> 'shadow'";

const COLUMNS: &str = "
    SELECT t.name AS \"table\", c.name, c.type, c.\"notnull\", c.dflt_value IS NOT NULL AS has_default, c.pk, c.hidden
    FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
    WHERE t.schema = 'main' AND t.type IN ('table', 'view') AND c.hidden <> 1
    ORDER BY t.name, c.cid";

const UNIQUE: &str = "
    SELECT t.name AS \"table\", i.name AS \"index\", x.name AS \"column\"
    FROM pragma_table_list t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) x
    WHERE t.schema = 'main' AND i.\"unique\" AND NOT i.partial
    ORDER BY t.name, i.origin <> 'pk', i.name, x.seqno";

const FOREIGN_KEYS: &str = "
    SELECT t.name AS \"table\", k.id, k.\"table\" AS to_table, k.\"from\" AS \"column\", k.\"to\" AS to_column
    FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) k
    WHERE t.schema = 'main' AND t.type = 'table'
    ORDER BY t.name, k.id, k.seq";

/// The rows that are looked at where a declared type does not tell how values are stored.
const LOOKED_AT: u32 = 100;

/// A table, the columns of its primary key with their places, and whether it has row ids.
type Keyed = (FoundTable, Vec<(i64, String)>, bool);

pub async fn read(db: &impl ConnectionTrait) -> Result<Catalog, DbErr> {
    let mut catalog = Catalog::default();
    let mut tables: HashMap<String, Keyed> = HashMap::new();
    for row in rows(db, TABLES).await? {
        let (name, kind): (String, String) = (row.try_get("", "name")?, row.try_get("", "type")?);
        if kind == "virtual" {
            catalog.left_out.push(format!("the table `{name}`: it is a virtual table"));
            continue;
        }
        let table = FoundTable::new(name.clone(), String::new(), kind == "view");
        tables.insert(name, (table, Vec::new(), row.try_get::<i64>("", "wr")? == 0));
    }
    for row in rows(db, COLUMNS).await? {
        let of: String = row.try_get("", "table")?;
        let Some((table, key, _)) = tables.get_mut(&of) else { continue };
        let (name, type_name): (String, String) = (row.try_get("", "name")?, row.try_get("", "type")?);
        let stored = match declared_type(&type_name) {
            Declared::As(column_type) => column_type,
            Declared::Looked(by) => by(stored_as(db, &of, &name).await?.as_deref()),
        };
        let mut column = FoundColumn::new(name.clone(), stored, type_name);
        let place: i64 = row.try_get("", "pk")?;
        column.definition.is_nullable = row.try_get::<i64>("", "notnull")? == 0 && place == 0;
        column.definition.has_default = row.try_get::<i64>("", "has_default")? != 0;
        column.definition.is_computed = row.try_get::<i64>("", "hidden")? != 0;
        table.columns.push(column);
        if place > 0 {
            key.push((place, name));
        }
    }
    let mut unique: HashMap<String, Vec<(String, Vec<String>)>> = HashMap::new();
    for row in rows(db, UNIQUE).await? {
        let index: String = row.try_get("", "index")?;
        // An expression has no name.
        let column = row.try_get::<Option<String>>("", "column")?.unwrap_or_default();
        let known = unique.entry(row.try_get("", "table")?).or_default();
        match known.last_mut() {
            Some((name, columns)) if *name == index => columns.push(column),
            _ => known.push((index, vec![column])),
        }
    }
    let keys: HashMap<String, Vec<String>> =
        tables.values().map(|(table, key, _)| (table.name.clone(), in_order(key))).collect();
    let mut last = None;
    for row in rows(db, FOREIGN_KEYS).await? {
        let (of, number): (String, i64) = (row.try_get("", "table")?, row.try_get("", "id")?);
        let Some((table, ..)) = tables.get_mut(&of) else { continue };
        let (column, to): (String, Option<String>) = (row.try_get("", "column")?, row.try_get("", "to_column")?);
        // Names are compared without case.
        let to_table: String = row.try_get("", "to_table")?;
        let to_table = keys.keys().find(|name| name.eq_ignore_ascii_case(&to_table)).cloned().unwrap_or(to_table);
        let column = named(table, column);
        if last.as_ref() != Some(&(of.clone(), number)) {
            table.foreign_keys.push(FoundKey {
                columns: Vec::new(),
                table: to_table.clone(),
                to: Vec::new(),
                is_unique: false,
            });
            last = Some((of.clone(), number));
        }
        let Some(key) = table.foreign_keys.last_mut() else { continue };
        // Without a name, it is the primary key.
        let place = key.columns.len();
        let to = to.or_else(|| keys.get(&to_table).and_then(|key| key.get(place)).cloned());
        key.columns.push(column);
        key.to.extend(to);
    }
    for (table, key, has_row_ids) in tables.values_mut() {
        let primary = in_order(key);
        let mut indexes: Vec<Vec<String>> =
            unique.remove(&table.name).unwrap_or_default().into_iter().map(|(_, columns)| columns).collect();
        if !primary.is_empty() {
            indexes.insert(0, primary.clone());
        }
        table.indexed_by((!primary.is_empty()).then_some(&primary), &indexes);
        let is_row_id =
            |name: &String| table.column(name).is_some_and(|column| column.type_name.eq_ignore_ascii_case("INTEGER"));
        table.generates_key = *has_row_ids && matches!(&table.key[..], [only] if is_row_id(only));
    }
    catalog.tables = tables.into_values().map(|(table, ..)| table).collect();
    // A foreign key can refer to a column without case, or to none.
    let columns: HashMap<String, Vec<String>> = catalog
        .tables
        .iter()
        .map(|table| (table.name.clone(), table.columns.iter().map(|column| column.definition.name.clone()).collect()))
        .collect();
    for key in catalog.tables.iter_mut().flat_map(|table| &mut table.foreign_keys) {
        for to in &mut key.to {
            let known =
                columns.get(&key.table).and_then(|known| known.iter().find(|name| name.eq_ignore_ascii_case(to)));
            *to = known.cloned().unwrap_or_else(|| to.clone());
        }
    }
    Ok(catalog)
}

/// The columns of a primary key, in its order.
fn in_order(key: &[(i64, String)]) -> Vec<String> {
    let mut key = key.to_vec();
    key.sort_unstable();
    key.into_iter().map(|(_, name)| name).collect()
}

/// The name of a column as the table has it.
fn named(table: &FoundTable, column: String) -> String {
    let known = table.columns.iter().find(|known| known.definition.name.eq_ignore_ascii_case(&column));
    known.map_or(column, |known| known.definition.name.clone())
}

/// What a declared type says.
enum Declared {
    As(ColumnType),
    /// It depends on how a value is stored.
    Looked(fn(Option<&str>) -> ColumnType),
}

/// The type that SQLite and the tools around it mean by a declared type: <https://sqlite.org/datatype3.html>.
fn declared_type(name: &str) -> Declared {
    let name = name.to_ascii_uppercase();
    let (plain, arguments) = name.split_once('(').unwrap_or((&name, ""));
    let plain = plain.trim();
    let has = |part: &str| plain.contains(part);
    match plain {
        "BOOL" | "BOOLEAN" => Declared::As(ColumnType::Boolean),
        "TINYINT" | "SMALLINT" | "INT2" => Declared::As(ColumnType::SmallInteger),
        "BIGINT" | "INT8" | "UNSIGNED BIG INT" => Declared::As(ColumnType::BigInteger),
        _ if has("INT") && !has("INTERVAL") && !has("POINT") => Declared::As(ColumnType::Integer),
        _ if has("UUID") || has("GUID") => Declared::Looked(|stored| match stored {
            Some("text") => ColumnType::Text,
            _ => ColumnType::Uuid,
        }),
        _ if has("JSON") => Declared::Looked(|stored| match stored {
            Some("blob") => ColumnType::Blob,
            _ => ColumnType::JsonBinary,
        }),
        _ if has("TIMEZONE") || has("TIME ZONE") || has("TIMESTAMPTZ") => {
            Declared::Looked(|stored| time(stored, ColumnType::TimestampWithTimeZone))
        }
        _ if has("DATETIME") || has("TIMESTAMP") => Declared::Looked(|stored| time(stored, ColumnType::DateTime)),
        _ if has("DATE") => Declared::Looked(|stored| time(stored, ColumnType::Date)),
        _ if has("TIME") => Declared::Looked(|stored| time(stored, ColumnType::Time)),
        _ if has("CHAR") || has("CLOB") || has("TEXT") || has("STRING") => {
            Declared::As(ColumnType::String(StringLen::None))
        }
        _ if has("BLOB") || has("BINARY") => Declared::As(ColumnType::Blob),
        _ if has("REAL") || has("FLOA") || has("DOUB") => Declared::As(ColumnType::Double),
        "DECIMAL" | "NUMERIC" | "NUMBER" | "MONEY" => Declared::As(ColumnType::Decimal(precision(arguments))),
        _ => Declared::Looked(|stored| match stored {
            Some("integer") => ColumnType::BigInteger,
            Some("real") => ColumnType::Double,
            Some("blob") => ColumnType::Blob,
            _ => ColumnType::Text,
        }),
    }
}

/// A time as text, or as the number that it is stored as.
fn time(stored: Option<&str>, declared: ColumnType) -> ColumnType {
    match stored {
        Some("integer") => ColumnType::BigInteger,
        Some("real") => ColumnType::Double,
        _ => declared,
    }
}

fn precision(arguments: &str) -> Option<(u32, u32)> {
    let (precision, scale) = arguments.trim_end_matches(')').split_once(',')?;
    Some((precision.trim().parse().ok()?, scale.trim().parse().ok()?))
}

/// How the first value of a column is stored, if one of the first rows has a value.
async fn stored_as(db: &impl ConnectionTrait, table: &str, column: &str) -> Result<Option<String>, DbErr> {
    let (table, column) = (quoted(table), quoted(column));
    let sql = format!(
        "SELECT typeof(v) AS stored FROM (SELECT {column} AS v FROM {table} LIMIT {LOOKED_AT}) WHERE v IS NOT NULL LIMIT 1"
    );
    rows(db, &sql).await?.first().map(|row| row.try_get("", "stored")).transpose()
}
