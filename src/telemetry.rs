//! A log on stderr, and traces if a collector is configured.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal};
use std::panic;
use std::time::Duration;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::with_default;
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::layer::Filter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::config::{self, LogFormat};

mod otlp;
pub mod statement;
pub mod trace;

pub use otlp::EndpointError;

/// The name of the tracer, and the prefix of this program's targets in the log.
const NAME: &str = "bookends";
/// The library that reads lists, whose spans are part of a trace.
const LISTS: &str = "keyset_graphql";

/// The target of spans that are logged but not traced: probes, which are frequent, and subscriptions, which are endless.
pub const UNTRACED: &str = "bookends::untraced";

/// Libraries whose detailed logs contain queries, tokens or the database URL.
const SENSITIVE: [&str; 6] = ["axum", "hyper", "opentelemetry", "sea_orm", "sqlx", "tungstenite"];

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
        // Logs errors in OpenTelemetry's own settings.
        let traces = with_default(registry().with(log(settings)), || {
            endpoint.map(|endpoint| otlp::provider(endpoint, &settings.otel_service_name)).transpose()
        })?;
        let spans = traces.as_ref().map(|traces| {
            let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer(NAME));
            // Source locations and threads are of no use to operators.
            let layer =
                layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
            // Only spans of this program: its libraries trace the sending of traces, too.
            let own = Targets::new().with_targets([
                (NAME, LevelFilter::INFO),
                (LISTS, LevelFilter::INFO),
                (UNTRACED, LevelFilter::OFF),
            ]);
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

/// The layer that writes the log.
fn log(settings: &config::Telemetry) -> impl Layer<Registry> + use<> {
    let log = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    let log = match settings.log_format {
        LogFormat::Text => log.boxed(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let details = Targets::new().with_default(LevelFilter::TRACE);
    let details = details.with_targets(SENSITIVE.map(|library| (library, LevelFilter::INFO)));
    log.with_filter(levels(&settings.log).and(details))
}

/// The levels of the log. Without conditions on spans they are a table, which costs next to nothing.
fn levels(filter: &str) -> Box<dyn Filter<Registry> + Send + Sync> {
    match filter.parse::<Targets>() {
        // The spans of lists are for traces; in the log they are details, unless the filter names them.
        Ok(levels)
            if levels.would_enable(LISTS, &Level::INFO)
                && !levels.would_enable(LISTS, &Level::DEBUG)
                && !filter.contains(LISTS) =>
        {
            Box::new(levels.with_target(LISTS, LevelFilter::WARN))
        }
        Ok(levels) => Box::new(levels),
        Err(_) => Box::new(EnvFilter::new(filter)),
    }
}
