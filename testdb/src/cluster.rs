//! A PostgreSQL server of one's own: to be stopped, killed, started again, and encrypted.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use uuid::Uuid;

/// A server that ends, and leaves nothing behind, when it is dropped. It answers on the loopback address alone.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
    settings: Vec<String>,
    server: Option<Child>,
}

/// Longer than a start takes.
const LONG: Duration = Duration::from_mins(1);

/// How many ports are tried.
const TRIES: usize = 20;

/// How a server ends, by the signal that tells it so.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// It takes leave of its clients, and stops in order.
    Fast,
    /// It dies with all its processes, as by a crash, and recovers when it is started again.
    Immediate,
}

impl Cluster {
    /// Starts one, if this machine has the programs for it. Where it has not, the test says so and is done, unless
    /// `REQUIRE_POSTGRES_PROGRAMS` is set.
    ///
    /// # Panics
    ///
    /// Where the programs are there and do not work.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            #[expect(clippy::disallowed_methods, reason = "a setting of the tests")]
            let required = env::var_os("REQUIRE_POSTGRES_PROGRAMS").is_some();
            assert!(!required, "REQUIRE_POSTGRES_PROGRAMS is set, and there is no initdb in /usr/lib/postgresql");
            println!("skipped: there is no initdb in /usr/lib/postgresql");
            return None;
        };
        let folder = env::temp_dir().join(format!("bookends_cluster_{}", Uuid::now_v7().simple()));
        fs::create_dir(&folder).expect("a folder can be made");
        let settings = settings.iter().map(ToString::to_string).collect();
        let mut cluster = Self { folder, programs, port: 0, settings, server: None };
        entrust(&cluster.folder);
        let mut initdb = cluster.program("initdb");
        initdb.arg("-D").arg(cluster.data()).args(["-U", "postgres", "-A", "scram-sha-256", "--no-sync", "--pwfile"]);
        let password = cluster.file("password", "secret");
        let made = initdb.args([password.as_path()]).args(["--encoding=UTF8", "--locale=C.UTF-8"]).output();
        let made = made.expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.begin();
        Some(cluster)
    }

    /// Starts it at a port that is free. Which one is, PostgreSQL finds out by taking it: whoever looks before it does
    /// has looked too early.
    fn begin(&mut self) {
        for _ in 0..TRIES {
            self.port = some_port();
            self.resume();
            if self.has_its_port() {
                return;
            }
            self.stop(Stop::Immediate);
            fs::remove_file(self.log()).expect("a log can be removed");
        }
        panic!("of {TRIES} ports none is free");
    }

    /// Waits until it answers; false where its port is taken, on one address of `localhost` or on all.
    fn has_its_port(&mut self) -> bool {
        let end = Instant::now() + LONG;
        loop {
            // In this order: what has ended has said why.
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
            if log.contains("ready to accept connections") {
                return true;
            }
            assert!(Instant::now() < end, "PostgreSQL has not started: {log}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Where it is, with its password in it, and as many parameters.
    pub fn url(&self, parameters: &str) -> String {
        format!("postgres://postgres:secret@localhost:{}/postgres?{parameters}", self.port)
    }

    /// A file that the server can read, and nobody else.
    ///
    /// # Panics
    ///
    /// Where it cannot be written.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("a file can be written");
        let mode = Command::new("chmod").arg("600").arg(&path).status().expect("chmod runs");
        assert!(mode.success());
        entrust(&path);
        path
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds settings, which hold from the next start on.
    pub fn set(&mut self, settings: &[&str]) {
        self.settings.extend(settings.iter().map(ToString::to_string));
    }

    /// Ends the server.
    ///
    /// # Panics
    ///
    /// Where it does not end.
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

    /// Starts a server that was stopped. It may not answer yet when this returns.
    ///
    /// # Panics
    ///
    /// Where it cannot be started.
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
        if let Some((user, group)) = servant() {
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

/// A port below those that Linux gives to connections (32768 and above), any of which could take it while the server is
/// stopped.
fn some_port() -> u16 {
    let id = Uuid::now_v7().into_bytes();
    20_000 + u16::from_le_bytes([id[14], id[15]]) % 12_000
}

/// The folder of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.flatten().map(|version| version.path()).max_by_key(number)?;
    Some(newest.join("bin")).filter(|programs| programs.join("initdb").exists())
}

/// Gives a path to whoever runs PostgreSQL.
fn entrust(path: &Path) {
    if servant().is_some() {
        let given = Command::new("chown").arg("postgres:").arg(path).status().expect("chown runs");
        assert!(given.success());
    }
}

/// Who runs PostgreSQL for root: the user and the group.
fn servant() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)))?
}
