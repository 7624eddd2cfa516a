//! Sends traces by OTLP over HTTP.
//!
//! OpenTelemetry's libraries read further settings from the environment (docs/operations.md).

use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{KeyValue, global};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use sea_orm::prelude::async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::with_default;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, registry};

use super::{EndpointError, TRACED, UNTRACED, log};
use crate::config;

mod request;
pub mod statement;

pub use request::{answered, join, sampled};

/// The name of the tracer, and the prefix of this program's targets in the log.
const NAME: &str = "bookends";

/// The time that the collector has to answer, and the bytes that its answer may have.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ANSWER: usize = 4 << 20;

/// The time to send the last traces.
const MAX_SHUTDOWN: Duration = Duration::from_secs(2);

/// The traces of the process.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Installs the log, and traces that are sent to a collector.
    pub fn start(endpoint: &str, settings: &config::Telemetry) -> Result<Self, EndpointError> {
        // Logs errors in OpenTelemetry's own settings.
        let traces = with_default(log::alone(settings), || provider(endpoint, &settings.otel_service_name))?;
        let spans = tracing_opentelemetry::layer().with_tracer(traces.tracer(NAME));
        // Source locations and threads are of no use to operators.
        let spans = spans.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
        // Only spans of this program: its libraries trace the sending of traces, too.
        let own = Targets::new().with_targets([
            (NAME, LevelFilter::INFO),
            (log::LISTS, LevelFilter::INFO),
            (TRACED, LevelFilter::TRACE),
            (UNTRACED, LevelFilter::OFF),
        ]);
        registry().with(log::beside_traces(settings)).with(spans.with_filter(own)).init();
        global::set_tracer_provider(traces.clone());
        Ok(Self(traces))
    }

    /// Sends the last traces, for at most two seconds.
    pub async fn stop(self) {
        // It blocks, and waits for tasks of the runtime.
        let stopped = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(MAX_SHUTDOWN)).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!(?stopped, "the last traces could not be sent");
        }
    }
}

/// A provider that sends spans to this collector in batches.
fn provider(endpoint: &str, service: &str) -> Result<SdkTracerProvider, EndpointError> {
    let refused = |error: &dyn std::error::Error| EndpointError::Invalid(error.to_string());
    let address: Uri = endpoint.parse().map_err(|error| refused(&error))?;
    if address.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(EndpointError::Invalid("a password must be set in OTEL_EXPORTER_OTLP_HEADERS".into()));
    }
    let runtime = Handle::current();
    let client: Arc<dyn HttpClient> = match address.scheme_str() {
        Some("http") => Arc::new(Client::new(HttpConnector::new(), runtime)),
        Some("https") => {
            let connector = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| refused(&error))?;
            Arc::new(Client::new(connector.https_only().enable_http1().build(), runtime))
        }
        _ => return Err(EndpointError::Invalid("expected a URL that starts with http:// or https://".into())),
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
    client: HyperClient<C, Full<Bytes>>,
    runtime: Handle,
}

impl<C: Connect + Clone> Client<C> {
    fn new(connector: C, runtime: Handle) -> Self {
        Self { client: HyperClient::builder(TokioExecutor::new()).build(connector), runtime }
    }
}

#[async_trait]
impl<C: Connect + Clone + std::fmt::Debug + Send + Sync + 'static> HttpClient for Client<C> {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = async move {
            let (head, body) = client.request(request.map(Full::new)).await?.into_parts();
            Ok(Response::from_parts(head, Limited::new(body, MAX_ANSWER).collect().await?.to_bytes()))
        };
        // The timer is one of the runtime.
        self.runtime.spawn(async move { timeout(TIMEOUT, sent).await }).await??
    }
}
