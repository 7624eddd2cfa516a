//! The naive twin of the engine: sort a `Vec`, cut it, and compare the neighbours.

use std::cmp::Ordering;

use keyset::{Direction, End, Nulls, Slice};

use crate::atlas::{Column, Criterion, Model};

/// The page that the engine must find.
#[derive(Debug, PartialEq)]
pub struct Expected {
    pub ids: Vec<i32>,
    pub has_previous: bool,
    pub has_next: bool,
}

impl Expected {
    /// The page that the engine found.
    pub fn of(slice: &Slice<Model>) -> Self {
        let ids = slice.rows.iter().map(|row| row.item.id).collect();
        Self { ids, has_previous: slice.has_previous, has_next: slice.has_next }
    }
}

pub fn slice(
    cities: &[Model],
    order: &[Criterion],
    (end, size): (End, usize),
    after: Option<&Model>,
    before: Option<&Model>,
) -> Expected {
    let list = sorted(cities, order);
    let beyond = |city: &Model| after.is_none_or(|after| compare(city, after, order).is_gt());
    let short = |city: &Model| before.is_none_or(|before| compare(city, before, order).is_lt());
    let window: Vec<&Model> = list.iter().filter(|city| beyond(city) && short(city)).collect();

    let more = window.len() > size;
    let (page, has_previous, has_next) = match end {
        End::Front => (&window[..size.min(window.len())], list.iter().any(|city| !beyond(city)), more),
        End::Back => (&window[window.len().saturating_sub(size)..], more, list.iter().any(|city| !short(city))),
    };
    Expected { ids: page.iter().map(|city| city.id).collect(), has_previous, has_next }
}

pub fn sorted(cities: &[Model], order: &[Criterion]) -> Vec<Model> {
    let mut list = cities.to_vec();
    list.sort_by(|a, b| compare(a, b, order));
    list
}

/// By each criterion in turn, then by id in the direction of the last one.
fn compare(a: &Model, b: &Model, order: &[Criterion]) -> Ordering {
    let last = order.last().map_or(Direction::Asc, |(_, direction, _)| *direction);
    let by_criteria = order.iter().map(|(column, direction, nulls)| match column {
        Column::People => values(a.people, b.people, *direction, *nulls),
        Column::River => values(a.river.as_ref(), b.river.as_ref(), *direction, *nulls),
        Column::Age => values(a.age, b.age, *direction, *nulls),
        Column::Rank => turned(a.rank.cmp(&b.rank), *direction),
        Column::Id => turned(a.id.cmp(&b.id), *direction),
    });
    by_criteria.fold(Ordering::Equal, Ordering::then).then(turned(a.id.cmp(&b.id), last))
}

fn values<T: Ord>(a: Option<T>, b: Option<T>, direction: Direction, nulls: Nulls) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => turned(a.cmp(&b), direction),
        (a, b) if nulls == Nulls::First => a.is_some().cmp(&b.is_some()),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

fn turned(ordering: Ordering, direction: Direction) -> Ordering {
    match direction {
        Direction::Asc => ordering,
        Direction::Desc => ordering.reverse(),
    }
}
