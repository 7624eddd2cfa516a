//! What it means that a statement failed.

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr};

/// The kinds of failures that somebody can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The connection broke, while or before it was used. What was not being committed has had no effect.
    Lost,
    /// There is no connection to be had: the database does not answer, or all of its connections are in use.
    Unavailable,
    /// The statement took too long and was stopped.
    TimedOut,
    /// Another transaction was in the way, and this one has had no effect: it can be run again.
    InTheWay,
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

    /// What an SQLSTATE of PostgreSQL says, or an extended result code of SQLite.
    fn of_code(code: &str) -> Self {
        match code {
            // Shut down by an administrator, by a crash, idle for too long.
            "57P01" | "57P02" | "57P05" => Self::Lost,
            // A connection exception of any kind.
            code if code.len() == 5 && code.starts_with("08") => Self::Lost,
            // Not yet up, or no longer; full; without memory; a standby that is not yet in charge.
            "57P03" | "53300" | "53200" | "25006" => Self::Unavailable,
            // Stopped by `statement_timeout`; interrupted.
            "57014" | "9" => Self::TimedOut,
            // Serialization failure, deadlock, lock not available; busy in its four kinds, locked in its two.
            "40001" | "40P01" | "55P03" | "5" | "261" | "517" | "773" | "6" | "262" => Self::InTheWay,
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
            (&["57P01", "08006"][..], Failure::Lost),
            (&["57P03", "53300", "25006"], Failure::Unavailable),
            (&["57014", "9"], Failure::TimedOut),
            (&["40001", "40P01", "5", "517", "262"], Failure::InTheWay),
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
