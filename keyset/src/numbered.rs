//! Page numbers on keys: the cursors that open the pages around a page.

use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, QueryResult, QueryTrait};

use crate::batch::{run, tagged};
use crate::bracket::select;
use crate::dialect::Dialect;
use crate::{End, Key, Page, Slice};

/// The most pages on either side that are looked for.
pub const MOST_PAGES: u32 = 5;

/// Where the pages around a page begin. Each is opened by `first: n` after its key, n being the size of this page;
/// `None` is the beginning of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct PageCursors {
    /// The number of this page, from 1; `None` where the list begins further away than was looked.
    ///
    /// A page that does not begin a multiple of n after the beginning of the list has the number of the page that its
    /// first row would be on, rounded up.
    pub number: Option<u64>,
    /// The pages before this one, the nearest first. The one that opens the list can overlap the next.
    pub previous: Vec<Option<Key>>,
    /// The pages after this one, the nearest first. That they are fewer than was looked for says where the list ends.
    pub next: Vec<Key>,
    /// The last n rows. They overlap the page before them unless the list is a multiple of n long.
    pub last: Option<Key>,
}

/// The cursors of up to `pages` pages on either side of a slice, and of the last one: numbered pagination without
/// `OFFSET` and without `COUNT`.
///
/// It is one statement that reads keys alone, at most (2 × `pages` + 1) × n and a few: no more than [`MOST_PAGES`] pages
/// are looked for. Around an empty page, or one of size 0, there are none. The pages are those of the whole list, whatever
/// window the page was cut from. Under a computed order the rows are computed for each of the three directions.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<cake::Entity>([])?;
/// let page = Page::new(&Args { first: Some(10), ..Args::default() }, &order, Limits::default())?;
/// let slice = fetch(db, cake::Entity::find(), &page).await?;
/// let around = page_cursors(db, cake::Entity::find(), &page, &slice, 3).await?;
/// if let Some(key) = around.next.get(1) {
///     println!("the page after the next one opens after {}", order.seal(key)?);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn page_cursors<C, Q, M>(
    db: &C,
    query: Q,
    page: &Page,
    slice: &Slice<M>,
    pages: u32,
) -> Result<PageCursors, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let (Some(first), Some(last), true) = (slice.rows.first(), slice.rows.last(), page.size > 0) else {
        return Ok(PageCursors { number: None, previous: Vec::new(), next: Vec::new(), last: None });
    };
    let pages = pages.min(MOST_PAGES);
    let size = page.size;
    let around = |end, size, after: Option<&Key>, before: Option<&Key>| Page {
        order: page.order.clone(),
        end,
        size,
        after: after.cloned(),
        before: before.cloned(),
    };
    let ahead = around(End::Front, pages.saturating_mul(size), Some(&last.key), None);
    let behind = around(End::Back, pages.saturating_mul(size).saturating_add(1), None, Some(&first.key));
    let end = around(End::Back, size.saturating_add(1), None, None);

    let dialect = Dialect(db.get_database_backend());
    let mut keys = query.into_query();
    keys.clear_selects();
    let sides = [&ahead, &behind, &end];
    let brackets = sides.iter().map(|side| (select(&keys, side, dialect), side.travel().0));
    let statements = tagged(brackets, sides.len(), dialect);
    let slices = run::<NoColumns, _>(db, statements, &sides).await?;
    let [ahead, behind, end] =
        slices.try_into().map_err(|_| DbErr::Custom("three brackets are three slices".into()))?;

    let size = size as usize;
    Ok(PageCursors {
        number: (!behind.has_previous).then(|| 1 + behind.rows.len().div_ceil(size) as u64),
        previous: previous(&behind, size, pages as usize),
        next: next(last.key.clone(), &ahead, size, pages as usize),
        last: end.rows.first().filter(|_| end.rows.len() > size).map(|row| row.key.clone()),
    })
}

/// Back from this page: a page begins after every n-th row, or with the list.
fn previous(behind: &Slice<NoColumns>, size: usize, pages: usize) -> Vec<Option<Key>> {
    let back: Vec<&Key> = behind.rows.iter().rev().map(|row| &row.key).collect();
    let exists = |page: &usize| back.len() > (page - 1) * size;
    (1..=pages).take_while(exists).map(|page| back.get(page * size).map(|key| (*key).clone())).collect()
}

/// On from this page: a page begins after every n-th row that has another one behind it.
fn next(last: Key, ahead: &Slice<NoColumns>, size: usize, pages: usize) -> Vec<Key> {
    let exists = |page: &usize| ahead.rows.len() > page * size;
    let after = |rows: usize| rows.checked_sub(1).map_or(last.clone(), |place| ahead.rows[place].key.clone());
    (0..pages).take_while(exists).map(|page| after(page * size)).collect()
}

/// A row of which the key is enough.
struct NoColumns;

impl FromQueryResult for NoColumns {
    fn from_query_result(_: &QueryResult, _: &str) -> Result<Self, DbErr> {
        Ok(Self)
    }
}
