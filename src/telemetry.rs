//! A log on stderr, and traces if a collector is configured.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::time::Duration;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::with_default;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, registry};

use crate::config::{self, LogFormat};

mod log;
mod otlp;
pub mod statement;
pub mod trace;

pub use otlp::EndpointError;

/// The name of the tracer, and the prefix of this program's targets in the log.
const NAME: &str = "bookends";

/// The target of spans that are logged but not traced: probes, which are frequent, and subscriptions, which are endless.
pub const UNTRACED: &str = "bookends::untraced";

/// The target of spans that are traced but not logged, whatever the level of the log.
pub const TRACED: &str = "bookends::traced";

/// The time to send the last traces.
const MAX_SHUTDOWN: Duration = Duration::from_secs(2);

/// The log and the traces of the process.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Installs the log and the traces. Call it once, in a Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] if the endpoint in the settings is invalid.
    pub fn start(settings: &config::Telemetry) -> Result<Self, EndpointError> {
        let endpoint = settings.otel_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
        let traces = match endpoint {
            None => {
                log::alone(settings).init();
                None
            }
            Some(endpoint) => Some(Self::trace(endpoint, settings)?),
        };
        if settings.log_format == LogFormat::Json {
            panic::set_hook(Box::new(|panic| {
                let backtrace = Backtrace::capture();
                let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
                tracing::error!(%panic, backtrace, "panicked");
            }));
        }
        Ok(Self { traces })
    }

    /// Installs the log, and traces that are sent to a collector.
    fn trace(endpoint: &str, settings: &config::Telemetry) -> Result<SdkTracerProvider, EndpointError> {
        // Logs errors in OpenTelemetry's own settings.
        let traces = with_default(log::alone(settings), || otlp::provider(endpoint, &settings.otel_service_name))?;
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
        Ok(traces)
    }

    /// Sends the last traces, for at most two seconds.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // It blocks, and waits for tasks of the runtime.
        let stopped = tokio::task::spawn_blocking(move || traces.shutdown_with_timeout(MAX_SHUTDOWN)).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!(?stopped, "the last traces could not be sent");
        }
    }
}

/// A time in milliseconds, rounded to a microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
