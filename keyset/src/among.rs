//! The condition that a column has one of some values, in few texts.

use sea_orm::sea_query::extension::postgres::PgFunc;
use sea_orm::sea_query::{Expr, ExprTrait, Query, ValueTuple};
use sea_orm::{DbBackend, DbErr, Value};

use crate::Column;
use crate::dialect::Dialect;
use crate::source::{array, columns_of};

/// The condition that a column has one of these values, which have one type.
///
/// One value is compared with `=`: by it, PostgreSQL finds the partition of a row, also in a plan that it keeps. On PostgreSQL,
/// any other number of values has one text. On SQLite, their number is rounded up to a power of two by NULLs, which
/// no row has. So do not negate it by `NOT`: for other rows it is NULL there, not false.
///
/// ```sql
/// id = $1
/// id = ANY($1)
/// id IN (?1, ?2, ?3, ?4)
/// ```
///
/// # Errors
///
/// [`DbErr::BackendNotSupported`] unless the backend is PostgreSQL or SQLite.
pub fn among(
    column: impl Into<Column>,
    values: impl IntoIterator<Item: Into<Value>>,
    backend: DbBackend,
) -> Result<Expr, DbErr> {
    among_keys(&[column.into()], values.into_iter().map(Into::into).collect(), backend)
}

/// The same for keys of several columns. The values of all keys stand one after the other.
///
/// ```sql
/// (film_id, actor_id) IN (SELECT * FROM unnest($1, $2))
/// (film_id, actor_id) IN (SELECT * FROM (VALUES (?1, ?2), (?3, ?4)) AS k)
/// ```
///
/// # Errors
///
/// As [`among`].
pub fn among_keys(columns: &[Column], values: Vec<Value>, backend: DbBackend) -> Result<Expr, DbErr> {
    let exprs: Vec<Expr> = columns.iter().map(Column::expr).collect();
    if values.len() == exprs.len() {
        let equal = exprs.into_iter().zip(values).map(|(column, value)| column.eq(value));
        return Ok(equal.reduce(ExprTrait::and).unwrap_or_else(|| Expr::value(false)));
    }
    Ok(one_of(&exprs, values, usize::MAX, Dialect::of_backend(backend)?))
}

/// The same for expressions, with at most as many parameters on SQLite: at least one for each value.
pub(crate) fn one_of(columns: &[Expr], mut values: Vec<Value>, max: usize, dialect: Dialect) -> Expr {
    let width = columns.len();
    if values.is_empty() {
        return Expr::value(false);
    }
    if dialect.is_sqlite() {
        let keys = (values.len() / width).next_power_of_two().min(max / width);
        for place in values.len()..keys * width {
            values.push(values[place % width].as_null());
        }
    }
    match (dialect, columns) {
        (Dialect::Postgres { .. }, [column]) => column.clone().eq(PgFunc::any(array(values))),
        (Dialect::Sqlite, [column]) => column.clone().is_in(values),
        (Dialect::Postgres { .. }, _) => {
            let places = (1..=width).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
            let keys = Expr::cust_with_values(format!("* FROM unnest({places})"), columns_of(&values, width));
            Expr::tuple(columns.to_vec()).in_subquery(Query::select().expr(keys).take())
        }
        (Dialect::Sqlite, _) => {
            let keys = values.chunks(width).map(|key| ValueTuple::Many(key.to_vec()));
            let keys = Query::select().expr(Expr::cust("*")).from_values(keys, "k").take();
            Expr::tuple(columns.to_vec()).in_subquery(keys)
        }
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::tests_cfg::cake;
    use sea_orm::{EntityTrait, QueryFilter, QueryTrait};

    use super::*;

    fn text(values: i32, backend: DbBackend) -> String {
        let condition = among(cake::Column::Id, 0..values, backend).unwrap();
        let query = cake::Entity::find().filter(condition).into_query();
        Dialect::of_backend(backend).unwrap().statement(&query).sql
    }

    #[test]
    fn there_are_few_texts() {
        let texts = |backend| {
            let mut texts: Vec<_> = (1..=100).map(|values| text(values, backend)).collect();
            texts.dedup();
            texts.len()
        };
        assert_eq!((texts(DbBackend::Postgres), texts(DbBackend::Sqlite)), (2, 8));
        assert!(text(1, DbBackend::Postgres).ends_with(r#"WHERE "cake"."id" = $1"#));
        assert!(text(3, DbBackend::Postgres).ends_with(r#"WHERE "cake"."id" = ANY($1)"#));
        assert!(text(3, DbBackend::Sqlite).ends_with(r#"WHERE "cake"."id" IN (?, ?, ?, ?)"#));
    }
}
