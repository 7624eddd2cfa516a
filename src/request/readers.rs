//! Where requests read.

use bookends_graphql::Reader;
use futures_util::future::BoxFuture;

use crate::db::Position;

/// Makes the readers of requests.
pub trait Readers: Send + Sync {
    /// Reads where mutations write.
    fn primary(&self) -> Reader;

    /// For a query of one statement: reads a state that includes this position.
    fn single(&self, after: Option<Position>) -> Reader;

    /// For a query of several statements: all of them see one state of the database, which includes this position.
    fn snapshot(&self, after: Option<Position>) -> Reader;

    /// What a state must include to show every write until now; `None` if every reader shows them anyway.
    fn position(&self) -> Option<BoxFuture<'static, Position>>;

    /// The same, shared with all who ask at the same time: a caller may wait for the answer to others first.
    fn shared_position(&self) -> Option<BoxFuture<'static, Position>>;
}
