//! Pages around a row: the key of the row is looked up, and one bracket at it reads rows on both sides.

use sea_orm::sea_query::SelectStatement;
use sea_orm::{Condition, DbErr};

use crate::batch::{run_each, tagged_each};
use crate::dialect::Dialect;
use crate::fetch::{Reading, read_places};
use crate::keyed::keys;
use crate::slice::Reader;
use crate::{Args, Join, Limits, Order, Page, PageError, ReadRows, Record, Slice, Source, Texts};

/// A request for the page in which a row stands, wherever that is in the list.
///
/// The row is in the middle of the page: of n rows, (n - 1) / 2 stand before it. Near an end of the list the page has more
/// rows on the other side, so it has n rows wherever the list has.
#[derive(Clone, Debug)]
pub struct Around {
    page: Page,
    row: Condition,
}

impl Around {
    /// The page of `first` rows around the row that a condition finds, such as `city::Column::Id.eq(7)`. The condition
    /// finds one row at most, by a unique index.
    ///
    /// # Errors
    ///
    /// [`PageError::AroundWith`] for any argument besides `first`. [`PageError::Size`] for a size out of bounds.
    /// [`PageError::AroundNothing`] for a page without rows.
    pub fn new(args: &Args, order: &Order, limits: Limits, row: Condition) -> Result<Self, PageError> {
        let other = match args {
            Args { last: Some(_), .. } => Some("last"),
            Args { offset: Some(_), .. } => Some("offset"),
            Args { after: Some(text), .. } if !text.is_empty() => Some("after"),
            Args { before: Some(text), .. } if !text.is_empty() => Some("before"),
            _ => None,
        };
        if let Some(argument) = other {
            return Err(PageError::AroundWith(argument));
        }
        let page = Page::new(args, order, limits)?;
        if page.size == 0 {
            return Err(PageError::AroundNothing);
        }
        Ok(Self { page: Page { is_around: true, ..page }, row })
    }

    /// Its order and size, as a page from the front: for [`page_cursors`](crate::page_cursors).
    pub fn page(&self) -> &Page {
        &self.page
    }
}

/// Reads the page around a row, or around the same row in each of [`Lists`](crate::Lists). A list without the row has
/// none.
///
/// Two statements: a look-up of the row, and the bracket at its key, which reads up to size + 1 rows on each side. They
/// see one state of the database only in a transaction that does.
///
/// ```no_run
/// # use sea_orm::{ColumnTrait, Condition, EntityTrait, tests_cfg::cake};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
/// let args = Args { first: Some(20), ..Args::default() };
/// let around = Around::new(&args, &order, Limits::default(), Condition::all().add(cake::Column::Id.eq(7)))?;
/// match fetch_around(db, cake::Entity::find(), &around, &[], &Texts::default()).await? {
///     Some(slice) => println!("cake 7 is among {} cakes", slice.rows.len()),
///     None => println!("cake 7 is gone"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`fetch`](crate::fetch).
pub async fn fetch_around<C, S>(
    db: &C,
    source: S,
    around: &Around,
    joins: &[Join],
    texts: &Texts,
) -> Result<S::Of<Option<Slice<Record>>>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let (dialect, parts) = (Dialect::of(db)?, source.parts());
    let (queries, index) = (parts.queries(), parts.index());
    let pages = places(db, &queries, around, dialect).await?;
    let found = queries.into_iter().zip(&pages).filter_map(|(query, page)| Some((query, page.clone()?))).collect();
    let reading = Reading { joins, texts: Some(texts), index, dialect };
    let mut slices = read_places(db, found, reading).await?.into_iter();
    S::wrap(pages.into_iter().map(|page| page.and_then(|_| slices.next())).collect())
}

/// The page of each query at the key of the row, where it has the row.
async fn places<C>(
    db: &C,
    queries: &[SelectStatement],
    around: &Around,
    dialect: Dialect,
) -> Result<Vec<Option<Page>>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let page = &around.page;
    let looks = queries.iter().map(|query| {
        let row = query.clone().cond_where(around.row.clone()).take();
        keys(&row, &page.order).limit(1).take()
    });
    let mut pages = vec![None; queries.len()];
    let mut reader = Reader::new(page, dialect);
    for (list, row) in run_each(db, tagged_each(looks, dialect), dialect).await? {
        pages[list] = Some(Page { after: Some(reader.read(row)?.row.key), ..page.clone() });
    }
    Ok(pages)
}
