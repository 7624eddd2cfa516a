//! A PostgreSQL server for one test, which can be stopped, killed, frozen, restarted, encrypted, replicated and promoted.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{env, fs};

use uuid::Uuid;

mod pooler;
mod process;
mod programs;
mod replication;

pub use pooler::{PoolMode, Pooler};
pub use process::Stop;
use programs::{change_owner, unprivileged_command};

/// A server on the loopback address. Dropping it stops the server and deletes its files.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
    settings: Vec<String>,
    server: Option<Child>,
    is_frozen: bool,
}

impl Cluster {
    /// Starts a server if PostgreSQL is installed. Otherwise the test is skipped with a message.
    ///
    /// # Panics
    ///
    /// If PostgreSQL does not start, or is not installed although `REQUIRE_POSTGRES_PROGRAMS` is set.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let mut cluster = Self::new(programs::required()?, settings.iter().map(ToString::to_string).collect());
        let mut initdb = cluster.program("initdb");
        initdb.arg("-D").arg(cluster.data()).args(["-U", "postgres", "-A", "scram-sha-256", "--no-sync", "--pwfile"]);
        let password = cluster.file("password", "secret");
        let made = initdb.args([password.as_path()]).args(["--encoding=UTF8", "--locale=C.UTF-8"]).output();
        let made = made.expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.begin();
        Some(cluster)
    }

    /// A server in a folder of its own, without files.
    fn new(programs: PathBuf, settings: Vec<String>) -> Self {
        let folder = env::temp_dir().join(format!("bookends_cluster_{}", Uuid::now_v7().simple()));
        fs::create_dir(&folder).expect("a folder can be made");
        change_owner(&folder);
        Self { folder, programs, port: 0, settings, server: None, is_frozen: false }
    }

    /// One of PostgreSQL's programs, which refuse to run as root.
    pub(super) fn program(&self, name: &str) -> Command {
        unprivileged_command(&self.programs.join(name), &self.folder)
    }

    /// The URL with the password and these parameters.
    pub fn url(&self, parameters: &str) -> String {
        Self::urls(&[self], parameters)
    }

    /// The host and the port.
    pub fn address(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// The URL of several servers. By default, the server that accepts writes is used.
    pub fn urls(servers: &[&Self], parameters: &str) -> String {
        let hosts: Vec<String> = servers.iter().map(|server| server.address()).collect();
        format!("postgres://postgres:secret@{}/postgres?{parameters}", hosts.join(","))
    }

    /// Writes a file that only the server can read.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("a file can be written");
        let mode = Command::new("chmod").arg("600").arg(&path).status().expect("chmod runs");
        assert!(mode.success());
        change_owner(&path);
        path
    }

    /// The folder of the server.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds settings for the next start.
    pub fn set(&mut self, settings: &[&str]) {
        self.settings.extend(settings.iter().map(ToString::to_string));
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}
