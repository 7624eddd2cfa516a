//! The condition that a column has one of some values, in few texts.

use sea_orm::sea_query::extension::postgres::PgFunc;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{DbBackend, DbErr, Value};

use crate::dialect::Dialect;
use crate::source::array;
use crate::table::Column;

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
    let mut values: Vec<Value> = values.into_iter().map(Into::into).collect();
    if values.len() == 1 {
        return Ok(column.into().expr().eq(values.remove(0)));
    }
    Ok(one_of(column.into().expr(), values, usize::MAX, Dialect::of_backend(backend)?))
}

/// The same for an expression, with at most as many parameters on SQLite: at least one for each value.
pub(crate) fn one_of(column: Expr, mut values: Vec<Value>, max: usize, dialect: Dialect) -> Expr {
    let Some(first) = values.first() else { return Expr::value(false) };
    match dialect {
        Dialect::Postgres { .. } => column.eq(PgFunc::any(array(values))),
        Dialect::Sqlite => {
            let null = first.as_null();
            values.resize(values.len().next_power_of_two().min(max), null);
            column.is_in(values)
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
