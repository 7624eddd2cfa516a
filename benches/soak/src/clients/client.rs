//! GraphQL over a persistent connection.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::http::{Connection, post};
use crate::server::TOKEN;

/// How long a client waits for a response.
const PATIENCE: Duration = Duration::from_secs(40);

pub struct Client {
    from: Ipv4Addr,
    pub to: SocketAddr,
    connection: Option<Connection>,
}

/// A response without errors.
pub struct Reply {
    pub data: Value,
    pub position: Option<String>,
    pub time: Duration,
}

impl Client {
    pub fn new(from: Ipv4Addr, to: SocketAddr) -> Self {
        Self { from, to, connection: None }
    }

    /// Executes a query with these headers. Otherwise the code of the error, or what happened instead of a response.
    pub async fn query(&mut self, query: &str, headers: &str) -> Result<Reply, String> {
        let request = post(headers, json!({ "query": query }).to_string().as_bytes());
        let begun = Instant::now();
        let asked = timeout(PATIENCE, self.ask(&request)).await;
        let answer = asked.unwrap_or_else(|_| Err("no response".into()));
        if answer.is_err() {
            self.connection = None;
        }
        let mut answer = answer?;
        if let Some(error) = answer["errors"].get(0) {
            let code = error["extensions"]["code"].as_str().map(str::to_owned);
            return Err(code.unwrap_or_else(|| error.to_string()));
        }
        let position = answer["extensions"]["position"].as_str().map(str::to_owned);
        Ok(Reply { data: answer["data"].take(), position, time: begun.elapsed() })
    }

    /// Executes a mutation.
    pub async fn write(&mut self, mutation: &str) -> Result<Reply, String> {
        self.query(mutation, &format!("Authorization: Bearer {TOKEN}\r\n")).await
    }

    async fn ask(&mut self, request: &[u8]) -> Result<Value, String> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.from, self.to).await.map_err(|error| error.to_string())?,
        };
        let connection = self.connection.insert(connection);
        let response = connection.ask(request).await.map_err(|error| error.to_string())?;
        if response.is_last {
            self.connection = None;
        }
        let body = || format!("status {}: {}", response.status, String::from_utf8_lossy(&response.body));
        serde_json::from_slice(&response.body).map_err(|_| body())
    }
}
