//! Connections that are kept open: with a body that does not end, with nothing, and with responses that are not read.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::siege::Siege;
use super::documents::LARGE;
use crate::http::{self, post};
use crate::process::max_files;

/// The pause after a refusal.
const PAUSE: Duration = Duration::from_secs(1);

/// The connections that are opened at a time. More would fill the queue of the listener, where the system drops those
/// of others, too.
pub const OPENED: usize = 256;

/// Bodies without their last byte.
pub async fn bodies(siege: Siege) {
    let mut request = post("", json!({ "query": "{ __typename }", "x": "x".repeat(LARGE) }).to_string().as_bytes());
    request.pop();
    let request: Arc<[u8]> = request.into();
    siege
        .crowd(400, move |siege, _| {
            let request = Arc::clone(&request);
            async move {
                let Ok(mut stream) = siege.connect().await else { return siege.tally.get("not connected") };
                ask(&siege, &mut stream, &request).await;
                sleep(PAUSE).await;
            }
        })
        .await;
}

/// Idle connections.
pub async fn connections(siege: Siege) {
    let opened = Arc::new(Semaphore::new(OPENED));
    siege
        .crowd(15_000.min(max_files().saturating_sub(500)), move |siege, _| {
            let opened = Arc::clone(&opened);
            async move {
                let turn = opened.acquire().await;
                let stream = siege.connect().await;
                drop(turn);
                let Ok(mut stream) = stream else { return siege.tally.get("not connected") };
                siege.tally.send();
                if timeout(PAUSE, stream.read(&mut [0])).await.is_err() {
                    siege.tally.get("open after 1 s");
                    // To the end.
                    let _ = stream.read(&mut [0]).await;
                }
                siege.tally.get("closed");
                sleep(PAUSE).await;
            }
        })
        .await;
}

/// A request with a large response.
pub fn large() -> Vec<u8> {
    const QUERY: &str = "{ books(first: 100) { nodes { id name createdAt ulid ratings(first: 70) \
        { edges { cursor node { id rating createdAt } } } } } }";
    post("", json!({ "query": QUERY }).to_string().as_bytes())
}

/// Large responses that nobody reads: ten requests in a row, and a small buffer to receive them.
pub async fn readers(siege: Siege) {
    let request: Arc<[u8]> = large().repeat(10).into();
    siege
        .crowd(200, move |siege, _| {
            let request = Arc::clone(&request);
            async move {
                let Ok(socket) = http::socket(siege.from) else { return siege.tally.get("no socket") };
                let prepared = socket.set_zero_linger().and_then(|()| socket.set_recv_buffer_size(4096));
                let stream = match prepared {
                    Ok(()) => socket.connect(siege.shop.address()).await,
                    Err(error) => Err(error),
                };
                let Ok(mut stream) = stream else { return siege.tally.get("not connected") };
                ask(&siege, &mut stream, &request).await;
                std::future::pending().await
            }
        })
        .await;
}

/// Sends a request, and counts the status that the server begins to send.
async fn ask(siege: &Siege, stream: &mut TcpStream, request: &[u8]) {
    siege.tally.send();
    let _ = stream.write_all(request).await;
    let mut head = [0; 12];
    match stream.read_exact(&mut head).await {
        Ok(_) => siege.tally.get(String::from_utf8_lossy(&head[9..])),
        Err(_) => siege.tally.get("closed"),
    }
}
