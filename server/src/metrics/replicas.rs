//! The metrics of read replicas.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::family::{Labels, add};

type Lag = Gauge<f64, AtomicU64>;

#[derive(Debug)]
pub struct Replicas {
    healthy: Family<Labels<1>, Gauge>,
    lag: Family<Labels<1>, Lag>,
    queries: Family<Labels<1>, Counter>,
    ejections: Family<Labels<1>, Counter>,
    pub fallbacks: Counter,
}

/// The metrics of one replica. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OfReplica {
    healthy: Gauge,
    lag: Lag,
    queries: Counter,
    ejections: Counter,
}

impl Replicas {
    pub fn added(to: &mut Registry) -> Self {
        Self {
            healthy: add(to, "replica_healthy", "Whether queries read from a replica", Family::default()),
            lag: add(to, "replica_lag_seconds", "Time by which a replica is behind the primary", Family::default()),
            queries: add(
                to,
                "replica_queries",
                "Statements, and snapshots of several statements, read from a replica",
                Family::default(),
            ),
            ejections: add(
                to,
                "replica_ejections",
                "Number of times that queries stopped reading from a replica",
                Family::default(),
            ),
            fallbacks: add(
                to,
                "replica_fallbacks",
                "Statements and snapshots read from the primary, because no replica was suitable",
                Counter::default(),
            ),
        }
    }

    pub fn of(&self, name: &str) -> OfReplica {
        let labels = [("replica", name.to_owned().into())];
        OfReplica {
            healthy: self.healthy.get_or_create(&labels).clone(),
            lag: self.lag.get_or_create(&labels).clone(),
            queries: self.queries.get_or_create(&labels).clone(),
            ejections: self.ejections.get_or_create(&labels).clone(),
        }
    }
}

impl OfReplica {
    /// Counts a statement or a snapshot.
    pub fn query(&self) {
        self.queries.inc();
    }

    /// Records whether queries read from it.
    pub fn healthy(&self, is_healthy: bool) {
        self.healthy.set(is_healthy.into());
        if !is_healthy {
            self.ejections.inc();
        }
    }

    /// Records how far it is behind; `None` while that is unknown.
    pub fn lag(&self, lag: Option<Duration>) {
        self.lag.set(lag.map_or(f64::NAN, |lag| lag.as_secs_f64()));
    }
}
