//! PgBouncer.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::{env, fs};

use uuid::Uuid;

use super::process::{MAX_TRIES, has_its_port, some_port};
use super::programs::{change_owner, or_skip, unprivileged_command};

/// For how long a client of a pooler has a connection to PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub enum PoolMode {
    /// Until it disconnects.
    Session,
    /// For each transaction.
    Transaction,
}

/// A pooler on the loopback address. Dropping it stops it and deletes its files.
#[derive(Debug)]
pub struct Pooler {
    folder: PathBuf,
    port: u16,
    database: String,
    program: Child,
}

impl Pooler {
    /// Starts PgBouncer with this many connections to the database of this URL, if it is installed. Otherwise the test is
    /// skipped with a message.
    ///
    /// # Panics
    ///
    /// If PgBouncer does not start, or is not installed although `REQUIRE_POSTGRES_PROGRAMS` is set.
    pub fn start(url: &str, mode: PoolMode, connections: usize) -> Option<Self> {
        let paths = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
        let path = paths.iter().map(PathBuf::from).find(|path| path.exists());
        let path = or_skip(path, "there is no pgbouncer in /usr/sbin")?;
        (0..MAX_TRIES)
            .find_map(|_| {
                let mut pooler = Self::on_port(some_port(), &path, url, mode, connections);
                let log = pooler.folder.join("log");
                has_its_port(&mut pooler.program, &log, "process up").then_some(pooler)
            })
            .or_else(|| panic!("none of {MAX_TRIES} ports is free"))
    }

    fn on_port(port: u16, path: &Path, url: &str, mode: PoolMode, connections: usize) -> Self {
        let folder = env::temp_dir().join(format!("bookends_pooler_{}", Uuid::now_v7().simple()));
        fs::create_dir(&folder).expect("a folder can be made");
        change_owner(&folder);
        let (server, database) = server(url).expect("a URL with a user, a host and a database");
        let mode = match mode {
            PoolMode::Session => "session",
            PoolMode::Transaction => "transaction",
        };
        let settings = format!(
            "[databases]
{database} = {server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {connections}
"
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings).expect("a file can be written");
        let log = fs::File::create(folder.join("log")).expect("a log can be made");
        let mut command = unprivileged_command(path, &folder);
        let program = command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        Self { folder, port, database: database.to_owned(), program: program.expect("pgbouncer runs") }
    }

    /// The URL of the database, by way of the pooler.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{}", self.port, self.database)
    }
}

/// The server of a URL, as PgBouncer's settings name it, and its database.
fn server(url: &str) -> Option<(String, &str)> {
    let (user, rest) = url.split_once("://")?.1.split_once('@')?;
    let (address, database) = rest.split_once('/')?;
    let user = user.replacen(':', " password=", 1);
    let (host, port) = address.split_once(':').unwrap_or((address, "5432"));
    Some((format!("host={host} port={port} user={user}"), database.split('?').next()?))
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
