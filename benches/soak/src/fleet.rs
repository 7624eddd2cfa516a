//! A primary and two streaming replicas.

use std::error::Error;
use std::process::Command;

use testdb::Cluster;

/// The primary, the replica that is promoted next, and another one.
pub struct Fleet(pub [Cluster; 3]);

impl Fleet {
    pub fn start() -> Result<Self, Box<dyn Error>> {
        let primary = Cluster::start(&["shared_buffers=128MB"]).ok_or("PostgreSQL is not installed")?;
        let replicas = [primary.replica(), primary.replica()];
        let [next, other] = replicas;
        Ok(Self([primary, next, other]))
    }

    pub fn primary(&self) -> &Cluster {
        &self.0[0]
    }

    /// Fills the database.
    pub fn fill(&self, program: &str) -> Result<(), Box<dyn Error>> {
        let rows = ["seed", "--books", "200", "--ratings", "3000", "--orders", "200"];
        for arguments in [&["migrate", "up"][..], &rows] {
            let mut command = Command::new(program);
            command.env_clear().env("DATABASE_URL", self.primary().url("")).args(arguments);
            let done = command.output()?;
            if !done.status.success() {
                return Err(String::from_utf8_lossy(&done.stderr).into());
            }
        }
        Ok(())
    }

    /// Commits only what the next primary has, too; without it, what the other replica has.
    pub fn synchronize(&self) {
        let [primary, replicas @ ..] = &self.0;
        primary.synchronize(&replicas.each_ref());
    }

    /// The URL of the server that accepts writes.
    pub fn url(&self) -> String {
        Cluster::urls(&self.0.each_ref(), "")
    }

    /// The URLs of the replicas.
    pub fn replica_urls(&self) -> String {
        self.0[1..].iter().map(|replica| replica.url("")).collect::<Vec<_>>().join(",")
    }

    /// The URLs of all of them: each is a replica after promotions.
    pub fn all_urls(&self) -> String {
        self.0.iter().map(|server| server.url("")).collect::<Vec<_>>().join(",")
    }
}
