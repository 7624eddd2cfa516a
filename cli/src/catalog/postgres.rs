//! The catalogue of PostgreSQL: five statements, whatever the number of tables.

use std::collections::HashMap;

use sea_orm::sea_query::{ColumnType, IntoIden, StringLen};
use sea_orm::{ConnectionTrait, DbErr};

use super::{Catalog, FoundColumn, FoundKey, FoundTable, rows};

/// The tables and views in the search path, without those of the system and of extensions.
const TABLES: &str = "
    SELECT c.oid::bigint AS oid, c.relname::text AS name, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment,
        c.relkind = 'v' AS is_view,
        EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid) AS is_child,
        has_any_column_privilege(c.oid, 'SELECT') AS may_read
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
        AND pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')";

/// Their columns. A domain is its base type, whatever number of domains are between them.
const COLUMNS: &str = "
    WITH RECURSIVE base AS (
        SELECT oid AS domain, typbasetype AS type, typtypmod AS modifier, typnotnull AS is_required FROM pg_type WHERE typtype = 'd'
        UNION ALL
        SELECT b.domain, t.typbasetype, CASE WHEN b.modifier >= 0 THEN b.modifier ELSE t.typtypmod END, b.is_required OR t.typnotnull
        FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
    ), bottom AS (
        SELECT b.* FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'
    )
    SELECT a.attrelid::bigint AS table, a.attname::text AS name, coalesce(col_description(a.attrelid, a.attnum), '') AS comment,
        t.typname::text AS type, t.typtype::text AS kind, e.typname::text AS item, e.typtype::text AS item_kind,
        t.oid::bigint AS type_oid, e.oid::bigint AS item_oid,
        CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE coalesce(d.modifier, -1) END AS modifier,
        format_type(a.atttypid, a.atttypmod) AS type_name,
        NOT (a.attnotnull OR coalesce(d.is_required, false)) AS is_nullable,
        a.atthasdef AND a.attgenerated = '' OR a.attidentity <> '' AS has_default,
        a.attgenerated <> '' OR a.attidentity = 'a' AS is_computed,
        has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS may_read
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    LEFT JOIN bottom d ON d.domain = a.atttypid
    JOIN pg_type t ON t.oid = coalesce(d.type, a.atttypid)
    LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
    WHERE a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum";

/// The values of enums, in their order.
const ENUMS: &str = "
    SELECT enumtypid::bigint AS type, enumlabel::text AS value FROM pg_enum ORDER BY enumtypid, enumsortorder";

/// Unique indexes of all rows, by columns alone, the primary key first.
const UNIQUE: &str = "
    SELECT i.indrelid::bigint AS table, i.indisprimary AS is_primary,
        ARRAY(SELECT a.attname::text FROM unnest(i.indkey[0:i.indnkeyatts - 1]) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.place) AS columns
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    WHERE i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
    ORDER BY i.indrelid, NOT i.indisprimary, x.relname";

/// Foreign keys that hold for all rows.
const FOREIGN_KEYS: &str = "
    SELECT k.conrelid::bigint AS table, r.relname::text AS to_table,
        ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS n (number, place)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.number ORDER BY n.place) AS columns,
        ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS n (number, place)
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = n.number ORDER BY n.place) AS to_columns
    FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
    WHERE k.contype = 'f' AND k.convalidated AND k.conparentid = 0 AND pg_table_is_visible(r.oid)";

/// Each change of a catalogue is a new version of one of its rows, by another transaction. Statistics are written in place.
pub const FINGERPRINT: &str = "
    SELECT concat_ws(' ',
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_class
            WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I') AND oid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_attribute WHERE attrelid >= 16384 AND attnum > 0),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_index WHERE indrelid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_constraint WHERE oid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_type WHERE oid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_enum WHERE oid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_attrdef WHERE adrelid >= 16384),
        (SELECT count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) FROM pg_description WHERE objoid >= 16384)
    ) AS seen";

/// The columns of the primary key, and those of all unique indexes.
type Unique = (Option<Vec<String>>, Vec<Vec<String>>);

pub async fn read(db: &impl ConnectionTrait, all: bool) -> Result<Catalog, DbErr> {
    let mut catalog = Catalog::default();
    let mut tables: HashMap<i64, FoundTable> = HashMap::new();
    for row in rows(db, TABLES).await? {
        let name: String = row.try_get("", "name")?;
        if row.try_get("", "is_child")? {
            catalog
                .left_out
                .push(format!("the table `{name}`: its rows are those of the table that it inherits from, too"));
        } else if !all && !row.try_get("", "may_read")? {
            catalog.left_out.push(format!("the table `{name}`: the user of the database may not read it"));
        } else {
            let table = FoundTable::new(name, row.try_get("", "comment")?, row.try_get("", "is_view")?);
            tables.insert(row.try_get("", "oid")?, table);
        }
    }
    let mut enums: HashMap<i64, Vec<String>> = HashMap::new();
    for row in rows(db, ENUMS).await? {
        enums.entry(row.try_get("", "type")?).or_default().push(row.try_get("", "value")?);
    }
    for row in rows(db, COLUMNS).await? {
        let Some(table) = tables.get_mut(&row.try_get("", "table")?) else { continue };
        let name: String = row.try_get("", "name")?;
        if !all && !row.try_get("", "may_read")? {
            let of = &table.name;
            catalog.left_out.push(format!("the column `{of}.{name}`: the user of the database may not read it"));
            continue;
        }
        let modifier: i32 = row.try_get("", "modifier")?;
        let named: String = row.try_get("", "type")?;
        let kind: String = row.try_get("", "kind")?;
        let column_type = match row.try_get::<Option<String>>("", "item")? {
            Some(item) => {
                let item_kind: String = row.try_get("", "item_kind")?;
                let of = column_type(&item, &item_kind, modifier, enums.get(&row.try_get("", "item_oid")?));
                ColumnType::Array(std::sync::Arc::new(of))
            }
            None => column_type(&named, &kind, modifier, enums.get(&row.try_get("", "type_oid")?)),
        };
        let mut column = FoundColumn::new(name, column_type, row.try_get("", "type_name")?);
        column.comment = row.try_get("", "comment")?;
        column.definition.is_nullable = row.try_get("", "is_nullable")?;
        column.definition.has_default = row.try_get("", "has_default")?;
        column.definition.is_computed = row.try_get("", "is_computed")?;
        table.columns.push(column);
    }
    for row in rows(db, FOREIGN_KEYS).await? {
        let Some(table) = tables.get_mut(&row.try_get("", "table")?) else { continue };
        table.foreign_keys.push(FoundKey {
            columns: row.try_get("", "columns")?,
            table: row.try_get("", "to_table")?,
            to: row.try_get("", "to_columns")?,
            is_unique: false,
        });
    }
    let mut unique: HashMap<i64, Unique> = HashMap::new();
    for row in rows(db, UNIQUE).await? {
        let (primary, others) = unique.entry(row.try_get("", "table")?).or_default();
        let columns: Vec<String> = row.try_get("", "columns")?;
        if row.try_get("", "is_primary")? {
            *primary = Some(columns.clone());
        }
        others.push(columns);
    }
    for (oid, table) in &mut tables {
        let (primary, others) = unique.remove(oid).unwrap_or_default();
        table.indexed_by(primary.as_deref(), &others);
        let key = |name: &String| table.column(name).is_some_and(|column| column.definition.has_default);
        table.generates_key = matches!(&table.key[..], [only] if key(only));
    }
    catalog.tables = tables.into_values().collect();
    Ok(catalog)
}

/// The type of a column, or of the items of its arrays.
fn column_type(name: &str, kind: &str, modifier: i32, values: Option<&Vec<String>>) -> ColumnType {
    if let ("e", Some(values)) = (kind, values) {
        let variants = values.iter().map(|value| value.clone().into_iden()).collect();
        return ColumnType::Enum { name: name.to_owned().into_iden(), variants };
    }
    match name {
        "bool" => ColumnType::Boolean,
        "int2" => ColumnType::SmallInteger,
        "int4" => ColumnType::Integer,
        "int8" => ColumnType::BigInteger,
        "float4" => ColumnType::Float,
        "float8" => ColumnType::Double,
        "numeric" => ColumnType::Decimal(precision(modifier)),
        "text" => ColumnType::Text,
        "varchar" => ColumnType::String(u32::try_from(modifier - 4).map_or(StringLen::None, StringLen::N)),
        "bpchar" => ColumnType::Char(u32::try_from(modifier - 4).ok()),
        "bytea" => ColumnType::Blob,
        "date" => ColumnType::Date,
        "time" => ColumnType::Time,
        "timestamp" => ColumnType::DateTime,
        "timestamptz" => ColumnType::TimestampWithTimeZone,
        "uuid" => ColumnType::Uuid,
        "json" => ColumnType::Json,
        "jsonb" => ColumnType::JsonBinary,
        other => ColumnType::Custom(other.to_owned().into_iden()),
    }
}

/// The digits of a `numeric(precision, scale)`. A negative scale is no number of digits after the point.
fn precision(modifier: i32) -> Option<(u32, u32)> {
    let parts = u32::try_from(modifier - 4).ok()?;
    let (precision, scale) = (parts >> 16, parts & 0x7ff);
    (scale < 1024).then_some((precision, scale))
}
