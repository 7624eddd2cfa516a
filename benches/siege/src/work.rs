//! Whether the server works, by the time that it uses, or PostgreSQL for it, by its active statements.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::Processes;

/// For how long nothing must work.
const QUIET: Duration = Duration::from_millis(300);
const EVERY: Duration = Duration::from_millis(20);

const ACTIVE: &[u8] = b"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
    AND state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid();\n";

pub struct Work {
    processes: Processes,
    /// Their time in clock ticks, when it was last read. An idle server uses one from time to time.
    ticks: u64,
    databases: Vec<Psql>,
}

/// A session of psql.
struct Psql {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Work {
    /// The work of servers, and of their databases on PostgreSQL, if they have some.
    pub fn new(processes: Processes, urls: &[String]) -> io::Result<Self> {
        let databases = urls.iter().map(|url| Psql::open(url)).collect::<io::Result<_>>()?;
        Ok(Self { processes, ticks: 0, databases })
    }

    /// How long after this time the last work was seen; waits at most until the end.
    pub fn ended_after(&mut self, begin: Instant, end: Instant) -> io::Result<Duration> {
        self.is_seen()?;
        let mut last = begin;
        let mut waiting = Instant::now();
        while waiting.elapsed() < QUIET && Instant::now() < end {
            thread::sleep(EVERY);
            if self.is_seen()? {
                waiting = Instant::now();
                last = waiting;
            }
        }
        Ok(last - begin)
    }

    /// Whether something works, or has worked since the last time.
    fn is_seen(&mut self) -> io::Result<bool> {
        let ticks = self.processes.ticks()?;
        let has_worked = ticks > std::mem::replace(&mut self.ticks, ticks) + 1;
        let mut works = has_worked;
        for database in &mut self.databases {
            works |= database.is_active()?;
        }
        Ok(works)
    }
}

impl Psql {
    fn open(url: &str) -> io::Result<Self> {
        let mut psql = Command::new("psql");
        psql.args(["-qAtX", url]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = psql.spawn()?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else { unreachable!("piped") };
        Ok(Self { child, questions, answers: BufReader::new(answers) })
    }

    /// Whether a statement of another session is being executed.
    fn is_active(&mut self) -> io::Result<bool> {
        self.questions.write_all(ACTIVE)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim() != "0")
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
