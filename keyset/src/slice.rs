//! The result of reading a page.

use std::sync::Arc;

use chrono::SecondsFormat;
use sea_orm::{DbErr, FromQueryResult, Value};

use crate::bracket::{INSIDE, WITNESS};
use crate::record::{ABSENT, Positions};
use crate::row_order::{ONLY_SEGMENT, SEGMENT, key_column};
use crate::{Columns, End, Key, Kind, Page, Record, Sort};

/// One page of a list, and whether there are rows on each side of it.
///
/// | page | `has_previous` | `has_next` |
/// |---|---|---|
/// | from the front | there is a row at or before `after` | the window has more rows |
/// | from the back | the window has more rows | there is a row at or after `before` |
///
/// A flag that depends on an absent cursor is `false`. Both flags are exact, also for an empty page.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice<M> {
    /// The rows in the order of the list, whichever end the page lies at.
    pub rows: Vec<Row<M>>,
    /// Whether there are rows before these.
    pub has_previous: bool,
    /// Whether there are rows after these.
    pub has_next: bool,
}

impl<M> Default for Slice<M> {
    /// An empty list.
    fn default() -> Self {
        Self { rows: Vec::new(), has_previous: false, has_next: false }
    }
}

/// A row and its key.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<M> {
    /// The position of the row in the order.
    pub key: Key,
    /// The row itself.
    pub item: M,
}

/// A row as a [bracket](crate::bracket) returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<M> {
    /// The branch that it comes from: 0 for a witness, else the number of the range, counted from the nearest.
    pub segment: i32,
    /// Whether it lies short of the far cursor. `true` without a far cursor.
    pub inside: bool,
    /// The row and its key.
    pub row: Row<M>,
}

/// Reads the rows of a bracket, without their columns.
pub(crate) struct Reader<'a> {
    page: &'a Page,
    /// Of the segment, of what says whether a row is inside, and of the keys.
    positions: Positions,
    /// The columns of SeaORM's rows.
    row_columns: Option<Arc<Columns>>,
    /// Room for the rows of one bracket after the other.
    found: Vec<Found<Record>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(page: &'a Page) -> Self {
        Self { page, positions: Positions::default(), row_columns: None, found: Vec::new() }
    }

    pub(crate) fn read(&mut self, row: Record) -> Result<Found<Record>, DbErr> {
        let Self { page, positions, row_columns, .. } = self;
        let (sorts, is_bounded) = (page.order.sorts(), page.far().is_some());
        let columns = row.columns(row_columns);
        let positions = positions.of(columns, |columns| {
            let inside = if is_bounded { columns.position(INSIDE) } else { Ok(ABSENT) };
            let segment = Ok(columns.find(SEGMENT).unwrap_or(ABSENT));
            let keys = sorts.iter().enumerate().map(|(place, sort)| position(columns, place, sort));
            [segment, inside].into_iter().chain(keys).collect()
        })?;
        let number = |position, absent| if position == ABSENT { Ok(absent) } else { row.int_at(position, columns) };
        let (segment, inside) = (number(positions[0], ONLY_SEGMENT)?, number(positions[1], 1)? == 1);
        let key = Key::read(sorts, |place, kind| {
            let position = positions[2 + place];
            let value = row.value_at(position, columns, kind)?;
            match text_of_time(&value).map(|text| (text, row.value_at(position, columns, Kind::Text))) {
                Some((text, Ok(Value::String(Some(stored))))) if text != stored => {
                    Err(DbErr::Type(format!("`{stored}` is not compared as `{text}` is")))
                }
                _ => Ok(value),
            }
        })?;
        Ok(Found { segment, inside, row: Row { key, item: row } })
    }
}

/// The text of a date or a time, as SQLite compares it with those that it stores.
fn text_of_time(value: &Value) -> Option<String> {
    Some(match value {
        Value::ChronoDate(Some(v)) => v.format("%F").to_string(),
        Value::ChronoTime(Some(v)) => v.format("%T%.f").to_string(),
        Value::ChronoDateTime(Some(v)) => v.format("%F %T%.f").to_string(),
        Value::ChronoDateTimeUtc(Some(v)) => v.to_rfc3339_opts(SecondsFormat::AutoSi, false),
        _ => return None,
    })
}

/// The position of a key's column: its own, or that of the query (`row_order::key_columns`).
fn position(columns: &Columns, place: usize, sort: &Sort) -> Result<usize, DbErr> {
    let own = key_column(place);
    let name = sort.column_name().filter(|_| columns.find(&own.inner()).is_none()).unwrap_or(&own);
    columns.position(&name.inner())
}

impl Reader<'_> {
    /// Cuts a page out of the rows of its bracket. It puts them in order first, unless the statement does.
    pub(crate) fn cut(&self, found: &mut Vec<Found<Record>>) -> Slice<Record> {
        let Page { order, end, .. } = self.page;
        if order.is_compared_here() {
            // No two rows have one key.
            found.sort_unstable_by(|one, other| {
                let keys = order.compare(&one.row.key, &other.row.key);
                if *end == End::Front { keys } else { keys.reverse() }
            });
        }
        Slice::cut_out(found, self.page)
    }
}

impl Slice<Record> {
    /// Cuts a page out of the rows of its bracket.
    pub(crate) fn of(rows: impl IntoIterator<Item = Record>, reader: &mut Reader<'_>) -> Result<Self, DbErr> {
        let (rows, mut found) = (rows.into_iter(), std::mem::take(&mut reader.found));
        found.reserve(rows.size_hint().0);
        for row in rows {
            found.push(reader.read(row)?);
        }
        let slice = reader.cut(&mut found);
        reader.found = found;
        Ok(slice)
    }

    /// Reads the columns of its rows, which are rows of SeaORM.
    pub(crate) fn read<M: FromQueryResult>(self) -> Result<Slice<M>, DbErr> {
        let rows = self
            .rows
            .into_iter()
            .map(|Row { key, item }| Ok(Row { key, item: M::from_query_result(&item.row()?, "")? }));
        Ok(Slice {
            rows: rows.collect::<Result<_, DbErr>>()?,
            has_previous: self.has_previous,
            has_next: self.has_next,
        })
    }
}

impl<M> Row<M> {
    /// The same row with its item converted.
    pub fn map<T>(self, convert: impl FnOnce(M) -> T) -> Row<T> {
        Row { key: self.key, item: convert(self.item) }
    }
}

impl<M> Slice<M> {
    /// The same slice with each item converted. Keys and flags stay.
    ///
    /// ```
    /// # use sea_orm::tests_cfg::cake;
    /// # use keyset::Slice;
    /// fn names(cakes: Slice<cake::Model>) -> Slice<String> {
    ///     cakes.map(|cake| cake.name)
    /// }
    /// ```
    pub fn map<T>(self, mut convert: impl FnMut(M) -> T) -> Slice<T> {
        Slice {
            rows: self.rows.into_iter().map(|row| row.map(&mut convert)).collect(),
            has_previous: self.has_previous,
            has_next: self.has_next,
        }
    }

    /// Cuts a page out of its bracket, as [`fetch`](crate::fetch) does. Use it if you run the
    /// [statement](crate::bracket::bracket) yourself. Pass the rows in the order of the statement.
    pub fn cut(mut found: Vec<Found<M>>, page: &Page) -> Self {
        Self::cut_out(&mut found, page)
    }

    /// The same, and leaves the room of the rows.
    fn cut_out(found: &mut Vec<Found<M>>, page: &Page) -> Self {
        if page.around.is_some() {
            return Self::centred(found, page.size as usize);
        }
        let behind = found.iter().any(|found| found.segment == WITNESS);
        found.retain(|found| found.segment != WITNESS && found.inside);
        let more = found.len() > page.size as usize;
        let mut rows: Vec<_> = found.drain(..).take(page.size as usize).map(|found| found.row).collect();

        let (has_previous, has_next) = match page.end {
            End::Front => (behind, more),
            End::Back => {
                rows.reverse();
                (more, behind)
            }
        };
        Self { rows, has_previous, has_next }
    }

    /// Cuts a page around the last row of the near side: half of the others before it, and where there are fewer, more
    /// after it, and the reverse.
    fn centred(found: &mut Vec<Found<M>>, size: usize) -> Self {
        let behind = found.iter().filter(|found| found.segment == WITNESS).count();
        let ahead = found.len() - behind;
        let others = size.saturating_sub(1);
        let before = (others / 2).max(others.saturating_sub(ahead)).min(behind.saturating_sub(1));
        let start = behind.saturating_sub(1) - before;
        let has_next = found.len() > start + size;
        let rows = found.drain(..).map(|found| found.row).skip(start).take(size).collect();
        Self { rows, has_previous: start > 0, has_next }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::Condition;
    use sea_orm::tests_cfg::cake;

    use super::*;
    use crate::{Args, Limits, Order};

    /// Rows as (segment, inside, item), and the page that is cut out of them.
    #[track_caller]
    fn check(args: Args, found: &[(i32, bool, char)], expected: (&str, bool, bool)) {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let page = Page::new(&args, &order, Limits::default()).unwrap();
        let row = |item| Row { key: Key::new(&order, vec![0.into()]).unwrap(), item };
        let found =
            found.iter().map(|(segment, inside, item)| Found { segment: *segment, inside: *inside, row: row(*item) });
        let slice = Slice::cut(found.collect(), &page);
        let items: String = slice.rows.iter().map(|row| row.item).collect();
        assert_eq!((items.as_str(), slice.has_previous, slice.has_next), expected, "{args:?}");
    }

    fn first(size: i64) -> Args {
        Args { first: Some(size), ..Args::default() }
    }

    fn last(size: i64) -> Args {
        Args { last: Some(size), ..Args::default() }
    }

    #[test]
    fn a_witness_and_a_row_too_many_are_the_flags() {
        let rows = [(0, true, 'w'), (1, true, 'a'), (1, true, 'b'), (2, true, 'c')];
        check(first(3), &rows, ("abc", true, false));
        check(first(2), &rows, ("ab", true, true));
        check(first(2), &rows[1..], ("ab", false, true));
        check(last(3), &rows, ("cba", false, true));
        check(last(2), &rows, ("ba", true, true));
        check(last(3), &rows[1..], ("cba", false, false));
    }

    #[test]
    fn a_page_around_a_row_is_full_where_the_list_is_long_enough() {
        let order = Order::of::<cake::Entity>([]).unwrap();
        // Of 9 rows: the bracket reads up to `size` + 1 up to the middle, and `size` + 1 after it.
        let check = |size: u32, middle: usize, expected: (&str, bool, bool)| {
            let page = Page { around: Some(Arc::new(Condition::all())), ..Page::first(&order, size) };
            let row = |item| Row { key: Key::new(&order, vec![0.into()]).unwrap(), item };
            let side = |segment, items: &str| {
                items.chars().map(|item| Found { segment, inside: true, row: row(item) }).collect::<Vec<_>>()
            };
            let list = "abcdefghi";
            let near = side(WITNESS, &list[(middle + 1).saturating_sub(size as usize + 1)..=middle]);
            let far = side(1, &list[middle + 1..list.len().min(middle + 2 + size as usize)]);
            let slice = Slice::cut([near, far].concat(), &page);
            let items: String = slice.rows.iter().map(|row| row.item).collect();
            assert_eq!((items.as_str(), slice.has_previous, slice.has_next), expected, "{size} around {middle}");
        };
        check(1, 4, ("e", true, true));
        check(2, 4, ("ef", true, true));
        check(3, 4, ("def", true, true));
        check(3, 0, ("abc", false, true));
        check(3, 8, ("ghi", true, false));
        check(4, 7, ("fghi", true, false));
        check(9, 4, ("abcdefghi", false, false));
        check(9, 0, ("abcdefghi", false, false));
        check(20, 8, ("abcdefghi", false, false));
        check(8, 8, ("bcdefghi", true, false));
        check(8, 0, ("abcdefgh", false, true));
    }

    #[test]
    fn mapping_keeps_keys_and_flags() {
        let order = Order::of::<cake::Entity>([]).unwrap();
        let row = |id: i32| Row { key: Key::new(&order, vec![id.into()]).unwrap(), item: id };
        let slice = Slice { rows: vec![row(1), row(2)], has_previous: true, has_next: false };
        let mut sum = 0;
        let sums = slice.map(|id| {
            sum += id;
            sum
        });
        let expected = vec![row(1), Row { item: 3, ..row(2) }];
        assert_eq!(sums, Slice { rows: expected, has_previous: true, has_next: false });
    }

    #[test]
    fn an_empty_page_has_flags_too() {
        check(first(2), &[], ("", false, false));
        check(first(0), &[(1, true, 'a')], ("", false, true));
        check(first(2), &[(0, true, 'w')], ("", true, false));
        check(last(0), &[(0, true, 'w'), (1, true, 'a')], ("", true, true));
    }

    #[test]
    fn beyond_the_far_cursor_there_is_no_page() {
        let rows = [(0, true, 'w'), (1, true, 'a'), (1, false, 'b'), (1, false, 'c')];
        check(first(2), &rows, ("a", true, false));
        check(last(1), &rows, ("a", false, true));
    }
}
