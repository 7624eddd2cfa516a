//! The entry points for reading.

use async_graphql::{Context, ID, Object};

use super::book::Book;
use super::code::Code;
use super::error::{Error, Result};
use super::lists::RootLists;
use super::node::{self, Node, NodeId, NodeType};
use crate::config::Limits;

pub struct Query;

/// The entry points for reading.
#[Object]
impl Query {
    /// The object with this global id; null where there is none.
    async fn node(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the field `id` of an object says.")] id: ID,
    ) -> Option<Result<Node>> {
        let find = async { Ok(node::find(context, &[NodeId::parse(&id)?]).await?.pop().flatten()) };
        find.await.transpose()
    }

    /// The objects with these global ids, in the same order; null where there is none.
    async fn nodes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the fields `id` of objects say: at most as many as a page can hold.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Node>>> {
        let most = context.data_unchecked::<Limits>().max_page_size;
        if u32::try_from(ids.len()).is_ok_and(|asked| asked <= most) {
            let ids = ids.iter().map(NodeId::parse).collect::<Result<Vec<_>>>()?;
            return node::find(context, &ids).await;
        }
        Err(Error::client(
            Code::BadUserInput,
            format!("at most {most} `ids` (the setting MAX_PAGE_SIZE), not {}", ids.len()),
        ))
    }

    /// The book with this global id, or with this primary key; null where there is none.
    async fn book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the field `id` of a book says.")] id: Option<ID>,
        #[graphql(desc = "The primary key, as a UUID or a ULID. Not together with `id`.")] uuid: Option<String>,
    ) -> Option<Result<Book>> {
        let find = async {
            let id = match (id, uuid) {
                (Some(id), None) => NodeId::parse_as(&id, NodeType::Book)?,
                (None, Some(uuid)) => NodeId { node_type: NodeType::Book, key: node::parse_key(&uuid)? },
                _ => return Err(Error::client(Code::BadUserInput, "a book has one name: `id` or `uuid`")),
            };
            Ok(match node::find(context, &[id]).await?.pop().flatten() {
                Some(Node::Book(book)) => Some(book),
                _ => None,
            })
        };
        find.await.transpose()
    }

    #[graphql(flatten)]
    async fn lists(&self) -> RootLists<'_> {
        RootLists(self)
    }
}
