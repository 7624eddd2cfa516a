//! ULIDs.

use ::entity::ulid;

use super::part::Parts;
use super::uuid::hexadecimal;
use super::value::unix_time;

/// Reads a ULID.
pub fn read(text: &str) -> Result<Parts, String> {
    let key = ulid::decode(text).map_err(|error| error.to_string())?;
    Ok(Parts::default()
        .with("ulid", ulid::encode(key))
        .with("uuid", key.to_string())
        .with("time", unix_time(key.as_u128() >> 80))
        .with("random", hexadecimal(key.as_u128() & ((1 << 80) - 1), 80)))
}
