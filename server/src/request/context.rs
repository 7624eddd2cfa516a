//! What a request carries beside its document and its variables.

use std::any::{Any, TypeId};
use std::net::IpAddr;
use std::sync::Arc;

use async_graphql::{Data, Request};
use bookends_graphql::RequestData;

use super::admission::{Admission, Permit};
use super::budget::Pace;
use super::cpu::Cpu;
use super::memory::Memory;
use super::permission::Permission;
use super::queue::Unit;
use crate::claims::Claims;
use crate::db::Role;

/// A request, with what it carries.
#[derive(Debug)]
pub struct Incoming {
    /// The document, or none, and the variables.
    pub request: Request,
    /// The id that came instead of a document.
    pub document_id: Option<String>,
    /// Whether it is so long that its checks take long.
    pub is_long: bool,
    /// What it carries.
    pub context: RequestContext,
}

/// What a request carries. Resolvers find it in the data of their context. By default, the request has no limits of
/// concurrency, and may not write. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RequestContext {
    /// Whether it may write.
    pub permission: Permission,
    /// What its token, or a trusted proxy, says of who asks. When they end, so do its subscriptions, and nothing else begins.
    pub claims: Option<Claims>,
    /// The role of the database in which it reads and writes. The checks set it, from the claims.
    #[doc(hidden)]
    pub role: Option<Role>,
    /// Its permit, if it is one of a server. A write can hold it longer than its client waits.
    pub permit: Option<Permit>,
    /// The connection that it shares with others.
    pub session: Option<Session>,
    /// The position that it must show, as its header has it.
    pub position: Option<String>,
    /// Whether its header asks for its cost.
    pub reports_cost: bool,
    /// Whether its response is written by [`json::write`](bookends_graphql::json::write): it can contain JSON.
    pub is_written: bool,
    /// What each event of a subscription costs.
    pub pace: Pace,
    /// What else the resolvers of an application find in their context.
    pub data: Option<Arc<Data>>,
}

/// Itself, and the data of the application.
impl RequestData for RequestContext {
    fn get(&self, of: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        if of == TypeId::of::<Self>() { Some(self) } else { RequestData::get(&**self.data.as_ref()?, of) }
    }
}

/// What the operations of a WebSocket, or of an event stream, share.
#[derive(Clone, Debug)]
pub struct Session {
    /// The id of the request that opened it.
    pub request_id: String,
    /// The permits for its queries and mutations.
    pub admission: Admission,
    /// The memory budget for its subscriptions.
    pub memory: Memory,
}

impl RequestContext {
    /// Its client, if it has a share.
    pub fn client(&self) -> Option<IpAddr> {
        let of_session = || self.session.as_ref().and_then(|session| session.admission.client());
        self.permit.as_ref().and_then(Permit::client).or_else(of_session)
    }

    /// The share of threads for long requests.
    pub fn cpu(&self) -> Cpu {
        match (&self.permit, &self.session) {
            (Some(permit), _) => permit.cpu().clone(),
            (None, Some(session)) => session.admission.cpu(),
            (None, None) => Cpu::default(),
        }
    }

    /// Waits for a turn of the client, if it has a share, for work of this cost.
    pub async fn turn(&self, cost: usize) -> Option<Unit> {
        match &self.permit {
            Some(permit) => permit.turn(cost).await,
            None => None,
        }
    }
}

impl Incoming {
    /// The same with this permission.
    #[must_use]
    pub fn permitted(mut self, permission: Permission) -> Self {
        self.context.permission = permission;
        self
    }

    /// The same with the value of an application that says who asks: see [`App::viewer`](crate::App::viewer), which a request over
    /// HTTP passes.
    #[must_use]
    pub fn viewed_by<V: Send + Sync + 'static>(mut self, viewer: V) -> Self {
        let mut data = Data::default();
        data.insert(viewer);
        self.context.data = Some(Arc::new(data));
        self
    }

    /// The same with these claims, which the caller has verified.
    #[must_use]
    pub fn claiming(mut self, claims: Claims) -> Self {
        self.context.claims = Some(claims);
        self
    }

    /// The same in this context.
    #[must_use]
    pub fn within(self, context: RequestContext) -> Self {
        Self { context, ..self }
    }
}

impl From<Request> for Incoming {
    fn from(request: Request) -> Self {
        Self { request, document_id: None, is_long: false, context: RequestContext::default() }
    }
}

impl From<&str> for Incoming {
    fn from(query: &str) -> Self {
        Request::new(query).into()
    }
}

impl From<String> for Incoming {
    fn from(query: String) -> Self {
        Request::new(query).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolved_fields_find_the_context_and_the_data_of_the_application() {
        let mut data = Data::default();
        data.insert("of the application");
        let context = RequestContext { position: Some("7".into()), data: Some(Arc::new(data)), ..Default::default() };
        let found = |of| context.get(of).map(|value| value as &dyn Any);
        let itself = found(TypeId::of::<RequestContext>()).and_then(<dyn Any>::downcast_ref::<RequestContext>);
        assert_eq!(itself.and_then(|itself| itself.position.as_deref()), Some("7"));
        let text = found(TypeId::of::<&'static str>()).and_then(<dyn Any>::downcast_ref::<&str>);
        assert_eq!(text, Some(&"of the application"));
        assert!(found(TypeId::of::<u8>()).is_none());
        assert!(RequestContext::default().get(TypeId::of::<u8>()).is_none());
    }
}
