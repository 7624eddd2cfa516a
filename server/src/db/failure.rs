//! Kinds of database failures.

use sea_orm::sqlx::postgres::PgDatabaseError;
use sea_orm::{DbErr, RuntimeErr, sqlx};

use super::pool::ServerError;

/// The kinds of failures that are handled differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The connection was lost. Only a commit in progress can have had an effect.
    Lost,
    /// No connection: the database does not answer, or all its connections are in use.
    Unavailable,
    /// The statement exceeded its time limit.
    TimedOut,
    /// A conflict with another transaction. This one has had no effect and can be run again.
    InTheWay,
    /// The database cannot hold a value, or a sum with it.
    OutOfRange,
    /// A foreign key is violated.
    Reference,
    /// A unique constraint is violated.
    Duplicate,
    /// The disk is full, or a limit on the size of the database is reached.
    Full,
    /// The role may not do this, or there is no such role.
    Denied,
    /// The database is read-only.
    ReadOnly,
    /// The disk fails, or the files of the database are damaged, deleted or replaced.
    Storage,
    /// A table or a column is gone, or is of another type.
    SchemaChanged,
    /// The database cannot run such a statement: Citus, on distributed tables.
    Unsupported,
    /// Anything else.
    Other,
}

impl Failure {
    /// The kind of this failure.
    pub fn of(error: &DbErr) -> Self {
        match error {
            DbErr::ConnectionAcquire(_) => Self::Unavailable,
            DbErr::Conn(RuntimeErr::SqlxError(cause)) => match Self::of_cause(cause) {
                Self::Other => Self::Unavailable,
                failure => failure,
            },
            DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause)) => {
                Self::of_cause(cause)
            }
            _ => Self::Other,
        }
    }

    /// Whether the database could not be reached.
    pub fn is_outage(self) -> bool {
        matches!(self, Self::Lost | Self::Unavailable)
    }

    fn of_cause(cause: &sqlx::Error) -> Self {
        match cause {
            sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => Self::Lost,
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) => Self::Unavailable,
            // SQLite has one code for the errors of triggers and for `ON DELETE RESTRICT`.
            sqlx::Error::Database(error) if error.message().contains("FOREIGN KEY constraint failed") => {
                Self::Reference
            }
            sqlx::Error::Database(error) if is_no_role(error.as_ref()) => Self::Denied,
            sqlx::Error::Database(error) if has_changed(error.as_ref()) => Self::SchemaChanged,
            sqlx::Error::Database(error) if moves_tables(error.as_ref()) => Self::Unsupported,
            sqlx::Error::Database(error) => error.code().map_or(Self::Other, |code| Self::of_code(&code)),
            _ => Self::Other,
        }
    }

    /// By an SQLSTATE of PostgreSQL, or an extended result code of SQLite.
    fn of_code(code: &str) -> Self {
        match code {
            // Shut down by an administrator, by a crash, or for being idle.
            "57P01" | "57P02" | "57P05" => Self::Lost,
            // Connection exceptions.
            code if code.len() == 5 && code.starts_with("08") => Self::Lost,
            // Starting or stopping; too many connections; out of memory.
            "57P03" | "53300" | "53200" => Self::Unavailable,
            // Stopped by `statement_timeout`; interrupted.
            "57014" | "9" => Self::TimedOut,
            // Serialization failure, deadlock, lock not available; SQLite's four kinds of busy and two of locked.
            "40001" | "40P01" | "55P03" | "5" | "261" | "517" | "773" | "6" | "262" => Self::InTheWay,
            // Out of range, too long, check violated; SQLite: check violated, integer overflowed to a float.
            "22003" | "22001" | "23514" | "275" | "3091" => Self::OutOfRange,
            "23503" | "23001" | "787" => Self::Reference,
            // SQLite: a unique constraint, and that of the primary key.
            "23505" | "2067" | "1555" => Self::Duplicate,
            // Disk full; SQLite: full, and shared memory that cannot grow.
            "53100" | "13" | "4874" => Self::Full,
            "0A000" => Self::Unsupported,
            // A missing privilege, or a policy of row-level security.
            "42501" => Self::Denied,
            // A read-only transaction, as on a replica.
            "25006" => Self::ReadOnly,
            // Error of the disk, missing file, damaged table, damaged index; SQLite: the file was moved.
            "58030" | "58P01" | "XX001" | "XX002" | "1032" => Self::Storage,
            // The codes of SQLite are shorter. The low byte is the kind: read-only; error of the disk, damaged, no database.
            code if code.len() < 5 && !code.starts_with('0') => match code.parse::<u32>().map(|code| code & 0xff) {
                Ok(8) => Self::ReadOnly,
                Ok(10 | 11 | 26) => Self::Storage,
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// Whether PostgreSQL refuses a setting for its value: a role that does not exist. Other errors have the same SQLSTATE.
fn is_no_role(error: &dyn sqlx::error::DatabaseError) -> bool {
    is_raised_by(error, "22023", "call_string_check_hook")
}

/// Whether Citus would have to send the rows of a whole table to other servers, which it refuses by default, and as an internal error.
fn moves_tables(error: &dyn sqlx::error::DatabaseError) -> bool {
    is_raised_by(error, "XX000", "JobExecutorType")
}

/// Whether a table or a column of a statement is gone, or has another type than when the statement was prepared. SQLite has one code
/// for most errors of statements.
fn has_changed(error: &dyn sqlx::error::DatabaseError) -> bool {
    match error.code().as_deref() {
        // Undefined column, table, and schema; in SQLite, a statement that could not be prepared again.
        Some("42703" | "42P01" | "3F000" | "17") => true,
        Some("1") => ["no such column: ", "no such table: "].iter().any(|missing| error.message().contains(missing)),
        _ => is_outdated(error),
    }
}

/// Whether a statement was prepared for columns of other types: PostgreSQL's "cached plan must not change result type", which it
/// translates.
fn is_outdated(error: &dyn sqlx::error::DatabaseError) -> bool {
    is_raised_by(error, "0A000", "RevalidateCachedQuery")
}

/// Whether this routine of PostgreSQL has raised the error, with this SQLSTATE: other errors have the same one.
fn is_raised_by(error: &dyn sqlx::error::DatabaseError, code: &str, routine: &str) -> bool {
    let raised_by = match error.try_downcast_ref::<ServerError>() {
        Some(error) => error.routine(),
        None => error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().and_then(|error| error.routine()),
    };
    error.code().as_deref() == Some(code) && raised_by == Some(routine)
}

/// Whether a connection has prepared statements for columns of other types. The driver would keep them.
pub fn is_outdated_connection(cause: &sqlx::Error) -> bool {
    matches!(cause, sqlx::Error::Database(error) if is_outdated(error.as_ref()))
}

/// The columns of the unique constraint that a statement violates, as far as the database names them.
pub fn violated_columns(error: &DbErr) -> Vec<String> {
    let Some(error) = of_statement(error) else { return Vec::new() };
    let names = |list: &str| list.split(", ").map(|name| name.trim_matches('"').to_owned()).collect();
    let of_sqlx = error.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::detail);
    if let Some(detail) = of_sqlx.or_else(|| error.try_downcast_ref().map(ServerError::detail)) {
        // `Key (river_id, name)=(1, Bonn) already exists.`
        let columns = detail.and_then(|detail| detail.strip_prefix("Key (")?.split_once(")=("));
        return columns.map(|(columns, _)| names(columns)).unwrap_or_default();
    }
    // `UNIQUE constraint failed: city.river_id, city.name`
    let columns = error.message().split_once("constraint failed: ").map(|(_, columns)| columns);
    let columns: Vec<String> = columns.map(names).unwrap_or_default();
    columns
        .into_iter()
        .map(|name| name.rsplit_once('.').map_or(name.clone(), |(_, column)| column.to_owned()))
        .collect()
}

/// What the database says about a statement that failed.
pub fn message(error: &DbErr) -> Option<&str> {
    of_statement(error).map(sqlx::error::DatabaseError::message)
}

/// The error that the database has for a statement.
fn of_statement(error: &DbErr) -> Option<&dyn sqlx::error::DatabaseError> {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error else {
        return None;
    };
    if let sqlx::Error::Database(error) = cause.as_ref() { Some(error.as_ref()) } else { None }
}

/// The error of a connection that was lost.
pub fn lost() -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(sqlx::Error::WorkerCrashed.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_a_kind() {
        for (codes, failure) in [
            (&["57P01", "08006"][..], Failure::Lost),
            (&["57P03", "53300"], Failure::Unavailable),
            (&["57014", "9"], Failure::TimedOut),
            (&["40001", "40P01", "5", "517", "262"], Failure::InTheWay),
            (&["22003", "23514", "275", "3091"], Failure::OutOfRange),
            (&["23503", "23001", "787"], Failure::Reference),
            (&["53100", "13", "4874"], Failure::Full),
            (&["25006", "8", "264", "1544"], Failure::ReadOnly),
            (&["58030", "XX001", "10", "778", "11", "267", "26", "1032"], Failure::Storage),
            (&["23505", "2067", "1555"], Failure::Duplicate),
            (&["0A000"], Failure::Unsupported),
            (&["42P01", "1", "08", ""], Failure::Other),
        ] {
            for code in codes {
                assert_eq!(Failure::of_code(code), failure, "{code}");
            }
        }
    }
}
