//! Pages around a row: a bracket whose position is that of the row, looked up in the same statement.
//!
//! ```sql
//! -- cities ORDER BY rank, id, around city 7: the position is (a, b), where
//! -- a = (SELECT rank FROM city WHERE id = 7 LIMIT 1), b = (SELECT id FROM city WHERE id = 7 LIMIT 1)
//! witness side: the page's size and one more rows at or before (a, b)
//! page side:    the page's size and one more rows beyond (a, b)
//! ```
//!
//! A range depends on which values are NULL, and that is not known before. So there is a bracket for each combination of
//! NULLs that the order allows, and the row itself says which of them reads.

use std::sync::Arc;

use sea_orm::{Condition, DbErr};

use crate::fetch::read;
use crate::{Args, Join, Limits, Order, Page, PageError, ReadRows, Record, Slice, Source};

/// A request for the page in which a row stands, wherever that is in the list.
///
/// The row is in the middle of the page: of n rows, (n - 1) / 2 stand before it. Near an end of the list the page has more
/// rows on the other side, so it has n rows wherever the list has.
#[derive(Clone, Debug)]
pub struct Around {
    page: Page,
    row: Arc<Condition>,
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
        Ok(Self { page, row: Arc::new(row) })
    }

    /// The first page of the same order and size: for [`page_cursors`](crate::page_cursors).
    pub fn page(&self) -> &Page {
        &self.page
    }
}

/// Reads the page around a row, or around the same row in each of [`Lists`](crate::Lists), with one statement. A list
/// without the row has no page.
///
/// It reads up to size + 1 rows on each side, and looks the row up once for each value of its position.
///
/// ```no_run
/// # use sea_orm::{ColumnTrait, Condition, EntityTrait, tests_cfg::cake};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<cake::Entity>([Sort::asc(cake::Column::Name)])?;
/// let args = Args { first: Some(20), ..Args::default() };
/// let around = Around::new(&args, &order, Limits::default(), Condition::all().add(cake::Column::Id.eq(7)))?;
/// match fetch_around(db, cake::Entity::find(), &around, &[]).await? {
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
) -> Result<S::Of<Option<Slice<Record>>>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let page = Page { around: Some(Arc::clone(&around.row)), ..around.page.clone() };
    // Each row has a text of its own: none is worth keeping.
    let slices = read(db, source.parts(), &page, joins, None).await?;
    // A page around a row has at least that row.
    S::wrap(slices.into_iter().map(|slice| (!slice.rows.is_empty()).then_some(slice)).collect())
}
