//! A connection that listens.

use std::time::Instant;

use sea_orm::sqlx::{
    self,
    postgres::{PgConnection, PgListener, PgPoolOptions},
};
use sea_orm::{DbErr, RuntimeErr};
use tokio::time::timeout;

use crate::db::{CONNECT_TIMEOUT, Servers};

/// The channel of LISTEN and NOTIFY; each database has its own.
pub const CHANNEL: &str = "bookends";

/// A listening connection, in a pool of its own that is never reused.
pub struct Connection {
    /// Before it was opened.
    pub opened: Instant,
    pub listener: PgListener,
}

impl Connection {
    /// # Errors
    ///
    /// [`DbErr`] if the servers do not answer in time.
    pub async fn open(name: &str, servers: &Servers) -> Result<Self, DbErr> {
        let opened = Instant::now();
        if servers.are_several() {
            // Finds the primary: replicas pass on no notification.
            drop(servers.connect::<PgConnection>().await.map_err(failed)?);
        }
        let options = servers.current().clone().application_name(&format!("{name} listener"));
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_TIMEOUT).connect_lazy_with(options);
        let listening = async {
            let mut listener = PgListener::connect_with(&pool).await?;
            listener.eager_reconnect(false);
            listener.listen(CHANNEL).await?;
            Ok(Self { opened, listener })
        };
        timeout(CONNECT_TIMEOUT, listening).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(failed)
    }
}

/// The error of a connection that failed.
pub fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}
