//! Requests over connections that are kept, one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::siege::Siege;
use crate::http::Connection;

/// Ten digits that are replaced by another number in each request.
pub const MARK: &str = "7777777777";

/// Requests in turn. Cheap to clone.
#[derive(Clone)]
pub struct Requests {
    /// Each with the place of its mark.
    texts: Arc<[(Vec<u8>, Option<usize>)]>,
    number: Arc<AtomicUsize>,
}

impl Requests {
    pub fn new(texts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let place = |text: &[u8]| text.windows(MARK.len()).position(|part| part == MARK.as_bytes());
        let texts = texts.into_iter().map(|text| {
            let place = place(&text);
            (text, place)
        });
        Self { texts: texts.collect(), number: Arc::default() }
    }

    pub fn next(&self) -> Vec<u8> {
        let number = self.number.fetch_add(1, Relaxed);
        let (text, place) = &self.texts[number % self.texts.len()];
        let mut text = text.clone();
        if let Some(place) = *place {
            text[place..place + MARK.len()].copy_from_slice(format!("{number:010}").as_bytes());
        }
        text
    }
}

/// Sends these requests over so many connections.
pub async fn repeat(siege: Siege, connections: usize, requests: Requests) {
    siege
        .crowd(connections, move |siege, _| {
            let requests = requests.clone();
            async move {
                match siege.connect().await {
                    Ok(stream) => session(&siege, stream.into(), &requests).await,
                    Err(_) => siege.tally.get("not connected"),
                }
            }
        })
        .await;
}

/// Sends requests until one fails.
async fn session(siege: &Siege, mut connection: Connection, requests: &Requests) {
    loop {
        siege.tally.send();
        match connection.ask(&requests.next()).await {
            Ok(response) => {
                siege.tally.get(response.status);
                if response.is_last {
                    return;
                }
            }
            Err(_) => return siege.tally.get("closed"),
        }
    }
}
