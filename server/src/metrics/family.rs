//! Adding metrics to a registry.

use std::borrow::Cow;

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

/// The buckets of durations, in seconds: from a page in memory to more than `REQUEST_TIMEOUT`.
const TIMES: [f64; 17] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 90.0];

/// The labels of a metric, and their values.
pub type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// Adds a metric to a registry.
pub fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Histograms of durations.
pub fn times<const N: usize>() -> Family<Labels<N>, Histogram, fn() -> Histogram> {
    Family::new_with_constructor(|| Histogram::new(TIMES))
}
