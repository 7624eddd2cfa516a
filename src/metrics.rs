//! What is counted and timed, for Prometheus: docs/operations.md lists it.
//!
//! Labels have few values, whatever clients send. What is of the moment, such as the use of the pools, is looked up
//! when it is asked for.

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
use prometheus_client::registry::{Metric, Registry};

/// The media type of [`Metrics::render`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The bounds of the buckets of times, in seconds: from a page in memory to beyond what a request may take.
const TIMES: [f64; 17] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 90.0];

/// The metrics of a server, or of what else works on a database. Cheap to clone.
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
    connections: Family<Labels<2>, Gauge>,
    subscriptions: Gauge,
    operations_in_flight: Gauge,
    websockets: Gauge,
    buffered: Gauge,
}

type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// What is of the moment.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The pools of connections to the database.
    pub pools: Vec<Pool>,
    /// Requests and operations that have a place.
    pub operations_in_flight: usize,
    /// Subscriptions that listen.
    pub subscriptions: usize,
    /// WebSockets that are open.
    pub websockets: usize,
    /// Bytes of bodies that come, and of answers that wait to be taken.
    pub buffered: usize,
}

/// How a pool of connections is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// What its connections are for.
    pub name: &'static str,
    /// Connections at work.
    pub used: usize,
    /// Connections that wait for work.
    pub idle: usize,
    /// Connections that may be opened yet.
    pub spare: usize,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("bookends");
        registry.register("build", "The version of the server", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        let to = &mut registry;
        Self(Arc::new(Inner {
            requests: add(
                to,
                "request_duration_seconds",
                "HTTP requests, from the head to the beginning of the answer",
                times(),
            ),
            operations: add(
                to,
                "operation_duration_seconds",
                "Queries and mutations that were executed to their end, by HTTP or by WebSocket",
                times(),
            ),
            errors: add(to, "errors", "GraphQL errors in answers", Family::default()),
            pages: add(to, "pages", "Pages read, by the end of the list that they are counted from", Family::default()),
            statements: add(
                to,
                "statement_duration_seconds",
                "Statements and commits, without the wait for a connection",
                times(),
            ),
            write_retries: add(to, "write_retries", "Transactions that were run again", Counter::default()),
            connections: add(to, "connections", "Connections to the database", Family::default()),
            operations_in_flight: add(
                to,
                "operations_in_flight",
                "What is worked on, of the MAX_REQUESTS at a time",
                Gauge::default(),
            ),
            subscriptions: add(to, "subscriptions", "Subscriptions that listen", Gauge::default()),
            websockets: add(to, "websockets", "WebSockets that are open", Gauge::default()),
            buffered: add(to, "buffered_bytes", "Bytes of bodies that come and of answers that wait", Gauge::default()),
            registry,
        }))
    }
}

impl Metrics {
    /// A request has been answered; or dropped, without a status.
    pub fn request(&self, route: &str, method: &'static str, status: Option<u16>, time: Duration) {
        let status = status.map_or("dropped".into(), |status| status.to_string().into());
        let labels = [("route", route.to_owned().into()), ("method", method.into()), ("status", status)];
        self.0.requests.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// An operation of this kind has been executed.
    pub fn operation(&self, kind: &'static str, time: Duration) {
        self.0.operations.get_or_create(&[("type", kind.into())]).observe(time.as_secs_f64());
    }

    /// A client has been told of an error with this code.
    pub fn error(&self, code: &'static str) {
        self.0.errors.get_or_create(&[("code", code.into())]).inc();
    }

    /// Pages have been read.
    pub fn pages(&self, list: &'static str, end: End, pages: usize) {
        let end = match end {
            End::Front => "front",
            End::Back => "back",
        };
        self.0.pages.get_or_create(&[("list", list.into()), ("end", end.into())]).inc_by(pages as u64);
    }

    /// A statement has been run.
    pub fn statement(&self, pool: &'static str, failed: bool, time: Duration) {
        let outcome = if failed { "failed" } else { "ok" };
        let labels = [("pool", pool.into()), ("outcome", outcome.into())];
        self.0.statements.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// A transaction is run again.
    pub fn write_retried(&self) {
        self.0.write_retries.inc();
    }

    /// Everything, as Prometheus reads it (`OpenMetrics`, version 1.0).
    pub fn render(&self, moment: Moment) -> String {
        for Pool { name, used, idle, spare } in moment.pools {
            for (state, count) in [("used", used), ("idle", idle), ("spare", spare)] {
                set(&self.0.connections.get_or_create(&[("pool", name.into()), ("state", state.into())]), count);
            }
        }
        set(&self.0.operations_in_flight, moment.operations_in_flight);
        set(&self.0.subscriptions, moment.subscriptions);
        set(&self.0.websockets, moment.websockets);
        set(&self.0.buffered, moment.buffered);
        let mut text = String::new();
        // A `String` takes whatever is written.
        let _ = text::encode(&mut text, &self.0.registry);
        text
    }
}

fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

fn times<const N: usize>() -> Family<Labels<N>, Histogram, fn() -> Histogram> {
    Family::new_with_constructor(|| Histogram::new(TIMES))
}

fn set(gauge: &Gauge, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}
