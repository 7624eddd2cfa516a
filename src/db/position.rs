//! Positions in the write-ahead log of PostgreSQL, by which a client reads its own writes from a replica.

use std::fmt;
use std::str::FromStr;

use keyset::ReadRows;
use sea_orm::{DbBackend, DbErr, Statement};

use super::{Db, Route};

/// A position in the write-ahead log: an LSN, in bytes since the database was created. A server that has replayed it shows
/// every change before it. Its text is PostgreSQL's own, such as `16/B374D848`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

/// Why a text is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a position as a response has it, such as `16/B374D848`")]
pub struct InvalidPosition;

impl Position {
    /// The first one, which every server has replayed.
    pub const START: Self = Self(0);
    /// The last one, which no replica ever replays: only the primary has what it stands for.
    pub const END: Self = Self(u64::MAX);
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, InvalidPosition> {
        let half = |digits: &str| {
            let is_short = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let parsed = is_short.then(|| u64::from_str_radix(digits, 16).ok());
            parsed.flatten().ok_or(InvalidPosition)
        };
        let (high, low) = text.split_once('/').ok_or(InvalidPosition)?;
        Ok(Self(half(high)? << 32 | half(low)?))
    }
}

impl Db {
    /// What a server must have replayed to show all that is committed now, on PostgreSQL.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub(crate) async fn position(&self) -> Result<Position, DbErr> {
        // It is also right where commits do not wait for the disk.
        self.end_of_log("pg_current_wal_insert_lsn()").await
    }

    /// The same for what is committed and on the disk. A replica reaches it without further writes, which
    /// [`Self::position`] may need: it can be behind a record that nobody waits for.
    pub(super) async fn durable_position(&self) -> Result<Position, DbErr> {
        self.end_of_log("pg_current_wal_flush_lsn()").await
    }

    async fn end_of_log(&self, function: &str) -> Result<Position, DbErr> {
        let statement = format!("SELECT pg_wal_lsn_diff({function}, '0/0')::bigint AS position");
        let rows = self.reader.read(Statement::from_string(DbBackend::Postgres, statement)).await?;
        let row = rows.first().ok_or_else(|| DbErr::Custom("PostgreSQL returned no position".into()))?;
        row.count("position").map(Position)
    }

    /// Where a query reads a state that includes this position: from a replica, or from the primary.
    pub fn route(&self, after: Option<Position>) -> Route {
        Route::new(self.reader.clone(), self.replicas.clone(), after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_postgresql_writes_it() {
        for (text, position) in [
            ("0/0", Position::START),
            ("0/16B3748", Position(0x016B_3748)),
            ("16/B374D848", Position(0x16_B374_D848)),
            ("FFFFFFFF/FFFFFFFF", Position::END),
        ] {
            assert_eq!((text.parse(), position.to_string().as_str()), (Ok(position), text));
        }
        assert_eq!("16/b374d848".parse(), Ok(Position(0x16_B374_D848)));
        for text in ["", "/", "0", "0/", "/0", "0/0/0", "0/+1", "-1/0", "000000000/0", "0/x", " 0/0"] {
            assert_eq!(text.parse::<Position>(), Err(InvalidPosition), "{text}");
        }
    }

    #[test]
    fn positions_are_ordered_as_numbers() {
        let order = ["0/FFFFFFFF", "1/0", "9/0", "A/0", "10/0"].map(|text| text.parse::<Position>().unwrap());
        assert!(order.is_sorted());
    }
}
