//! Between a client and PostgreSQL: reads what the client says, and can fall silent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sea_orm::sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Forwards until it is dropped.
pub struct Proxy {
    pub options: PgConnectOptions,
    silent: watch::Sender<bool>,
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
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let (address, is_silent, said) = (address.clone(), is_silent.clone(), Arc::clone(&sink));
                let [sent, received] = counters.clone();
                tokio::spawn(async move {
                    // One that comes while it is silent is accepted, and hears nothing.
                    heard(&is_silent).await;
                    let Ok(server) = TcpStream::connect(&address).await else { return };
                    let ((from_client, to_client), (from_server, to_server)) =
                        (client.into_split(), server.into_split());
                    tokio::spawn(forward(from_server, to_client, is_silent.clone(), received, None));
                    forward(from_client, to_server, is_silent, sent, Some(said)).await;
                });
            }
        });
        Self { options, silent, said, bytes, task }
    }

    /// From now on it forwards nothing, or all that has come and comes.
    pub fn set_silent(&self, silent: bool) {
        self.silent.send_replace(silent);
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

async fn heard(is_silent: &watch::Receiver<bool>) {
    let _ = is_silent.clone().wait_for(|silent| !silent).await;
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    is_silent: watch::Receiver<bool>,
    counter: Arc<AtomicUsize>,
    said: Option<Arc<Mutex<String>>>,
) {
    let mut bytes = vec![0; 1 << 16];
    let (mut text, mut begun) = (Vec::new(), false);
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        heard(&is_silent).await;
        counter.fetch_add(count, Ordering::Relaxed);
        if let Some(said) = &said {
            text.extend_from_slice(&bytes[..count]);
            let types = messages(&mut text, &mut begun);
            if !types.is_empty() {
                said.lock().unwrap().push_str(&(types + " "));
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
