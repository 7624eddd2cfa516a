//! Filters: a condition holds, or does not.

use async_graphql::Value;

use crate::datum::Datum;
use crate::interpret::{Code, Oracle, Row, key_of};
use crate::schema::{Kind, Relation};

impl Oracle<'_> {
    /// Whether a row matches a filter.
    pub fn matches(&self, table: usize, row: &Row, filter: &Value) -> bool {
        let Value::Object(fields) = filter else { return true };
        fields.iter().all(|(name, value)| match (name.as_str(), value) {
            (_, Value::Null) => true,
            ("and", value) => items(value).iter().all(|filter| self.matches(table, row, filter)),
            ("or", value) => items(value).iter().any(|filter| self.matches(table, row, filter)),
            ("not", filter) => !self.matches(table, row, filter),
            ("id", conditions) => self.matches_id(table, row, conditions),
            (name, conditions) => {
                let of = &self.schema.tables[table];
                if let Some(column) = of.column(name) {
                    return scalar(&row[column], of.columns[column].kind, conditions);
                }
                let relation = self.schema.relation(table, name).expect("a relation");
                let rows = self.related(relation, row);
                match relation {
                    Relation::One(_) | Relation::Only(..) => {
                        rows.first().is_some_and(|row| self.matches(relation.node(), row, conditions))
                    }
                    Relation::Many(table, _) | Relation::Far(table, ..) => self.matches_list(table, &rows, conditions),
                }
            }
        })
    }

    fn matches_list(&self, table: usize, rows: &[&Row], conditions: &Value) -> bool {
        let Value::Object(conditions) = conditions else { return true };
        conditions.iter().all(|(name, value)| {
            let matching = || rows.iter().filter(|row| self.matches(table, row, value)).count();
            match (name.as_str(), value) {
                (_, Value::Null) => true,
                ("some", _) => matching() > 0,
                ("every", _) => matching() == rows.len(),
                ("none", _) => matching() == 0,
                (_, value) => scalar(&Datum::Integer(i64::try_from(rows.len()).unwrap_or(i64::MAX)), Kind::Int, value),
            }
        })
    }

    fn matches_id(&self, table: usize, row: &Row, conditions: &Value) -> bool {
        let key = key_of(&self.schema.tables[table].key, row);
        let is = |id: &Value| matches!(id, Value::String(id) if self.book.id(id).is_some_and(|(_, of)| *of == key));
        let Value::Object(conditions) = conditions else { return true };
        conditions.iter().all(|(name, value)| match (name.as_str(), value) {
            (_, Value::Null) => true,
            ("eq", id) => is(id),
            ("ne", id) => !is(id),
            ("in", ids) => items(ids).iter().any(is),
            (_, ids) => !items(ids).iter().any(is),
        })
    }

    /// Refuses ids of other types, and guarded columns.
    pub(crate) fn check_filter(&self, table: usize, filter: &Value) -> Result<(), Code> {
        let mut faults = Vec::new();
        self.add_faults(table, filter, &mut faults);
        faults.sort_unstable();
        faults.dedup();
        // In which order a filter is read is open.
        faults[..].iter().copied().reduce(|_, _| "FORBIDDEN or ID_INVALID").map_or(Ok(()), Err)
    }

    fn add_faults(&self, table: usize, filter: &Value, faults: &mut Vec<Code>) {
        let Value::Object(fields) = filter else { return };
        for (name, value) in fields {
            match name.as_str() {
                "and" | "or" => items(value).iter().for_each(|filter| self.add_faults(table, filter, faults)),
                "not" => self.add_faults(table, value, faults),
                "id" => {
                    let Value::Object(conditions) = value else { continue };
                    let ids = conditions.values().flat_map(items).filter(|id| **id != Value::Null);
                    let is_known = |id: &Value| matches!(id, Value::String(id) if self.book.id(id).is_some_and(|(of, _)| *of == table));
                    faults.extend(ids.filter(|id| !is_known(id)).map(|_| "ID_INVALID"));
                }
                name => match self.schema.relation(table, name) {
                    Some(relation @ (Relation::One(_) | Relation::Only(..))) => {
                        self.add_faults(relation.node(), value, faults);
                    }
                    Some(Relation::Many(table, _) | Relation::Far(table, ..)) => {
                        let Value::Object(conditions) = value else { continue };
                        let filters = conditions.iter().filter(|(name, _)| *name != "count");
                        filters.for_each(|(_, filter)| self.add_faults(table, filter, faults));
                    }
                    None => {
                        let of = &self.schema.tables[table];
                        faults.extend(of.column(name).and_then(|column| self.guard(of, column).err()));
                    }
                },
            }
        }
    }
}

/// The items of a list; a single value is a list of one.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// The items of an array that is not NULL.
fn listed(datum: &Datum) -> Option<&[Value]> {
    if let Datum::Json(Value::List(items)) = datum { Some(items) } else { None }
}

/// Whether a value of JSON contains another one: `@>` of PostgreSQL.
fn contains(whole: &Value, part: &Value) -> bool {
    let has = |items: &[Value], part: &Value| items.iter().any(|item| contains(item, part));
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        (Value::List(whole), Value::List(parts)) => parts.iter().all(|part| match part {
            Value::List(_) | Value::Object(_) => has(whole, part),
            scalar => whole.contains(scalar),
        }),
        (whole, part) => whole == part,
    }
}

/// NULL is equal to nothing, and neither less nor greater: only `isNull`, `ne` and `notIn` find it.
fn scalar(datum: &Datum, kind: Kind, conditions: &Value) -> bool {
    let Value::Object(conditions) = conditions else { return true };
    let of = |value: &Value| Datum::of_argument(value, kind).expect("a value of the kind");
    let compared = |value: &Value| (!datum.is_null()).then(|| datum.compare(&of(value)));
    let text = |value: &Value, test: fn(&str, &str) -> bool| match (datum, value) {
        (Datum::Text(datum), Value::String(value)) => test(datum, value),
        _ => false,
    };
    conditions.iter().all(|(name, value)| match (name.as_str(), value) {
        (_, Value::Null) => true,
        ("hasKey", Value::String(key)) => {
            matches!(datum, Datum::Json(Value::Object(of)) if of.contains_key(key.as_str()))
        }
        ("contains", value) if kind == Kind::Json => matches!(datum, Datum::Json(datum) if contains(datum, value)),
        ("contains", value) if kind.is_list() => {
            listed(datum).is_some_and(|of| items(value).iter().all(|it| of.contains(it)))
        }
        ("containedBy", value) => listed(datum).is_some_and(|of| of.iter().all(|it| items(value).contains(it))),
        ("overlaps", value) => listed(datum).is_some_and(|of| of.iter().any(|it| items(value).contains(it))),
        ("isEmpty", value) => listed(datum).is_some_and(|of| Value::Boolean(of.is_empty()) == *value),
        ("eq", value) => compared(value).is_some_and(std::cmp::Ordering::is_eq),
        ("ne", value) => !compared(value).is_some_and(std::cmp::Ordering::is_eq),
        ("lt", value) => compared(value).is_some_and(std::cmp::Ordering::is_lt),
        ("lte", value) => compared(value).is_some_and(std::cmp::Ordering::is_le),
        ("gt", value) => compared(value).is_some_and(std::cmp::Ordering::is_gt),
        ("gte", value) => compared(value).is_some_and(std::cmp::Ordering::is_ge),
        ("in", values) => items(values).iter().any(|value| compared(value).is_some_and(std::cmp::Ordering::is_eq)),
        ("notIn", values) => !items(values).iter().any(|value| compared(value).is_some_and(std::cmp::Ordering::is_eq)),
        ("isNull", value) => (*value == Value::Boolean(true)) == datum.is_null(),
        ("startsWith", value) => text(value, |text, start| text.starts_with(start)),
        (_, value) => text(value, |text, part| text.contains(part)),
    })
}
