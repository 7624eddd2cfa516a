//! The expensive request from several addresses at a time. Each sends it over as many connections as a browser opens for
//! a few pages, or one for each address of many.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;

use super::siege::Siege;
use super::repeat::{Requests, repeat};
use super::websockets::open;
use crate::http::post;

/// The connections of each address.
const EACH: usize = 16;

/// The pause after a refusal.
const PAUSE: Duration = Duration::from_millis(100);

pub async fn http(siege: Siege) {
    let requests = Requests::new([siege.prepared.expensive.clone()]);
    let connections = EACH * usize::from(siege.addresses);
    repeat(siege, connections, requests).await;
}

/// One operation at a time on each WebSocket.
pub async fn websocket(siege: Siege) {
    let request: Value = serde_json::from_slice(body(&siege)).unwrap_or_default();
    let message = json!({ "type": "subscribe", "id": "1", "payload": request }).to_string();
    let connections = EACH * usize::from(siege.addresses);
    siege
        .crowd(connections, move |siege, _| {
            let message = message.clone();
            async move {
                let Some(mut socket) = open(&siege).await else { return sleep(PAUSE).await };
                while socket.send(Message::text(message.clone())).await.is_ok() {
                    siege.tally.send();
                    loop {
                        let Some(Ok(answer)) = socket.next().await else { return siege.tally.get("closed") };
                        let Message::Text(text) = answer else { continue };
                        if text.contains(r#""type":"next""#) {
                            siege.tally.get("next");
                        } else {
                            siege.tally.get(if text.contains("complete") { "complete" } else { "error" });
                            break;
                        }
                    }
                }
            }
        })
        .await;
}

pub async fn stream(siege: Siege) {
    let headers = "Accept: text/event-stream\r\nConnection: close\r\n";
    let request = String::from_utf8_lossy(&post(headers, body(&siege)))
        .replacen("Accept: application/graphql-response+json\r\n", "", 1)
        .into_bytes();
    let connections = EACH * usize::from(siege.addresses);
    siege
        .crowd(connections, move |siege, _| {
            let request = request.clone();
            async move {
                let Ok(mut stream) = siege.connect().await else { return siege.tally.get("not connected") };
                siege.tally.send();
                let _ = stream.write_all(&request).await;
                let mut answer = Vec::new();
                let _ = stream.read_to_end(&mut answer).await;
                siege.tally.get(answer.get(9..12).map_or("closed".into(), String::from_utf8_lossy));
            }
        })
        .await;
}

/// The body of the expensive request.
fn body(siege: &Siege) -> &[u8] {
    let request = &siege.prepared.expensive;
    let end = request.windows(4).position(|four| four == b"\r\n\r\n");
    end.map_or(&[], |end| &request[end + 4..])
}
