//! Primary keys: UUIDv7 (RFC 9562), 16 bytes, ordered by the millisecond of their making.

use chrono::{DateTime, Utc};
use uuid::{Timestamp, Uuid};

/// A new id, greater than every id that this process has made before, within one millisecond too (RFC 9562, section
/// 6.2, method 1: a counter shared by all threads).
#[must_use]
pub fn next() -> Uuid {
    Uuid::now_v7()
}

/// When the row with this id was made, to the millisecond.
///
/// `None` for a UUID that holds no time (not of version 1, 6 or 7).
#[must_use]
pub fn created_at(id: Uuid) -> Option<DateTime<Utc>> {
    let (seconds, nanoseconds) = id.get_timestamp().as_ref().map(Timestamp::to_unix)?;
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanoseconds)
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
        assert_eq!(created_at(id).unwrap().timestamp_millis(), 0x019b_4c3e_9000);
        assert_eq!(created_at(Uuid::max()), None);
    }
}
