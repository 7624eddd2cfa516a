//! What the root fields of one request share.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_graphql::context::QueryEnvInner;
use async_graphql::futures_util::lock::Mutex as AsyncMutex;
use async_graphql::{Pos, ServerResult, Value};

use super::plans::Plans;
use super::turns::Turns;

/// What the root fields of one request share. Put a new one into the data of each request, as
/// [`Snapshots`](crate::Snapshots) does. Then many fields are planned in linear time and hold no thread for long, and a field in
/// a fragment that is spread several times is read once: async-graphql resolves it each time.
#[derive(Default)]
pub struct RootValues {
    values: Mutex<HashMap<Pos, Arc<AsyncMutex<Option<Value>>>>>,
    /// The plans of the request, if none are in its data.
    plans: OnceLock<Plans>,
    pub(super) turns: Turns,
}

impl RootValues {
    /// The value of the field at this position, which `resolve` reads unless it is known. Its error is reported once.
    pub(super) async fn once(
        &self,
        position: Pos,
        resolve: impl Future<Output = ServerResult<Value>>,
    ) -> ServerResult<Value> {
        let known = Arc::clone(self.values.lock().unwrap_or_else(PoisonError::into_inner).entry(position).or_default());
        let mut known = known.lock().await;
        if let Some(value) = &*known {
            return Ok(value.clone());
        }
        let value = resolve.await;
        *known = Some(value.clone().unwrap_or_default());
        value
    }

    /// The plans of a request that has none in its data.
    pub(super) fn plans(&self, request: &QueryEnvInner) -> Plans {
        self.plans.get_or_init(|| Plans::of_request(request)).clone()
    }
}

impl fmt::Debug for RootValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootValues").finish_non_exhaustive()
    }
}
