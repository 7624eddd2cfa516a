//! ULIDs.

use keyset::ulid;

use super::part::Parts;
use super::uuid;

/// Reads a ULID. One of Bookends spells a UUIDv7, and has its parts.
pub fn read(text: &str) -> Result<Parts, String> {
    let key = ulid::decode(text).map_err(|error| error.to_string())?;
    if uuid::is_v7(key) {
        return Ok(uuid::parts(key));
    }
    Ok(Parts::default().with("ulid", ulid::encode(key)).with("uuid", key.to_string()).and(uuid::ulid_parts(key)))
}
