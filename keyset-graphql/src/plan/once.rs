//! Fields of a query in a fragment that is spread several times: async-graphql resolves them each time.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::futures_util::lock::Mutex as AsyncMutex;
use async_graphql::{Pos, ServerResult, Value};

/// The values of these fields in one request. Put a new one into the data of each request: then they are read once.
#[derive(Default)]
pub struct RootValues(Mutex<HashMap<Pos, Arc<AsyncMutex<Option<Value>>>>>);

impl RootValues {
    /// The value of the field at this position, which `resolve` reads unless it is known. Its error is reported once.
    pub(super) async fn once(
        &self,
        position: Pos,
        resolve: impl Future<Output = ServerResult<Value>>,
    ) -> ServerResult<Value> {
        let known = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(position).or_default());
        let mut known = known.lock().await;
        if let Some(value) = &*known {
            return Ok(value.clone());
        }
        let value = resolve.await;
        *known = Some(value.clone().unwrap_or_default());
        value
    }
}

impl fmt::Debug for RootValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootValues").finish_non_exhaustive()
    }
}
