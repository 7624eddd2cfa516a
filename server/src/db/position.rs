//! Positions in the write-ahead log of PostgreSQL, by which a client reads its own writes from a replica.

use std::fmt;
use std::str::FromStr;

/// A position in the write-ahead log. A server that has replayed it shows every change before it, except those that were
/// lost with a former primary. Its text is the timeline, and PostgreSQL's text of the LSN: `2/16/B374D848`.
///
/// Each promotion begins a timeline, at an LSN that a lost part of the former log may have passed. So the timeline goes
/// first: what a server has replayed of an older one proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The timeline.
    pub timeline: u32,
    /// The LSN: bytes since the database was created.
    pub lsn: u64,
}

/// Why a text is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a position as a response has it, such as `2/16/B374D848`")]
pub struct InvalidPosition;

impl Position {
    /// The first one, which every server has replayed.
    pub const START: Self = Self { timeline: 0, lsn: 0 };
    /// The last one, which no replica ever replays: only the primary has what it stands for.
    pub const END: Self = Self { timeline: u32::MAX, lsn: u64::MAX };
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { timeline, lsn } = self;
        write!(f, "{timeline:X}/{:X}/{:X}", lsn >> 32, lsn & 0xffff_ffff)
    }
}

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, InvalidPosition> {
        let number = |digits: &str| {
            let is_short = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let parsed = is_short.then(|| u32::from_str_radix(digits, 16).ok());
            parsed.flatten().ok_or(InvalidPosition)
        };
        let (timeline, lsn) = text.split_once('/').ok_or(InvalidPosition)?;
        let (high, low) = lsn.split_once('/').ok_or(InvalidPosition)?;
        Ok(Self { timeline: number(timeline)?, lsn: u64::from(number(high)?) << 32 | u64::from(number(low)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_written() {
        for (text, position) in [
            ("0/0/0", Position::START),
            ("1/0/16B3748", Position { timeline: 1, lsn: 0x016B_3748 }),
            ("1A/16/B374D848", Position { timeline: 26, lsn: 0x16_B374_D848 }),
            ("FFFFFFFF/FFFFFFFF/FFFFFFFF", Position::END),
        ] {
            assert_eq!((text.parse(), position.to_string().as_str()), (Ok(position), text));
        }
        assert_eq!("0000001a/16/b374d848".parse(), Ok(Position { timeline: 26, lsn: 0x16_B374_D848 }));
        for text in [
            "",
            "//",
            "0",
            "0/0",
            "0/0/",
            "/0/0",
            "0//0",
            "0/0/0/0",
            "0/0/+1",
            "-1/0/0",
            "0/000000000/0",
            "x/0/0",
            " 0/0/0",
        ] {
            assert_eq!(text.parse::<Position>(), Err(InvalidPosition), "{text}");
        }
    }

    #[test]
    fn positions_are_ordered_as_numbers_and_by_the_timeline_first() {
        let order = ["1/0/FFFFFFFF", "1/1/0", "1/9/0", "1/A/0", "1/10/0", "2/0/0", "10/0/0"]
            .map(|text| text.parse::<Position>().unwrap());
        assert!(order.is_sorted());
    }
}
