//! The log on stderr: its lines, and which of them are written.
//!
//! Where there are no traces, the filters are those of everything that is recorded: [`alone`]. A filter of one layer would look
//! up the span of a request at each of its polls. Beside traces, which have another filter, the log has one of its own.

use std::io::{self, IsTerminal};

use tracing::level_filters::LevelFilter;
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};
#[cfg(feature = "otlp")]
use tracing_subscriber::{filter::FilterExt, layer::Filter};

use crate::config::{LogFormat, Telemetry};

/// The library that reads lists, whose spans are part of a trace.
pub const LISTS: &str = "bookends_graphql";

/// Libraries whose detailed logs contain queries, tokens or the database URL.
const SENSITIVE: [&str; 7] = ["axum", "hyper", "opentelemetry", "sea_orm", "sqlx", "tokio_postgres", "tungstenite"];

/// The log of a process without traces.
pub fn alone(settings: &Telemetry) -> impl Subscriber + Send + Sync + use<> {
    let levels: Box<dyn Layer<_> + Send + Sync> = match levels(&settings.log) {
        Levels::Table(levels) => Box::new(capped(levels)),
        Levels::Conditions(levels) => Box::new(levels.and_then(details())),
    };
    registry().with(lines(settings)).with(levels)
}

/// The log of a process with traces.
#[cfg(feature = "otlp")]
pub fn beside_traces(settings: &Telemetry) -> impl Layer<Registry> + use<> {
    let levels: Box<dyn Filter<Registry> + Send + Sync> = match levels(&settings.log) {
        Levels::Table(levels) => Box::new(levels),
        Levels::Conditions(levels) => Box::new(levels),
    };
    lines(settings).with_filter(levels.and(details()))
}

fn lines(settings: &Telemetry) -> Box<dyn Layer<Registry> + Send + Sync> {
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    match settings.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    }
}

/// The levels that are logged, by target.
#[expect(clippy::large_enum_variant, reason = "there is one, while the log is installed")]
enum Levels {
    /// A table, which costs next to nothing.
    Table(Targets),
    /// With conditions on spans.
    Conditions(EnvFilter),
}

fn levels(filter: &str) -> Levels {
    match filter.parse::<Targets>() {
        // The spans of lists are for traces; in the log they are details, unless the filter names them.
        Ok(levels)
            if levels.would_enable(LISTS, &Level::INFO)
                && !levels.would_enable(LISTS, &Level::DEBUG)
                && !filter.contains(LISTS) =>
        {
            Levels::Table(levels.with_target(LISTS, LevelFilter::WARN))
        }
        Ok(levels) => Levels::Table(levels),
        Err(_) => Levels::Conditions(EnvFilter::new(filter)),
    }
}

/// These levels, without what [`details`] leaves out. As one table, they have the most detailed level as their own: libraries that use the
/// crate `log` then make no record below it.
fn capped(levels: Targets) -> Targets {
    let is_sensitive = |target: &str| SENSITIVE.iter().any(|library| target.starts_with(library));
    let detailed = levels.iter().filter(|(target, level)| *level > LevelFilter::INFO && is_sensitive(target));
    let libraries = SENSITIVE.iter().filter(|library| levels.would_enable(library, &Level::DEBUG));
    let targets = detailed.map(|(target, _)| target).chain(libraries.copied());
    let capped: Vec<_> = targets.map(|target| (target.to_owned(), LevelFilter::INFO)).collect();
    levels.with_targets(capped)
}

/// All that contains nothing secret.
fn details() -> Targets {
    let all = Targets::new().with_default(LevelFilter::TRACE);
    all.with_targets(SENSITIVE.map(|library| (library, LevelFilter::INFO)))
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::Layer;

    use super::*;

    #[test]
    fn no_filter_shows_the_details_of_a_sensitive_library() {
        for filter in ["trace", "info,sqlx=debug", "sqlx::query=trace,sq=debug", "warn,hyper::client=debug,hyper=trace"]
        {
            let levels = capped(filter.parse().unwrap());
            for target in
                SENSITIVE.into_iter().chain(["sqlx::query", "hyper::client::pool", "sqlx_core", "sea_orm_migration"])
            {
                assert!(!levels.would_enable(target, &Level::DEBUG), "{filter}: {target}");
            }
        }
        let levels = capped("info,tungstenite=warn,bookends_server=debug".parse().unwrap());
        assert!(levels.would_enable("bookends_server::api", &Level::DEBUG));
        assert!(levels.would_enable("hyper", &Level::INFO) && !levels.would_enable("tungstenite", &Level::INFO));
        let hint = |filter: &str| Layer::<Registry>::max_level_hint(&capped(filter.parse().unwrap()));
        assert_eq!(
            (hint("info"), hint("warn,bookends_server=debug")),
            (Some(LevelFilter::INFO), Some(LevelFilter::DEBUG))
        );
    }
}
