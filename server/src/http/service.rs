//! The way of a request: it is observed, passes what surrounds every route, and reaches its route.
//!
//! The steps are functions around each other, not layers of a router. A router would call each layer through a pointer, with a
//! clone of everything below it and a future on the heap.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tower::ServiceExt;

use super::bounds::Gate;
use super::capacity::Capacity;
use super::graphql::{self, API, Endpoint, Received};
use super::host::WrongHost;
use super::media::Media;
use super::observe::observe;
use super::response::reject;
use super::surroundings::Surroundings;
use super::timing;
use crate::config::Bounds;
use crate::metrics::Metrics;
use crate::request::Code;

/// The same route as [`API`].
const API_WITH_SLASH: &str = "/graphql/";

/// Responds to requests. Cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Way>);

struct Way {
    around: Around,
    gate: Gate,
    /// None if the API is one of the other routes, too.
    api: Option<Endpoint>,
    /// They are called within `around`, which needs to know which of them it is.
    routes: Router,
    /// The other routes, for requests that are in `around` already.
    bare: Router,
}

/// What is around every route.
#[derive(Clone)]
struct Around {
    metrics: Metrics,
    surroundings: Surroundings,
}

impl Service {
    /// The API, if it is not one of the other routes, and those. They find the [`Capacity`] in their requests.
    pub fn new(api: Option<Endpoint>, others: Router, bounds: &Bounds, metrics: Metrics, capacity: &Capacity) -> Self {
        let around = Around { metrics, surroundings: Surroundings::new(bounds) };
        let bare = others.layer(DefaultBodyLimit::disable());
        let routes = bare.clone().layer(from_fn_with_state(around.clone(), pass));
        Self(Arc::new(Way { around, gate: Gate::new(bounds, capacity), api, routes, bare }))
    }

    /// The response to a request.
    pub async fn respond(self, mut request: Request) -> Response {
        let way = &*self.0;
        if request.uri().path() == API_WITH_SLASH {
            *request.uri_mut() = without_slash(request.uri());
        }
        if request.uri().path() == API {
            let stream = way.api.as_ref().map(|api| |streamed| graphql::stream(api, streamed));
            let admitted = |request| way.gate.admit(request, |received| way.respond(received), stream);
            return way.around.call(Some(Cow::Borrowed(API)), request, admitted).await;
        }
        let Ok(response) = way.routes.clone().oneshot(request).await;
        response
    }

    /// The response to a request that reaches no route, because its host is wrong.
    pub async fn refuse(self, request: Request, wrong: WrongHost) -> Response {
        let refuse = |request: Request| async move {
            let media = Media::accepted(request.headers()).unwrap_or(Media::Json);
            let mut response = reject(media, Code::HostMalformed, wrong.to_string());
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        };
        self.0.around.call(None, request, refuse).await
    }
}

/// The URI of the API, in place of the one with a slash at its end.
fn without_slash(uri: &Uri) -> Uri {
    let target = uri.query().map_or_else(|| API.to_owned(), |query| format!("{API}?{query}"));
    // What was the query of a URI is one.
    target.parse().unwrap_or_else(|_| Uri::from_static(API))
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Way {
    async fn respond(&self, received: Received) -> Response {
        if let Some(api) = &self.api {
            if timing::is_wanted(&received.head.headers) {
                // On the heap: otherwise every other request would have room for it.
                return Box::pin(timing::timed(graphql::answer(api, received))).await;
            }
            return graphql::answer(api, received).await;
        }
        let Ok(response) = self.bare.clone().oneshot(Request::from(received)).await;
        response
    }
}

impl Around {
    async fn call<Responding: Future<Output = Response>>(
        &self,
        route: Option<Cow<'static, str>>,
        request: Request,
        respond: impl FnOnce(Request) -> Responding,
    ) -> Response {
        observe(&self.metrics, route, request, |request| self.surroundings.call(request, respond)).await
    }
}

async fn pass(State(around): State<Around>, route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let route = route.map(|route| Cow::Owned(route.as_str().to_owned()));
    around.call(route, request, |request| next.run(request)).await
}

impl tower::Service<Request> for Service {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.respond(request).await) })
    }
}
