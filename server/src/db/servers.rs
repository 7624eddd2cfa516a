//! The hosts of a PostgreSQL database, of which one is the primary.
//!
//! `postgres://user@host1:5432,host2:5432/database` names several hosts, as libpq's URLs do. The primary is the first one that
//! accepts what `target_session_attrs` asks for. After a failover it is another one. Connections to the old one are then not
//! used again.

use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions, Error, Executor, Row};
use tokio::sync::watch;
use tokio::time::timeout;

use super::timeout::CONNECT_TIMEOUT;

/// The time that one host of several has to answer.
const HOST_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeline of a primary, which may be read-only by its settings; empty on a replica.
const OF_PRIMARY: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN ''
    ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END";

/// The same where a session can write, and empty elsewhere.
const OF_WRITABLE: &str =
    "SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN ''
    ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END";

/// A connection of a driver.
pub trait Session: Sized + Send {
    /// Connects to one host.
    fn open(options: &PgConnectOptions) -> impl Future<Output = Result<Self, Error>> + Send;

    /// The first value of the first row that an unprepared statement returns, which is a text.
    fn text(&mut self, statement: &str) -> impl Future<Output = Result<Option<String>, Error>> + Send;
}

impl Session for PgConnection {
    fn open(options: &PgConnectOptions) -> impl Future<Output = Result<Self, Error>> + Send {
        options.connect()
    }

    async fn text(&mut self, statement: &str) -> Result<Option<String>, Error> {
        let row = self.fetch_optional(sea_orm::sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await?;
        row.map(|row| row.try_get(0)).transpose()
    }
}

/// The hosts of a database.
#[derive(Debug)]
pub struct Servers {
    hosts: Vec<PgConnectOptions>,
    wanted: Wanted,
    /// The position of the primary among the hosts.
    current: AtomicUsize,
    /// When the primary was last left for another one.
    left: watch::Sender<Option<Instant>>,
    /// The pool of connections that write.
    writer: OnceLock<PgPool>,
    /// The newest timeline of a primary. A server that is promoted begins one; a primary of an older one was left behind.
    timeline: AtomicU32,
}

impl From<PgConnectOptions> for Servers {
    /// One host, which may be a replica.
    fn from(host: PgConnectOptions) -> Self {
        Self::new(vec![host], Wanted::Any)
    }
}

/// The sessions that are wanted: `target_session_attrs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Any,
    Writable,
    Primary,
}

impl Servers {
    /// The hosts in a URL. Several hosts must accept writes unless the URL says otherwise, and one may be anything.
    ///
    /// # Errors
    ///
    /// [`Error::Configuration`] if the URL is malformed.
    pub fn of_url(url: &str) -> Result<Self, Error> {
        let Parts { before, hosts, after, parameters } = Parts::of(url);
        let (attrs, others): (Vec<_>, Vec<_>) =
            parameters.split('&').partition(|parameter| parameter.starts_with(Wanted::PARAMETER));
        let wanted = match attrs.first() {
            Some(attr) => attr[Wanted::PARAMETER.len()..].parse()?,
            None if hosts.contains(',') => Wanted::Writable,
            None => Wanted::Any,
        };
        let others = others.join("&");
        let host = |host| PgConnectOptions::from_str(&format!("{before}{host}{after}?{others}"));
        Ok(Self::new(hosts.split(',').map(host).collect::<Result<_, _>>()?, wanted))
    }

    fn new(hosts: Vec<PgConnectOptions>, wanted: Wanted) -> Self {
        let (current, left, writer) = (AtomicUsize::new(0), watch::Sender::new(None), OnceLock::new());
        Self { hosts, wanted, current, left, writer, timeline: AtomicU32::new(0) }
    }

    /// The same with other options of every connection.
    #[must_use]
    pub fn with(mut self, options: impl Fn(PgConnectOptions) -> PgConnectOptions) -> Self {
        self.hosts = self.hosts.into_iter().map(options).collect();
        self
    }

    /// Whether there are several hosts.
    pub fn are_several(&self) -> bool {
        self.hosts.len() > 1
    }

    /// Whether the URL asks for no kind of session.
    pub fn may_be_any(&self) -> bool {
        self.wanted == Wanted::Any
    }

    /// Whether another host can accept a write that the current one refuses.
    pub fn are_several_to_write(&self) -> bool {
        self.are_several() && self.wanted == Wanted::Writable
    }

    /// Has this pool connect to the primary, whichever host it is.
    pub fn lead(&self, writer: &PgPool) {
        // It is called once.
        let _ = self.writer.set(writer.clone());
    }

    /// The position of the primary among the hosts, as far as is known.
    pub fn current_host(&self) -> usize {
        self.current.load(Ordering::Relaxed)
    }

    /// The options of connections to the primary, as far as is known.
    pub fn current(&self) -> &PgConnectOptions {
        &self.hosts[self.current_host()]
    }

    /// The names of the hosts, for messages.
    pub fn names(&self) -> String {
        self.hosts.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Whether a connection that was opened then may be to a host that is no longer the primary.
    pub fn is_left(&self, opened: Instant) -> bool {
        self.left.borrow().is_some_and(|left| opened <= left)
    }

    /// Returns once [`Self::is_left`] holds. A host that is frozen or cut off never answers, nor closes its connections.
    pub async fn until_left(&self, opened: Instant) {
        // The sender lives as long as this value.
        let _ = self.left.subscribe().wait_for(|left| left.is_some_and(|left| opened <= left)).await;
    }

    /// Moves to another host. Every connection that is open now may be to one that is no longer the primary.
    fn move_to(&self, index: usize) {
        // Of several that find it at the same time, one leaves the old one.
        if self.current.swap(index, Ordering::Relaxed) == index {
            return;
        }
        tracing::warn!("the primary is now {}", name(&self.hosts[index]));
        // First: what is interrupted writes again at once.
        if let Some(writer) = self.writer.get() {
            writer.set_connect_options(self.hosts[index].clone());
        }
        self.left.send_replace(Some(Instant::now()));
    }

    /// Connects to the primary, which may be another host than before.
    ///
    /// # Errors
    ///
    /// The error of the last host. It is [`Error::Io`] if none is the primary.
    pub async fn connect<S: Session>(&self) -> Result<S, Error> {
        let (count, begin) = (self.hosts.len(), self.current_host());
        let limit = if self.are_several() { HOST_TIMEOUT } else { CONNECT_TIMEOUT };
        let mut last = Error::PoolTimedOut;
        for index in (0..count).map(|step| (begin + step) % count) {
            match timeout(limit, self.connect_to(index)).await.unwrap_or(Err(Error::PoolTimedOut)) {
                Ok(connection) => {
                    self.move_to(index);
                    return Ok(connection);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn connect_to<S: Session>(&self, index: usize) -> Result<S, Error> {
        let mut connection = S::open(&self.hosts[index]).await?;
        self.check(&mut connection).await?;
        Ok(connection)
    }

    /// Checks that a connection is as it is wanted.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it is not, or the error of the server.
    pub async fn check(&self, connection: &mut impl Session) -> Result<(), Error> {
        if self.accepts(connection).await? { Ok(()) } else { Err(refused("this host is not the primary")) }
    }

    /// Whether a connection is as it is wanted, and not to a primary that another one has replaced.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    pub async fn accepts(&self, connection: &mut impl Session) -> Result<bool, Error> {
        let question = match self.wanted {
            Wanted::Any => return Ok(true),
            Wanted::Writable => OF_WRITABLE,
            Wanted::Primary => OF_PRIMARY,
        };
        let timeline = connection.text(question).await?.unwrap_or_default();
        Ok(u32::from_str_radix(&timeline, 16).is_ok_and(|timeline| self.is_newest(timeline)))
    }

    /// The newest timeline of a primary, as far as is known.
    pub fn timeline(&self) -> u32 {
        self.timeline.load(Ordering::Relaxed)
    }

    /// Whether no primary of a newer timeline than this is known.
    pub fn is_newest(&self, timeline: u32) -> bool {
        timeline >= self.timeline.fetch_max(timeline, Ordering::Relaxed)
    }
}

impl Wanted {
    const PARAMETER: &str = "target_session_attrs=";
}

impl FromStr for Wanted {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "any" => Ok(Self::Any),
            "read-write" => Ok(Self::Writable),
            "primary" => Ok(Self::Primary),
            _ => Err(Error::Configuration("target_session_attrs must be `any`, `read-write` or `primary`".into())),
        }
    }
}

/// The parts of a URL around its hosts.
struct Parts<'a> {
    /// The scheme, the user and the password.
    before: &'a str,
    hosts: &'a str,
    /// The path.
    after: &'a str,
    parameters: &'a str,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Self {
        let (address, parameters) = url.split_once('?').unwrap_or((url, ""));
        let begin = address.find("://").map_or(0, |scheme| scheme + 3);
        let end = address[begin..].find('/').map_or(address.len(), |path| begin + path);
        let begin = address[begin..end].rfind('@').map_or(begin, |user| begin + user + 1);
        Self { before: &address[..begin], hosts: &address[begin..end], after: &address[end..], parameters }
    }
}

/// A host in messages.
pub fn name(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => format!("{}:{}", socket.display(), options.get_port()),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

/// Waiting may help, as for a server that has not started.
fn refused(reason: &'static str) -> Error {
    Error::Io(std::io::Error::new(std::io::ErrorKind::ConnectionRefused, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(url: &str) -> (Vec<String>, Wanted) {
        let servers = Servers::of_url(url).unwrap();
        (servers.hosts.iter().map(name).collect(), servers.wanted)
    }

    #[test]
    fn a_url_names_one_host_or_several() {
        for (url, names, wanted) in [
            ("postgres://a/d", vec!["a:5432"], Wanted::Any),
            ("postgres://u:p%2C@a:1,b,[::1]:2/d", vec!["a:1", "b:5432", "[::1]:2"], Wanted::Writable),
            ("postgres://u@a,b/d?sslmode=disable&target_session_attrs=any", vec!["a:5432", "b:5432"], Wanted::Any),
            ("postgres://a?target_session_attrs=read-write", vec!["a:5432"], Wanted::Writable),
            ("postgres://u:a@b@h/d?target_session_attrs=primary", vec!["h:5432"], Wanted::Primary),
            ("postgres://%2Frun%2Fpostgresql/d", vec!["/run/postgresql:5432"], Wanted::Any),
        ] {
            assert_eq!(hosts(url), (names.into_iter().map(String::from).collect(), wanted), "{url}");
        }
        for url in ["postgres://a/d?target_session_attrs=standby", "postgres://a,b:x/d"] {
            assert!(Servers::of_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn every_host_has_the_other_parts_of_the_url() {
        let servers = Servers::of_url("postgres://u:p@a,b:1/d?application_name=x").unwrap();
        for host in &servers.hosts {
            assert_eq!((host.get_username(), host.get_database()), ("u", Some("d")));
            assert_eq!(host.get_application_name(), Some("x"));
        }
    }
}
