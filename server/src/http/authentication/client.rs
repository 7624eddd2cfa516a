//! Fetches the keys.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::ACCEPT;
use axum::http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

use super::error::AuthenticationError;

/// The time that the issuer has to answer, and the bytes that its answer may have.
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_ANSWER: usize = 1 << 20;

type Client<C> = HyperClient<C, Empty<Bytes>>;

/// What fetches a URL. It keeps no connection: the next request is minutes away.
pub enum Fetcher {
    Http(Client<HttpConnector>),
    Https(Client<HttpsConnector<HttpConnector>>),
}

/// Why a URL was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("{0}")]
    Connection(Box<dyn std::error::Error + Send + Sync>),
    #[error("the status is {0}")]
    Status(StatusCode),
    #[error("the response has more than {MAX_ANSWER} bytes, or is incomplete")]
    Body,
    #[error("there was no response in {} seconds", TIMEOUT.as_secs())]
    Late,
    #[error("the response is no JWK set")]
    NoSet,
}

impl Fetcher {
    /// What fetches this URL.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::Certificates`].
    pub fn of(uri: &Uri) -> Result<Self, AuthenticationError> {
        if uri.scheme_str() != Some("https") {
            return Ok(Self::Http(client(HttpConnector::new())));
        }
        let connector = HttpsConnectorBuilder::new().with_native_roots().map_err(AuthenticationError::Certificates)?;
        Ok(Self::Https(client(connector.https_only().enable_http1().build())))
    }

    /// The body of the response. Redirects are not followed.
    pub async fn fetch(&self, uri: &Uri) -> Result<Bytes, Failed> {
        let fetched = async {
            match self {
                Self::Http(client) => fetch(client, uri).await,
                Self::Https(client) => fetch(client, uri).await,
            }
        };
        timeout(TIMEOUT, fetched).await.unwrap_or(Err(Failed::Late))
    }
}

fn client<C: Connect + Clone>(connector: C) -> Client<C> {
    HyperClient::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector)
}

async fn fetch<C: Connect + Clone + Send + Sync + 'static>(client: &Client<C>, uri: &Uri) -> Result<Bytes, Failed> {
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| Failed::Connection(error);
    let request = Request::get(uri).header(ACCEPT, "application/jwk-set+json, application/json");
    let request = request.body(Empty::new()).map_err(|error| failed(error.into()))?;
    let (head, body) = client.request(request).await.map_err(|error| failed(error.into()))?.into_parts();
    if head.status != StatusCode::OK {
        return Err(Failed::Status(head.status));
    }
    Ok(Limited::new(body, MAX_ANSWER).collect().await.map_err(|_| Failed::Body)?.to_bytes())
}
