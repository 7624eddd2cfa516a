//! Ids that are unique across types (GraphQL Global Object Identification).
//!
//! A global id is the `base64url`, without padding, of one byte for the type and the bytes of the primary key. A UUID
//! gives 23 opaque characters.

use std::fmt::Debug;
use std::hash::Hash;

use async_graphql::ID;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sea_orm::Value;
use sea_orm::sea_query::ValueType;
use uuid::Uuid;

use crate::error::code;
use crate::plan::writer::write_base64url;
use crate::{Error, Result};

/// The length of the longest id: no key is longer than a UUID.
const MAX_LENGTH: usize = 23;

/// The types of objects that have a global id: an enum of the application.
///
/// The tags are part of every id that a client has stored: they never change.
pub trait NodeType: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// All types.
    const ALL: &[Self];

    /// The first byte of its ids.
    fn tag(self) -> u8;
}

/// A primary key that a global id can hold.
pub trait NodeKey: Copy + Debug + Eq + Ord + Hash + Into<Value> + ValueType + Send + Sync + 'static {
    /// Its bytes, of a fixed length.
    type Bytes: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// The key as bytes.
    fn to_bytes(self) -> Self::Bytes;

    /// The key of bytes.
    fn from_bytes(bytes: Self::Bytes) -> Self;
}

macro_rules! node_key {
    ($key:ty, $length:literal, $to:path, $from:path) => {
        impl NodeKey for $key {
            type Bytes = [u8; $length];

            fn to_bytes(self) -> [u8; $length] {
                $to(self)
            }

            fn from_bytes(bytes: [u8; $length]) -> Self {
                $from(bytes)
            }
        }
    };
}

node_key!(Uuid, 16, Uuid::into_bytes, Uuid::from_bytes);
node_key!(i32, 4, i32::to_be_bytes, i32::from_be_bytes);
node_key!(i64, 8, i64::to_be_bytes, i64::from_be_bytes);

/// A decoded global id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalId<N, K = Uuid> {
    /// The type of the object.
    pub node_type: N,
    /// Its primary key.
    pub key: K,
}

impl<N: NodeType, K: NodeKey> GlobalId<N, K> {
    /// Decodes a global id.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](code::ID_INVALID) for a malformed id.
    pub fn parse(id: &ID) -> Result<Self> {
        let malformed = || Error::client(code::ID_INVALID, "malformed global id: pass the field `id` of an object");
        Self::decode(id).ok_or_else(malformed)
    }

    /// Decodes the global id of an object of this type.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](code::ID_INVALID) for a malformed id, and for the id of another type.
    pub fn parse_as(id: &ID, node_type: N) -> Result<Self> {
        let parsed = Self::parse(id)?;
        if parsed.node_type == node_type {
            return Ok(parsed);
        }
        let message = format!("expected an id of `{node_type:?}`, not of `{:?}`", parsed.node_type);
        Err(Error::client(code::ID_INVALID, message))
    }

    fn decode(id: &str) -> Option<Self> {
        // Whatever is sent, no more than 17 bytes are decoded.
        let mut bytes = [0; 17];
        let length = (id.len() <= MAX_LENGTH).then(|| BASE64_URL_SAFE_NO_PAD.decode_slice(id, &mut bytes).ok())??;
        let (tag, key) = bytes[..length].split_first()?;
        let node_type = N::ALL.iter().copied().find(|node_type| node_type.tag() == *tag)?;
        Some(Self { node_type, key: K::from_bytes(K::Bytes::try_from(key).ok()?) })
    }
}

impl<N: NodeType, K: NodeKey> GlobalId<N, K> {
    /// Writes the id as JSON.
    pub(crate) fn write(self, json: &mut Vec<u8>) {
        self.encode(|bytes| write_base64url(bytes, json));
    }

    fn encode<T>(self, take: impl FnOnce(&[u8]) -> T) -> T {
        let key = self.key.to_bytes();
        let mut bytes = [0; 17];
        bytes[0] = self.node_type.tag();
        bytes[1..=key.as_ref().len()].copy_from_slice(key.as_ref());
        take(&bytes[..=key.as_ref().len()])
    }
}

impl<N: NodeType, K: NodeKey> From<GlobalId<N, K>> for ID {
    fn from(id: GlobalId<N, K>) -> Self {
        Self(id.encode(|bytes| BASE64_URL_SAFE_NO_PAD.encode(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Type {
        City = 1,
        River = 2,
    }

    impl NodeType for Type {
        const ALL: &[Self] = &[Self::City, Self::River];

        fn tag(self) -> u8 {
            self as u8
        }
    }

    type Id<K = Uuid> = GlobalId<Type, K>;

    #[test]
    fn f2_an_id_is_23_characters_and_comes_back() {
        let id = GlobalId { node_type: Type::River, key: Uuid::from_u128(7) };
        let text = ID::from(id);
        assert_eq!(text.as_str(), "AgAAAAAAAAAAAAAAAAAAAAc");
        assert_eq!(Id::parse(&text).unwrap(), id);
        assert!(Id::<Uuid>::parse_as(&text, Type::City).is_err());
    }

    #[test]
    fn f2_an_integer_is_a_key_too() {
        for key in [0, 1, -1, i64::MAX, i64::MIN] {
            let id = GlobalId { node_type: Type::City, key };
            assert_eq!(Id::<i64>::parse(&ID::from(id)).unwrap(), id);
            assert!(Id::<i32>::parse(&ID::from(id)).is_err() && Id::<Uuid>::parse(&ID::from(id)).is_err());
        }
    }

    #[test]
    fn f3_a_malformed_id_is_refused() {
        for text in ["", "?", "AgAAAAAAAAAAAAAAAAAAAA", "CQAAAAAAAAAAAAAAAAAAAAc", "AgAAAAAAAAAAAAAAAAAAAAd", "é"] {
            assert!(Id::<Uuid>::parse(&text.into()).is_err(), "{text}");
        }
        assert!(Id::<Uuid>::parse(&"A".repeat(1_000_000).into()).is_err());
    }
}
