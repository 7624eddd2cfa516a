//! Primary keys: UUIDv7 (RFC 9562), 16 bytes, ordered by the millisecond of their making.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use uuid::{ContextV7, Timestamp, Uuid};

/// The latest time of an id, and the counter within its millisecond.
static LATEST: Mutex<ContextV7> = Mutex::new(ContextV7::new());

/// A new id, greater than every id that this process has made before.
///
/// A counter of 42 bits, shared by all threads, orders the ids of one millisecond (RFC 9562, section 6.2, method 1). The
/// last 32 bits are random. If the clock of the system steps back, the latest time is kept and the counter goes on.
pub fn next() -> Uuid {
    at(&LATEST, SystemTime::now())
}

/// The next id if the clock says this. A time before 1970 counts as 1970.
fn at(latest: &Mutex<ContextV7>, now: SystemTime) -> Uuid {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(latest, since.as_secs(), since.subsec_nanos()))
}

/// When the row with this id was made, to the millisecond: the first 48 bits of the id.
///
/// The tables hold ids of version 7 from before the year 10000 only. An id of another version holds no time; what is
/// read from it has no meaning.
pub fn created_at(id: Uuid) -> DateTime<Utc> {
    let millis = id.as_bytes()[..6].iter().fold(0, |millis, byte| millis << 8 | i64::from(*byte));
    // 48 bits of milliseconds end in the year 10889, well within what a date can be.
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_of_two_threads_differ() {
        let make = || (0..10_000).map(|_| next()).collect::<Vec<_>>();
        let other = std::thread::spawn(make);
        let [ids, others] = [make(), other.join().unwrap()];
        assert!(ids.is_sorted_by(|a, b| a < b) && others.is_sorted_by(|a, b| a < b));
        assert_eq!(ids.into_iter().chain(others).collect::<HashSet<_>>().len(), 20_000);
    }

    /// Each thread makes an id when it has received one of the other.
    #[test]
    fn ids_grow_across_threads() {
        let (send, received) = mpsc::channel();
        let (answer, answered) = mpsc::channel();
        let other = std::thread::spawn(move || received.iter().for_each(|id| answer.send((id, next())).unwrap()));
        for _ in 0..10_000 {
            send.send(next()).unwrap();
            let (id, theirs) = answered.recv().unwrap();
            assert!(id < theirs && theirs < next(), "{id} {theirs}");
        }
        drop(send);
        other.join().unwrap();
    }

    #[test]
    fn ids_grow_when_the_clock_steps_back() {
        let latest = Mutex::new(ContextV7::new());
        let noon = UNIX_EPOCH + Duration::from_millis(0x019b_4c3e_9000);
        let hour = Duration::from_hours(1);
        let clock = [noon, noon, noon - hour, UNIX_EPOCH, UNIX_EPOCH - hour, noon - hour / 2, noon, noon + hour];
        let ids = clock.map(|now| at(&latest, now));
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert!(ids[..7].iter().all(|id| created_at(*id) == DateTime::<Utc>::from(noon)), "{ids:?}");
        assert_eq!(created_at(ids[7]), DateTime::<Utc>::from(noon + hour));
    }

    #[test]
    fn a_million_ids_of_one_millisecond_differ_and_grow() {
        let latest = Mutex::new(ContextV7::new());
        let now = UNIX_EPOCH + Duration::from_millis(0x019b_4c3e_9000);
        let ids: Vec<Uuid> = (0..1_000_000).map(|_| at(&latest, now)).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
        assert!(ids.iter().all(|id| created_at(*id) == DateTime::<Utc>::from(now)));
    }

    #[test]
    fn a_clock_before_1970_gives_ids_of_1970() {
        let id = at(&Mutex::new(ContextV7::new()), UNIX_EPOCH - Duration::from_secs(1));
        assert_eq!(created_at(id).timestamp_millis(), 0);
    }

    #[test]
    fn the_time_is_in_the_id() {
        let id = "019b4c3e-9000-7000-8000-000000000000".parse().unwrap();
        assert_eq!(created_at(id).timestamp_millis(), 0x019b_4c3e_9000);
        assert_eq!(created_at(Uuid::max()).to_string(), "+10889-08-02 05:31:50.655 UTC");
    }

    proptest! {
        #[test]
        fn ids_grow_whatever_the_clock_says(clock in prop::collection::vec(0..253_402_300_800_000_u64, 2..50)) {
            let latest = Mutex::new(ContextV7::new());
            let ids: Vec<Uuid> = clock.iter().map(|ms| at(&latest, UNIX_EPOCH + Duration::from_millis(*ms))).collect();
            prop_assert!(ids.is_sorted_by(|a, b| a < b));
            let last = u64::try_from(created_at(ids[ids.len() - 1]).timestamp_millis()).unwrap();
            prop_assert_eq!(Some(last), clock.into_iter().max());
        }
    }
}
