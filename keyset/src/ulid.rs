//! Keys as ULIDs: the same 128 bits as 26 characters of Crockford's base 32, which sort as the keys do.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ::ulid::{Generator, MonotonicError, Ulid};
use uuid::Uuid;

/// The number of characters of a ULID.
pub const LENGTH: usize = 26;

/// Why a text is not a ULID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UlidError {
    /// It has another length.
    #[error("a ULID has {LENGTH} characters, not {0}")]
    Length(usize),
    /// A character that base 32 does not have.
    #[error("a ULID has no character {0:?}")]
    Character(char),
    /// Its 26 characters hold 130 bits, and it uses more than 128 of them.
    #[error("the largest ULID is 7ZZZZZZZZZZZZZZZZZZZZZZZZZ")]
    TooLarge,
}

/// All random bits of a millisecond are used: the largest ULID of a millisecond has no successor in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the random bits of this millisecond's ULIDs overflow")]
pub struct Overflow;

/// The latest ULID.
static LATEST: Mutex<Generator> = Mutex::new(Generator::new());

/// A new ULID, greater than every ULID that this process has made before. No table here takes it as a key: see
/// [`id::next`](crate::id::next).
///
/// The first ULID of a millisecond has 80 random bits, and each further one is greater by one. If the clock of the system
/// steps back, the latest time is kept. All threads share one generator.
///
/// # Errors
///
/// [`Overflow`] until the next millisecond, if the first random bits of this one were close to their end.
pub fn next() -> Result<Uuid, Overflow> {
    at(&LATEST, SystemTime::now())
}

/// The next ULID if the clock says this. A time before 1970 counts as 1970.
fn at(latest: &Mutex<Generator>, now: SystemTime) -> Result<Uuid, Overflow> {
    let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
    latest.generate_from_datetime(now).map(Uuid::from).map_err(|MonotonicError::Overflow| Overflow)
}

/// A key as a ULID.
pub fn encode(key: Uuid) -> String {
    Ulid::from(key).to_string()
}

/// The key that a ULID stands for. Small letters count as capital ones, `O` as `0`, `I` and `L` as `1`.
///
/// # Errors
///
/// [`UlidError`] for a text that is no ULID.
pub fn decode(text: &str) -> Result<Uuid, UlidError> {
    let length = text.chars().count();
    if length != LENGTH {
        return Err(UlidError::Length(length));
    }
    let mut bits = 0_u128;
    for (position, character) in text.chars().enumerate() {
        let digit = digit(character).ok_or(UlidError::Character(character))?;
        if position == 0 && digit > 7 {
            return Err(UlidError::TooLarge);
        }
        bits = bits << 5 | digit;
    }
    Ok(Uuid::from_u128(bits))
}

fn digit(character: char) -> Option<u128> {
    const DIGITS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let digit = match character.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        digit => digit,
    };
    DIGITS.find(digit).map(|position| position as u128)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;
    use rand::RngCore;

    use super::*;

    #[track_caller]
    fn check(text: &str, key: &str) {
        let key = key.parse().unwrap();
        assert_eq!(encode(key), text);
        assert_eq!(decode(text), Ok(key));
    }

    #[test]
    fn a_ulid_and_a_uuid_are_the_same_bits() {
        check("00000000000000000000000000", "00000000-0000-0000-0000-000000000000");
        check("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ffffffff-ffff-ffff-ffff-ffffffffffff");
        // Published with another ULID beside it, by mistake.
        check("01FTSHW520PTFDGBTZ14VZG8Y8", "017eb31e-1440-b69e-d82f-5f0937f823c8");
        // From the specification of ULID.
        check("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01563e3a-b5d3-d676-4c61-efb99302bd5b");
    }

    #[test]
    fn letters_that_look_like_digits_are_digits() {
        for text in ["OIL00000000000000000000011", "oil00000000000000000000oil", "0iL0000000000000000000000I"] {
            let digits = text.to_uppercase().replace('O', "0").replace(['I', 'L'], "1");
            assert_eq!(decode(text).map(encode), Ok(digits), "{text}");
        }
        assert_eq!(decode("01ftshw520ptfdgbtz14vzg8y8"), decode("01FTSHW520PTFDGBTZ14VZG8Y8"));
    }

    #[test]
    fn a_text_that_is_no_ulid_has_a_typed_error() {
        assert_eq!(decode(""), Err(UlidError::Length(0)));
        assert_eq!(decode("01FTSHW520PTFDGBTZ14VZG8Y"), Err(UlidError::Length(25)));
        assert_eq!(decode(&"0".repeat(1_000_000)), Err(UlidError::Length(1_000_000)));
        assert_eq!(decode("01FTSHW520PTFDGBTZ14VZG8YU"), Err(UlidError::Character('U')));
        assert_eq!(decode("01FTSHW520PTFDGBTZ14VZG8Yé"), Err(UlidError::Character('é')));
        assert_eq!(decode("80000000000000000000000000"), Err(UlidError::TooLarge));
        assert_eq!(decode("ZZZZZZZZZZZZZZZZZZZZZZZZZZ"), Err(UlidError::TooLarge));
    }

    #[test]
    fn ulids_of_two_threads_differ_and_grow() {
        let make = || (0..10_000).map(|_| next().unwrap()).collect::<Vec<_>>();
        let other = std::thread::spawn(make);
        let [ulids, others] = [make(), other.join().unwrap()];
        assert!(ulids.is_sorted_by(|a, b| a < b) && others.is_sorted_by(|a, b| a < b));
        assert_eq!(ulids.into_iter().chain(others).collect::<HashSet<_>>().len(), 20_000);
    }

    /// A source whose random bits are all ones.
    struct Ones;

    impl RngCore for Ones {
        fn next_u32(&mut self) -> u32 {
            u32::MAX
        }

        fn next_u64(&mut self) -> u64 {
            u64::MAX
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            bytes.fill(u8::MAX);
        }
    }

    #[test]
    fn ulids_grow_within_a_millisecond_and_when_the_clock_steps_back() {
        let latest = Mutex::new(Generator::new());
        let noon = UNIX_EPOCH + Duration::from_millis(0x019b_4c3e_9000);
        let clock = [noon, noon, noon - Duration::from_hours(1), UNIX_EPOCH - Duration::from_hours(1), noon];
        let ulids = clock.map(|now| at(&latest, now).unwrap());
        // The specification: the random bits are incremented by one.
        assert!(ulids.is_sorted_by(|a, b| a.as_u128() + 1 == b.as_u128()), "{ulids:?}");
    }

    #[test]
    fn the_last_ulid_of_a_millisecond_has_no_successor_in_it() {
        let mut generator = Generator::new();
        let now = UNIX_EPOCH + Duration::from_millis(7);
        let last = generator.generate_from_datetime_with_source(now, &mut Ones).unwrap();
        assert_eq!((last.timestamp_ms(), last.random()), (7, (1 << 80) - 1));
        let latest = Mutex::new(generator);
        assert_eq!(at(&latest, now), Err(Overflow));
        assert!(at(&latest, now + Duration::from_millis(1)).unwrap() > Uuid::from(last));
    }

    proptest! {
        #[test]
        fn every_key_comes_back(bits in any::<u128>()) {
            let key = Uuid::from_u128(bits);
            prop_assert_eq!(decode(&encode(key)), Ok(key));
        }

        #[test]
        fn ulids_sort_as_keys_do(a in any::<u128>(), b in any::<u128>()) {
            let ulid = |bits| encode(Uuid::from_u128(bits));
            prop_assert_eq!(ulid(a).cmp(&ulid(b)), a.cmp(&b));
        }

        #[test]
        fn one_key_has_one_text_but_for_its_letters(text in "[0-7][0-9A-Za-z]{25}") {
            if let Ok(key) = decode(&text) {
                let digits = text.to_uppercase().replace('O', "0").replace(['I', 'L'], "1");
                prop_assert_eq!(encode(key), digits);
            }
        }
    }
}
