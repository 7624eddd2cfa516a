//! Where requests read.

use bookends_graphql::Reader;
use futures_util::future::BoxFuture;

use crate::db::{Position, Role};

/// Makes the readers of requests. With a role, every transaction takes it on.
pub trait Readers: Send + Sync {
    /// Reads where mutations write.
    fn primary(&self, role: Option<&Role>) -> Reader;

    /// For a query of one statement: reads a state that includes this position.
    fn single(&self, after: Option<Position>, role: Option<&Role>) -> Reader;

    /// For a query of several statements: all of them see one state of the database, which includes this position.
    fn snapshot(&self, after: Option<Position>, role: Option<&Role>) -> Reader;

    /// What a state must include to show every write until now; `None` if every reader shows them anyway.
    fn position(&self) -> Option<BoxFuture<'static, Position>>;

    /// The same, shared with all who ask at the same time: a caller may wait for the answer to others first.
    fn shared_position(&self) -> Option<BoxFuture<'static, Position>>;
}
