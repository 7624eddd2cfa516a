//! A page with `hasPreviousPage` and `hasNextPage`, by ways to learn them, and how often they are wrong.

use keyset::Page;
use keyset::bracket::bracket;
use sea_orm::{ConnectionTrait, QueryTrait};

use crate::items::{self, List, SIZE};
use crate::measure::{COSTS, Way, costs};
use crate::table::count;
use crate::{Bench, Database, Error, Experiment, Measure, Plot, Table, Unit};

pub const EXPERIMENT: Experiment = Experiment {
    name: "flags",
    shows: "Flags are exact by a count of all rows, by two more statements, or by the bracket; a guess is cheaper, \
            and wrong after deletions.",
    does_not_show: "It does not show how often rows are deleted before a cursor in your application: here it is \
            half of the list, at once.",
    plot: Plot::Bars(0, 1),
    run: |bench| Box::pin(run(bench)),
};

/// The places in the list whose flags are compared with the truth.
const PLACES: u64 = 100;

/// A way to learn the flags.
#[derive(Clone, Copy)]
enum Flags {
    Count,
    Statements,
    GuessFalse,
    GuessCursor,
    Bracket,
}

const WAYS: [(&str, Flags); 5] = [
    ("`OFFSET` and `COUNT(*)`", Flags::Count),
    ("three statements", Flags::Statements),
    ("n + 1, and no previous page", Flags::GuessFalse),
    ("n + 1, and a previous page if there is a cursor", Flags::GuessCursor),
    ("bracket", Flags::Bracket),
];

/// A cursor that a client holds: it has seen so many rows, the last of them with these values.
struct Place {
    depth: u64,
    values: Vec<Option<i64>>,
}

async fn run(bench: &Bench) -> Result<Vec<Table>, Error> {
    items::fill(bench).await?;
    let [list, ..] = items::lists()?;
    let mut places = Vec::new();
    let mut ways = vec![Way::new(); WAYS.len()];
    for database in &bench.databases {
        let middle = Place::find(database, &list, bench.rows / 2).await?;
        for (way, (_, flags)) in ways.iter_mut().zip(WAYS) {
            way.push(Some(flags.statements(database, &list, &middle)?));
        }
        let mut held = Vec::new();
        for place in 1..=PLACES {
            held.push(Place::find(database, &list, bench.rows * place / PLACES).await?);
        }
        places.push((middle, held));
    }
    let costs = costs(bench, &ways).await?;

    let mut wrong = vec![Vec::new(); WAYS.len()];
    for (database, (middle, places)) in bench.databases.iter().zip(&places) {
        let before = wrong_shares(bench, database, &list, places, 0).await?;
        database.run(&format!("DELETE FROM item WHERE {}", list.at_or_before(&middle.values)?)).await?;
        database.settle().await?;
        let after = wrong_shares(bench, database, &list, places, bench.rows / 2).await?;
        wrong.iter_mut().zip(before.into_iter().zip(after)).for_each(|(way, (before, after))| {
            way.push([before, after]);
        });
    }

    let measures = [
        COSTS[0],
        COSTS[1],
        Measure::new("wrong", Unit::Percent),
        Measure::new("wrong after deletions", Unit::Percent),
    ];
    let title = format!("A page of {SIZE} and its flags, in the middle of the list {}", list.title);
    let mut table = Table::new(title, &["way"], bench.names(), &measures);
    for (((name, _), costs), wrong) in WAYS.iter().zip(costs).zip(wrong) {
        let values = costs.into_iter().zip(wrong).map(|(costs, [before, after])| [costs, vec![before, after]].concat());
        table.push(&[name], values.collect());
    }
    Ok(vec![table])
}

/// The share of the places where a way has a wrong flag, after the first rows were deleted. The truth is arithmetic. A way
/// that finds another page then has no share: its flags are not those of the page.
async fn wrong_shares(
    bench: &Bench,
    database: &Database,
    list: &List,
    places: &[Place],
    deleted: u64,
) -> Result<Vec<Option<f64>>, Error> {
    let mut shares = Vec::new();
    for (_, way) in WAYS {
        let mut wrong = 0;
        for place in places {
            let truth = [place.depth > deleted, place.depth < bench.rows];
            if way.read(database, list, place).await? != truth {
                wrong += 1;
            }
        }
        let is_other_page = deleted > 0 && matches!(way, Flags::Count);
        shares.push((!is_other_page).then(|| 100.0 * count(wrong) / count(PLACES)));
    }
    Ok(shares)
}

impl Place {
    async fn find(database: &Database, list: &List, depth: u64) -> Result<Self, Error> {
        Ok(Self { depth, values: list.values(database, depth - 1).await? })
    }
}

impl List {
    /// The condition for the rows up to a key.
    fn at_or_before(&self, values: &[Option<i64>]) -> Result<String, Error> {
        self.row_value(values, ">=", "<=").ok_or_else(|| Error::Unexpected("one direction".to_owned()))
    }

    fn beyond(&self, values: &[Option<i64>]) -> Result<String, Error> {
        self.row_value(values, "<", ">").ok_or_else(|| Error::Unexpected("one direction".to_owned()))
    }
}

impl Flags {
    /// The statements of a page beyond a place.
    fn statements(self, database: &Database, list: &List, place: &Place) -> Result<Vec<sea_orm::Statement>, Error> {
        let (beyond, before) = (list.beyond(&place.values)?, list.at_or_before(&place.values)?);
        let texts = match self {
            Self::Count => vec![list.offset(place.depth), "SELECT COUNT(*) FROM item".to_owned()],
            Self::Statements => vec![
                list.filtered(&beyond, SIZE),
                // The row after the page, if the page were not there.
                format!("{} OFFSET {SIZE}", list.filtered(&beyond, 1)),
                format!("SELECT id FROM item WHERE {before} LIMIT 1"),
            ],
            Self::GuessFalse | Self::GuessCursor => vec![list.filtered(&beyond, SIZE + 1)],
            Self::Bracket => {
                let page = Page::first(&list.order, SIZE).after(list.key(&place.values)?)?;
                return Ok(vec![bracket(items::query().as_query(), &page, database.db.get_database_backend())?]);
            }
        };
        Ok(texts.into_iter().map(|sql| database.statement(sql)).collect())
    }

    /// Whether there is a previous and a next page, by this way.
    async fn read(self, database: &Database, list: &List, place: &Place) -> Result<[bool; 2], Error> {
        if let Self::Bracket = self {
            let page = Page::first(&list.order, SIZE).after(list.key(&place.values)?)?;
            let slice = keyset::fetch(&database.db, items::query(), &page).await?;
            return Ok([slice.has_previous, slice.has_next]);
        }
        let mut results = Vec::new();
        for statement in self.statements(database, list, place)? {
            results.push(database.db.query_all_raw(statement).await?);
        }
        let has_more = results[0].len() > SIZE as usize;
        Ok(match self {
            Self::Count => {
                let rows: i64 = results[1][0].try_get_by_index(0)?;
                [place.depth > 0, place.depth + u64::from(SIZE) < rows.unsigned_abs()]
            }
            Self::Statements => [!results[2].is_empty(), !results[1].is_empty()],
            Self::GuessCursor => [true, has_more],
            Self::GuessFalse | Self::Bracket => [false, has_more],
        })
    }
}
