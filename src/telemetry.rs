//! What the process says of its work: a log on stderr, and traces where a collector is named.

use std::io::{self, IsTerminal};

use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::config::{self, LogFormat};

mod otlp;
pub(crate) mod trace;

pub use otlp::EndpointError;

/// What this program is called among those that trace.
const NAME: &str = "bookends";

/// The log and the traces, as long as the process lives.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Begins: from now on all that the process says goes where the settings have it go. Call it once, in a Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] where no traces can be sent to the address in the settings.
    pub fn start(settings: &config::Telemetry) -> Result<Self, EndpointError> {
        let endpoint = settings.otel_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
        let traces = endpoint.map(|endpoint| otlp::provider(endpoint, &settings.otel_service_name)).transpose()?;
        let log = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
        let log = match settings.log_format {
            LogFormat::Text => log.boxed(),
            LogFormat::Json => log.json().flatten_event(true).with_current_span(false).boxed(),
        };
        let spans = traces.as_ref().map(|traces| {
            let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer(NAME));
            // Where in the source a span begins, and on which thread, is nobody's question.
            let layer =
                layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
            // What this program says, and not what its libraries do, such as the sending of the traces.
            layer.with_filter(Targets::new().with_target(NAME, LevelFilter::INFO))
        });
        registry().with(log.with_filter(EnvFilter::new(&settings.log))).with(spans).init();
        if let Some(traces) = &traces {
            global::set_tracer_provider(traces.clone());
        }
        Ok(Self { traces })
    }

    /// Ends: sends the traces that have not been sent yet, for five seconds at most.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // It blocks, and what it waits for is work of the runtime.
        let stopped = tokio::task::spawn_blocking(move || traces.shutdown()).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!(?stopped, "the last traces could not be sent");
        }
    }
}
