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
