//! What a failed statement means to whoever wrote it.

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr};

/// The kinds of failures that somebody can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another transaction was in the way, and this one has had no effect: it can be run again.
    InTheWay,
    /// The database went away. What was not being committed has had no effect.
    Unreachable,
    /// A value, or a sum that it is part of, is none that the database can hold.
    OutOfRange,
    /// Others refer to a row that was to go, or one is missing that was referred to.
    Reference,
    /// Anything else.
    Other,
}

impl Failure {
    /// What kind of failure this is.
    pub fn of(error: &DbErr) -> Self {
        let error = match error {
            // All connections were taken, for as long as one waits.
            DbErr::ConnectionAcquire(_) => return Self::InTheWay,
            DbErr::Exec(error) | DbErr::Query(error) | DbErr::Conn(error) => error,
            _ => return Self::Other,
        };
        let RuntimeErr::SqlxError(error) = error else { return Self::Other };
        match error.as_ref() {
            sqlx::Error::Database(error) => error.code().map_or(Self::Other, |code| Self::of_code(&code)),
            sqlx::Error::PoolTimedOut => Self::InTheWay,
            sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => Self::Unreachable,
            _ => Self::Other,
        }
    }

    /// What an SQLSTATE of PostgreSQL says, or an extended result code of SQLite.
    fn of_code(code: &str) -> Self {
        match code {
            // Serialization failure, deadlock, lock not available, cancelled; busy in its four kinds, locked in its two.
            "40001" | "40P01" | "55P03" | "57014" | "5" | "261" | "517" | "773" | "6" | "262" => Self::InTheWay,
            // Shut down by an administrator, by a crash, not yet up; full; a standby that is not yet in charge.
            "57P01" | "57P02" | "57P03" | "53300" | "25006" => Self::Unreachable,
            // A connection exception of any kind.
            code if code.len() == 5 && code.starts_with("08") => Self::Unreachable,
            // Out of range, too long, a check; a check, a whole number that has become a fraction by overflowing.
            "22003" | "22001" | "23514" | "275" | "3091" => Self::OutOfRange,
            "23503" | "787" => Self::Reference,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_says_what_can_be_done() {
        for (codes, failure) in [
            (&["40001", "40P01", "5", "517", "262"][..], Failure::InTheWay),
            (&["57P01", "57P03", "08006"], Failure::Unreachable),
            (&["22003", "23514", "275", "3091"], Failure::OutOfRange),
            (&["23503", "787"], Failure::Reference),
            (&["42P01", "1", "08", "23505", ""], Failure::Other),
        ] {
            for code in codes {
                assert_eq!(Failure::of_code(code), failure, "{code}");
            }
        }
    }
}
