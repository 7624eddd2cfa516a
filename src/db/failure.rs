//! Kinds of database failures.

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr};

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
    /// The disk is full, or a limit on the size of the database is reached.
    Full,
    /// The database is read-only.
    ReadOnly,
    /// The disk fails, or the files of the database are damaged, deleted or replaced.
    Storage,
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
            "23503" | "787" => Self::Reference,
            // Disk full; SQLite: full, and shared memory that cannot grow.
            "53100" | "13" | "4874" => Self::Full,
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
            (&["23503", "787"], Failure::Reference),
            (&["53100", "13", "4874"], Failure::Full),
            (&["25006", "8", "264", "1544"], Failure::ReadOnly),
            (&["58030", "XX001", "10", "778", "11", "267", "26", "1032"], Failure::Storage),
            (&["42P01", "1", "08", "23505", ""], Failure::Other),
        ] {
            for code in codes {
                assert_eq!(Failure::of_code(code), failure, "{code}");
            }
        }
    }
}
