//! Subscribers, and one event at a time:
//!
//!     subscribers PROTOCOL ADDRESS PROCESS COUNT EVENTS FILE SUBSCRIPTION MUTATION TOKEN
//!
//! Prints how long it takes until the last subscriber has the event, in ms; what the process has allocated for each subscriber, in
//! KiB; and its time for each event and subscriber, in µs. The first event is not measured. Writes its bytes to the file, or, with
//! the protocol `bare`, expects them. A hundred subscribers share an address. One thread: the server has the other cores.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

mod process;
mod protocol;

use process::{kibibytes, time};
use protocol::{Protocol, Received};

/// Connections that are being opened.
const OPENING: usize = 50;

/// The longest time until an event is expected everywhere.
const PATIENCE: Duration = Duration::from_secs(30);

const SHARING: usize = 100;

/// What subscribers and their driver share.
#[derive(Default)]
struct Shared {
    opened: AtomicUsize,
    /// How many are without the event.
    waiting: AtomicUsize,
    all: Notify,
    /// An event as it was received.
    bytes: std::sync::OnceLock<Vec<u8>>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [protocol, address, process, count, events, file, subscription, mutation, token] = &arguments[..] else {
        panic!("expected nine arguments");
    };
    let address: SocketAddr = address.parse().expect("an address");
    let [count, events] = [count, events].map(|number| number.parse().expect("a number"));
    let known = (protocol == "bare").then(|| std::fs::read(file).expect("the file of an event"));
    let protocol = Arc::new(Protocol::new(protocol, known, address, subscription));
    let (shared, before) = (Arc::new(Shared::default()), kibibytes(process));
    open(count, address, &protocol, &shared).await;
    let mut trigger = TcpStream::connect(address).await.expect("a connection");
    let request = protocol.trigger(address, mutation, token);

    // Subscriptions begin after their requests were sent.
    for attempt in 0.. {
        sleep(Duration::from_secs(2)).await;
        if event(&mut trigger, &request, count, &shared).await.is_some() {
            break;
        }
        assert!(attempt < 3, "{} of {count} have no event", shared.waiting.load(Ordering::Relaxed));
    }
    sleep(Duration::from_secs(1)).await;
    let (memory, spent) = (kibibytes(process) - before, time(process));
    let mut times = Vec::new();
    for _ in 0..events {
        times.push(event(&mut trigger, &request, count, &shared).await.expect("every subscriber has the event"));
        sleep(Duration::from_millis(100)).await;
    }
    let spent = time(process) - spent;
    times.sort_unstable();
    if let Some(bytes) = shared.bytes.get().filter(|_| !protocol.is_bare()) {
        std::fs::write(file, bytes).expect("a file for the event");
    }
    println!(
        "{:.1} {:.1} {:.2} {}",
        times[times.len() / 2].as_secs_f64() * 1e3,
        memory as f64 / count as f64,
        spent.as_secs_f64() * 1e6 / (count * times.len()) as f64,
        shared.bytes.get().map_or(0, Vec::len),
    );
}

/// Opens so many subscribers.
async fn open(count: usize, address: SocketAddr, protocol: &Arc<Protocol>, shared: &Arc<Shared>) {
    let opening = Arc::new(Semaphore::new(OPENING));
    for number in 0..count {
        let turn = Arc::clone(&opening).acquire_owned().await.expect("it is not closed");
        let (protocol, shared) = (Arc::clone(protocol), Arc::clone(shared));
        tokio::spawn(async move {
            let network = u16::try_from(number / SHARING).expect("few networks").to_be_bytes();
            let socket = TcpSocket::new_v4().expect("a socket");
            socket.bind((Ipv4Addr::new(127, 1, network[0], network[1]), 0).into()).expect("a port");
            let mut socket = socket.connect(address).await.expect("a connection");
            protocol.subscribe(&mut socket).await;
            shared.opened.fetch_add(1, Ordering::Relaxed);
            drop(turn);
            listen(socket, &protocol, &shared).await;
        });
    }
    while shared.opened.load(Ordering::Relaxed) < count {
        sleep(Duration::from_millis(10)).await;
    }
}

/// Counts the events of a subscriber.
async fn listen(mut socket: TcpStream, protocol: &Protocol, shared: &Shared) {
    let mut bytes = Vec::new();
    loop {
        let read = socket.read_buf(&mut bytes).await.expect("an open connection");
        assert!(read > 0, "the server has closed a connection: {}", String::from_utf8_lossy(&bytes));
        while let Some((length, received)) = protocol.next(&bytes) {
            match received {
                Received::Event => {
                    let _ = shared.bytes.get_or_init(|| bytes[..length].to_vec());
                    if shared.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
                        shared.all.notify_one();
                    }
                }
                Received::Ping => socket.write_all(protocol::PONG).await.expect("an open connection"),
                Received::Other => {}
            }
            bytes.drain(..length);
        }
    }
}

/// Causes an event. The time until all subscribers have it; none if some never get it.
async fn event(trigger: &mut TcpStream, request: &[u8], count: usize, shared: &Shared) -> Option<Duration> {
    shared.waiting.store(count, Ordering::Relaxed);
    let begun = Instant::now();
    trigger.write_all(request).await.expect("an open connection");
    timeout(PATIENCE, shared.all.notified()).await.ok()?;
    let elapsed = begun.elapsed();
    // The response of the mutation, if there is one.
    let mut response = vec![0; 1 << 16];
    if let Ok(Ok(length)) = timeout(Duration::from_millis(50), trigger.read(&mut response)).await {
        let response = String::from_utf8_lossy(&response[..length]);
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    }
    Some(elapsed)
}
