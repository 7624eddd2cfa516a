//! WebSockets with subscriptions, by the protocol `graphql-transport-ws`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::{ClientRequestBuilder, Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::held::OPENED;
use super::siege::{Siege, code};
use crate::http::Connection;
use crate::process::max_files;
use crate::shop::Shop;

const PROTOCOL: &str = "graphql-transport-ws";

/// The largest message, less what stands around the document in it.
const LARGE: usize = (1 << 20) - 200;

/// The most fields of a document.
const FIELDS: usize = 5_000;

/// The pause after a refusal.
const PAUSE: Duration = Duration::from_secs(1);

type Socket = WebSocketStream<TcpStream>;

/// As many WebSockets as are accepted, each with the largest subscription.
pub async fn websockets(siege: Siege) {
    let opened = Arc::new(Semaphore::new(OPENED));
    let subscription = Arc::new(subscribe("1", &siege.prepared.subscription));
    siege
        .crowd(10_000.min(max_files().saturating_sub(500)), move |siege, _| {
            let (opened, subscription) = (Arc::clone(&opened), Arc::clone(&subscription));
            async move {
                let turn = opened.acquire().await;
                let Some(mut socket) = open(&siege).await else { return sleep(PAUSE).await };
                let _ = socket.send(Message::text(&*subscription)).await;
                drop(turn);
                listen(&siege, socket).await;
                sleep(PAUSE).await;
            }
        })
        .await;
}

/// A hundred subscriptions on each of a hundred WebSockets.
pub async fn subscriptions(siege: Siege) {
    const TEXT: &str = "subscription { ratingAdded(orderBy: [{ field: RATING, direction: DESC }]) \
        { cursor node { id rating book { name averageRating } } } }";
    siege
        .crowd(100, async |siege: Siege, _| {
            let Some(mut socket) = open(&siege).await else { return sleep(PAUSE).await };
            for id in 0..100 {
                let _ = socket.feed(Message::text(subscribe(&id.to_string(), TEXT))).await;
            }
            let _ = socket.flush().await;
            listen(&siege, socket).await;
            sleep(PAUSE).await;
        })
        .await;
}

/// Messages of 1 MiB without their last byte.
pub async fn unfinished(siege: Siege) {
    // A masked text, and its length in eight bytes.
    let mut bytes = vec![0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0];
    bytes.resize(bytes.len() + (1 << 20) - 1, b' ');
    let bytes: Arc<[u8]> = bytes.into();
    siege
        .crowd(600, move |siege, _| {
            let bytes = Arc::clone(&bytes);
            async move {
                let Some(mut socket) = open(&siege).await else { return sleep(PAUSE).await };
                let _ = socket.get_mut().write_all(&bytes).await;
                listen(&siege, socket).await;
                sleep(PAUSE).await;
            }
        })
        .await;
}

/// Forty WebSockets with ten subscriptions each, and a rating every 100 ms: each of them is 400 events.
pub async fn events(siege: Siege) {
    const TEXT: &str = "subscription { ratingAdded { node { book { ratings(first: 20) { nodes { id rating \
        book { name averageRating } } } } } } }";
    let writer = siege.clone();
    let subscribers = siege.crowd(40, async |siege: Siege, _| {
        let Some(mut socket) = open(&siege).await else { return sleep(PAUSE).await };
        for id in 0..10 {
            let _ = socket.feed(Message::text(subscribe(&id.to_string(), TEXT))).await;
        }
        let _ = socket.flush().await;
        listen(&siege, socket).await;
        sleep(PAUSE).await;
    });
    let writes = writer.crowd(1, async |siege: Siege, _| {
        let Ok(stream) = siege.connect().await else { return };
        let mut connection = Connection::from(stream);
        for number in 0.. {
            if connection.ask(&siege.shop.rate(number)).await.is_err() {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
    });
    tokio::join!(subscribers, writes);
}

/// Opens a WebSocket up to the acknowledgement.
pub async fn open(siege: &Siege) -> Option<Socket> {
    siege.tally.send();
    let Ok(stream) = siege.connect().await else {
        siege.tally.get("not connected");
        return None;
    };
    let uri = format!("ws://{}/graphql", siege.shop.address()).parse().ok()?;
    match client_async(ClientRequestBuilder::new(uri).with_sub_protocol(PROTOCOL), stream).await {
        Ok((mut socket, _)) => {
            let init = json!({ "type": "connection_init" }).to_string();
            socket.send(Message::text(init)).await.ok()?;
            let acknowledged = socket.next().await.is_some_and(|message| message.is_ok());
            siege.tally.get(if acknowledged { "open" } else { "closed" });
            acknowledged.then_some(socket)
        }
        Err(Error::Http(refusal)) => {
            siege.tally.get(refusal.status().as_u16());
            None
        }
        Err(_) => {
            siege.tally.get("closed");
            None
        }
    }
}

/// Counts what comes until the server closes.
async fn listen(siege: &Siege, mut socket: Socket) {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) if text.as_str().contains(r#""next""#) => siege.tally.get("events"),
            Some(Ok(Message::Text(text))) => {
                let code = text.split_once(r#""code":""#).and_then(|(_, code)| code.split('"').next());
                siege.tally.get(code.unwrap_or("other messages"));
            }
            Some(Ok(Message::Close(frame))) => {
                return siege.tally.get(frame.map_or("closed".into(), |frame| format!("closed with {}", frame.code)));
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return siege.tally.get("closed"),
        }
    }
}

fn subscribe(id: &str, query: &str) -> String {
    json!({ "type": "subscribe", "id": id, "payload": { "query": query } }).to_string()
}

/// The largest subscription that is not refused: as many fields as possible, with names that fill a message.
pub async fn largest(shop: &Shop) -> io::Result<String> {
    let (mut fits, mut too_many) = (0, FIELDS + 1);
    while too_many - fits > 1 {
        let fields = fits.midpoint(too_many);
        // A valid one is refused as well: it is not sent over a WebSocket.
        let answer = shop.ask(&json!({ "query": subscription(fields) })).await?;
        match code(&answer) {
            "WEBSOCKET_REQUIRED" => fits = fields,
            "QUERY_TOO_COMPLEX" => too_many = fields,
            _ => return Err(io::Error::other(format!("no subscription: {answer}"))),
        }
    }
    Ok(subscription(fits))
}

fn subscription(fields: usize) -> String {
    let width = LARGE / fields.max(1) - 7;
    let fields: Vec<String> =
        (0..fields).map(|field| format!("a{field:0>width$}: id", width = width.min(900))).collect();
    format!("subscription {{ ratingAdded {{ cursor node {{ id {} }} }} }}", fields.join(" "))
}
