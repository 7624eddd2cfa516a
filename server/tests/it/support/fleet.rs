//! Servers on a primary and its replicas, and their clients.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testdb::Cluster;

use crate::support::program::{LONG, Program};
use crate::support::station;
use crate::support::wire::{Connection, Outcome, ask, authorized, get, post_with};

pub mod load;

/// A filled PostgreSQL, if it is installed.
pub fn primary() -> Option<Cluster> {
    let primary = Cluster::start(&[])?;
    for arguments in [&["migrate", "up"][..], &["fill", "--sensors", "8", "--readings", "60", "--repairs", "10"]] {
        let done = station::program(&primary.url("")).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    Some(primary)
}

/// The program with this database and these replicas.
pub fn with_replicas(url: &str, replicas: &[&Cluster]) -> Command {
    let replicas: Vec<String> = replicas.iter().map(|replica| replica.url("")).collect();
    let mut command = station::program(url);
    command.env("DATABASE_REPLICA_URLS", replicas.join(","));
    command
}

/// Waits until something is so.
#[track_caller]
pub fn wait(mut is: impl FnMut() -> bool) {
    // Several servers and many clients share the cores.
    let end = Instant::now() + 4 * LONG;
    while !is() {
        assert!(Instant::now() < end, "not so");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A running server.
pub struct Server {
    // Dropping it ends it.
    _program: Program,
    pub address: String,
}

impl Server {
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let program = Program::start(command);
        let address = program.address();
        Self { _program: program, address }
    }

    /// The same, once it has found all of these replicas healthy.
    #[track_caller]
    pub fn with_healthy(command: &mut Command, replicas: &[&Cluster]) -> Self {
        let server = Self::start(command);
        for replica in replicas {
            server.admits(replica);
        }
        server
    }

    pub fn client(&self) -> Client {
        Client { address: self.address.clone(), connection: None }
    }

    /// Begins a subscription.
    pub fn subscribe(&self, subscription: &str) -> Subscriber {
        let socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        let body = json!({ "query": subscription }).to_string();
        (&socket).write_all(post_with("Accept: text/event-stream\r\n", &body).as_bytes()).unwrap();
        Subscriber(BufReader::new(socket))
    }

    /// The response of `/ready`.
    #[track_caller]
    pub fn ready(&self) -> String {
        ask(&self.address, get("/ready")).body
    }

    /// What `/ready` says of a replica, if it is ready.
    #[track_caller]
    fn state(&self, replica: &Cluster) -> Option<String> {
        let start = format!("replica {}: ", replica.address());
        self.ready().lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
    }

    /// Waits until a replica is used.
    #[track_caller]
    pub fn admits(&self, replica: &Cluster) {
        wait(|| self.state(replica).as_deref() == Some("healthy"));
    }

    /// Waits until a replica is not used for a reason that contains this text. A busy machine can show another one first.
    #[track_caller]
    pub fn ejects(&self, replica: &Cluster, reason: &str) {
        let is_it = |state: String| state.strip_prefix("ejected: ").is_some_and(|found| found.contains(reason));
        wait(|| self.state(replica).is_some_and(is_it));
    }

    /// The whole part of a metric, of a replica if it has that label.
    #[track_caller]
    pub fn metric(&self, name: &str, replica: Option<&Cluster>) -> u64 {
        self.metric_text(name, replica).split('.').next().unwrap().parse().unwrap()
    }

    /// A metric as `/metrics` shows it.
    #[track_caller]
    pub fn metric_text(&self, name: &str, replica: Option<&Cluster>) -> String {
        let label = replica.map(|replica| format!("{{replica=\"{}\"}}", replica.address()));
        let (metrics, start) =
            (ask(&self.address, get("/metrics")).body, format!("{name}{} ", label.unwrap_or_default()));
        let value = metrics.lines().find_map(|line| line.strip_prefix(&start));
        value.unwrap_or_else(|| panic!("{start}is missing in {metrics}")).to_owned()
    }

    /// The number of queries that a replica answered.
    #[track_caller]
    pub fn queries(&self, replica: &Cluster) -> u64 {
        self.metric("bookends_replica_queries_total", Some(replica))
    }
}

/// A client that receives an event stream.
pub struct Subscriber(BufReader<TcpStream>);

impl Subscriber {
    /// The next response.
    pub fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream has ended");
            if let Some(data) = line.strip_prefix("data: {") {
                return serde_json::from_str(&format!("{{{data}")).unwrap();
            }
        }
    }
}

/// A client with a persistent connection.
pub struct Client {
    address: String,
    connection: Option<Connection>,
}

/// A response without errors.
#[derive(Debug)]
pub struct Reply {
    pub data: Value,
    /// The header `GraphQL-Position`.
    pub position: Option<String>,
    /// `extensions` of the body.
    pub extensions: Value,
}

impl Client {
    /// Executes a request with these headers. Returns the code of its error.
    pub fn request(&mut self, headers: &str, body: &Value) -> Result<Reply, String> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(&self.address).ok_or("no connection")?,
        };
        let connection = self.connection.insert(connection);
        let answer = match connection.ask(post_with(headers, &body.to_string())) {
            Outcome::Answered(answer) => answer,
            outcome => {
                self.connection = None;
                return Err(format!("{outcome:?}"));
            }
        };
        if !answer.goes_on() {
            self.connection = None;
        }
        let mut parsed: Value = serde_json::from_str(&answer.body).map_err(|_| format!("{answer:?}"))?;
        if let Some(error) = parsed["errors"].get(0) {
            return Err(error["extensions"]["code"].as_str().unwrap_or("an error without a code").to_owned());
        }
        let position = answer.header("GraphQL-Position").map(str::to_owned);
        Ok(Reply { data: parsed["data"].take(), position, extensions: parsed["extensions"].take() })
    }

    /// A query that must succeed.
    #[track_caller]
    pub fn query(&mut self, query: &str) -> Value {
        self.request("", &json!({ "query": query })).unwrap().data
    }

    /// A query that must succeed, on a server that has replayed this position.
    #[track_caller]
    pub fn query_at(&mut self, position: &str, query: &str) -> Value {
        self.request(&at(position), &json!({ "query": query })).unwrap().data
    }

    /// A mutation.
    pub fn write(&mut self, mutation: &str) -> Result<Reply, String> {
        self.request(&authorized(), &json!({ "query": mutation }))
    }

    /// Adds a sensor. Returns its id and the position after it, which only a server with replicas returns.
    pub fn add(&mut self, name: &str) -> Result<(String, String), String> {
        let mutation =
            // The count is read in the transaction.
            format!("mutation {{ createSensor(input: {{ name: {name:?}, year: 1 }}) {{ sensorEdge {{ node {{ id readings(first: 1) {{ totalCount }} }} }} }} }}");
        let reply = self.write(&mutation)?;
        let id = reply.data["createSensor"]["sensorEdge"]["node"]["id"].as_str().unwrap().to_owned();
        Ok((id, reply.position.unwrap_or_default()))
    }
}

/// The header of a request that reads at this position.
pub fn at(position: &str) -> String {
    format!("GraphQL-Position: {position}\r\n")
}
