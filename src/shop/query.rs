//! The root fields for reading.

use std::marker::PhantomData;

use ::entity::{book_count, book_order_count, book_rating_count};
use async_graphql::{ID, MergedObject, OneofObject, OneofObjectType};
use keyset::Kept;
use keyset_graphql::input::InputFields;
use keyset_graphql::{Arguments, FieldArgs, RootFields, RootObject};
use uuid::Uuid;

use super::book::Book;
use super::key::parse_key;
use super::node_type::{NodeId, NodeType};
use super::order::BookOrder;
use super::rating::Rating;
use crate::request::{Code, Error, Result};

/// The root of all queries.
#[derive(Default, MergedObject)]
pub struct Query(RootObject<Roots>);

/// The fields of the query.
pub struct Roots;

/// An input with exactly one of the keys of an object.
macro_rules! keys {
    ($name:ident, $description:literal) => {
        #[doc = $description]
        #[derive(OneofObject)]
        pub enum $name {
            /// The global id.
            Id(ID),
            /// The primary key, as a UUID or a ULID.
            Uuid(String),
        }

        impl From<$name> for Named {
            fn from(by: $name) -> Self {
                match by {
                    $name::Id(id) => Self::Id(id),
                    $name::Uuid(uuid) => Self::Uuid(uuid),
                }
            }
        }
    };
}

keys!(BookBy, "A key of a book.");
keys!(RatingBy, "A key of a rating.");
keys!(OrderBy, "A key of an order.");

/// What names one object.
enum Named {
    Id(ID),
    Uuid(String),
}

/// The arguments that name one object: `by`, or one of the older ones.
struct ByKey<By> {
    named: Named,
    by: PhantomData<By>,
}

impl<By: OneofObjectType + Into<Named>> FieldArgs for ByKey<By> {
    fn describe(arguments: &mut InputFields<'_>) {
        arguments
            .field::<Option<By>>(
                "by",
                "Returns the object with this key. Required, unless a deprecated argument is given.",
            )
            .field::<Option<ID>>("id", "Returns the object with this global id. Not allowed with `by` or `uuid`.")
            .deprecated("Use `by: { id }`.")
            .field::<Option<String>>(
                "uuid",
                "Returns the object with this primary key, a UUID or a ULID. Not allowed with `by` or `id`.",
            )
            .deprecated("Use `by: { uuid }`.");
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        let by: Option<By> = arguments.get("by")?;
        let named = match (by, arguments.get("id")?, arguments.get("uuid")?) {
            (Some(by), None, None) => by.into(),
            (None, Some(id), None) => Named::Id(id),
            (None, None, Some(uuid)) => Named::Uuid(uuid),
            _ => return Err(Error::client(Code::BadUserInput, "expected `by`, and no other argument")),
        };
        Ok(Self { named, by: PhantomData })
    }
}

/// The key of the one object that the arguments name.
fn key<By>(node_type: NodeType, ByKey { named, .. }: ByKey<By>) -> Result<Uuid> {
    match named {
        Named::Id(id) => NodeId::parse_as(&id, node_type).map(|id| id.key),
        Named::Uuid(uuid) => parse_key(&uuid),
    }
}

impl RootFields for Roots {
    const NAME: &str = "Query";

    fn fields(fields: &mut keyset_graphql::Roots) {
        fields.node::<NodeType>();
        fields.nodes::<NodeType>();
        fields.object::<Book, ByKey<BookBy>>("book", "The book with this key. Null if there is none.", |keys| {
            key(NodeType::Book, keys)
        });
        fields.object::<Rating, ByKey<RatingBy>>(
            "rating",
            "The rating with this key. Null if there is none.",
            |keys| key(NodeType::Rating, keys),
        );
        fields.object::<BookOrder, ByKey<OrderBy>>(
            "order",
            "The order with this key. Null if there is none.",
            |keys| key(NodeType::Order, keys),
        );
        fields.list::<Book>("books", "The books of the shop.").kept(Kept::sum_of(book_count::Column::Rows));
        fields
            .list::<Rating>("ratings", "The ratings of all books.")
            .kept(Kept::sum_of(book_rating_count::Column::Rows));
        fields
            .list::<BookOrder>("orders", "The orders of all books.")
            .kept(Kept::sum_of(book_order_count::Column::Rows));
    }
}
