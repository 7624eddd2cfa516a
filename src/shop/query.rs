//! The root fields for reading.

use ::entity::{book_count, book_order_count, book_rating_count};
use async_graphql::{ID, MergedObject};
use keyset::Kept;
use keyset_graphql::input::InputFields;
use keyset_graphql::{Arguments, FieldArgs, RootFields, RootObject};
use uuid::Uuid;

use super::book::Book;
use super::node::parse_key;
use super::node_type::{NodeId, NodeType};
use super::order::BookOrder;
use super::rating::Rating;
use crate::request::{Code, Error, Result};

/// The entry points for reading.
#[derive(Default, MergedObject)]
pub struct Query(RootObject<Roots>);

/// The fields of the query.
pub struct Roots;

/// The arguments that name one object: `id` or `uuid`.
struct OneOfKeys {
    id: Option<ID>,
    uuid: Option<String>,
}

impl FieldArgs for OneOfKeys {
    fn describe(arguments: &mut InputFields<'_>) {
        arguments
            .field::<Option<ID>>("id", "What the field `id` of the object says.")
            .field::<Option<String>>("uuid", "The primary key, as a UUID or a ULID. Not together with `id`.");
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        Ok(Self { id: arguments.get("id")?, uuid: arguments.get("uuid")? })
    }
}

/// The key of the one object that the arguments name.
fn key(node_type: NodeType, OneOfKeys { id, uuid }: OneOfKeys) -> Result<Uuid> {
    match (id, uuid) {
        (Some(id), None) => NodeId::parse_as(&id, node_type).map(|id| id.key),
        (None, Some(uuid)) => parse_key(&uuid),
        _ => Err(Error::client(Code::BadUserInput, "expected either `id` or `uuid`")),
    }
}

impl RootFields for Roots {
    const NAME: &str = "Query";

    fn fields(fields: &mut keyset_graphql::Roots) {
        fields.node::<NodeType>();
        fields.nodes::<NodeType>();
        fields.object::<Book, _>(
            "book",
            "The book with this global id, or with this primary key; null where there is none.",
            |keys| key(NodeType::Book, keys),
        );
        fields.object::<Rating, _>(
            "rating",
            "The rating with this global id, or with this primary key; null where there is none.",
            |keys| key(NodeType::Rating, keys),
        );
        fields.object::<BookOrder, _>(
            "order",
            "The order with this global id, or with this primary key; null where there is none.",
            |keys| key(NodeType::Order, keys),
        );
        fields
            .list::<Book>(
                "books",
                "The books of the shop. Without `orderBy` they come as they were created; of a search, the most relevant first.",
            )
            .kept(Kept::sum_of(book_count::Column::Rows));
        fields
            .list::<Rating>("ratings", "The ratings of all books.")
            .kept(Kept::sum_of(book_rating_count::Column::Rows));
        fields
            .list::<BookOrder>("orders", "The orders of all books.")
            .kept(Kept::sum_of(book_order_count::Column::Rows));
    }
}
