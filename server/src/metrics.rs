//! Metrics for Prometheus; docs/operations.md lists them.
//!
//! Clients cannot add values to labels. Gauges, such as the use of the pools, are read when the metrics are requested.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use keyset::End;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::identity::Identity;

mod family;
mod replicas;

use family::{Labels, add, times};
pub use replicas::OfReplica;
use replicas::Replicas;

/// The media type of [`Metrics::render`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    requests: Family<Labels<3>, Histogram, fn() -> Histogram>,
    operations: Family<Labels<1>, Histogram, fn() -> Histogram>,
    errors: Family<Labels<1>, Counter>,
    pages: Family<Labels<2>, Counter>,
    statements: Family<Labels<2>, Histogram, fn() -> Histogram>,
    write_retries: Counter,
    wrong_tokens: Counter,
    replicas: Replicas,
    connections: Family<Labels<2>, Gauge>,
    subscriptions: Gauge,
    operations_in_flight: Gauge,
    websockets: Gauge,
    buffered: Gauge,
}

/// The values of the gauges.
#[derive(Clone, Debug)]
pub struct Gauges {
    /// The connection pools.
    pub pools: Vec<Pool>,
    /// Requests and operations that hold a permit.
    pub operations_in_flight: usize,
    /// Active subscriptions.
    pub subscriptions: usize,
    /// Open WebSockets and event streams.
    pub websockets: usize,
    /// Bytes of the memory budget in use.
    pub buffered: usize,
}

/// The use of a connection pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The name of the pool.
    pub name: Cow<'static, str>,
    /// Connections in use.
    pub used: usize,
    /// Open connections that are not in use.
    pub idle: usize,
    /// Connections that can still be opened.
    pub spare: usize,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(Identity::default())
    }
}

impl Metrics {
    /// The metrics of an application.
    pub fn new(Identity { name, version }: Identity) -> Self {
        let mut registry = Registry::with_prefix("bookends");
        let build = [("version", version), ("application", name)];
        registry.register("build", "The application and its version", Info::new(build.to_vec()));
        let to = &mut registry;
        Self(Arc::new(Inner {
            requests: add(
                to,
                "request_duration_seconds",
                "Time of HTTP requests, from the head of the request to the head of the response",
                times(),
            ),
            operations: add(
                to,
                "operation_duration_seconds",
                "Time of executed queries and mutations, over HTTP and WebSockets",
                times(),
            ),
            errors: add(to, "errors", "GraphQL errors in responses", Family::default()),
            pages: add(to, "pages", "Pages read, by list and by the end that they are counted from", Family::default()),
            statements: add(
                to,
                "statement_duration_seconds",
                "Time of statements and commits, without waiting for a connection",
                times(),
            ),
            write_retries: add(to, "write_retries", "Transactions retried after a conflict", Counter::default()),
            wrong_tokens: add(to, "wrong_tokens", "Requests refused for a wrong token", Counter::default()),
            replicas: Replicas::added(to),
            connections: add(to, "connections", "Database connections", Family::default()),
            operations_in_flight: add(
                to,
                "operations_in_flight",
                "Requests being executed, at most MAX_REQUESTS",
                Gauge::default(),
            ),
            subscriptions: add(to, "subscriptions", "Active subscriptions", Gauge::default()),
            websockets: add(to, "websockets", "Open WebSockets and event streams", Gauge::default()),
            buffered: add(
                to,
                "buffered_bytes",
                "Bytes of the memory budget in use: request bodies and messages being received, responses being sent, and subscriptions",
                Gauge::default(),
            ),
            registry,
        }))
    }
}

impl Metrics {
    /// Records a request; without a status, it was dropped.
    pub fn request(&self, route: Cow<'static, str>, method: &'static str, status: Option<u16>, time: Duration) {
        let status = match status {
            // Nearly all: without an allocation.
            Some(200) => "200".into(),
            Some(status) => status.to_string().into(),
            None => "dropped".into(),
        };
        let labels = [("route", route), ("method", method.into()), ("status", status)];
        self.0.requests.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// Records an executed operation.
    pub fn operation(&self, kind: &'static str, time: Duration) {
        self.0.operations.get_or_create(&[("type", kind.into())]).observe(time.as_secs_f64());
    }

    /// Counts an error in a response.
    pub fn error(&self, code: &'static str) {
        self.0.errors.get_or_create(&[("code", code.into())]).inc();
    }

    /// Counts pages.
    pub fn pages(&self, list: &str, end: End, pages: usize) {
        let end = match end {
            End::Front => "front",
            End::Back => "back",
        };
        self.0.pages.get_or_create(&[("list", list.to_owned().into()), ("end", end.into())]).inc_by(pages as u64);
    }

    /// Records a statement.
    pub fn statement(&self, pool: &'static str, failed: bool, time: Duration) {
        let outcome = if failed { "failed" } else { "ok" };
        let labels = [("pool", pool.into()), ("outcome", outcome.into())];
        self.0.statements.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// Counts a retry.
    pub fn write_retried(&self) {
        self.0.write_retries.inc();
    }

    /// Counts a request with a wrong token.
    pub fn wrong_token(&self) {
        self.0.wrong_tokens.inc();
    }

    /// Counts a query that read from the primary, because no replica had what it needed.
    pub fn replica_fallback(&self) {
        self.0.replicas.fallbacks.inc();
    }

    /// The metrics of a replica.
    pub fn replica(&self, name: &str) -> OfReplica {
        self.0.replicas.of(name)
    }

    /// All metrics in the format of Prometheus (`OpenMetrics` 1.0).
    pub fn render(&self, gauges: Gauges) -> String {
        for Pool { name, used, idle, spare } in gauges.pools {
            for (state, count) in [("used", used), ("idle", idle), ("spare", spare)] {
                set(&self.0.connections.get_or_create(&[("pool", name.clone()), ("state", state.into())]), count);
            }
        }
        set(&self.0.operations_in_flight, gauges.operations_in_flight);
        set(&self.0.subscriptions, gauges.subscriptions);
        set(&self.0.websockets, gauges.websockets);
        set(&self.0.buffered, gauges.buffered);
        let mut text = String::new();
        // Writing into a `String` does not fail.
        let _ = text::encode(&mut text, &self.0.registry);
        text
    }
}

fn set(gauge: &Gauge, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}
