//! Pages by number: the key before a page is found by skipping over keys.
//!
//! ```sql
//! -- cities ORDER BY rank, id: the page after the first 1,000
//! SELECT rank AS keyset_0, id AS keyset_1 FROM city ORDER BY rank, id LIMIT 1 OFFSET 999
//! ```
//!
//! The database reads keys alone, in the index of the order, and no row of the table where the index covers the filter.
//! The page itself is the [bracket](crate::bracket) at that key.
//!
//! The ranges of an order with NULLs are skipped one after the other, because their union would be sorted. Where a range is
//! shorter than the offset, it is counted: its keys are read twice.

use sea_orm::DbErr;
use sea_orm::sea_query::SelectStatement;

use crate::batch::{run_each, tagged_each};
use crate::bracket::wrapped;
use crate::count::COUNT;
use crate::dialect::Dialect;
use crate::keyed_rows::{counted, keys_of_range};
use crate::range::{self, Index};
use crate::slice::Reader;
use crate::{End, Key, Page, ReadRows};

/// A list of which rows are left to skip.
struct Skip {
    list: usize,
    left: u64,
}

/// The page of each query that begins after the page's offset, without an offset.
pub(crate) async fn skipped<C>(
    db: &C,
    queries: &[SelectStatement],
    page: &Page,
    index: Index,
    dialect: Dialect,
) -> Result<Vec<Page>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let mut pages = vec![beyond_the_end(page); queries.len()];
    let mut skips: Vec<Skip> = (0..queries.len()).map(|list| Skip { list, left: u64::from(page.offset) }).collect();
    let order = page.travel().0;
    let ranges = range::all(&order).len();
    for number in 0..ranges {
        let keys = |skip: &Skip| keys_of_range(&queries[skip.list], &order, number, skip.left, index, dialect);
        let joins = skips.first().is_some_and(|skip| may_join(&keys(skip), dialect));
        let last = skips.iter().map(|skip| last_of(keys(skip), skip.left, joins));
        let mut found = vec![false; skips.len()];
        let mut reader = Reader::new(page);
        for (place, row) in run_each(db, tagged_each(last, dialect), dialect).await? {
            pages[skips[place].list] = beyond(page, reader.read(row)?.row.key.readable(&page.order)?.clone());
            found[place] = true;
        }
        let mut found = found.into_iter();
        skips.retain(|_| !found.next().unwrap_or_default());
        if skips.is_empty() || number + 1 == ranges {
            break;
        }
        let counts = skips.iter().map(|skip| counted(keys(skip), skip.left));
        for (place, row) in run_each(db, tagged_each(counts, dialect), dialect).await? {
            // Rows that were inserted after the look-up do not move the page further than the beginning of the range.
            let skip = &mut skips[place].left;
            *skip = skip.saturating_sub(row.count(COUNT)?).max(1);
        }
    }
    Ok(pages)
}

/// Whether SQLite may join the rows of these keys to those of an `EXISTS`, as 3.51 does. Its `OFFSET` then skips the rows of the
/// join: a row with many related rows is skipped many times, and then returned.
fn may_join(keys: &SelectStatement, dialect: Dialect) -> bool {
    dialect.is_sqlite() && dialect.statement(keys).sql.contains("EXISTS")
}

/// The last of this many keys, at least one; none if there are fewer.
fn last_of(mut keys: SelectStatement, number: u64, joins: bool) -> SelectStatement {
    if joins {
        // A limit stays outside of the join. It takes six times as long to skip a key through it.
        keys = wrapped(keys.limit(number).take());
    }
    keys.limit(1).offset(number - 1).take()
}

/// The page beyond a key, going from the page's end.
fn beyond(page: &Page, key: Key) -> Page {
    let page = Page { offset: 0, ..page.clone() };
    match page.end {
        End::Front => Page { after: Some(key), ..page },
        End::Back => Page { before: Some(key), ..page },
    }
}

/// The empty page at the other end: a list with rows has them all before it.
fn beyond_the_end(page: &Page) -> Page {
    let end = match page.end {
        End::Front => End::Back,
        End::Back => End::Front,
    };
    Page { end, size: 0, offset: 0, ..page.clone() }
}
