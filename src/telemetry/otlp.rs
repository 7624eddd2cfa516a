//! Traces, sent by OTLP over HTTP.
//!
//! What else is to be said of it the OpenTelemetry libraries read from the environment by its standard names: headers, limits of
//! batches, sampling.

use std::time::Duration;

use axum::http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::KeyValue;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use sea_orm::prelude::async_trait::async_trait;
use tokio::runtime::Handle;

/// How long the collector may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why no traces can be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no traces can be sent to OTEL_EXPORTER_OTLP_ENDPOINT: {0}")]
pub struct EndpointError(String);

/// What makes spans and sends them to this collector, in batches.
pub fn provider(endpoint: &str, service: &str) -> Result<SdkTracerProvider, EndpointError> {
    let refused = |error: &dyn std::error::Error| EndpointError(error.to_string());
    let scheme = endpoint.parse::<Uri>().map_err(|error| refused(&error))?.scheme_str().map(str::to_owned);
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Err(EndpointError("it is not an address that begins with http:// or https://".into()));
    }
    let connector = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| refused(&error))?;
    let connector = connector.https_or_http().enable_http1().build();
    let client = Client { client: HyperClient::new(connector, PATIENCE, None), runtime: Handle::current() };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_timeout(PATIENCE)
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()
        .map_err(|error| refused(&error))?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(service.to_owned()).with_attribute(version).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

/// A client for the thread that sends the batches, which is none of the runtime's.
#[derive(Debug)]
struct Client {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}
