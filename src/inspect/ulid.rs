//! ULIDs.

use ::entity::ulid;
use ::uuid::Uuid;

use super::part::Parts;
use super::uuid::{self, hexadecimal};
use super::value::unix_time;

/// Reads a ULID. One of Bookends spells a UUIDv7, and has its parts.
pub fn read(text: &str) -> Result<Parts, String> {
    let key = ulid::decode(text).map_err(|error| error.to_string())?;
    if uuid::is_v7(key) {
        return Ok(uuid::parts(key));
    }
    Ok(Parts::default().with("ulid", ulid::encode(key)).with("uuid", key.to_string()).and(parts(key)))
}

/// The parts of a key that is a ULID.
pub fn parts(key: Uuid) -> Parts {
    Parts::default()
        .with("time", unix_time(key.as_u128() >> 80))
        .with("random", hexadecimal(key.as_u128() & ((1 << 80) - 1), 80))
}
