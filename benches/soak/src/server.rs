//! A server of the program.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::thread;

use tokio::runtime::Builder;

use crate::fleet::Fleet;
use crate::http::{self, Connection};

/// The write token.
pub const TOKEN: &str = "open-sesame-please";

pub struct Server {
    pub address: SocketAddr,
    child: Child,
}

impl Server {
    /// Starts it, and waits until it serves.
    pub fn start(program: &str, fleet: &Fleet) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(program);
        let environment = [
            ("DATABASE_URL", fleet.url()),
            ("DATABASE_REPLICA_URLS", fleet.all_urls()),
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("BOOKENDS_WRITE_TOKEN", TOKEN.to_owned()),
        ];
        command.env_clear().envs(environment).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let address = loop {
            let line = lines.next().ok_or("the server has ended")??;
            if let Some(url) = line.strip_prefix("open http://") {
                break url.split(['/', ' ']).next().unwrap_or_default().parse()?;
            }
        };
        thread::spawn(move || lines.for_each(drop));
        Ok(Self { address, child })
    }

    /// What it has allocated, in MB.
    pub fn memory(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes: Option<u64> = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        kilobytes.map(|kilobytes| kilobytes / 1024).ok_or_else(|| io::Error::other("the server has ended"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// What `/ready` and `/metrics` respond.
pub fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let response = runtime.block_on(async {
        let mut connection = Connection::open(Ipv4Addr::LOCALHOST, address).await?;
        connection.ask(&http::get(path)).await
    })?;
    Ok(String::from_utf8_lossy(&response.body).into_owned())
}
