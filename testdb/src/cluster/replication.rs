//! Streaming replicas: made, delayed, promoted.

use std::thread;
use std::time::{Duration, Instant};

use super::Cluster;

/// The maximum time until a server has done what was asked.
const MAX_WAIT: Duration = Duration::from_mins(1);

impl Cluster {
    /// Starts a replica of this server, with all that has been committed. It can only be read.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn replica(&self) -> Self {
        self.replica_with(&[])
    }

    /// The same, with these settings beside those of this server.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn replica_with(&self, settings: &[&str]) -> Self {
        let mut replica = Self::new(self.programs.clone(), self.settings.clone());
        replica.set(settings);
        self.copy_to(&replica);
        replica.begin();
        replica
    }

    /// Makes a server that has ended a replica of this one, at its address.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn rebuild(&self, replica: &mut Self) {
        std::fs::remove_dir_all(replica.data()).expect("a folder can be removed");
        self.copy_to(replica);
        replica.resume();
        replica.until("SELECT pg_is_in_recovery()");
    }

    /// Copies the files of this server, with the settings of a replica.
    fn copy_to(&self, replica: &Self) {
        let mut copy = replica.program("pg_basebackup");
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname", &self.source_of(replica)]);
        let copied = copy.arg("--pgdata").arg(replica.data()).output().expect("pg_basebackup runs");
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    }

    /// Lets a running replica replicate this server, which has been promoted.
    ///
    /// # Panics
    ///
    /// If it refuses.
    pub fn feed(&self, replica: &Self) {
        replica.sql(&format!("ALTER SYSTEM SET primary_conninfo = '{}'", self.source_of(replica)));
        replica.sql("SELECT pg_reload_conf()");
    }

    /// Has a replica receive nothing more.
    ///
    /// # Panics
    ///
    /// If it goes on.
    pub fn isolate(&self) {
        self.sql("ALTER SYSTEM SET primary_conninfo = ''");
        self.sql("SELECT pg_reload_conf()");
        self.until("SELECT count(*) = 0 FROM pg_stat_wal_receiver");
    }

    /// Commits only what a replica has written to its disk, too: the first of these that streams.
    ///
    /// # Panics
    ///
    /// If the first does not stream.
    pub fn synchronize(&self, replicas: &[&Self]) {
        let names: Vec<String> = replicas.iter().map(|replica| replica.name()).collect();
        self.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 ({})'", names.join(", ")));
        self.sql("SELECT pg_reload_conf()");
        let first = &names[0];
        self.until(&format!("SELECT sync_state = 'sync' FROM pg_stat_replication WHERE application_name = '{first}'"));
    }

    /// Receives, but shows nothing more until [`Self::resume_replay`].
    ///
    /// # Panics
    ///
    /// If it is no replica.
    pub fn pause_replay(&self) {
        self.sql("SELECT pg_wal_replay_pause()");
        self.until("SELECT pg_get_wal_replay_pause_state() = 'paused'");
    }

    /// Shows again what it receives.
    ///
    /// # Panics
    ///
    /// If it is no replica.
    pub fn resume_replay(&self) {
        self.sql("SELECT pg_wal_replay_resume()");
    }

    /// Waits until this replica shows all that has been committed on that server.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn catch_up(&self, primary: &Self) {
        let position = primary.sql("SELECT pg_current_wal_lsn()");
        self.until(&format!("SELECT pg_last_wal_replay_lsn() >= '{position}'"));
    }

    /// Makes a replica a server that can be written.
    ///
    /// # Panics
    ///
    /// If it is not promoted.
    pub fn promote(&self) {
        assert_eq!(self.sql("SELECT pg_promote()"), "t");
    }

    /// The rows of a statement, one per line, the columns separated by `|`.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn sql(&self, statement: &str) -> String {
        self.try_sql(statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    fn try_sql(&self, statement: &str) -> Result<String, String> {
        let mut psql = self.program("psql");
        let done = psql.args(["-qAtX", "-c", statement, &self.url("")]).output().expect("psql runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
    }

    /// Waits until a condition in SQL holds. A server that does not answer yet is waited for, too.
    ///
    /// # Panics
    ///
    /// If it does not hold after a minute.
    pub fn until(&self, condition: &str) {
        let end = Instant::now() + MAX_WAIT;
        loop {
            let found = self.try_sql(condition);
            if found.as_deref() == Ok("t") {
                return;
            }
            assert!(Instant::now() < end, "{condition}: {found:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The URL from which a replica receives.
    fn source_of(&self, replica: &Self) -> String {
        self.url(&format!("application_name={}", replica.name()))
    }

    /// The name by which a server knows this one as its replica.
    fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    #[test]
    fn what_a_replica_acknowledged_survives_its_primary() {
        let Some(mut primary) = Cluster::start(&[]) else { return };
        primary.sql("CREATE TABLE t (n int)");
        let (mut one, other) = (primary.replica(), primary.replica());
        primary.synchronize(&[&one]);
        other.pause_replay();
        primary.sql("INSERT INTO t VALUES (1)");
        one.catch_up(&primary);
        let count = "SELECT count(*) FROM t";
        assert_eq!([&one, &other].map(|server| server.sql(count)), ["1", "0"]);
        primary.kill();
        other.resume_replay();
        one.promote();
        one.feed(&other);
        one.sql("INSERT INTO t VALUES (2)");
        other.catch_up(&one);
        assert_eq!(other.sql(count), "2");
        // A frozen server can be stopped, and a killed one started.
        one.freeze();
        one.stop(Stop::Fast);
        primary.resume();
        primary.until("SELECT true");
    }
}
