//! Page numbers on keys: the cursors that open the pages around a page.

use sea_orm::sea_query::SelectStatement;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, FromQueryResult, QueryResult, QueryTrait, Value};

use crate::batch::{of_parents, run, tagged};
use crate::bracket::select;
use crate::dialect::Dialect;
use crate::{End, Key, Page, Slice};

/// The most pages on either side that are looked for.
pub const MOST_PAGES: u32 = 5;

/// Where the pages around a page begin. Each is opened by `first: n` after its key, n being the size of this page;
/// `None` is the beginning of the list. By default there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageCursors {
    /// The number of this page, from 1; `None` where the list begins further away than was looked.
    ///
    /// A page that does not begin a multiple of n after the beginning of the list has the number of the page that its
    /// first row would be on, rounded up.
    pub number: Option<u64>,
    /// This page: the row before its first one.
    ///
    /// A page that was cut short, by `before` or by `last` at the beginning of the list, opens longer.
    pub current: Option<Key>,
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
/// It is one statement that reads keys alone, at most (2 × `pages` + 1) × n and a few: no more than [`MOST_PAGES`]
/// pages are looked for. Around an empty page, or one of size 0, there are none. The pages are those of the whole list,
/// whatever window the page was cut from. Under a computed order the rows are computed for each of the three
/// directions.
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
    let mut found = around(db, &[(query.into_query(), slice)], page, pages).await?;
    found.pop().ok_or_else(|| DbErr::Custom("one slice has one set of cursors".into()))
}

/// [`page_cursors`] for the slice of each of many parents, in the order of the parents.
///
/// `slices` are those that [`fetch_many`](crate::fetch_many) found for the same parents and this page. A parent whose
/// slice is empty has no cursors. It is one statement for every 133 of the others, or for fewer where the query has
/// many parameters.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// # use fruit::Column::CakeId;
/// let page = Page::new(&Args { first: Some(3), ..Args::default() }, &Order::of::<fruit::Entity>([])?, Limits::default())?;
/// let (fruits, cakes) = (fruit::Entity::find(), [1, 2, 3]);
/// let slices = fetch_many(db, fruits.clone(), CakeId, cakes, &page).await?;
/// let around = page_cursors_many(db, fruits, CakeId, cakes, &page, &slices, 5).await?;
/// assert_eq!(around.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails; [`DbErr::Custom`] unless there is a slice for each parent.
pub async fn page_cursors_many<C, Q, M, P>(
    db: &C,
    query: Q,
    column: impl ColumnTrait,
    parents: P,
    page: &Page,
    slices: &[Slice<M>],
    pages: u32,
) -> Result<Vec<PageCursors>, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
    P: IntoIterator<Item: Into<Value>>,
{
    let queries = of_parents(&query.into_query(), column, parents);
    if queries.len() != slices.len() {
        return Err(DbErr::Custom(format!("{} parents have as many slices, not {}", queries.len(), slices.len())));
    }
    let lists: Vec<_> = queries.into_iter().zip(slices).collect();
    around(db, &lists, &page.of_parent(), pages).await
}

/// The cursors around the slice of each of several queries.
async fn around<C, M>(
    db: &C,
    lists: &[(SelectStatement, &Slice<M>)],
    page: &Page,
    pages: u32,
) -> Result<Vec<PageCursors>, DbErr>
where
    C: ConnectionTrait,
{
    let dialect = Dialect(db.get_database_backend());
    let pages = pages.min(MOST_PAGES);
    let sides: Vec<_> = lists.iter().map(|(_, slice)| sides(page, slice, pages)).collect();
    let looks: Vec<&Page> = sides.iter().flatten().flatten().collect();
    let mut brackets = Vec::with_capacity(looks.len());
    for ((query, _), sides) in lists.iter().zip(&sides) {
        let keys = query.clone().clear_selects().take();
        brackets.extend(sides.iter().flatten().map(|side| (select(&keys, side, dialect), side.travel().0)));
    }
    // A key with NULLs in it has fewer parameters than others.
    let parameters = brackets.iter().map(|(bracket, _)| dialect.parameters(bracket)).max().unwrap_or_default();
    let statements = tagged(brackets.into_iter(), dialect.terms(parameters), dialect);
    let mut found = run::<NoColumns, _>(db, statements, &looks).await?.into_iter();

    let mut next_side = || found.next().ok_or_else(|| DbErr::Custom("three brackets are three slices".into()));
    let cursors = |((_, slice), sides): (&(_, &Slice<M>), &Option<_>)| match (sides, slice.rows.last()) {
        (Some(_), Some(last)) => {
            Ok(cursors(&last.key, [next_side()?, next_side()?, next_side()?], page.size as usize, pages as usize))
        }
        _ => Ok(PageCursors::default()),
    };
    lists.iter().zip(&sides).map(cursors).collect()
}

/// Ahead of a slice, behind it, and at the end of the list; `None` where there is nothing to look for.
fn sides<M>(page: &Page, slice: &Slice<M>, pages: u32) -> Option<[Page; 3]> {
    let (Some(first), Some(last), size @ 1..) = (slice.rows.first(), slice.rows.last(), page.size) else { return None };
    let look = |end, size, after: Option<&Key>, before: Option<&Key>| Page {
        order: page.order.clone(),
        end,
        size,
        after: after.cloned(),
        before: before.cloned(),
    };
    Some([
        look(End::Front, pages.saturating_mul(size), Some(&last.key), None),
        look(End::Back, pages.saturating_mul(size).saturating_add(1), None, Some(&first.key)),
        look(End::Back, size.saturating_add(1), None, None),
    ])
}

/// What was found on the three sides of a page that ends with this key.
fn cursors(last: &Key, [ahead, behind, end]: [Slice<NoColumns>; 3], size: usize, pages: usize) -> PageCursors {
    PageCursors {
        number: (!behind.has_previous).then(|| 1 + behind.rows.len().div_ceil(size) as u64),
        current: behind.rows.last().map(|row| row.key.clone()),
        previous: previous(&behind, size, pages),
        next: next(last, &ahead, size, pages),
        last: end.rows.first().filter(|_| end.rows.len() > size).map(|row| row.key.clone()),
    }
}

/// Back from this page: a page begins after every n-th row, or with the list.
fn previous(behind: &Slice<NoColumns>, size: usize, pages: usize) -> Vec<Option<Key>> {
    let back: Vec<&Key> = behind.rows.iter().rev().map(|row| &row.key).collect();
    let exists = |page: &usize| back.len() > (page - 1) * size;
    (1..=pages).take_while(exists).map(|page| back.get(page * size).map(|key| (*key).clone())).collect()
}

/// On from this page: a page begins after every n-th row that has another one behind it.
fn next(last: &Key, ahead: &Slice<NoColumns>, size: usize, pages: usize) -> Vec<Key> {
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
