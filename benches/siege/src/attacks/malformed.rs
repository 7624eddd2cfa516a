//! What is not HTTP, not JSON, or too much of it.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::siege::Siege;
use super::repeat::Requests;
use crate::http::{get, post};

/// How long a client waits for a response.
const PATIENCE: Duration = Duration::from_millis(300);

pub async fn malformed(siege: Siege) {
    let texts = Requests::new(texts());
    siege
        .crowd(64, move |siege, _| {
            let text = texts.next();
            async move {
                let Ok(mut stream) = siege.connect().await else { return siege.tally.get("not connected") };
                siege.tally.send();
                let _ = stream.write_all(&text).await;
                let mut head = [0; 12];
                match timeout(PATIENCE, stream.read_exact(&mut head)).await {
                    Ok(Ok(_)) => siege.tally.get(String::from_utf8_lossy(&head[9..])),
                    Ok(Err(_)) => siege.tally.get("closed"),
                    Err(_) => siege.tally.get("silent"),
                }
            }
        })
        .await;
}

fn texts() -> Vec<Vec<u8>> {
    let mut random = Random(1);
    let head = |line: &str, headers: &str| format!("{line}\r\nHost: siege\r\n{headers}\r\n").into_bytes();
    let typed = |kind: &str| head("POST /graphql HTTP/1.1", &format!("Content-Type: {kind}\r\nContent-Length: 0\r\n"));
    let upgrade = head(
        "GET /graphql HTTP/1.1",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n",
    );
    let mut texts = vec![
        typed("text/plain"),
        typed("application/json; charset=utf-16"),
        typed("multipart/form-data; boundary=x"),
        typed(&"x".repeat(20_000)),
        head("BREW /graphql HTTP/1.1", ""),
        head("GET /graphql HTTP/9.9", ""),
        head(&format!("GET /graphql?query={} HTTP/1.1", "%7B".repeat(9_000)), ""),
        head(&format!("GET /{} HTTP/1.1", "a/".repeat(100_000)), ""),
        head("GET /health HTTP/1.1", &format!("X-Large: {}\r\n", "x".repeat(1_000_000))),
        head("GET /health HTTP/1.1", &"X-Many: x\r\n".repeat(100_000)),
        head("POST /graphql HTTP/1.1", "Content-Length: -1\r\n"),
        head("POST /graphql HTTP/1.1", "Content-Length: 99999999999999999999\r\n"),
        head("POST /graphql HTTP/1.1", "Content-Length: 5\r\nContent-Length: 6\r\n"),
        head("POST /graphql HTTP/1.1", "Content-Type: application/json\r\nContent-Length: 18446744073709551615\r\n"),
        [head("POST /graphql HTTP/1.1", "Transfer-Encoding: chunked\r\n"), b"zz\r\n".to_vec()].concat(),
        [head("POST /graphql HTTP/1.1", "Transfer-Encoding: chunked\r\n"), b"1\r\nx\r\n".repeat(200_000)].concat(),
        [get("/health").repeat(100), random.bytes(10_000)].concat(),
        [post("", b"{\"query\":\"{ __typename }\"}").repeat(100), b"}".repeat(10_000)].concat(),
        [upgrade.clone(), random.bytes(10_000)].concat(),
        [upgrade, vec![0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]].concat(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"\r\n".repeat(100_000),
    ];
    let json = br#"{"query":"{ books { totalCount } }","variables":{"x":[1,2.5e3,"\u00e9"]},"operationName":null}"#;
    for _ in 0..20 {
        texts.push(random.bytes(4_000));
        // JSON with some wrong bytes, and JSON that ends too early.
        let mut broken = json.to_vec();
        for _ in 0..3 {
            let place = random.below(broken.len());
            broken[place] = random.byte();
        }
        texts.push(post("", &broken));
        texts.push(post("", &json[..random.below(json.len())]));
    }
    texts
}

/// Numbers that look random, and are the same each time (xorshift).
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.to_le_bytes()[3]
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    fn below(&mut self, end: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % end
    }
}
