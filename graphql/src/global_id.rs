//! Ids that are unique across types (GraphQL Global Object Identification).
//!
//! A global id is the `base64url`, without padding, of the tag of the type and of the primary key. The tag is a byte below 128
//! that the application gives to the type, or two bytes that follow from the name of the type. With a byte, a key of one column
//! has its own bytes: a UUID gives 23 opaque characters. Any other key has its values as cursors have them.

use async_graphql::ID;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use keyset::{Column, Kind, Scalar, StoredValue, TableRow};
use sea_orm::Value;
use uuid::Uuid;

use crate::declare::declaration::Declaration;
use crate::declare::object::ObjectType;
use crate::error::code;
use crate::plan::writer::write_base64url;
use crate::{Error, Result};

/// The length of the longest id.
const MAX_LENGTH: usize = 512;

/// What the ids of a type begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tag {
    Byte(u8),
    /// Fifteen bits of the name.
    Name(u16),
}

impl Tag {
    /// That of a type of this name (FNV-1a, folded).
    pub fn of_name(name: &str) -> Self {
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self::Name(u16::try_from((hash ^ hash >> 15) & 0x7fff).unwrap_or_default())
    }

    fn write(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Byte(byte) => bytes.push(byte),
            Self::Name(name) => bytes.extend_from_slice(&(0x8000 | name).to_be_bytes()),
        }
    }

    /// The tag at the beginning of an id, and the rest.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (first, rest) = bytes.split_first()?;
        if *first < 0x80 {
            return Some((Self::Byte(*first), rest));
        }
        let (second, rest) = rest.split_first()?;
        Some((Self::Name(u16::from_be_bytes([*first, *second]) & 0x7fff), rest))
    }
}

fn malformed() -> Error {
    Error::client(code::ID_INVALID, "malformed global id: pass the field `id` of an object")
}

/// The key in the bytes of an id of this object.
fn key_of(object: &ObjectType, bytes: &[u8]) -> Option<Vec<Value>> {
    let kinds: Vec<Kind> = object.table.key().map(Column::kind).collect();
    match (object.tag, &kinds[..]) {
        (Some(Tag::Byte(_)), [Kind::Uuid]) => Some(vec![Uuid::from_bytes(bytes.try_into().ok()?).into()]),
        (Some(Tag::Byte(_)), [Kind::Int]) => Some(vec![i32::from_be_bytes(bytes.try_into().ok()?).into()]),
        (Some(Tag::Byte(_)), [Kind::BigInt]) => Some(vec![i64::from_be_bytes(bytes.try_into().ok()?).into()]),
        _ => {
            let values = keyset::read_values(bytes).filter(|values| values.len() == kinds.len())?;
            let columns = object.table.key();
            let present = values
                .into_iter()
                .zip(columns)
                .map(|(value, column)| if value == Scalar::Null { None } else { column.value(value) });
            present.collect()
        }
    }
}

/// Appends the bytes of the id of an object with a key of these values; `None` if they are no key.
fn append<'v>(
    tag: Tag,
    key: impl ExactSizeIterator<Item = (Kind, StoredValue<'v>)>,
    bytes: &mut Vec<u8>,
) -> Option<()> {
    tag.write(bytes);
    let has_own_bytes = matches!(tag, Tag::Byte(_)) && key.len() == 1;
    for (kind, value) in key {
        match (kind, value) {
            (Kind::Uuid, StoredValue::Id(key)) if has_own_bytes => bytes.extend_from_slice(&key),
            (Kind::Int, StoredValue::Integer(key)) if has_own_bytes => {
                bytes.extend(i32::try_from(key).ok()?.to_be_bytes());
            }
            (Kind::BigInt, StoredValue::Integer(key)) if has_own_bytes => bytes.extend_from_slice(&key.to_be_bytes()),
            (kind, value) => keyset::write_stored(kind, value, bytes)?.ok()?,
        }
    }
    Some(())
}

/// The bytes of the id of an object with this key; `None` if the values are no key.
fn bytes_of(tag: Tag, object: &ObjectType, key: &[Value]) -> Option<Vec<u8>> {
    let kinds = object.table.key().map(Column::kind);
    let key: Vec<(Kind, Value)> = kinds.zip(key).map(|(kind, value)| (kind, kind.of_field(value.clone()))).collect();
    let mut bytes = Vec::new();
    append(tag, key.iter().map(|(kind, value)| (*kind, StoredValue::of(value))), &mut bytes)?;
    Some(bytes)
}

/// Writes the id of the object of a row as JSON; `None` if its key is none.
pub(crate) fn write(tag: Tag, key: &[Column], row: &TableRow, json: &mut Vec<u8>) -> Option<()> {
    if let (Tag::Byte(tag), [column]) = (tag, key)
        && let (Kind::Uuid, StoredValue::Id(id)) = (column.kind(), row.get(column.number()))
    {
        // A UUID is stored as it is written.
        let mut bytes = [tag; 17];
        bytes[1..].copy_from_slice(&id);
        write_base64url(&bytes, json);
        return Some(());
    }
    // Short ids take no memory of their own: their bytes are written behind the JSON, and moved to the stack.
    let begin = json.len();
    let value = |column: &Column| (column.kind(), row.get(column.number()));
    let are_read = key.iter().all(|column| row.has(column.number()));
    if !are_read || append(tag, key.iter().map(value), json).is_none() {
        json.truncate(begin);
        return None;
    }
    let mut short = [0; 64];
    if let Some(short) = short.get_mut(..json.len() - begin) {
        short.copy_from_slice(&json[begin..]);
        json.truncate(begin);
        write_base64url(short, json);
    } else {
        write_base64url(&json.split_off(begin), json);
    }
    Some(())
}

impl Declaration {
    /// The index of an object and its key, which a global id names.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](code::ID_INVALID) for a malformed id.
    pub(crate) fn named(&self, id: &ID) -> Result<(usize, Vec<Value>)> {
        let decoded = || {
            // Whatever is sent, no more is decoded.
            let bytes = (id.len() <= MAX_LENGTH).then(|| BASE64_URL_SAFE_NO_PAD.decode(id.as_str()).ok())??;
            let (tag, key) = Tag::read(&bytes)?;
            let index = self.objects().iter().position(|object| object.tag == Some(tag))?;
            let key = key_of(self.object(index), key)?;
            // Each object has one id.
            (bytes_of(tag, self.object(index), &key)? == bytes).then_some((index, key))
        };
        decoded().ok_or_else(malformed)
    }

    /// The name of the type of an object and its key, which a global id names.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](code::ID_INVALID) for a malformed id.
    pub fn object_of(&self, id: &ID) -> Result<(&str, Vec<Value>)> {
        let (index, key) = self.named(id)?;
        Ok((&self.object(index).name, key))
    }

    /// The key of the object of the type of this name that a global id names. It takes the ids that `node` takes for the type.
    ///
    /// # Errors
    ///
    /// [`ID_INVALID`](code::ID_INVALID) for a malformed id, and for the id of another type.
    pub fn key(&self, object: &str, id: &ID) -> Result<Vec<Value>> {
        let (index, key) = self.named(id)?;
        let name = &self.object(index).name;
        if name == object {
            return Ok(key);
        }
        Err(Error::client(code::ID_INVALID, format!("expected an id of `{object}`, not of `{name}`")))
    }

    /// The global id of the object of the type of this name with this key. `None` if these objects have none, or if the values are
    /// no key.
    pub fn id(&self, object: &str, key: &[Value]) -> Option<ID> {
        let object = self.object_named(object)?;
        Some(ID(BASE64_URL_SAFE_NO_PAD.encode(bytes_of(object.tag?, object, key)?)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Declaring;

    mod city {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "city")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: Uuid,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }

    mod river {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "river")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: i64,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }

    fn declaration() -> Arc<Declaration> {
        let (mut cities, mut rivers) =
            (ObjectType::of::<city::Entity>("City"), ObjectType::of::<river::Entity>("River"));
        cities.id(2);
        rivers.id(1);
        let mut declaring = Declaring::new("Query");
        declaring.object(cities).object(rivers);
        declaring.check().unwrap()
    }

    #[test]
    fn f2_an_id_is_23_characters_and_comes_back() {
        let (declaration, key) = (declaration(), Value::from(Uuid::from_u128(7)));
        let id = declaration.id("City", std::slice::from_ref(&key)).unwrap();
        assert_eq!(id.as_str(), "AgAAAAAAAAAAAAAAAAAAAAc");
        assert_eq!(declaration.key("City", &id).unwrap(), [key]);
        assert!(declaration.key("River", &id).is_err());
    }

    #[test]
    fn f2_an_integer_is_a_key_too() {
        let declaration = declaration();
        for key in [0, 1, -1, i64::MAX, i64::MIN].map(Value::from) {
            let id = declaration.id("River", std::slice::from_ref(&key)).unwrap();
            assert_eq!(declaration.key("River", &id).unwrap(), [key]);
            assert!(declaration.key("City", &id).is_err());
        }
    }

    #[test]
    fn f3_a_malformed_id_is_refused() {
        for text in ["", "?", "AgAAAAAAAAAAAAAAAAAAAA", "CQAAAAAAAAAAAAAAAAAAAAc", "AgAAAAAAAAAAAAAAAAAAAAd", "é"] {
            assert!(declaration().key("City", &text.into()).is_err(), "{text}");
        }
        assert!(declaration().key("City", &"A".repeat(1_000_000).into()).is_err());
    }
}
