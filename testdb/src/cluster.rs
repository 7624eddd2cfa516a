//! A PostgreSQL server for one test, which can be stopped, killed, restarted and encrypted.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use uuid::Uuid;

/// A server on the loopback address. Dropping it stops the server and deletes its files.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
    settings: Vec<String>,
    server: Option<Child>,
}

/// The maximum time of a start.
const MAX_START: Duration = Duration::from_mins(1);

/// The maximum number of ports to try.
const MAX_TRIES: usize = 20;

/// How to stop a server.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Disconnects the clients and shuts down cleanly.
    Fast,
    /// Kills all processes, like a crash; the next start recovers.
    Immediate,
}

impl Cluster {
    /// Starts a server if PostgreSQL is installed. Otherwise the test is skipped with a message.
    ///
    /// # Panics
    ///
    /// If PostgreSQL does not start, or is not installed although `REQUIRE_POSTGRES_PROGRAMS` is set.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            #[expect(clippy::disallowed_methods, reason = "a setting of the tests")]
            let required = env::var_os("REQUIRE_POSTGRES_PROGRAMS").is_some();
            assert!(!required, "REQUIRE_POSTGRES_PROGRAMS is set, but there is no initdb in /usr/lib/postgresql");
            println!("skipped: there is no initdb in /usr/lib/postgresql");
            return None;
        };
        let mut cluster = Self::new(programs, settings.iter().map(ToString::to_string).collect());
        let mut initdb = cluster.program("initdb");
        initdb.arg("-D").arg(cluster.data()).args(["-U", "postgres", "-A", "scram-sha-256", "--no-sync", "--pwfile"]);
        let password = cluster.file("password", "secret");
        let made = initdb.args([password.as_path()]).args(["--encoding=UTF8", "--locale=C.UTF-8"]).output();
        let made = made.expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.begin();
        Some(cluster)
    }

    /// Starts a replica of this server, with all that has been committed. It can only be read.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn replica(&self) -> Self {
        let mut replica = Self::new(self.programs.clone(), self.settings.clone());
        let mut copy = replica.program("pg_basebackup");
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname", &self.url(""), "--pgdata"]);
        let copied = copy.arg(replica.data()).output().expect("pg_basebackup runs");
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        replica.begin();
        replica
    }

    /// A server in a folder of its own, without files.
    fn new(programs: PathBuf, settings: Vec<String>) -> Self {
        let folder = env::temp_dir().join(format!("bookends_cluster_{}", Uuid::now_v7().simple()));
        fs::create_dir(&folder).expect("a folder can be made");
        change_owner(&folder);
        Self { folder, programs, port: 0, settings, server: None }
    }

    /// Starts the server on a free port. Only PostgreSQL itself can find out whether a port is free, by binding it.
    fn begin(&mut self) {
        for _ in 0..MAX_TRIES {
            self.port = some_port();
            self.resume();
            if self.has_its_port() {
                return;
            }
            self.stop(Stop::Immediate);
            fs::remove_file(self.log()).expect("a log can be removed");
        }
        panic!("none of {MAX_TRIES} ports is free");
    }

    /// Waits until the server accepts connections; `false` if its port is in use on any address of `localhost`.
    fn has_its_port(&mut self) -> bool {
        let end = Instant::now() + MAX_START;
        loop {
            // In this order: a process that has ended has logged why.
            let server = self.server.as_mut().expect("it has been started");
            let has_ended = server.try_wait().expect("a child can be asked").is_some();
            let log = fs::read_to_string(self.log()).expect("there is a log");
            if has_ended {
                self.server = None;
            }
            if log.contains("Address already in use") {
                return false;
            }
            assert!(!has_ended, "PostgreSQL does not start: {log}");
            if log.contains("ready to accept") {
                return true;
            }
            assert!(Instant::now() < end, "PostgreSQL has not started: {log}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The URL with the password and these parameters.
    pub fn url(&self, parameters: &str) -> String {
        format!("postgres://postgres:secret@localhost:{}/postgres?{parameters}", self.port)
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

    /// Stops the server.
    ///
    /// # Panics
    ///
    /// If it does not stop.
    pub fn stop(&mut self, how: Stop) {
        let Some(mut server) = self.server.take() else { return };
        let signal = match how {
            Stop::Fast => "-INT",
            Stop::Immediate => "-QUIT",
        };
        let told = Command::new("kill").args([signal, &server.id().to_string()]).status().expect("kill runs");
        assert!(told.success());
        server.wait().expect("the server ends");
    }

    /// Starts a stopped server, without waiting until it accepts connections.
    ///
    /// # Panics
    ///
    /// If it cannot be started.
    pub fn resume(&mut self) {
        let mut postgres = self.program("postgres");
        postgres.arg("-D").arg(self.data()).args(["-p", &self.port.to_string(), "-k"]).arg(&self.folder);
        for setting in
            ["listen_addresses=localhost", "fsync=off"].into_iter().chain(self.settings.iter().map(String::as_str))
        {
            postgres.args(["-c", setting]);
        }
        let log = fs::File::options().create(true).append(true).open(self.log()).expect("a log can be made");
        self.server = Some(postgres.stdout(Stdio::null()).stderr(log).spawn().expect("postgres runs"));
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// One of PostgreSQL's programs, which refuse to run as root.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder);
        if let Some((user, group)) = unprivileged() {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop(Stop::Immediate);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A random port below the ephemeral ports of Linux (32768 and above), which a connection could take while the server is
/// stopped.
fn some_port() -> u16 {
    let id = Uuid::now_v7().into_bytes();
    20_000 + u16::from_le_bytes([id[14], id[15]]) % 12_000
}

/// The programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.flatten().map(|version| version.path()).max_by_key(number)?;
    Some(newest.join("bin")).filter(|programs| programs.join("initdb").exists())
}

/// Makes the user that runs PostgreSQL the owner of a path.
fn change_owner(path: &Path) {
    if unprivileged().is_some() {
        let given = Command::new("chown").arg("postgres:").arg(path).status().expect("chown runs");
        assert!(given.success());
    }
}

/// The user and the group that run PostgreSQL if this process is root.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)))?
}
