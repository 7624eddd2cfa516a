//! The schema of a database as statements of SQL, which create it anew.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use super::entity::Defaults;

mod postgres;
mod sqlite;

/// The schema of a database.
#[derive(Debug, Default)]
pub struct Ddl {
    /// The statements, each with its end.
    pub statements: String,
    /// The defaults of columns.
    pub defaults: Defaults,
    /// What the statements do not create: a sentence for each.
    pub missing: Vec<String>,
}

/// Reads the schema of a database.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn read(db: &impl ConnectionTrait) -> Result<Ddl, DbErr> {
    let (statements, defaults, missing) = match db.get_database_backend() {
        DbBackend::Postgres => (postgres::STATEMENTS, postgres::DEFAULTS, postgres::MISSING),
        _ => (sqlite::STATEMENTS, sqlite::DEFAULTS, sqlite::MISSING),
    };
    let mut ddl = Ddl::default();
    if db.get_database_backend() == DbBackend::Postgres {
        ddl.statements += postgres::BEGIN;
    }
    for sql in statements {
        for [statement] in texts(db, sql, ["statement"]).await? {
            let statement = statement.trim_end().trim_end_matches(';');
            ddl.statements += &format!("{statement};\n");
        }
    }
    for [table, column, default] in texts(db, defaults, ["table", "column", "default"]).await? {
        ddl.defaults.insert((table, column), default);
    }
    for sql in missing {
        ddl.missing.extend(texts(db, sql, ["missing"]).await?.into_iter().map(|[missing]| missing));
    }
    Ok(ddl)
}

/// These columns of the rows of a statement.
async fn texts<const N: usize>(
    db: &impl ConnectionTrait,
    sql: &str,
    columns: [&str; N],
) -> Result<Vec<[String; N]>, DbErr> {
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let mut texts = Vec::new();
    for row in rows {
        let mut values = columns.map(|_| String::new());
        for (value, column) in values.iter_mut().zip(columns) {
            *value = row.try_get("", column)?;
        }
        texts.push(values);
    }
    Ok(texts)
}
