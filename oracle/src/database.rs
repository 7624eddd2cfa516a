//! Tables, values and settings as a database and the program take them.

use std::fmt::Write as _;

use async_graphql::Value;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use sea_orm::prelude::{Decimal, Uuid};
use sea_orm::{DbErr, QueryResult};

use crate::datum::{Datum, MOODS, hundredths, mood, of_decimal, place_of_mood};
use crate::interpret::{Row, Rows, key_of};
use crate::schema::{GUARDED_FOR, Kind, OnDelete, Schema, Storage, Table};

impl Kind {
    /// Its type in a database.
    pub fn sql(self, is_sqlite: bool) -> &'static str {
        match self {
            Self::SmallInt => "smallint",
            Self::Int => "integer",
            Self::BigInt => "bigint",
            Self::Bool => "boolean",
            Self::Text if is_sqlite => "text",
            Self::Text => "text COLLATE \"C\"",
            Self::Double => "double precision",
            Self::Decimal => "decimal(12, 2)",
            Self::Date => "date",
            Self::Time => "time",
            Self::Local => "timestamp",
            Self::Instant => "timestamp with time zone",
            Self::Uuid => "uuid",
            Self::Bytes if is_sqlite => "blob",
            Self::Bytes => "bytea",
            Self::Enum => "mood",
            Self::Json if is_sqlite => "json",
            Self::Json => "jsonb",
            Self::Ints => "integer[]",
            Self::Texts => "text[]",
        }
    }
}

impl Datum {
    /// Its literal in SQL.
    pub fn sql(&self, kind: Kind, is_sqlite: bool) -> String {
        let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        match (self, kind) {
            (Self::Null, _) => "NULL".into(),
            (Self::Bool(it), _) => it.to_string(),
            (Self::Integer(it), Kind::Decimal) => hundredths((*it).into()),
            (Self::Integer(it), Kind::Enum) => format!("'{}'", mood(*it)[1]),
            (Self::Integer(it), _) => it.to_string(),
            (Self::Real(it), _) => format!("{it:?}"),
            (Self::Text(it), Kind::Uuid) if is_sqlite => format!("x'{}'", it.replace('-', "")),
            (Self::Text(it), Kind::Local) => format!("'{}'", it.replace('T', " ")),
            (Self::Text(it), Kind::Instant) if is_sqlite => format!("'{}+00:00'", it.trim_end_matches(".000")),
            (Self::Text(it), Kind::Instant) => format!("'{it}Z'"),
            (Self::Text(it), _) => format!("'{}'", it.replace('\'', "''")),
            (Self::Bytes(it), _) if is_sqlite => format!("x'{}'", hexadecimal(it)),
            (Self::Bytes(it), _) => format!("'\\x{}'", hexadecimal(it)),
            (Self::Json(Value::List(items)), Kind::Ints | Kind::Texts) => {
                let item = |item: &Value| match item {
                    Value::String(text) => format!("'{}'", text.replace('\'', "''")),
                    item => item.to_string(),
                };
                format!("ARRAY[{}]::{}", items.iter().map(item).collect::<Vec<_>>().join(", "), kind.sql(is_sqlite))
            }
            (Self::Json(it), _) => {
                let text = it.clone().into_json().unwrap_or_default().to_string();
                format!("'{}'", text.replace('\'', "''"))
            }
        }
    }

    /// Reads a column of a row.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row has no such column of this kind.
    pub fn read(row: &QueryResult, column: &str, kind: Kind) -> Result<Self, DbErr> {
        fn get<T: sea_orm::TryGetable>(
            row: &QueryResult,
            column: &str,
            datum: impl FnOnce(T) -> Datum,
        ) -> Result<Datum, DbErr> {
            Ok(row.try_get::<Option<T>>("", column)?.map_or(Datum::Null, datum))
        }
        let is_sqlite = row.try_as_sqlite_row().is_some();
        match kind {
            Kind::Bool => get(row, column, Self::Bool),
            Kind::SmallInt => get(row, column, |it: i16| Self::Integer(it.into())),
            Kind::Int => get(row, column, |it: i32| Self::Integer(it.into())),
            Kind::BigInt => get(row, column, Self::Integer),
            Kind::Double => get(row, column, Self::Real),
            Kind::Decimal if is_sqlite => {
                get(row, column, |it: f64| Self::Integer(of_decimal(&it.to_string()).unwrap_or(i64::MAX)))
                    .or_else(|_| get(row, column, |it: i64| Self::Integer(it * 100)))
            }
            Kind::Decimal => {
                get(row, column, |it: Decimal| Self::Integer(of_decimal(&it.to_string()).unwrap_or(i64::MAX)))
            }
            Kind::Text => get(row, column, Self::Text),
            Kind::Date => get(row, column, |it: NaiveDate| Self::Text(it.to_string())),
            Kind::Time => get(row, column, |it: NaiveTime| Self::Text(it.to_string())),
            Kind::Local => {
                get(row, column, |it: NaiveDateTime| Self::Text(it.format("%Y-%m-%dT%H:%M:%S%.f").to_string()))
            }
            Kind::Instant => get(row, column, |it: DateTime<Utc>| {
                let text = it.format("%Y-%m-%dT%H:%M:%S%.6f").to_string();
                Self::Text(text.strip_suffix("000").unwrap_or(&text).to_owned())
            }),
            Kind::Uuid => get(row, column, |it: Uuid| Self::Text(it.to_string())),
            Kind::Bytes => get(row, column, Self::Bytes),
            Kind::Enum => get(row, column, |it: String| Self::Integer(place_of_mood(1, &it).unwrap_or(i64::MAX))),
            Kind::Json | Kind::Ints | Kind::Texts => get(row, column, |it: String| {
                let json: serde_json::Value = serde_json::from_str(&it).unwrap_or_default();
                Self::Json(Value::from_json(json).unwrap_or_default())
            }),
        }
    }
}

/// The statements that make the tables.
pub fn ddl(schema: &Schema, is_sqlite: bool) -> String {
    let mut sql = String::new();
    let has_enum = schema.tables.iter().flat_map(|table| &table.columns).any(|column| column.kind == Kind::Enum);
    if has_enum {
        let _ = writeln!(sql, "CREATE TYPE mood AS ENUM ({});", MOODS.map(|[_, mood]| format!("'{mood}'")).join(", "));
    }
    for table in &schema.tables {
        let names = |columns: &[usize]| {
            columns.iter().map(|it| table.columns[*it].name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut parts: Vec<String> = Vec::new();
        for column in &table.columns {
            let null = if column.nullable { "" } else { " NOT NULL" };
            parts.push(format!("{} {}{null}", column.name, column.kind.sql(is_sqlite)));
        }
        parts.push(format!("PRIMARY KEY ({})", names(&table.key)));
        for reference in &table.references {
            if reference.unique {
                parts.push(format!("UNIQUE ({})", names(&reference.columns)));
            }
            let on_delete = match reference.on_delete {
                OnDelete::Restrict => "",
                OnDelete::Cascade => " ON DELETE CASCADE",
                OnDelete::SetNull => " ON DELETE SET NULL",
            };
            parts.push(format!(
                "FOREIGN KEY ({}) REFERENCES {}{on_delete}",
                names(&reference.columns),
                schema.tables[reference.to].name
            ));
        }
        let is_partitioned = table.storage == Storage::Partitions && !is_sqlite;
        let by = if is_partitioned { format!(" PARTITION BY HASH ({})", names(&table.key)) } else { String::new() };
        let _ = writeln!(sql, "CREATE TABLE {} ({}){by};", table.stored(), parts.join(", "));
        if table.storage == Storage::View {
            let _ = writeln!(sql, "CREATE VIEW {} AS SELECT * FROM {};", table.name, table.stored());
        }
        for part in (0..2).filter(|_| is_partitioned) {
            let of = format!("{0}_p{part} PARTITION OF {0}", table.name);
            let _ = writeln!(sql, "CREATE TABLE {of} FOR VALUES WITH (MODULUS 2, REMAINDER {part});");
        }
        for (number, columns) in table.indexes.iter().enumerate() {
            let _ = writeln!(sql, "CREATE INDEX {}_{number} ON {} ({});", table.name, table.name, names(columns));
        }
    }
    sql
}

/// The statements that insert rows, each after those of its table that it refers to; `None` if it refers to no row.
pub fn inserts(schema: &Schema, rows: &Rows, is_sqlite: bool) -> Option<String> {
    let mut sql = String::new();
    for (table, left) in schema.tables.iter().zip(rows) {
        let (mut left, mut done): (Vec<&Row>, Vec<&Row>) = (left.iter().collect(), Vec::new());
        while !left.is_empty() {
            let is_known = |row: &&Row| {
                table.references.iter().all(|of| {
                    let (to, key) = (&schema.tables[of.to], key_of(&of.columns, row));
                    let is = |other: &Row| key_of(&to.key, other) == key;
                    let is_own = to.name == table.name;
                    key.iter().any(Datum::is_null)
                        || if is_own { done.iter().any(|row| is(row)) || is(row) } else { rows[of.to].iter().any(is) }
                })
            };
            let (known, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_known);
            if known.is_empty() {
                return None;
            }
            for row in &known {
                sql += &(insert(table, row, is_sqlite) + "\n");
            }
            done.extend(known);
            left = rest;
        }
    }
    Some(sql)
}

/// The statement that inserts a row.
pub fn insert(table: &Table, row: &Row, is_sqlite: bool) -> String {
    let values: Vec<String> =
        row.iter().zip(&table.columns).map(|(value, column)| value.sql(column.kind, is_sqlite)).collect();
    format!("INSERT INTO {} VALUES ({});", table.stored(), values.join(", "))
}

/// The condition that finds a row.
pub fn at(table: &Table, row: &Row, is_sqlite: bool) -> String {
    let equal = |column: &usize| {
        let of = &table.columns[*column];
        format!("{} = {}", of.name, row[*column].sql(of.kind, is_sqlite))
    };
    table.key.iter().map(equal).collect::<Vec<_>>().join(" AND ")
}

/// What `bookends.toml` says of the tables.
pub fn settings(schema: &Schema) -> String {
    let mut text = String::new();
    for table in &schema.tables {
        let _ = writeln!(text, "[table.{}]", table.name);
        let sorts: Vec<Vec<&str>> = table
            .sorts
            .iter()
            .map(|columns| columns.iter().map(|it| table.columns[*it].name.as_str()).collect())
            .collect();
        let _ = writeln!(text, "sorts = {sorts:?}");
        if table.storage == Storage::View {
            let key: Vec<&str> = table.key.iter().map(|column| table.columns[*column].name.as_str()).collect();
            let _ = writeln!(text, "key = {key:?}");
        }
        if let Some(column) = table.guard {
            let _ = writeln!(text, "field.{}.guard = 'claim(\"who\") = \"{GUARDED_FOR}\"'", table.columns[column].name);
        }
        if let Some(column) = table.rule {
            let _ = writeln!(text, "rule = '{} = claim(\"who\")'", table.columns[column].name);
        }
    }
    text
}
