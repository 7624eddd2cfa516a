//! The value of every setting.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::connections::default_connections;
use super::{Authentication, Bounds, Documents, Limits, Pooler, Replicas, Roles, Seconds, Secret, Sqlite, Telemetry};
use crate::identity::Identity;

/// The value of every setting.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The application.
    pub identity: Identity,
    /// The database.
    pub database_url: Secret,
    /// Maximum number of connections to it.
    pub database_connections: u32,
    /// Maximum time to wait for it at start-up.
    pub database_wait: Seconds,
    /// Read replicas.
    pub replicas: Replicas,
    /// PostgreSQL behind a pooler.
    pub pooler: Pooler,
    /// How a SQLite file is opened.
    pub sqlite: Sqlite,
    /// Whether to fill an empty database with sample rows.
    pub sample: bool,
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Those of the probes, if they have their own.
    pub listen_admin: Option<SocketAddr>,
    /// The token that mutations need.
    pub write_token: Option<Secret>,
    /// Tokens of users, and the headers of a proxy.
    pub authentication: Authentication,
    /// The roles of the database in which requests read and write.
    pub roles: Roles,
    /// Limits of one request.
    pub limits: Limits,
    /// Trusted documents.
    pub documents: Documents,
    /// Limits of the server.
    pub bounds: Bounds,
    /// Log and traces.
    pub telemetry: Telemetry,
}

impl Settings {
    /// The database of an application where the settings name none: a SQLite file with the name of the application.
    pub fn default_url(identity: Identity) -> String {
        format!("sqlite://{}.db", identity.name)
    }

    /// The default of a program whose name is not known.
    pub(super) const DATABASE_URL: &str = "sqlite://bookends.db";
    pub(super) const DATABASE_WAIT: Seconds = Seconds(Duration::from_secs(30));
    pub(super) const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    /// The defaults, with this database.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            identity: Identity::default(),
            database_url: Secret::new(database_url.into()),
            database_connections: default_connections(),
            database_wait: Self::DATABASE_WAIT,
            replicas: Replicas::default(),
            pooler: Pooler::default(),
            sqlite: Sqlite::default(),
            sample: false,
            listen: Self::LISTEN,
            listen_admin: None,
            write_token: None,
            authentication: Authentication::default(),
            roles: Roles::default(),
            limits: Limits::DEFAULT,
            documents: Documents::default(),
            bounds: Bounds::DEFAULT,
            telemetry: Telemetry::default(),
        }
    }
}
