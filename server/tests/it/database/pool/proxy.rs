//! Between a client and PostgreSQL: reads what the client says, can fall silent, and can cut a connection.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sea_orm::sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

/// A connection that holds a statement back. It is cut when this is dropped.
pub type Cut = oneshot::Sender<()>;

/// The prepared statements that may still pass, and who waits for the next one.
type Cutting = Option<(usize, oneshot::Sender<Cut>)>;

/// Forwards until it is dropped.
pub struct Proxy {
    pub options: PgConnectOptions,
    silent: watch::Sender<bool>,
    cutting: Arc<Mutex<Cutting>>,
    said: Arc<Mutex<String>>,
    bytes: [Arc<AtomicUsize>; 2],
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub async fn new(server: PgConnectOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let options = server.clone().host("127.0.0.1").port(listener.local_addr().unwrap().port());
        let address = format!("{}:{}", server.get_host(), server.get_port());
        let (silent, is_silent) = watch::channel(false);
        let said: Arc<Mutex<String>> = Arc::default();
        let sink = Arc::clone(&said);
        let bytes: [Arc<AtomicUsize>; 2] = Default::default();
        let counters = bytes.clone();
        let cutting: Arc<Mutex<Cutting>> = Arc::default();
        let cuts = Arc::clone(&cutting);
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let (address, is_silent, said) = (address.clone(), is_silent.clone(), Arc::clone(&sink));
                let cutting = Arc::clone(&cuts);
                let [sent, received] = counters.clone();
                tokio::spawn(async move {
                    // One that comes while it is silent is accepted, and hears nothing.
                    heard(&is_silent).await;
                    let Ok(server) = TcpStream::connect(&address).await else { return };
                    let ((from_client, to_client), (from_server, to_server)) =
                        (client.into_split(), server.into_split());
                    tokio::spawn(forward(from_server, to_client, is_silent.clone(), received, None));
                    forward(from_client, to_server, is_silent, sent, Some((said, cutting))).await;
                });
            }
        });
        Self { options, silent, cutting, said, bytes, task }
    }

    /// From now on it forwards nothing, or all that has come and comes.
    pub fn set_silent(&self, silent: bool) {
        self.silent.send_replace(silent);
    }

    /// Forwards this many further executions of prepared statements, holds the next one back, and then cuts its connection.
    pub fn cut_after(&self, statements: usize) -> oneshot::Receiver<Cut> {
        let (held, is_held) = oneshot::channel();
        *self.cutting.lock().unwrap() = Some((statements, held));
        is_held
    }

    /// The types of the messages that clients have sent since the last call: a letter each, and a space where they
    /// waited for an answer.
    pub fn said(&self) -> String {
        std::mem::take(&mut *self.said.lock().unwrap())
    }

    /// How many bytes clients have sent and received since the last call.
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes.each_ref().map(|count| count.swap(0, Ordering::Relaxed))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the client has said, and where to cut it.
type Client = (Arc<Mutex<String>>, Arc<Mutex<Cutting>>);

async fn heard(is_silent: &watch::Receiver<bool>) {
    let _ = is_silent.clone().wait_for(|silent| !silent).await;
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    is_silent: watch::Receiver<bool>,
    counter: Arc<AtomicUsize>,
    client: Option<Client>,
) {
    let mut bytes = vec![0; 1 << 16];
    let (mut text, mut begun) = (Vec::new(), false);
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        heard(&is_silent).await;
        counter.fetch_add(count, Ordering::Relaxed);
        if let Some((said, cutting)) = &client {
            text.extend_from_slice(&bytes[..count]);
            let types = messages(&mut text, &mut begun);
            let executed = types.matches('E').count();
            if !types.is_empty() {
                said.lock().unwrap().push_str(&(types + " "));
            }
            let held = next_to_cut(&mut cutting.lock().unwrap(), executed);
            if let Some(held) = held {
                let (cut, is_cut) = oneshot::channel();
                let _ = held.send(cut);
                let _ = is_cut.await;
                return;
            }
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
    // Passes on that the one end has left.
    heard(&is_silent).await;
    let _ = to.shutdown().await;
}

/// Counts executions. Who waits for this one, if it is to be held back.
fn next_to_cut(cutting: &mut Cutting, executed: usize) -> Option<oneshot::Sender<Cut>> {
    let (left, _) = cutting.as_mut()?;
    match left.checked_sub(executed) {
        Some(still) => {
            *left = still;
            None
        }
        None => cutting.take().map(|(_, held)| held),
    }
}

/// Takes the whole messages from the front. The first one has no type.
fn messages(bytes: &mut Vec<u8>, begun: &mut bool) -> String {
    let mut types = String::new();
    loop {
        let header = usize::from(*begun);
        let Some(length) = bytes.get(header..header + 4) else { return types };
        let length = header + u32::from_be_bytes(length.try_into().unwrap()) as usize;
        if bytes.len() < length {
            return types;
        }
        types.push(if *begun { bytes[0] as char } else { '!' });
        *begun = true;
        bytes.drain(..length);
    }
}
