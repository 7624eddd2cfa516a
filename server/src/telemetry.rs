//! A log on stderr, and traces if a collector is configured.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::time::Duration;

use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{self, LogFormat};

mod log;
#[cfg(feature = "otlp")]
mod otlp;
#[cfg(not(feature = "otlp"))]
#[path = "telemetry/without.rs"]
mod otlp;
pub mod trace;

pub use otlp::statement;

/// The target of spans that are logged but not traced: probes, which are frequent, and subscriptions, which are endless.
pub const UNTRACED: &str = "bookends_server::untraced";

/// The target of spans that are traced but not logged, whatever the level of the log.
pub const TRACED: &str = "bookends_server::traced";

/// Why traces cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// The collector has no valid address.
    #[error("cannot send traces to OTEL_EXPORTER_OTLP_ENDPOINT: {0}")]
    Invalid(String),
    /// The program cannot send traces.
    #[error("OTEL_EXPORTER_OTLP_ENDPOINT is set, but this program was built without the feature `otlp`")]
    Unsupported,
}

/// The log and the traces of the process.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<otlp::Traces>,
}

impl Telemetry {
    /// Installs the log and the traces. Call it once, in a Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] if the endpoint in the settings is invalid, or the program cannot send traces.
    pub fn start(settings: &config::Telemetry) -> Result<Self, EndpointError> {
        let endpoint = settings.otel_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
        let traces = match endpoint {
            None => {
                // A program that serves within another one keeps the log of that one.
                let _ = log::alone(settings).try_init();
                None
            }
            Some(endpoint) => Some(otlp::Traces::start(endpoint, settings)?),
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

    /// Sends the last traces.
    pub async fn stop(self) {
        if let Some(traces) = self.traces {
            traces.stop().await;
        }
    }
}

/// A time in milliseconds, rounded to a microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
