//! Random tables and rows.

use async_graphql::Value;

use crate::datum::Datum;
use crate::dice::Dice;
use crate::interpret::{Row, Rows, key_of};
use crate::schema::{Column, Kind, OnDelete, Reference, Schema, Storage, Table};

const NAMES: [&str; 8] = ["elm", "oak", "fir", "bay", "fig", "yew", "gum", "cork"];

/// Tables that refer to those before them, or to themselves.
pub fn schema(dice: &mut Dice, is_sqlite: bool) -> Schema {
    let kinds = Kind::of_database(is_sqlite);
    let mut schema = Schema::default();
    for name in &NAMES[..=dice.roll(NAMES.len())] {
        // Nothing refers to a view.
        let targets: Vec<usize> =
            (0..schema.tables.len()).filter(|table| schema.tables[*table].storage != Storage::View).collect();
        let table = if targets.len() > 1 && dice.once_in(3) {
            junction(dice, &schema, &targets, name, kinds)
        } else {
            table(dice, &schema, &targets, name, kinds)
        };
        schema.tables.push(table);
        // The server would rename one of two fields.
        while collides(&schema) {
            schema.tables.last_mut().and_then(|table| table.references.pop());
        }
    }
    schema
}

/// Whether two fields of a table have one name.
fn collides(schema: &Schema) -> bool {
    (0..schema.tables.len()).any(|table| {
        let relations = schema.relations(table).into_iter().map(|(name, _)| name);
        let mut names: Vec<String> = relations.collect();
        let of = &schema.tables[table];
        names.extend((0..of.columns.len()).map(|column| of.field(column)));
        names.sort();
        names.windows(2).any(|pair| pair[0] == pair[1])
    })
}

/// The same schema and rows without a table; `None` if another one refers to it.
pub fn without(schema: &Schema, rows: &Rows, table: usize) -> Option<(Schema, Rows)> {
    let (mut schema, mut rows) = (schema.clone(), rows.clone());
    if schema.tables.len() == 1 {
        return None;
    }
    schema.tables.remove(table);
    rows.remove(table);
    for reference in schema.tables.iter_mut().flat_map(|table| &mut table.references) {
        if reference.to == table {
            return None;
        }
        reference.to -= usize::from(reference.to > table);
    }
    Some((schema, rows))
}

fn column(name: impl Into<String>, kind: Kind, nullable: bool) -> Column {
    Column { name: name.into(), kind, nullable }
}

fn table(dice: &mut Dice, schema: &Schema, targets: &[usize], name: &str, kinds: &[Kind]) -> Table {
    let of_key: Vec<Kind> = kinds.iter().copied().filter(|kind| kind.is_of_keys()).collect();
    let mut columns = match dice.roll(4) {
        0 | 1 => vec![column("id", *dice.pick(&[Kind::Int, Kind::BigInt]), false)],
        2 => vec![column("k", *dice.pick(&of_key), false)],
        _ => vec![column("k", *dice.pick(&of_key), false), column("l", *dice.pick(&of_key), false)],
    };
    let key = (0..columns.len()).collect();
    for letter in &["a", "b", "c", "d", "e", "f"][..dice.roll(7)] {
        columns.push(column(*letter, *dice.pick(kinds), dice.roll(3) == 1));
    }
    let mut table = Table::new(name, columns, key);
    let others = schema.tables.len();
    for number in 0..dice.roll(3) {
        let to = targets.get(dice.roll(targets.len() + 1)).copied().unwrap_or(others);
        let target = schema.tables.get(to).cloned().unwrap_or_else(|| table.clone());
        // A row that refers to its own table, which has rows before it.
        let nullable = to == others || dice.roll(2) == 1;
        refer(dice, &mut table, to, &target, number, nullable);
    }
    finish(dice, &mut table);
    table
}

/// A table whose key refers to two others.
fn junction(dice: &mut Dice, schema: &Schema, targets: &[usize], name: &str, kinds: &[Kind]) -> Table {
    let mut table = Table::new(name, Vec::new(), Vec::new());
    for number in 0..2 {
        let to = *dice.pick(targets);
        refer(dice, &mut table, to, &schema.tables[to], number, false);
    }
    table.key = (0..table.columns.len()).collect();
    for letter in &["a", "b"][..dice.roll(3)] {
        table.columns.push(column(*letter, *dice.pick(kinds), dice.roll(3) == 1));
    }
    finish(dice, &mut table);
    table
}

/// Adds columns that refer to a table.
fn refer(dice: &mut Dice, table: &mut Table, to: usize, target: &Table, number: usize, nullable: bool) {
    let role = if dice.roll(2) == 0 { format!("x{number}") } else { target.name.clone() };
    if table.references.iter().any(|known| known.field == role || known.field == target.name && target.key.len() > 1) {
        return;
    }
    let first = table.columns.len();
    let (field, list) = if let [key] = target.key[..] {
        table.columns.push(column(format!("{role}_id"), target.columns[key].kind, nullable));
        let by = if role == target.name { String::new() } else { format!("ByX{number}") };
        (role, format!("{}s{by}", table.name))
    } else {
        for key in &target.key {
            let of = &target.columns[*key];
            // Its own name: the key of a junction refers to two tables.
            table.columns.push(column(format!("{role}_{}", of.name.replace('_', "")), of.kind, nullable));
        }
        (target.name.clone(), format!("{}s", table.name))
    };
    let columns = (first..table.columns.len()).collect();
    let unique = table.key.len() < 3 && !table.key.is_empty() && dice.once_in(5);
    let on_delete = match dice.roll(4) {
        0 => OnDelete::Cascade,
        1 if nullable => OnDelete::SetNull,
        _ => OnDelete::Restrict,
    };
    table.references.push(Reference { columns, to, field, list, unique, on_delete });
}

fn finish(dice: &mut Dice, table: &mut Table) {
    for reference in &table.references {
        if dice.roll(4) > 0 {
            table.indexes.push(with_key(&reference.columns, &table.key));
        }
    }
    let is_plain = |column: &usize| !table.key.contains(column) && table.columns[*column].kind.is_sortable();
    let others: Vec<usize> = (0..table.columns.len()).filter(is_plain).collect();
    for _ in 0..dice.roll(4) {
        if others.is_empty() {
            break;
        }
        let mut columns: Vec<usize> = (0..=dice.roll(2)).map(|_| *dice.pick(&others)).collect();
        columns.dedup();
        if dice.roll(2) == 1 {
            table.indexes.push(with_key(&columns, &table.key));
        }
        table.sorts.push(columns);
    }
    let texts: Vec<usize> = others.iter().copied().filter(|column| table.columns[*column].kind == Kind::Text).collect();
    if !texts.is_empty() && dice.once_in(3) {
        table.rule = Some(*dice.pick(&texts));
    }
    table.as_of = matches!(table.key[..], [key] if table.columns[key].kind == Kind::Uuid);
    table.counted = dice.once_in(5);
    // A partitioned table has no other unique constraint than one with its key.
    if dice.once_in(5) && !table.references.iter().any(|of| of.unique) {
        table.storage = Storage::Partitions;
    }
    let unkeyed: Vec<usize> = (0..table.columns.len()).filter(|column| !table.key.contains(column)).collect();
    let is_plain = |column: &&usize| !table.references.iter().any(|of| of.columns.contains(column));
    if let Some(column) = unkeyed.iter().find(is_plain).filter(|_| dice.once_in(5)) {
        table.guard = Some(*column);
    }
    if table.references.is_empty() && dice.once_in(6) {
        (table.storage, table.counted) = (Storage::View, false);
        table.indexes.clear();
        for column in unkeyed {
            table.columns[column].nullable = true;
        }
    }
}

fn with_key(columns: &[usize], key: &[usize]) -> Vec<usize> {
    let rest = key.iter().filter(|column| !columns.contains(column));
    columns.iter().chain(rest).copied().collect()
}

/// The values of a kind: few, so that rows have the same ones.
pub fn values(kind: Kind) -> Vec<Datum> {
    let texts = |texts: &[&str]| texts.iter().map(|text| Datum::Text((*text).into())).collect();
    let integers = |integers: &[i64]| integers.iter().map(|it| Datum::Integer(*it)).collect();
    match kind {
        Kind::SmallInt => integers(&[1, 2, 3, 0, -1, 32_767, -32_768]),
        Kind::Int => integers(&[1, 2, 3, 4, 5, 0, -1, 2_147_483_647, -2_147_483_648]),
        Kind::BigInt => integers(&[1, 2, 3, 0, 9_007_199_254_740_993, 9_007_199_254_740_992, i64::MAX, i64::MIN]),
        Kind::Bool => vec![Datum::Bool(false), Datum::Bool(true)],
        Kind::Text => texts(&["a", "b", "A", "", "aa", "ä", "a%", "_", "%", "\u{1f600}", "\u{ff5e}", "'\"\\", " a "]),
        Kind::Double => [1.0, 0.25, -1.5, 0.0, 1024.75, 1e100].into_iter().map(Datum::Real).collect(),
        Kind::Decimal => integers(&[100, 25, -150, 0, 99_999_975]),
        Kind::Date => texts(&["2024-02-29", "1999-12-31", "2024-03-01", "0001-01-01", "9999-12-31"]),
        Kind::Time => texts(&["12:00:00", "12:00:00.500", "00:00:00", "23:59:59"]),
        Kind::Local => {
            texts(&["2024-02-29T12:00:00", "2024-02-29T12:00:00.500", "0001-01-01T00:00:00", "2024-03-01T00:00:00"])
        }
        Kind::Instant => texts(&[
            "2024-02-29T12:00:00.000",
            "2024-02-29T12:00:00.500",
            "2024-02-29T12:00:00.123456",
            "1970-01-01T00:00:00.000",
            "2038-01-19T03:14:08.000",
        ]),
        Kind::Uuid => texts(&[
            "01900000-0bb0-7000-8000-000000000001",
            "01900000-0bb0-7000-8000-000000000002",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "00000000-0000-0000-0000-000000000000",
            "80000000-0000-4000-8000-00000000000a",
        ]),
        Kind::Enum => integers(&[0, 1, 2]),
        Kind::Json => {
            ["{}", r#"{"a": 1}"#, r#"{"b": [true, null], "a": 1}"#, "[1, 2, {\"a\": 1}]", "\"x\"", "[]", "1.5", "[[1]]"]
                .into_iter()
                .map(json)
                .collect()
        }
        Kind::Ints => ["[]", "[1]", "[1, 2]", "[2, 2, 3]", "[null, 1]"].into_iter().map(json).collect(),
        Kind::Texts => {
            let two = |one: &str, other: &str| Datum::Json(Value::List(vec![one.into(), other.into()]));
            let pairs = TEXTS.iter().zip(&TEXTS[1..]).map(|(one, other)| two(one, other));
            pairs.chain(["[]", "[\"a\"]", "[null, \"a\"]"].map(json)).collect()
        }
        Kind::Bytes => [&b"a"[..], b"", &[0], &[0, 255], &[255, 254, 253]]
            .into_iter()
            .map(|it| Datum::Bytes(it.to_vec()))
            .collect(),
    }
}

/// Texts that arrays write in another way than most.
pub(crate) const TEXTS: [&str; 8] = ["a", "b, c", "", "NULL", "null", "{}", "\"q\"", "\\ é"];

fn json(text: &str) -> Datum {
    Datum::Json(serde_json::from_str(text).ok().and_then(|json| Value::from_json(json).ok()).unwrap_or_default())
}

/// A value of a key, of which there must be more.
fn of_key(dice: &mut Dice, kind: Kind) -> Datum {
    let number = dice.roll(40);
    if number < 20 {
        return dice.pick(&values(kind)).clone();
    }
    match kind {
        Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Decimal => {
            Datum::Integer(number.try_into().unwrap_or_default())
        }
        Kind::Text => Datum::Text(format!("t{number}")),
        Kind::Date => Datum::Text(format!("20{number}-01-01")),
        Kind::Time => Datum::Text(format!("05:06:{number}")),
        Kind::Local => Datum::Text(format!("20{number}-01-01T00:00:00")),
        Kind::Instant => Datum::Text(format!("20{number}-01-01T00:00:00.000")),
        Kind::Uuid => Datum::Text(format!("01900000-0bb0-7000-8000-0000000000{number}")),
        _ => Datum::Bytes(vec![7, number.try_into().unwrap_or_default()]),
    }
}

/// The claims of viewers, which are also values of the columns of rules.
pub const CLAIMS: [&str; 3] = ["a", "b", ""];

/// A row of a table beside these of all tables; `None` if there is none.
pub fn row(dice: &mut Dice, schema: &Schema, rows: &Rows, table: usize) -> Option<Row> {
    let of = &schema.tables[table];
    let mut row: Row = Vec::new();
    for (index, column) in of.columns.iter().enumerate() {
        row.push(match column.nullable && dice.roll(4) == 3 {
            true => Datum::Null,
            false if of.key.contains(&index) => of_key(dice, column.kind),
            false if of.rule == Some(index) => Datum::Text((*dice.pick(&CLAIMS)).into()),
            false => dice.pick(&values(column.kind)).clone(),
        });
    }
    for reference in &of.references {
        let known = &rows[reference.to];
        let nullable = of.columns[reference.columns[0]].nullable;
        if known.is_empty() || nullable && dice.roll(4) == 3 {
            if !nullable {
                return None;
            }
            // One NULL is enough to refer to nothing.
            row[reference.columns[0]] = Datum::Null;
            continue;
        }
        let key = key_of(&schema.tables[reference.to].key, dice.pick(known));
        if reference.unique && rows[table].iter().any(|row| key_of(&reference.columns, row) == key) {
            return None;
        }
        reference.columns.iter().zip(key).for_each(|(column, value)| row[*column] = value);
    }
    let key = key_of(&of.key, &row);
    (!rows[table].iter().any(|known| key_of(&of.key, known) == key)).then_some(row)
}

/// Rows of all tables.
pub fn rows(dice: &mut Dice, schema: &Schema) -> Rows {
    let mut rows: Rows = vec![Vec::new(); schema.tables.len()];
    for table in 0..schema.tables.len() {
        let most = *dice.pick(&[6, 12, 30, 0]);
        for _ in 0..most {
            let row = row(dice, schema, &rows, table);
            rows[table].extend(row);
        }
    }
    rows
}
