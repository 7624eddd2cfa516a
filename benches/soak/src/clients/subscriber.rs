//! Clients that subscribe to ratings.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::world::World;
use crate::tally::Kind;

const RATED: &str = "subscription { ratingAdded { node { uuid } } }";

/// The pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// Hears of ratings from a server until it is dropped. A subscription that ends must say why, and is started again.
pub async fn subscribe(world: Arc<World>, server: usize) {
    loop {
        let ended = Box::pin(listen(&world, server)).await;
        let why = ended.map_or_else(|error| error.to_string(), |text| format!("the subscription ended: {text}"));
        world.tally.failed(Kind::Subscribe, why);
        sleep(PAUSE).await;
    }
}

/// Listens until the stream ends. Returns its last part.
async fn listen(world: &World, server: usize) -> io::Result<String> {
    let mut socket = TcpStream::connect(world.addresses[server]).await?;
    let body = json!({ "query": RATED }).to_string();
    let head =
        "POST /graphql HTTP/1.1\r\nHost: soak\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n";
    socket.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    let (mut text, mut bytes) = (String::new(), [0; 16_384]);
    loop {
        let read = socket.read(&mut bytes).await?;
        text += &String::from_utf8_lossy(&bytes[..read]);
        while let Some((_, rest)) = text.split_once(r#""uuid":""#) {
            let Some((uuid, rest)) = rest.split_once('"') else { break };
            world.heard()[server].insert(uuid.to_owned());
            world.tally.took(Kind::Subscribe, Duration::ZERO);
            text = rest.to_owned();
        }
        if read == 0 || text.contains("event: complete") {
            return Ok(text);
        }
    }
}
