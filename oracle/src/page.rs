//! Orders, cursors as positions, and pages.

use std::cmp::Ordering;

use async_graphql::Value;

use crate::datum::Datum;
use crate::interpret::{Code, Oracle, Row, int, key_of};
use crate::schema::{Reference, Table};

/// A column to sort by.
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    column: usize,
    descends: bool,
    nulls_first: bool,
}

/// A position in the order of a table's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    table: usize,
    order: Vec<Sort>,
    values: Row,
}

impl Position {
    /// The same without a table; `None` if it is of that.
    pub(crate) fn without(&self, table: usize) -> Option<Self> {
        let shifted = if self.table > table { self.table - 1 } else { self.table };
        (self.table != table).then(|| Self { table: shifted, ..self.clone() })
    }

    /// Whether it is a position in an order of a table's rows that ends with these columns, or with one that is unique.
    pub fn ends_with(&self, table: usize, of: &Table, key: &[usize]) -> bool {
        let mut end = self.order.iter().rev().zip(key.iter().rev());
        let is_unique =
            self.order.last().is_some_and(|sort| !of.key.contains(&sort.column) && of.tells_apart(sort.column));
        self.table == table && (is_unique || end.all(|(sort, column)| sort.column == *column))
    }

    /// Its order, as a text.
    pub(crate) fn order_name(&self) -> String {
        format!("{} {:?}", self.table, self.order)
    }

    /// The criteria before the key: columns, whether they descend, and whether NULLs are first. The key is one if it descends alone.
    pub fn criteria(&self, key: &[usize]) -> Vec<(usize, bool, bool)> {
        let criterion = |sort: &Sort| (sort.column, sort.descends, sort.nulls_first);
        match &self.order[..] {
            [one] if one.descends => vec![criterion(one)],
            sorts => sorts.iter().filter(|sort| !key.contains(&sort.column)).map(criterion).collect(),
        }
    }
}

/// A list, and a page of it.
pub struct Listed<'a> {
    /// The table of its rows.
    pub table: usize,
    /// What refers to the nodes, if these are not the rows.
    pub far: Option<&'a Reference>,
    /// All of its rows, in order.
    pub rows: Vec<&'a Row>,
    /// Where the page begins.
    pub start: usize,
    end: usize,
    size: usize,
    order: Vec<Sort>,
    /// Whether a row precedes the page.
    pub has_previous: bool,
    /// Whether a row follows it.
    pub has_next: bool,
}

/// The pages around a page: where they begin, and their numbers.
#[derive(Default)]
pub struct Pages {
    /// This one, with two on either side.
    pub around: Vec<(usize, usize)>,
    /// The one before it.
    pub previous: Option<(usize, usize)>,
    /// The one after it.
    pub next: Option<(usize, usize)>,
    /// The last one.
    pub last: Option<(usize, usize)>,
}

/// The size of a page, and the largest one.
const SIZES: (usize, usize) = (20, 100);
const MAX_OFFSET: i64 = 1_000_000;

impl<'a> Listed<'a> {
    /// The page of a list of these rows that arguments ask for.
    ///
    /// # Errors
    ///
    /// The code of what is wrong with the arguments.
    pub fn new(
        oracle: &Oracle<'_>,
        table: usize,
        far: Option<&'a Reference>,
        order: Vec<Sort>,
        mut rows: Vec<&'a Row>,
        argument: impl Fn(&str) -> Option<Value>,
    ) -> Result<Self, Code> {
        let of = &oracle.schema.tables[table];
        rows.sort_by(|one, other| compare(&order, &values(&order, one), &values(&order, other)));
        let cursor = |name: &str| match argument(name) {
            Some(Value::String(text)) if !text.is_empty() => {
                let position = oracle.book.position(&text).ok_or("CURSOR_INVALID")?;
                let is_here = position.table == table && position.order == order;
                if is_here { Ok(Some(position)) } else { Err("CURSOR_OF_OTHER_ORDER") }
            }
            _ => Ok(None),
        };
        let around = match argument("around") {
            Some(Value::String(id)) => {
                let id = oracle.book.id(&id).filter(|(of, _)| *of == table);
                Some(&id.ok_or("ID_INVALID")?.1)
            }
            _ => None,
        };
        let (first, last, offset) = (argument("first"), argument("last"), argument("offset"));
        let has_cursor = argument("after").is_some_and(|it| it != Value::from(""))
            || argument("before").is_some_and(|it| it != Value::from(""));
        if first.is_some() && last.is_some() {
            return Err("PAGE_INVALID");
        }
        let size = match first.as_ref().or(last.as_ref()).map(int) {
            None => SIZES.0,
            Some(size) => usize::try_from(size).ok().filter(|size| *size <= SIZES.1).ok_or("PAGE_INVALID")?,
        };
        let (after, before) = (cursor("after")?, cursor("before")?);
        if offset.is_some() && has_cursor {
            return Err("PAGE_INVALID");
        }
        let offset = offset.map_or(0, |offset| int(&offset));
        let offset = usize::try_from(offset).ok().filter(|_| offset <= MAX_OFFSET).ok_or("PAGE_INVALID")?;
        let beside = |row: &Row, than: &Position| compare(&order, &values(&order, row), &than.values);
        let low = after.map_or(0, |after| rows.iter().filter(|row| beside(row, after).is_le()).count());
        let high = before.map_or(rows.len(), |before| rows.iter().filter(|row| beside(row, before).is_lt()).count());
        let mut page = Self { table, far, rows, start: 0, end: 0, size, order, has_previous: false, has_next: false };
        if let Some(key) = around {
            if last.is_some() || has_cursor || argument("offset").is_some() || size == 0 {
                return Err("PAGE_INVALID");
            }
            let place = page.rows.iter().position(|row| key_of(&of.key, row) == *key).ok_or("NOT_FOUND")?;
            page.start = place.saturating_sub(size.saturating_sub(1) / 2).min(page.rows.len().saturating_sub(size));
            page.end = (page.start + size).min(page.rows.len());
            page.has_previous = page.start > 0;
            page.has_next = page.end < page.rows.len();
            return Ok(page);
        }
        let window = low..high.max(low);
        if last.is_none() {
            page.start = (window.start + offset).min(window.end);
            page.end = (page.start + size).min(window.end);
            page.has_previous = page.start > 0;
            page.has_next = page.end < window.end;
        } else {
            // Crossed cursors give an empty page. The rows from `before` on follow it.
            page.end = window.end.saturating_sub(offset).max(window.start);
            page.start = page.end.saturating_sub(size).max(window.start);
            page.has_next = if high < low { high < page.rows.len() } else { page.end < page.rows.len() };
            page.has_previous = page.start > window.start;
        }
        Ok(page)
    }

    /// The rows of the page.
    pub fn page(&self) -> &[&'a Row] {
        &self.rows[self.start..self.end]
    }

    /// The position of a row.
    pub fn position(&self, row: &Row) -> Position {
        Position { table: self.table, order: self.order.clone(), values: values(&self.order, row) }
    }

    /// The pages around this one.
    pub fn pages(&self) -> Pages {
        if self.page().is_empty() {
            return Pages::default();
        }
        let number = 1 + self.start.div_ceil(self.size);
        let before: Vec<_> = (1..=2)
            .take_while(|page| (page - 1) * self.size < self.start)
            .map(|page| (self.start.saturating_sub(page * self.size), number - page))
            .collect();
        // A page before a cursor or an end can be smaller.
        let begins =
            |page: usize| (if page == 0 { self.start } else { self.end + (page - 1) * self.size }, number + page);
        let following = (self.rows.len() - self.end).div_ceil(self.size);
        let after: Vec<_> = (1..=following.min(2)).map(begins).collect();
        Pages {
            previous: before.first().copied(),
            next: after.first().copied(),
            last: Some(begins(following)),
            around: before.into_iter().rev().chain([begins(0)]).chain(after).collect(),
        }
    }
}

/// The position of a row in the list of all rows.
pub fn position(table: usize, order: &[Sort], row: &Row) -> Position {
    Position { table, values: values(order, row), order: order.to_vec() }
}

/// Which of two rows comes first in that list.
pub fn first_order(order: &[Sort], one: &Row, other: &Row) -> Ordering {
    compare(order, &values(order, one), &values(order, other))
}

fn values(order: &[Sort], row: &Row) -> Row {
    order.iter().map(|sort| row[sort.column].clone()).collect()
}

fn compare(order: &[Sort], one: &Row, other: &Row) -> Ordering {
    let compared = order.iter().zip(one.iter().zip(other)).map(|(sort, (one, other))| match (one, other) {
        (Datum::Null, Datum::Null) => Ordering::Equal,
        (Datum::Null, _) if sort.nulls_first => Ordering::Less,
        (_, Datum::Null) if sort.nulls_first => Ordering::Greater,
        (Datum::Null, _) => Ordering::Greater,
        (_, Datum::Null) => Ordering::Less,
        (one, other) if sort.descends => other.compare(one),
        (one, other) => one.compare(other),
    });
    compared.fold(Ordering::Equal, Ordering::then)
}

/// The order that criteria ask for. The key decides last, in the direction of the last criterion. Of what refers to a parent, it has the
/// columns after the others.
pub(crate) fn order(
    table: &Table,
    by: Option<&Reference>,
    criteria: Option<Value>,
    allowed: impl Fn(usize) -> Result<(), Code>,
) -> Result<Vec<Sort>, Code> {
    let criteria = match criteria {
        None => Vec::new(),
        Some(Value::List(criteria)) => criteria,
        Some(one) => vec![one],
    };
    let mut order: Vec<Sort> = Vec::new();
    let mut add = |column: usize, descends: bool, nulls_first: bool| {
        // After a column that tells rows apart, no other one decides.
        if !order.iter().any(|sort: &Sort| sort.column == column || table.tells_apart(sort.column)) {
            let nulls_first = table.columns[column].nullable && nulls_first;
            order.push(Sort { column, descends, nulls_first });
        }
    };
    let mut descends = false;
    for criterion in &criteria {
        let Value::Object(criterion) = criterion else { return Err("BAD_USER_INPUT") };
        let is = |name: &str, value: &str| {
            matches!(criterion.get(name), Some(Value::Enum(is)) if is == value)
                || matches!(criterion.get(name), Some(Value::String(is)) if is == value)
        };
        descends = is("direction", "DESC");
        let column = (0..table.columns.len()).find(|column| is("field", &item(table, *column)));
        let column = column.ok_or("BAD_USER_INPUT")?;
        allowed(column)?;
        add(column, descends, is("nulls", "FIRST"));
    }
    for column in key(table, by) {
        add(column, descends, false);
    }
    Ok(order)
}

/// The columns that decide last.
pub fn key(table: &Table, by: Option<&Reference>) -> Vec<usize> {
    let of_parent = |column: &&usize| by.is_some_and(|by| by.columns.contains(column));
    let (last, first): (Vec<&usize>, Vec<&usize>) = table.key.iter().partition(of_parent);
    first.into_iter().chain(last).copied().collect()
}

/// The item of the enum of orders for a column.
pub fn item(table: &Table, column: usize) -> String {
    let field = table.field(column);
    field
        .chars()
        .flat_map(|letter| letter.is_uppercase().then_some('_').into_iter().chain([letter.to_ascii_uppercase()]))
        .collect()
}
