//! What the process says of its work: a log on stderr, and traces where a collector is named.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal};
use std::panic;
use std::time::Duration;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::with_default;
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::config::{self, LogFormat};

mod otlp;
pub mod statement;
pub mod trace;

pub use otlp::EndpointError;

/// What this program is called among those that trace, and by its modules in the log.
const NAME: &str = "bookends";

/// The target of spans that are in the log and in no trace: what is asked all the time, and what has no end.
pub const UNTRACED: &str = "bookends::untraced";

/// Libraries that say in their details what is nobody's business: queries, tokens, the URL of the database.
const TALKATIVE: [&str; 6] = ["axum", "hyper", "opentelemetry", "sea_orm", "sqlx", "tungstenite"];

/// How long the last traces may take to be sent.
const LONGEST_STOP: Duration = Duration::from_secs(2);

/// The log and the traces, as long as the process lives.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Begins: from now on all that the process says goes where the settings have it go. Call it once, in a Tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] where no traces can be sent to the address in the settings.
    pub fn start(settings: &config::Telemetry) -> Result<Self, EndpointError> {
        let endpoint = settings.otel_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
        // What is wrong with OpenTelemetry's own settings is said here.
        let traces = with_default(registry().with(log(settings)), || {
            endpoint.map(|endpoint| otlp::provider(endpoint, &settings.otel_service_name)).transpose()
        })?;
        let spans = traces.as_ref().map(|traces| {
            let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer(NAME));
            // Where in the source a span begins, and on which thread, is nobody's question.
            let layer =
                layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
            // What this program says, and not what its libraries do, such as the sending of the traces.
            let own = Targets::new().with_target(NAME, LevelFilter::INFO).with_target(UNTRACED, LevelFilter::OFF);
            layer.with_filter(own)
        });
        registry().with(log(settings)).with(spans).init();
        if let Some(traces) = &traces {
            global::set_tracer_provider(traces.clone());
        }
        if settings.log_format == LogFormat::Json {
            panic::set_hook(Box::new(|panic| {
                let backtrace = Backtrace::capture();
                let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
                tracing::error!(%panic, backtrace, "panicked");
            }));
        }
        Ok(Self { traces })
    }

    /// Ends: sends the traces that have not been sent yet, for two seconds at most.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // It blocks, and what it waits for is work of the runtime.
        let stopped = tokio::task::spawn_blocking(move || traces.shutdown_with_timeout(LONGEST_STOP)).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!(?stopped, "the last traces could not be sent");
        }
    }
}

/// A time as the log shows it, to a microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// What is logged, and as what.
fn log(settings: &config::Telemetry) -> impl Layer<Registry> + use<> {
    let log = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    let log = match settings.log_format {
        LogFormat::Text => log.boxed(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let details = Targets::new().with_default(LevelFilter::TRACE);
    let details = details.with_targets(TALKATIVE.map(|library| (library, LevelFilter::INFO)));
    log.with_filter(EnvFilter::new(&settings.log).and(details))
}
