//! From a query to a slice.

use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryResult, QueryTrait, Select};

use crate::bracket::{self, bracket};
use crate::dialect::Dialect;
use crate::slice::Found;
use crate::{Key, Page, Row, Slice};

/// One page of an entity's rows, by one statement.
///
/// The query brings the filters and joins.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let order = Order::of::<fruit::Entity>([Sort::asc(fruit::Column::Name)])?;
/// let page = Page::new(&Args { first: Some(10), ..Args::default() }, &order, Limits::default())?;
/// let of_one_cake = fruit::Entity::find().filter(fruit::Column::CakeId.eq(7));
/// let slice = fetch(db, of_one_cake, &page).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn fetch<C, E>(db: &C, query: Select<E>, page: &Page) -> Result<Slice<E::Model>, DbErr>
where
    C: ConnectionTrait,
    E: EntityTrait,
{
    fetch_into(db, query, page).await
}

/// [`fetch`], into another model than the entity's own: a partial model, or one over a join.
///
/// Columns may be projected at will; what the page needs of them is selected besides.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// # use sea_orm::{DerivePartialModel, QuerySelect};
/// #[derive(DerivePartialModel)]
/// #[sea_orm(entity = "fruit::Entity")]
/// struct Name {
///     name: String,
/// }
///
/// let page = Page::new(&Args::default(), &Order::of::<fruit::Entity>([])?, Limits::default())?;
/// let names = fruit::Entity::find().select_only().column(fruit::Column::Name);
/// let slice = fetch_into::<Name, _, _>(db, names, &page).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails, or a row does not fit the model.
pub async fn fetch_into<M, C, Q>(db: &C, query: Q, page: &Page) -> Result<Slice<M>, DbErr>
where
    M: FromQueryResult,
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let backend = db.get_database_backend();
    let rows = db.query_all_raw(bracket(query.as_query(), page, backend)).await?;
    let found = rows.iter().map(|row| read(row, page, Dialect(backend))).collect::<Result<_, _>>()?;
    Ok(Slice::cut(found, page))
}

/// A row of a bracket.
pub(crate) fn read<M: FromQueryResult>(row: &QueryResult, page: &Page, dialect: Dialect) -> Result<Found<M>, DbErr> {
    Ok(Found {
        segment: row.try_get("", bracket::SEGMENT)?,
        inside: page.far().is_none() || row.try_get::<i32>("", bracket::INSIDE)? == 1,
        row: Row { key: Key::read(&page.order, row, dialect)?, item: M::from_query_result(row, "")? },
    })
}
