//! From a query to slices.

use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Select};

use crate::batch::{run, tagged};
use crate::bracket::select_joined;
use crate::dialect::Dialect;
use crate::offset::skipped;
use crate::range::Index;
use crate::row_order::RowOrder;
use crate::slice::Reader;
use crate::source::Parts;
use crate::statement_cache::{Form, Shape, StatementCache, written_for};
use crate::{Join, Page, ReadRows, Record, Slice, Source, many};

/// Reads one page of an entity's rows with one statement, or the same page for each of [`Lists`](crate::Lists).
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::fruit};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<fruit::Entity>([Sort::asc(fruit::Column::Name)])?;
/// let page = Page::first(&order, 10);
/// let of_one_cake = fruit::Entity::find().filter(fruit::Column::CakeId.eq(7));
/// let slice = fetch(db, of_one_cake, &page).await?;
///
/// let of_each_cake = Lists::per_parent(fruit::Entity::find(), fruit::Column::CakeId, [1, 2, 3]);
/// let slices = fetch(db, of_each_cake, &page).await?;
/// assert_eq!(slices.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// Lists per parent take one statement on PostgreSQL, and one statement for every 400 parents on SQLite. Where tables are
/// [distributed](crate::Placement::Distributed), each takes one. A page after an
/// [offset](Page::offset) takes more: run it in a transaction that sees one state of the database.
///
/// # Errors
///
/// [`DbErr`] if the database fails. [`DbErr::Type`] unless all parents have one type; integers of all widths are one
/// type. [`DbErr::Type`] for a key that the database cannot store: see [`Page::on`].
pub async fn fetch<C, S, E>(db: &C, source: S, page: &Page) -> Result<S::Of<Slice<E::Model>>, DbErr>
where
    C: ConnectionTrait,
    S: Source<Query = Select<E>>,
    E: EntityTrait,
{
    fetch_into(db, source, page).await
}

/// Like [`fetch`], into another model than the entity's own: a partial model, or one over a join.
///
/// The query may select any columns. The columns that the page needs are added.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::fruit};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// # use sea_orm::{DerivePartialModel, QuerySelect};
/// #[derive(DerivePartialModel)]
/// #[sea_orm(entity = "fruit::Entity")]
/// struct Name {
///     name: String,
/// }
///
/// let page = Page::first(&Order::of::<fruit::Entity>([])?, 10);
/// let names = fruit::Entity::find().select_only().column(fruit::Column::Name);
/// let slice = fetch_into::<Name, _, _>(db, names, &page).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] if the database fails, or if a row does not fit the model.
pub async fn fetch_into<M, C, S>(db: &C, source: S, page: &Page) -> Result<S::Of<Slice<M>>, DbErr>
where
    M: FromQueryResult,
    C: ConnectionTrait,
    S: Source,
{
    let slices = read(db, source.parts(), page, &[], None).await?;
    S::wrap(slices.into_iter().map(Slice::read).collect::<Result<_, _>>()?)
}

/// Like [`fetch`], with relations to one, as rows of the database: still one statement. Read [`Models`](crate::Models)
/// from them. `cache` holds the texts of earlier statements of this list.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let page = Page::first(&Order::of::<fruit::Entity>([])?, 10);
/// let cake = Join::new::<cake::Entity>("cake_1", fruit::Column::CakeId, cake::Column::Id);
/// let slice = fetch_rows(db, fruit::Entity::find(), &page, &[cake.clone()], &StatementCache::default()).await?;
///
/// let (fruits, cakes) = (Models::<fruit::Entity>::default(), Models::<cake::Entity>::joined(&cake));
/// let (mut fruits, mut cakes) = (fruits.reader(), cakes.reader());
/// for row in slice.rows {
///     let fruit = fruits.read(&row.item)?;
///     let cake: Option<cake::Model> = cakes.read(&row.item)?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`fetch`].
pub async fn fetch_rows<C, S>(
    db: &C,
    source: S,
    page: &Page,
    joins: &[Join],
    cache: &StatementCache,
) -> Result<S::Of<Slice<Record>>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    S::wrap(read(db, source.parts(), page, joins, Some(cache)).await?)
}

/// What is read of each list, besides its page.
#[derive(Clone, Copy)]
struct Reading<'a> {
    joins: &'a [Join],
    cache: Option<&'a StatementCache>,
    index: Index,
    dialect: Dialect,
}

/// A slice for each list.
pub(crate) async fn read<C: ReadRows + ?Sized>(
    db: &C,
    parts: Parts<'_>,
    page: &Page,
    joins: &[Join],
    cache: Option<&StatementCache>,
) -> Result<Vec<Slice<Record>>, DbErr> {
    let dialect = Dialect::of(db)?;
    page.check(dialect).map_err(|error| DbErr::Type(error.to_string()))?;
    let reading = Reading { joins, cache, index: parts.index(), dialect };
    match parts.parents {
        // On the heap: otherwise each page would have room for it.
        _ if page.offset > 0 => Box::pin(read_skipped(db, parts, page, reading)).await,
        Some(_) if dialect.is_distributed() => Box::pin(read_each(db, parts, page, reading)).await,
        Some(parents) => many::fetch(db, parts.query, parents, page, joins, dialect, cache).await,
        None => Ok(vec![read_one(db, parts.query, page, reading).await?]),
    }
}

/// The slice of each list, by a statement of its own: Citus asks the servers of its rows alone.
async fn read_each<C: ReadRows + ?Sized>(
    db: &C,
    parts: Parts<'_>,
    page: &Page,
    reading: Reading<'_>,
) -> Result<Vec<Slice<Record>>, DbErr> {
    let (lists, queries) = parts.present()?;
    let mut slices: Vec<_> = (0..parts.len()).map(|_| Slice::default()).collect();
    for (list, query) in lists.into_iter().zip(queries) {
        slices[list] = read_one(db, &query, page, reading).await?;
    }
    Ok(slices)
}

/// The slice of one list.
async fn read_one<C: ReadRows + ?Sized>(
    db: &C,
    query: &SelectStatement,
    page: &Page,
    Reading { joins, cache, index, dialect }: Reading<'_>,
) -> Result<Slice<Record>, DbErr> {
    let write = |_, query: &SelectStatement, joins: &[Join], page: &Page| {
        let order = RowOrder::of(query, joins, page);
        Ok(dialect.statement(&select_joined(query, page, &order, joins, index, dialect)).into())
    };
    let shape = Shape { query, page, joins, parents: &[], form: Form::Page, dialect };
    let rows = db.read(written_for(cache, shape, &[], write)?.statement).await?;
    Slice::of(rows, &mut Reader::new(page))
}

/// The slices of lists after an offset: each begins at a key of its own.
async fn read_skipped<C: ReadRows + ?Sized>(
    db: &C,
    parts: Parts<'_>,
    page: &Page,
    reading: Reading<'_>,
) -> Result<Vec<Slice<Record>>, DbErr> {
    let Reading { joins, index, dialect, .. } = reading;
    let (lists, queries) = parts.present()?;
    let pages = skipped(db, &queries, page, index, dialect).await?;
    if let (None, [query], [page]) = (parts.parents, queries.as_slice(), pages.as_slice()) {
        return Ok(vec![read_one(db, query, page, reading).await?]);
    }
    let bracket = |(query, page): (_, &Page)| {
        let order = RowOrder::in_union(query, joins, page);
        (select_joined(query, page, &order, joins, index, dialect), order)
    };
    let brackets = queries.iter().zip(&pages).map(bracket).collect();
    let found = run(db, tagged(brackets, dialect), &pages.iter().collect::<Vec<_>>(), dialect).await?;
    let mut slices: Vec<_> = (0..parts.len()).map(|_| Slice::default()).collect();
    for (list, slice) in lists.into_iter().zip(found) {
        slices[list] = slice;
    }
    Ok(slices)
}
