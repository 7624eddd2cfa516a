//! Sends traces by OTLP over HTTP.
//!
//! OpenTelemetry's libraries read further settings from the environment (docs/operations.md).

use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use hyper_rustls::HttpsConnectorBuilder;
use opentelemetry::KeyValue;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use sea_orm::prelude::async_trait::async_trait;
use tokio::runtime::Handle;

/// The time that the collector has to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why traces cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot send traces to OTEL_EXPORTER_OTLP_ENDPOINT: {0}")]
pub struct EndpointError(String);

/// A provider that sends spans to this collector in batches.
pub fn provider(endpoint: &str, service: &str) -> Result<SdkTracerProvider, EndpointError> {
    let refused = |error: &dyn std::error::Error| EndpointError(error.to_string());
    let address: Uri = endpoint.parse().map_err(|error| refused(&error))?;
    if address.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(EndpointError("a password must be set in OTEL_EXPORTER_OTLP_HEADERS".into()));
    }
    let runtime = Handle::current();
    let client: Arc<dyn HttpClient> = match address.scheme_str() {
        Some("http") => Arc::new(Client { client: HyperClient::with_default_connector(TIMEOUT, None), runtime }),
        Some("https") => {
            let connector = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| refused(&error))?;
            let connector = connector.https_only().enable_http1().build();
            Arc::new(Client { client: HyperClient::new(connector, TIMEOUT, None), runtime })
        }
        _ => return Err(EndpointError("expected a URL that starts with http:// or https://".into())),
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_shared_http_client(client)
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()
        .map_err(|error| refused(&error))?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(service.to_owned()).with_attribute(version).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

/// A client for the thread that sends the batches, which does not belong to the runtime.
#[derive(Debug)]
struct Client<C> {
    client: C,
    runtime: Handle,
}

#[async_trait]
impl<C: HttpClient + Clone + 'static> HttpClient for Client<C> {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}
