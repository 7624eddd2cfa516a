//! The keys of new rows.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use keyset::{Kind, ReadRows, Table, find_rows, id};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::DbErr;
use sea_orm::sea_query::ExprTrait;
use uuid::{Builder, Uuid};

/// Makes the keys of new rows, from the clock and the random bits of the system unless they are reproducible. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Keys(Option<Arc<Mutex<Reproducible>>>);

/// The time of the next key, as Unix time in milliseconds, and its other bits.
#[derive(Debug)]
struct Reproducible {
    millis: u64,
    random: ChaCha8Rng,
}

impl Keys {
    /// Keys that are always the same. The first one has this time, and each further one is a millisecond later. Times before
    /// 1970 count as 1970.
    pub fn reproducible(at: DateTime<Utc>, rng_seed: u64) -> Self {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&rng_seed.to_le_bytes());
        Self(Some(Arc::new(Mutex::new(Reproducible { millis: millis(at), random: ChaCha8Rng::from_seed(seed) }))))
    }

    /// A new key, greater than all before.
    pub fn next_key(&self) -> Uuid {
        let Some(reproducible) = &self.0 else { return id::next() };
        reproducible.lock().unwrap_or_else(PoisonError::into_inner).next_key()
    }
}

impl Reproducible {
    fn next_key(&mut self) -> Uuid {
        let mut random = [0; 10];
        self.random.fill_bytes(&mut random);
        let key = Builder::from_unix_timestamp_millis(self.millis, &random).into_uuid();
        self.millis += 1;
        key
    }
}

impl Keys {
    /// Whether a row of these tables has a key of this time or a later one. Reproducible keys from that time on could repeat it.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn are_used_since<'t>(
        db: &impl ReadRows,
        tables: impl IntoIterator<Item = &'t Table>,
        at: DateTime<Utc>,
    ) -> Result<bool, DbErr> {
        let least = Uuid::from_u128(u128::from(millis(at)) << 80);
        for table in tables {
            for key in table.key().filter(|key| key.kind() == Kind::Uuid) {
                let mut rows = table.rows();
                rows.0.expr(key.expr()).and_where(key.expr().gte(least)).limit(1);
                if !find_rows(db, &rows, &[]).await?.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn millis(at: DateTime<Utc>) -> u64 {
    u64::try_from(at.timestamp_millis()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproducible_keys_are_of_successive_milliseconds() {
        let at = DateTime::from_timestamp_millis(1_767_225_600_000).unwrap();
        let keys = |rng_seed: u64| {
            let keys = Keys::reproducible(at, rng_seed);
            [(); 1000].map(|()| keys.next_key())
        };
        let (first, other) = (keys(7), keys(8));
        assert_eq!(first, keys(7));
        assert!(first.iter().zip(&other).all(|(first, other)| first != other));
        for (key, number) in first.into_iter().zip(0..) {
            assert_eq!((key.get_version_num(), key.get_variant()), (7, uuid::Variant::RFC4122));
            assert_eq!(id::created_at(key).timestamp_millis(), at.timestamp_millis() + number);
        }
    }
}
