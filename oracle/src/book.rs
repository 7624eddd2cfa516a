//! What ids and cursors tell, as responses have shown them.

use std::collections::{HashMap, HashSet};

use async_graphql::Value;

use crate::interpret::{Out, Row};
use crate::page::Position;

/// The ids and the cursors of a database.
#[derive(Clone, Debug, Default)]
pub struct Book {
    ids: HashMap<String, (usize, Row)>,
    cursors: HashMap<String, Position>,
    /// The texts by what they tell.
    texts: HashMap<String, String>,
    /// Cursors of two orders at once, which no document uses.
    ambiguous: HashSet<String>,
    /// The pairs of these orders.
    pairs: HashSet<[String; 2]>,
}

/// How many pairs of orders can have the same cursors: a cursor has 16 bits of its order, and some schemas offer dozens.
const PAIRS: usize = 2;

impl Book {
    /// The table and the key of an id.
    pub fn id(&self, text: &str) -> Option<&(usize, Row)> {
        self.ids.get(text)
    }

    /// The id of the row of a table with this key.
    pub fn id_of(&self, table: usize, key: &Row) -> Option<String> {
        self.texts.get(&format!("{table} {key:?}")).cloned()
    }

    /// The position of a cursor.
    pub fn position(&self, text: &str) -> Option<&Position> {
        self.cursors.get(text)
    }

    /// The ids of a table's rows, in an order that is the same each time.
    pub fn ids(&self, table: usize) -> Vec<&String> {
        let mut ids: Vec<_> = self.ids.iter().filter(|(_, (of, _))| *of == table).map(|(text, _)| text).collect();
        ids.sort();
        ids
    }

    /// The cursors, in an order that is the same each time.
    pub fn cursors(&self, fits: impl Fn(&Position) -> bool) -> Vec<&String> {
        let known = self.cursors.iter().filter(|(text, it)| fits(it) && !self.ambiguous.contains(*text));
        let mut cursors: Vec<_> = known.map(|(text, _)| text).collect();
        cursors.sort();
        cursors
    }

    /// The same without a table, and without the orders of another number of columns.
    #[must_use]
    pub fn without(&self, table: usize) -> Self {
        let shift = |of: usize| if of > table { of - 1 } else { of };
        let ids = self.ids.iter().filter(|(_, (of, _))| *of != table);
        let cursors = self.cursors.iter().filter_map(|(text, it)| Some((text.clone(), it.without(table)?)));
        let ids: HashMap<_, _> = ids.map(|(text, (of, key))| (text.clone(), (shift(*of), key.clone()))).collect();
        let cursors: HashMap<_, _> = cursors.collect();
        let of_ids = ids.iter().map(|(text, (table, key))| (format!("{table} {key:?}"), text.clone()));
        let texts = of_ids.chain(cursors.iter().map(|(text, it)| (format!("{it:?}"), text.clone()))).collect();
        Self { ids, cursors, texts, ambiguous: self.ambiguous.clone(), pairs: HashSet::new() }
    }

    /// Records what a text means. It fails if either has another partner already.
    fn learn(&mut self, text: &str, told: String) -> Result<(), String> {
        match self.texts.get(&told) {
            Some(known) if known == text => Ok(()),
            Some(known) => Err(format!("`{text}` and `{known}` tell {told}")),
            None if self.ids.contains_key(text) || self.cursors.contains_key(text) => {
                Err(format!("`{text}` tells {told}, too"))
            }
            None => {
                self.texts.insert(told, text.to_owned());
                Ok(())
            }
        }
    }

    /// Compares a response with what is expected, and learns its ids and cursors.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(&mut self, expected: &Out, actual: &Value, path: &str) -> Result<(), String> {
        let differs = || Err(format!("at `{path}`: {actual} instead of {expected:?}"));
        match (expected, actual) {
            (Out::Id(table, key), Value::String(text)) => {
                self.learn(text, format!("{table} {key:?}"))?;
                self.ids.insert(text.clone(), (*table, key.clone()));
                Ok(())
            }
            (Out::Cursor(position), Value::String(text)) => {
                let of_other_order = self.cursors.get(text).filter(|known| known.order_name() != position.order_name());
                if let Some(known) = of_other_order {
                    self.pairs.insert([known.order_name(), position.order_name()]);
                    self.ambiguous.insert(text.clone());
                    let means = self.texts.entry(format!("{position:?}")).or_insert_with(|| text.clone());
                    return if means == text && self.pairs.len() <= PAIRS { Ok(()) } else { differs() };
                }
                self.learn(text, format!("{position:?}"))?;
                self.cursors.insert(text.clone(), position.clone());
                Ok(())
            }
            (Out::List(expected), Value::List(actual)) if expected.len() == actual.len() => {
                let mut items = expected.iter().zip(actual).enumerate();
                items.try_for_each(|(place, (expected, actual))| {
                    self.compare(expected, actual, &format!("{path}.{place}"))
                })
            }
            (Out::Object(expected), Value::Object(actual)) if expected.len() == actual.len() => {
                let mut members = expected.iter().zip(actual);
                members.try_for_each(|((name, expected), (actual_name, actual))| {
                    if name == actual_name.as_str() {
                        self.compare(expected, actual, &format!("{path}.{name}"))
                    } else {
                        Err(format!("at `{path}`: `{actual_name}` instead of `{name}`"))
                    }
                })
            }
            (Out::Rounded(expected), Value::Number(actual)) => {
                let actual = actual.as_f64().unwrap_or(f64::NAN);
                if (expected - actual).abs() <= expected.abs() * 1e-14 { Ok(()) } else { differs() }
            }
            (Out::MoreThan(bound), Value::Number(actual)) if actual.as_u64() > Some(*bound as u64) => Ok(()),
            (Out::OneOf(names), Value::String(actual)) if names.contains(&actual.as_str()) => Ok(()),
            (Out::Plain(Value::Number(expected)), Value::Number(actual)) if expected.as_f64() == actual.as_f64() => {
                Ok(())
            }
            (Out::Plain(Value::Enum(expected)), Value::String(actual)) if expected.as_str() == actual => Ok(()),
            (Out::Plain(expected), actual) if expected == actual => Ok(()),
            _ => differs(),
        }
    }
}
