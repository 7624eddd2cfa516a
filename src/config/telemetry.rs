//! Settings of the log and the traces.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// Log and traces.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Log and traces")]
pub struct Telemetry {
    /// Level of the log on stderr: `error`, `warn`, `info` (a line per request), `debug` or `off`; or a level per module,
    /// such as `warn,bookends::db=debug`.
    #[arg(long, env = "RUST_LOG", default_value = Telemetry::LOG, value_name = "FILTER", value_parser = filter, global = true)]
    pub log: String,

    /// Format of the log: `text`, or `json` with an object per line.
    #[arg(
        long,
        env = "LOG_FORMAT",
        default_value = "text",
        value_name = "FORMAT",
        hide_possible_values = true,
        global = true
    )]
    pub log_format: LogFormat,

    /// Base URL of a collector that receives traces by OTLP over HTTP, such as `http://127.0.0.1:4318`. By default, no
    /// traces are sent.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", global = true)]
    pub otel_endpoint: Option<String>,

    /// Name of this server in its traces.
    #[arg(long, env = "OTEL_SERVICE_NAME", default_value = Telemetry::SERVICE_NAME, value_name = "NAME", global = true)]
    pub otel_service_name: String,
}

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text, for people.
    Text,
    /// JSON, for machines: an object per line.
    Json,
}

impl Telemetry {
    const LOG: &str = "warn";
    const SERVICE_NAME: &str = "bookends";
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            log: Self::LOG.into(),
            log_format: LogFormat::Text,
            otel_endpoint: None,
            otel_service_name: Self::SERVICE_NAME.into(),
        }
    }
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::builder().parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}
