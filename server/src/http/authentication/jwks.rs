//! The keys at a URL: cached, and fetched again when they are old, or when a token names one that is not known.
//!
//! A request waits for a fetch only if its own key is not known. Requests that come meanwhile wait for the same fetch. If it
//! fails, the old keys stay.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Uri;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use jsonwebtoken::Algorithm;
use tokio::time::Instant;

use super::client::{Failed, Fetcher};
use super::error::{AuthenticationError, Invalid, Unidentified};
use super::keys::{self, Key};

/// The age at which keys are fetched again.
const MAX_AGE: Duration = Duration::from_mins(15);

/// The least time from one fetch to the next, whatever ids tokens have.
const PAUSE: Duration = Duration::from_secs(30);

/// The same while there are no keys at all.
const PAUSE_WITHOUT_KEYS: Duration = Duration::from_secs(2);

/// The keys at a URL.
pub struct Jwks(Arc<Inner>);

struct Inner {
    uri: Uri,
    fetcher: Fetcher,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` before the first fetch that succeeds.
    keys: Option<Arc<[Key]>>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
    running: Option<Fetch>,
}

/// A fetch, which any number of requests wait for.
type Fetch = Shared<BoxFuture<'static, ()>>;

impl Jwks {
    /// The keys at this URL. They are fetched for the first token.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::Certificates`].
    pub fn new(uri: Uri) -> Result<Self, AuthenticationError> {
        let fetcher = Fetcher::of(&uri)?;
        Ok(Self(Arc::new(Inner { uri, fetcher, state: Mutex::default() })))
    }

    /// The key with this id, or the only one of the algorithm.
    ///
    /// # Errors
    ///
    /// [`Invalid::Key`] if the set has none, and [`Unidentified::NoKeys`] while there is no set.
    pub async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Key, Unidentified> {
        let (known, fetch) = self.begin(id, algorithm);
        if let Some(key) = known {
            return Ok(key);
        }
        if let Some(fetch) = fetch {
            fetch.await;
        }
        let state = self.0.state();
        let keys = state.keys.as_ref().ok_or(Unidentified::NoKeys)?;
        keys::find(keys, id, algorithm).cloned().ok_or(Invalid::Key.into())
    }

    /// The key if it is known, and the fetch that is running or has just begun.
    fn begin(&self, id: Option<&str>, algorithm: Algorithm) -> (Option<Key>, Option<Fetch>) {
        let mut state = self.0.state();
        let known = state.keys.as_ref().and_then(|keys| keys::find(keys, id, algorithm)).cloned();
        let is_fresh = state.fetched.is_some_and(|at| at.elapsed() < MAX_AGE);
        if known.is_some() && is_fresh {
            return (known, None);
        }
        if let Some(running) = state.running.clone().filter(|running| running.peek().is_none()) {
            return (known, Some(running));
        }
        let pause = if state.keys.is_some() { PAUSE } else { PAUSE_WITHOUT_KEYS };
        if state.tried.is_some_and(|at| at.elapsed() < pause) {
            return (known, None);
        }
        state.tried = Some(Instant::now());
        // A task of its own: a client that leaves keeps no other one waiting.
        let fetch = tokio::spawn(Arc::clone(&self.0).refresh()).map(drop).boxed().shared();
        state.running = Some(fetch.clone());
        (known, Some(fetch))
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn refresh(self: Arc<Self>) {
        let fetched = self.fetcher.fetch(&self.uri).await;
        match fetched.and_then(|json| Key::of_set(&json).ok_or(Failed::NoSet)) {
            Ok(keys) => {
                tracing::debug!(keys = keys.len(), "fetched the keys of tokens");
                let mut state = self.state();
                state.keys = Some(keys.into());
                state.fetched = Some(Instant::now());
            }
            // Without the URL, which can have a secret.
            Err(error) => tracing::warn!(%error, "cannot fetch the keys of tokens (the setting JWT_JWKS_URL)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::Notify;
    use tokio::time::{advance, pause, resume};

    use super::*;

    /// A server of keys: what it answers, and how often it was asked.
    #[derive(Default)]
    struct Issuer {
        answer: Mutex<String>,
        asked: AtomicUsize,
        /// If set, it answers when it is told to.
        holds: Option<Notify>,
    }

    impl Issuer {
        async fn start(self) -> (Arc<Self>, Jwks) {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let uri = format!("http://{}/keys", listener.local_addr().unwrap());
            let issuer = Arc::new(self);
            let serving = Arc::clone(&issuer);
            tokio::spawn(async move {
                loop {
                    let (mut socket, _) = listener.accept().await.unwrap();
                    assert!(socket.read(&mut [0; 4096]).await.unwrap() > 0);
                    serving.asked.fetch_add(1, SeqCst);
                    if let Some(holds) = &serving.holds {
                        holds.notified().await;
                    }
                    let answer = serving.answer.lock().unwrap().clone();
                    socket.write_all(answer.as_bytes()).await.unwrap();
                }
            });
            (issuer, Jwks::new(uri.parse().unwrap()).unwrap())
        }

        fn has(&self, ids: &[&str]) {
            let key = |id: &&str| format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"{id}","x":"AA"}}"#);
            let keys: Vec<_> = ids.iter().map(key).collect();
            let body = format!(r#"{{"keys":[{}]}}"#, keys.join(","));
            self.answers("200 OK", &body);
        }

        fn answers(&self, status: &str, body: &str) {
            let length = body.len();
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            *self.answer.lock().unwrap() = answer;
        }

        fn asked(&self) -> usize {
            self.asked.load(SeqCst)
        }
    }

    async fn find(jwks: &Jwks, id: &str) -> Result<(), Unidentified> {
        jwks.find(Some(id), Algorithm::EdDSA).await.map(drop)
    }

    /// Time passes, and then goes on by itself: otherwise waiting for the network would let it jump.
    async fn later(time: Duration) {
        pause();
        advance(time).await;
        resume();
    }

    const UNKNOWN: Result<(), Unidentified> = Err(Unidentified::Invalid(Invalid::Key));

    #[tokio::test]
    async fn an_unknown_key_is_fetched_at_once_and_then_not_for_a_while() {
        let (issuer, jwks) = Issuer::default().start().await;
        issuer.has(&["a"]);
        assert_eq!((find(&jwks, "a").await, issuer.asked()), (Ok(()), 1));
        issuer.has(&["b"]);
        for _ in 0..3 {
            assert_eq!((find(&jwks, "b").await, issuer.asked()), (UNKNOWN, 1), "it was asked just now");
        }
        later(PAUSE).await;
        assert_eq!((find(&jwks, "b").await, issuer.asked()), (Ok(()), 2));
        assert_eq!((find(&jwks, "a").await, issuer.asked()), (UNKNOWN, 2), "it was withdrawn");
        assert_eq!((find(&jwks, "b").await, issuer.asked()), (Ok(()), 2));
    }

    #[tokio::test]
    async fn old_keys_are_fetched_again_and_kept_if_that_fails() {
        let (issuer, jwks) = Issuer::default().start().await;
        issuer.has(&["a"]);
        assert_eq!(find(&jwks, "a").await, Ok(()));
        let large = "x".repeat(2 << 20);
        for (number, (status, body)) in
            [("500 Internal Server Error", ""), ("200 OK", "<html>"), ("302 Found", ""), ("200 OK", &large)]
                .into_iter()
                .enumerate()
        {
            issuer.answers(status, body);
            later(MAX_AGE).await;
            assert_eq!(find(&jwks, "a").await, Ok(()), "without waiting");
            let (_, fetch) = jwks.begin(Some("a"), Algorithm::EdDSA);
            fetch.unwrap().await;
            assert_eq!((find(&jwks, "a").await, issuer.asked()), (Ok(()), number + 2), "{status}");
        }
        issuer.has(&["a", "b"]);
        later(MAX_AGE).await;
        assert_eq!(find(&jwks, "b").await, Ok(()));
    }

    #[tokio::test]
    async fn requests_share_a_fetch() {
        let (issuer, jwks) = Issuer { holds: Some(Notify::new()), ..Issuer::default() }.start().await;
        issuer.has(&["a"]);
        let jwks = Arc::new(jwks);
        let asking = || {
            let jwks = Arc::clone(&jwks);
            tokio::spawn(async move { find(&jwks, "a").await })
        };
        let gone = asking();
        let waiting: Vec<_> = (0..10).map(|_| asking()).collect();
        while issuer.asked() == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        issuer.holds.as_ref().unwrap().notify_one();
        for found in waiting {
            assert_eq!(found.await.unwrap(), Ok(()));
        }
        assert_eq!(issuer.asked(), 1);
    }

    #[tokio::test]
    async fn without_keys_nobody_is_known() {
        let (issuer, jwks) = Issuer::default().start().await;
        issuer.answers("503 Service Unavailable", "");
        for _ in 0..3 {
            assert_eq!((find(&jwks, "a").await, issuer.asked()), (Err(Unidentified::NoKeys), 1));
        }
        issuer.has(&["a"]);
        later(PAUSE_WITHOUT_KEYS).await;
        assert_eq!((find(&jwks, "a").await, issuer.asked()), (Ok(()), 2));
    }
}
