//! UUIDs of every version (RFC 9562).

use keyset::ulid;
use uuid::{Uuid, Variant};

use super::instant::{gregorian_time, unix_time};
use super::part::{Part, Parts, hexadecimal};

/// Reads a UUID in any of its usual spellings.
pub fn read(text: &str) -> Result<Parts, String> {
    let id = Uuid::parse_str(text).map_err(|error| error.to_string())?;
    Ok(parts(id))
}

/// Whether this is a UUIDv7 of RFC 9562.
pub fn is_v7(id: Uuid) -> bool {
    id.get_variant() == Variant::RFC4122 && id.get_version_num() == 7
}

/// The parts of a UUID. `random` and the like are the bits that are neither version nor variant, nor another part. A UUID
/// that the RFC does not define may be a ULID: then these are its parts.
pub fn parts(id: Uuid) -> Parts {
    let parts = Parts::default().with("uuid", id.to_string()).with("ulid", ulid::encode(id));
    if id.is_nil() || id.is_max() {
        return parts.with("version", if id.is_nil() { "nil: all bits are 0" } else { "max: all bits are 1" });
    }
    let variant = match id.get_variant() {
        Variant::RFC4122 => "RFC 9562",
        Variant::NCS => "NCS",
        Variant::Microsoft => "Microsoft",
        _ => "reserved",
    };
    let parts = parts.with("variant", variant);
    if id.get_variant() != Variant::RFC4122 {
        let parts = parts.with("version", "none: only UUIDs of the variant of RFC 9562 have one");
        return parts.with("asUlid", ulid_parts(id));
    }
    let parts = parts.with("version", i128::try_from(id.get_version_num()).unwrap_or_default());
    match id.get_version_num() {
        1 | 6 => parts.and(gregorian(id)),
        2 => parts.with("dce", free_bits(id)),
        3 => parts.with("md5", free_bits(id)),
        4 => parts.with("random", free_bits(id)),
        5 => parts.with("sha1", free_bits(id)),
        7 => parts
            .with("time", unix_time(id.as_u128() >> 80))
            .with("random", hexadecimal((above_variant(id) & 0xfff) << 62 | below_variant(id), 74)),
        8 => parts.with("custom", free_bits(id)),
        _ => parts.with("reserved", free_bits(id)).with("asUlid", ulid_parts(id)),
    }
}

/// The parts of a key that is a ULID.
pub fn ulid_parts(key: Uuid) -> Parts {
    Parts::default()
        .with("time", unix_time(key.as_u128() >> 80))
        .with("random", hexadecimal(key.as_u128() & ((1 << 80) - 1), 80))
}

/// A count of 100 nanoseconds since 15 October 1582, a clock sequence, and the address of a network card or random bits.
fn gregorian(id: Uuid) -> Parts {
    let first = above_variant(id);
    let ticks = match id.get_version_num() {
        // The last 32 bits come first, then the 16 before them, then the version and the first 12.
        1 => (first & 0xfff) << 48 | (first >> 12 & 0xffff) << 32 | first >> 28,
        _ => first,
    };
    let node = id.as_bytes()[10..].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":");
    Parts::default()
        .with("time", gregorian_time(ticks))
        .with("sequence", i128::from(u16::from(id.as_bytes()[8] & 0x3f) << 8 | u16::from(id.as_bytes()[9])))
        .with("node", node)
}

/// The 60 bits above the variant, without the version.
fn above_variant(id: Uuid) -> u128 {
    let bits = id.as_u128() >> 64;
    (bits >> 16) << 12 | bits & 0xfff
}

/// The 62 bits below the variant.
fn below_variant(id: Uuid) -> u128 {
    id.as_u128() & ((1 << 62) - 1)
}

/// The 122 bits that are neither version nor variant.
fn free_bits(id: Uuid) -> Part {
    hexadecimal(above_variant(id) << 62 | below_variant(id), 122)
}
