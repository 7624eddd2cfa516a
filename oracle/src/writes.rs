//! Writes, and a model that makes one after the other.

use async_graphql::{Name, Value};

use crate::book::Book;
use crate::datum::Datum;
use crate::dice::Dice;
use crate::documents::{Document, order_by};
use crate::interpret::{Code, Out, Row, Rows, key_of};
use crate::page::{Sort, first_order, order, position};
use crate::schema::Schema;
use crate::tables;

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the writes")]
pub enum Verb {
    Create,
    Update,
    Delete,
}

/// A mutation of one row.
#[derive(Clone, Debug)]
pub struct Write {
    /// What it does.
    pub verb: Verb,
    /// The table.
    pub table: usize,
    /// The key of the row, unless it is new.
    pub key: Option<Row>,
    /// The values that it sets, by columns.
    values: Vec<(usize, Datum)>,
    /// What it sends.
    pub document: Document,
    client_id: String,
    /// Whether it leaves out a value that a new row needs.
    is_incomplete: bool,
    /// The order of the cursors that it asks for.
    order: Vec<Sort>,
    /// Whether it asks for the edge before the new one: it depends on what others write.
    is_alone: bool,
}

/// The response to a write, and the error that it has.
pub type Answer = (Out, Vec<(String, String)>);

/// A random write by somebody who knows these rows; `None` if there is none to write.
pub fn write(dice: &mut Dice, schema: &Schema, rows: &Rows, book: &Book, is_alone: bool) -> Option<Write> {
    let table = dice.roll(schema.tables.len());
    let of = &schema.tables[table];
    let verb =
        if rows[table].len() < 3 { Verb::Create } else { *dice.pick(&[Verb::Create, Verb::Update, Verb::Delete]) };
    let is_fixed = |column: usize| {
        let refers = of.references.iter().filter(|reference| reference.columns.contains(&column));
        of.key.contains(&column)
            || refers.into_iter().any(|reference| reference.columns.iter().any(|it| of.key.contains(it)))
    };
    if verb == Verb::Update && (0..of.columns.len()).all(is_fixed) {
        return None;
    }
    let known = if verb == Verb::Create { None } else { Some(dice.pick(&rows[table]).clone()) };
    let fresh = tables::row(dice, schema, rows, table);
    // The key of a row that is there, at times.
    let fresh = if fresh.is_none() || dice.once_in(6) { rows[table].first().cloned().or(fresh)? } else { fresh? };
    let mut input: Vec<(String, Value)> = Vec::new();
    let mut values: Vec<(usize, Datum)> = Vec::new();
    let key = known.as_ref().map(|row| key_of(&of.key, row));
    if let Some(key) = &key {
        input.push(("id".into(), book.id_of(table, key)?.into()));
    }
    let is_given = |dice: &mut Dice, columns: &[usize]| match verb {
        Verb::Create => columns.iter().all(|column| !of.columns[*column].nullable) || dice.roll(3) > 0,
        Verb::Update => !columns.iter().any(|column| of.key.contains(column)) && dice.roll(3) == 0,
        Verb::Delete => false,
    };
    for reference in &of.references {
        if !is_given(dice, &reference.columns) {
            continue;
        }
        let to = key_of(&reference.columns, &fresh);
        let id = if to.iter().any(Datum::is_null) { Value::Null } else { book.id_of(reference.to, &to)?.into() };
        let values_of = to.into_iter().map(|value| if id == Value::Null { Datum::Null } else { value });
        values.extend(reference.columns.iter().copied().zip(values_of));
        input.push((format!("{}Id", reference.field), id));
    }
    let mut is_incomplete = false;
    for (column, value) in fresh.iter().enumerate() {
        let refers = of.references.iter().any(|reference| reference.columns.contains(&column));
        if !refers && verb == Verb::Create && !of.columns[column].nullable && dice.once_in(60) {
            is_incomplete = true;
        } else if !refers && is_given(dice, &[column]) {
            input.push((of.field(column), value.show(of.columns[column].kind)));
            values.push((column, value.clone()));
        }
    }
    let mut by = None;
    if verb == Verb::Create && !of.sorts.is_empty() && dice.roll(2) == 1 {
        let columns = dice.pick(&of.sorts).clone();
        let criterion = |column| (column, dice.roll(2) == 1, dice.roll(3) == 1);
        let criteria: Vec<(usize, bool, bool)> = columns.into_iter().map(criterion).collect();
        by = Some(order_by(of, &criteria));
        input.extend(by.clone().map(|by| ("orderBy".to_owned(), by)));
    }
    let order = order(of, None, by, |_| Ok(())).ok()?;
    let (name, columns) =
        (&of.name, (0..of.columns.len()).map(|column| of.field(column)).collect::<Vec<_>>().join(" "));
    let before = if is_alone { "previousEdgeCursor" } else { "" };
    let (word, payload) = match verb {
        Verb::Create => ("create", format!("{name}Edge {{ cursor node {{ id {columns} }} }} {before}")),
        Verb::Update => ("update", format!("{name} {{ id {columns} }}")),
        Verb::Delete => ("delete", "deletedId".to_owned()),
    };
    let ty = of.type_name();
    let capital = word[..1].to_uppercase() + &word[1..];
    let text = format!(
        "mutation ($input: {capital}{ty}Input!) {{ it: {word}{ty}(input: $input) {{ clientMutationId {payload} }} }}"
    );
    let client_id = format!("m{}", dice.roll(1_000_000));
    input.push(("clientMutationId".into(), client_id.clone().into()));
    let input = Value::Object(input.into_iter().map(|(name, value)| (Name::new(name), value)).collect());
    let variables = [(Name::new("input"), input)].into_iter().collect();
    let document = Document { text, variables, operation: None };
    Some(Write { verb, table, key, values, document, client_id, is_incomplete, order, is_alone })
}

impl Write {
    /// Whether subscribers hear of it: an update without values changes nothing.
    pub fn is_heard(&self) -> bool {
        self.verb != Verb::Update || !self.values.is_empty()
    }

    /// Applies the write to the rows, and returns the expected answer.
    pub fn apply(&self, schema: &Schema, rows: &mut Rows) -> Answer {
        if self.is_incomplete {
            return (Out::Plain(Value::Null), vec![(String::new(), "BAD_USER_INPUT".into())]);
        }
        let (payload, errors) = match self.change(schema, rows) {
            Ok(members) => {
                let own = [("clientMutationId".to_owned(), Out::Plain(self.client_id.clone().into()))];
                (Out::Object(own.into_iter().chain(members).collect()), Vec::new())
            }
            Err(code) => (Out::Plain(Value::Null), vec![("it".to_owned(), code.to_owned())]),
        };
        (Out::Object(vec![("it".into(), payload)]), errors)
    }

    fn change(&self, schema: &Schema, rows: &mut Rows) -> Result<Vec<(String, Out)>, Code> {
        let of = &schema.tables[self.table];
        let place = match &self.key {
            None => rows[self.table].len(),
            Some(key) => {
                let known = rows[self.table].iter().position(|row| key_of(&of.key, row) == *key);
                known.ok_or("NOT_FOUND")?
            }
        };
        let mut row = rows[self.table].get(place).cloned().unwrap_or_else(|| vec![Datum::Null; of.columns.len()]);
        for (column, value) in &self.values {
            row[*column] = value.clone();
        }
        let key = key_of(&of.key, &row);
        let is_taken = of.references.iter().filter(|reference| reference.unique).any(|reference| {
            let to = key_of(&reference.columns, &row);
            let mut others = rows[self.table].iter().enumerate().filter(|(at, _)| *at != place);
            !to.iter().any(Datum::is_null) && others.any(|(_, other)| key_of(&reference.columns, other) == to)
        });
        match self.verb {
            Verb::Delete => {
                let refers = schema.tables.iter().zip(rows.iter()).any(|(other, rows)| {
                    let references = other.references.iter().filter(|reference| reference.to == self.table);
                    references.into_iter().any(|reference| {
                        rows.iter().any(|other_row| {
                            let is_itself = other.name == of.name && key_of(&other.key, other_row) == key;
                            !is_itself && key_of(&reference.columns, other_row) == key
                        })
                    })
                });
                if refers {
                    return Err("IN_USE");
                }
                rows[self.table].remove(place);
                return Ok(vec![("deletedId".into(), Out::Id(self.table, key))]);
            }
            Verb::Create if rows[self.table].iter().any(|other| key_of(&of.key, other) == key) => {
                return Err("ALREADY_EXISTS");
            }
            _ if is_taken => return Err("ALREADY_EXISTS"),
            _ => {}
        }
        for reference in &of.references {
            let to = key_of(&reference.columns, &row);
            let is_known = rows[reference.to].iter().any(|other| key_of(&schema.tables[reference.to].key, other) == to);
            if !to.iter().any(Datum::is_null) && !is_known {
                return Err("NOT_FOUND");
            }
        }
        let fields = (0..of.columns.len())
            .map(|column| (of.field(column), Out::Plain(row[column].show(of.columns[column].kind))));
        let node = Out::Object([("id".to_owned(), Out::Id(self.table, key))].into_iter().chain(fields).collect());
        if self.verb == Verb::Update {
            rows[self.table][place] = row;
            return Ok(vec![(of.name.clone(), node)]);
        }
        let cursor = Out::Cursor(position(self.table, &self.order, &row));
        let mut payload =
            vec![(format!("{}Edge", of.name), Out::Object(vec![("cursor".into(), cursor), ("node".into(), node)]))];
        if self.is_alone {
            let before = rows[self.table].iter().filter(|other| first_order(&self.order, other, &row).is_lt());
            let last = before.max_by(|one, other| first_order(&self.order, one, other));
            let cursor = |row| Out::Cursor(position(self.table, &self.order, row));
            let cursor = last.map_or(Out::Plain(Value::Null), cursor);
            payload.push(("previousEdgeCursor".into(), cursor));
        }
        rows[self.table].push(row);
        Ok(payload)
    }
}
