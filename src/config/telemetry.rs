//! What the server says of its work, and to whom.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// The log and the traces.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Telemetry {
    /// What is logged on stderr: `error`, `warn`, `info` (a line for each request), `debug`, `off`; or by module, as in
    /// `warn,bookends::db=debug`.
    #[arg(long, env = "RUST_LOG", default_value = Telemetry::LOG, value_name = "FILTER", value_parser = filter, global = true)]
    pub log: String,

    /// What the log is written as: `text` for people, `json` for machines, an object on each line.
    #[arg(
        long,
        env = "LOG_FORMAT",
        default_value = "text",
        value_name = "FORMAT",
        hide_possible_values = true,
        global = true
    )]
    pub log_format: LogFormat,

    /// Where traces are sent by OTLP over HTTP: the base address of a collector, such as `http://127.0.0.1:4318`.
    /// Without it, there are none.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", global = true)]
    pub otel_endpoint: Option<String>,

    /// What the server is called in its traces.
    #[arg(long, env = "OTEL_SERVICE_NAME", default_value = Telemetry::SERVICE_NAME, value_name = "NAME", global = true)]
    pub otel_service_name: String,
}

/// What the log is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: an object on each line.
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
