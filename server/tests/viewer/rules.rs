//! Random rules, and the viewers that they are for.

use std::collections::HashMap;
use std::sync::Arc;

use bookends_server::keyset::{Column, Kind};
use bookends_server::{ObjectType, Visible, never};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{Condition, Value};

use oracle::dice::Dice;

/// Who asks: what each table shows. The viewer to whom everything shows asks the database without the hidden rows.
#[derive(Clone, Debug)]
pub struct Viewer {
    pub shows_all: bool,
    pub shown: Arc<HashMap<String, Visible>>,
}

impl Viewer {
    /// What shows of a table, as a condition; `None` of all.
    pub fn condition(&self, table: &str) -> Option<Condition> {
        match self.of(table) {
            Visible::All => None,
            Visible::None => Some(Condition::all().add(never())),
            Visible::Only(condition) => Some(condition),
        }
    }

    fn of(&self, table: &str) -> Visible {
        if self.shows_all { Visible::All } else { self.shown.get(table).cloned().unwrap_or(Visible::All) }
    }
}

/// What each table shows, and which relations are errors where they are hidden.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub shown: Arc<HashMap<String, Visible>>,
    /// By tables and fields.
    pub required: Vec<(String, String)>,
}

/// A relation between tables: columns of the first equal columns of the second.
#[derive(Clone, Debug)]
pub struct Link {
    pub from: String,
    pub to: String,
    pub on: Vec<(Column, Column)>,
    pub field: String,
}

impl Rules {
    /// Declares the rule of an object, if it has one.
    pub fn declare(&self, object: &mut ObjectType) {
        let table = object.table().name().to_owned();
        for (_, field) in self.required.iter().filter(|(of, _)| *of == table) {
            object.change(field, |field| {
                field.required();
            });
        }
        if self.shown.contains_key(&table) {
            object.rule(move |viewer: Option<&Viewer>| viewer.map_or(Visible::None, |viewer| viewer.of(&table)));
        }
    }

    /// Rules for some of these tables. A row of `samples` has values of the columns of a table.
    pub fn random(
        dice: &mut Dice,
        objects: &[&ObjectType],
        links: &[Link],
        samples: &HashMap<String, Vec<Vec<Value>>>,
    ) -> Self {
        let mut shown = HashMap::new();
        for object in objects {
            if dice.roll(3) > 0 {
                let visible = visible(dice, object, links, samples);
                shown.insert(object.table().name().to_owned(), visible);
            }
        }
        let required = links.iter().filter(|link| shown.contains_key(&link.to));
        let required: Vec<_> = required.map(|link| (link.from.clone(), link.field.clone())).collect();
        let required = required.into_iter().filter(|_| dice.once_in(8)).collect();
        Self { shown: Arc::new(shown), required }
    }
}

fn visible(
    dice: &mut Dice,
    object: &ObjectType,
    links: &[Link],
    samples: &HashMap<String, Vec<Vec<Value>>>,
) -> Visible {
    match dice.roll(12) {
        0 => Visible::All,
        1 => Visible::None,
        2..=4 => {
            // Members alone: a row of another table refers to it, or it refers to one.
            let ways: Vec<&Link> = links.iter().filter(|link| link.from == object.table().name()).collect();
            if ways.is_empty() {
                return column_rule(dice, object, samples).into();
            }
            let way = *dice.pick(&ways);
            let mut rows = Query::select();
            rows.expr(Expr::cust("1")).from_as(way.to.clone(), "other");
            for (from, to) in &way.on {
                rows.and_where(to.of("other").expr().eq(from.expr()));
            }
            if let Some((column, value)) = sample(dice, &way.to, &way.on[0].1, samples) {
                rows.and_where(column.of("other").expr().ne(value));
            }
            Visible::from(Expr::exists(rows)).or(column_rule(dice, object, samples).into())
        }
        5..=7 => Visible::from(column_rule(dice, object, samples)).or(column_rule(dice, object, samples).into()),
        8 => Visible::from(column_rule(dice, object, samples)).and(column_rule(dice, object, samples).into()),
        _ => {
            let condition = column_rule(dice, object, samples);
            Visible::Only(Condition::all().add(condition).not())
        }
    }
}

/// A value of a column in some row.
fn sample(
    dice: &mut Dice,
    table: &str,
    column: &Column,
    samples: &HashMap<String, Vec<Vec<Value>>>,
) -> Option<(Column, Value)> {
    let rows = &samples[table];
    if rows.is_empty() {
        return None;
    }
    let value = dice.pick(rows)[column.number()].clone();
    (value != value.as_null()).then(|| (column.clone(), value))
}

/// A condition on a column of the row.
fn column_rule(dice: &mut Dice, object: &ObjectType, samples: &HashMap<String, Vec<Vec<Value>>>) -> Expr {
    let comparable = |column: &&Column| {
        matches!(column.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Text | Kind::Uuid | Kind::Bool)
    };
    let columns: Vec<&Column> = object.table().columns().iter().filter(comparable).collect();
    let column = *dice.pick(&columns);
    let expr = column.expr();
    if matches!(column.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt) && dice.roll(3) > 0 {
        let of = i32::try_from(2 + dice.roll(4)).unwrap();
        return expr.modulo(of).eq(i32::try_from(dice.roll(2)).unwrap());
    }
    let name = object.table().name();
    match (dice.roll(5), sample(dice, name, column, samples)) {
        (_, None) => expr.is_null(),
        (0, Some((_, value))) => expr.eq(value),
        (1, Some((_, value))) if column.kind() != Kind::Bool => expr.lt(value),
        (2, Some((_, value))) if column.kind() != Kind::Bool => expr.gte(value),
        (3, Some((_, value))) => {
            let more: Vec<Value> =
                (0..5).filter_map(|_| sample(dice, name, column, samples)).map(|(_, value)| value).collect();
            expr.is_in(more.into_iter().chain([value]))
        }
        (_, Some((_, value))) => expr.ne(value),
    }
}
