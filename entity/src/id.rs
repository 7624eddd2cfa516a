//! Primary keys: UUIDv7 (RFC 9562), 16 bytes, ordered by the millisecond of their making.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A new id, greater than every id that this process has made before, within one millisecond too (RFC 9562, section
/// 6.2, method 1: a counter shared by all threads).
pub fn next() -> Uuid {
    Uuid::now_v7()
}

/// When the row with this id was made, to the millisecond: the first 48 bits of the id.
///
/// An id of another version than 7 holds no time; what is read from it then has no meaning.
pub fn created_at(id: Uuid) -> DateTime<Utc> {
    let millis = id.as_bytes()[..6].iter().fold(0, |millis, byte| millis << 8 | i64::from(*byte));
    // 48 bits of milliseconds end in the year 10889, well within what a date can be.
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_within_a_millisecond_and_across_threads() {
        let make = || (0..10_000).map(|_| next()).collect::<Vec<_>>();
        let other = std::thread::spawn(make);
        for ids in [make(), other.join().unwrap()] {
            assert!(ids.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn the_time_is_in_the_id() {
        let id = "019b4c3e-9000-7000-8000-000000000000".parse().unwrap();
        assert_eq!(created_at(id).timestamp_millis(), 0x019b_4c3e_9000);
        assert_eq!(created_at(Uuid::max()).to_string(), "+10889-08-02 05:31:50.655 UTC");
    }
}
