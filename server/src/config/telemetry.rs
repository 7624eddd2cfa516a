//! Settings of the log and the traces.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// Log and traces.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Log and traces")]
pub struct Telemetry {
    /// Level of the log on stderr: `error`, `warn`, `info` (a line per request), `debug` or `off`; or a level per module,
    /// such as `warn,bookends_server::db=debug`.
    #[arg(long, env = "RUST_LOG", default_value = Telemetry::LOG, value_name = "FILTER", value_parser = filter)]
    pub log: String,

    /// Format of the log: `text`, or `json` with an object per line.
    #[arg(long, env = "LOG_FORMAT", default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub log_format: LogFormat,

    /// Base URL of a collector of traces (OTLP over HTTP), such as `http://127.0.0.1:4318`. By default, no traces are
    /// sent.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub otel_endpoint: Option<String>,

    /// Name of this server in its traces.
    #[arg(long, env = "OTEL_SERVICE_NAME", default_value = Telemetry::SERVICE_NAME, value_name = "NAME")]
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

impl LogFormat {
    /// The format that the arguments and the environment of this process name, for what is said before they are read, or
    /// because they cannot be read.
    #[expect(clippy::disallowed_methods, reason = "settings are read here")]
    pub fn of_process() -> Self {
        let arguments: Vec<_> = std::env::args_os().collect();
        let is_json = |format: &OsStr| format == "json";
        let separate = arguments.windows(2).rfind(|pair| pair[0] == "--log-format").map(|pair| is_json(&pair[1]));
        let joined = || arguments.iter().rfind(|given| given.as_encoded_bytes().starts_with(b"--log-format="));
        let given = separate.or_else(|| joined().map(|given| given == "--log-format=json"));
        let is_json = given.unwrap_or_else(|| std::env::var_os("LOG_FORMAT").is_some_and(|format| is_json(&format)));
        if is_json { Self::Json } else { Self::Text }
    }
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
    // A word alone could also be a module, of which everything would be logged: a level that is misspelt would be one.
    let is_word = |part: &&str| !part.is_empty() && !part.contains(['=', '[']);
    if !text.contains('[')
        && let Some(word) = text.split(',').map(str::trim).filter(is_word).find(|word| !is_level(word))
    {
        return Err(format!("expected a level, or a module with its level (`{word}=debug`), instead of `{word}`"));
    }
    EnvFilter::builder().parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn is_level(word: &str) -> bool {
    LevelFilter::from_str(word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_the_filter_is_a_level() {
        for text in ["info", "WARN", "off", "warn,bookends_server::db=debug", "", "info,", "warn,[request{id=1}]=debug"]
        {
            assert_eq!(filter(text).as_deref(), Ok(text));
        }
        for text in ["infos", "debug,verbose", "bookends", "bookends_server::db", "warn, inf", "bookends=loud"] {
            assert!(filter(text).is_err(), "{text}");
        }
    }
}
