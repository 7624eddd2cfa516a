//! The root fields for reading.

use ::entity::{book_count, book_order_count, book_rating_count};
use async_graphql::{Context, ID, MergedObject, Object};
use keyset::Kept;
use keyset_graphql::cost::{Cost, Costs};
use keyset_graphql::{ByKey, Keyed, NodeList, NodeType as _, RootLists, RootObject, Roots};
use uuid::Uuid;

use super::book::Book;
use super::node::{Node, parse_key};
use super::node_type::{NodeId, NodeType};
use super::order::BookOrder;
use super::rating::Rating;
use crate::config::Limits;
use crate::request::{Code, Error, Result};

/// The entry points for reading.
#[derive(Default, MergedObject)]
pub struct Query(Objects, RootObject<Lists>);

/// The fields that return one object, or some by their ids.
#[derive(Default)]
pub struct Objects;

/// The fields that return lists.
pub struct Lists;

/// The prices of the fields below; the lists have their own.
pub const COSTS: Costs = &[
    ("node", Cost::Lookup),
    ("nodes", Cost::Keys { argument: "ids", types: NodeType::ALL.len() }),
    ("book", Cost::Lookup),
    ("rating", Cost::Lookup),
    ("order", Cost::Lookup),
];

#[Object]
impl Objects {
    /// The object with this global id; null where there is none.
    async fn node(&self, #[graphql(desc = "What the field `id` of an object says.")] id: ID) -> Option<Result<Node>> {
        Some(NodeId::parse(&id).map(keyset_graphql::Node))
    }

    /// The objects with these global ids, in the same order; null where there is none.
    async fn nodes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the fields `id` of objects say: at most as many as a page can hold.")] ids: Vec<ID>,
    ) -> Result<NodeList<NodeType>> {
        let max = context.data_unchecked::<Limits>().max_page_size;
        if u32::try_from(ids.len()).is_ok_and(|asked| asked <= max) {
            return Ok(NodeList(ids.iter().map(NodeId::parse).collect::<Result<Vec<_>>>()?));
        }
        Err(Error::client(
            Code::BadUserInput,
            format!("`ids` holds at most {max} ids (the setting MAX_PAGE_SIZE), not {}", ids.len()),
        ))
    }

    /// The book with this global id, or with this primary key; null where there is none.
    async fn book(
        &self,
        #[graphql(desc = "What the field `id` of a book says.")] id: Option<ID>,
        #[graphql(desc = "The primary key, as a UUID or a ULID. Not together with `id`.")] uuid: Option<String>,
    ) -> Option<Result<ByKey<Book>>> {
        Some(key(NodeType::Book, id, uuid))
    }

    /// The rating with this global id, or with this primary key; null where there is none.
    async fn rating(
        &self,
        #[graphql(desc = "What the field `id` of a rating says.")] id: Option<ID>,
        #[graphql(desc = "The primary key, as a UUID or a ULID. Not together with `id`.")] uuid: Option<String>,
    ) -> Option<Result<ByKey<Rating>>> {
        Some(key(NodeType::Rating, id, uuid))
    }

    /// The order with this global id, or with this primary key; null where there is none.
    async fn order(
        &self,
        #[graphql(desc = "What the field `id` of an order says.")] id: Option<ID>,
        #[graphql(desc = "The primary key, as a UUID or a ULID. Not together with `id`.")] uuid: Option<String>,
    ) -> Option<Result<ByKey<BookOrder>>> {
        Some(key(NodeType::Order, id, uuid))
    }
}

/// The key of the one object that the arguments name.
fn key<T: Keyed<Key = Uuid>>(node_type: NodeType, id: Option<ID>, uuid: Option<String>) -> Result<ByKey<T>> {
    match (id, uuid) {
        (Some(id), None) => NodeId::parse_as(&id, node_type).map(|id| ByKey(id.key)),
        (None, Some(uuid)) => parse_key(&uuid).map(ByKey),
        _ => Err(Error::client(Code::BadUserInput, "expected either `id` or `uuid`")),
    }
}

impl RootLists for Lists {
    const NAME: &str = "Query";

    fn lists(lists: &mut Roots) {
        lists
            .list::<Book>(
            "books",
            "The books of the shop. Without `orderBy` they come as they were created; of a search, the most relevant first.",
        )
        .kept(Kept::sum_of(book_count::Column::Rows));
        lists
            .list::<Rating>("ratings", "The ratings of all books.")
            .kept(Kept::sum_of(book_rating_count::Column::Rows));
        lists
            .list::<BookOrder>("orders", "The orders of all books.")
            .kept(Kept::sum_of(book_order_count::Column::Rows));
    }
}
