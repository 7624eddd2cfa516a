//! The entry points for reading.

use async_graphql::{Context, ID, Object};

use super::book::Book;
use super::connection::Connection;
use super::error::{Code, Error, Result};
use super::limits::{STATEMENT_COST, nodes_cost};
use super::list::List;
use super::lists::RootLists;
use super::node::{self, Node, NodeId, NodeType};
use super::object::{ListArgs, Listed};
use crate::config::Limits;

pub struct Query;

/// The entry points for reading.
#[Object]
impl Query {
    /// The object with this global id; null where there is none.
    #[graphql(complexity = "STATEMENT_COST + child_complexity")]
    async fn node(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What the field `id` of an object says.")] id: ID,
    ) -> Option<Result<Node>> {
        let find = async { Ok(node::find(context, &[NodeId::parse(&id)?]).await?.pop().flatten()) };
        find.await.transpose()
    }

    /// The objects with these global ids, in the same order; null where there is none.
    #[graphql(complexity = "nodes_cost(&ids, child_complexity)")]
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
        Err(Error::client(Code::BadUserInput, format!("at most {most} `ids`, not {}", ids.len())))
    }

    /// The book with this global id, or with this primary key; null where there is none.
    #[graphql(complexity = "STATEMENT_COST + child_complexity")]
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

/// A list of its own.
pub fn root<T: Listed>(_: &Query, context: &Context<'_>, args: ListArgs<T>) -> Result<Connection<T>> {
    Ok(Connection::new(List::new(context, args)?.into(), 0))
}
