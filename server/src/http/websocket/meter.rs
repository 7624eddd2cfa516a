//! A stream of WebSocket frames, whose unfinished messages are bounded: their bytes count against the memory budget of the
//! client as they arrive, and each message has a time limit.
//!
//! The library collects a message before it shows it. As soon as a frame announces its length, its buffer has room for all of it,
//! and keeps its size for the next messages. What has arrived is kept up to twice more: in the payload of its frame, and in the
//! message of its fragments.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::message::MAX_MESSAGE;
use crate::request::{Memory, MemoryPermit};

/// The size of the read buffer in bytes. Every connection has one, so as many bytes of a message are not counted.
pub const READ_BUFFER: usize = 4 << 10;

/// How often a byte of an unfinished message is kept, beside the buffer.
const COPIES: usize = 2;

/// A stream that is read within the memory budget.
pub struct Metered<S> {
    stream: S,
    frames: Frames,
    memory: Memory,
    time_limit: Duration,
    /// The time limit of the unfinished message.
    end: Option<Pin<Box<Sleep>>>,
    /// What the unfinished message takes.
    unfinished: Counted,
    /// What the buffer keeps, which is as large as the longest message.
    buffer: Counted,
    failure: Option<Unfinished>,
}

/// Why a message stays unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    #[error("the memory budget is exhausted")]
    Exhausted,
    #[error("the message was not received in time")]
    Late,
}

/// Bytes that are counted.
#[derive(Default)]
struct Counted {
    bytes: usize,
    permit: Option<MemoryPermit>,
}

/// Follows the frames in a stream of bytes (RFC 6455, section 5.2).
#[derive(Default)]
struct Frames {
    /// The header that is being received, and its length so far.
    header: [u8; 10],
    received: usize,
    /// The bytes of the mask and the payload that are missing.
    missing: u64,
    is_data: bool,
    is_last: bool,
    /// The bytes of the unfinished message; 0 if there is none.
    unfinished: usize,
}

impl<S> Metered<S> {
    /// A stream from the first frame on.
    pub fn new(stream: S, memory: Memory, time_limit: Duration) -> Self {
        Self {
            stream,
            frames: Frames::default(),
            memory,
            time_limit,
            end: None,
            unfinished: Counted::default(),
            buffer: Counted::default(),
            failure: None,
        }
    }

    /// Whether nothing more is read.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Counts bytes that have arrived.
    fn count(&mut self, bytes: &[u8]) -> Result<(), Unfinished> {
        let longest = self.frames.pass(bytes);
        let is_counted = self.buffer.grow(longest.saturating_sub(READ_BUFFER), &self.memory)
            && self.unfinished.grow(COPIES * self.frames.unfinished.saturating_sub(READ_BUFFER), &self.memory);
        if self.frames.unfinished == 0 {
            self.unfinished = Counted::default();
            self.end = None;
        } else if self.end.is_none() {
            self.end = Some(Box::pin(sleep(self.time_limit)));
        }
        if is_counted { Ok(()) } else { Err(Unfinished::Exhausted) }
    }

    fn fail(&mut self, failure: Unfinished) -> Poll<io::Result<()>> {
        // What has arrived is kept, and counted, until the connection is dropped.
        self.failure = Some(failure);
        Poll::Ready(Err(io::Error::other(failure)))
    }
}

impl Counted {
    /// Counts up to this many bytes, if the budget has them.
    fn grow(&mut self, bytes: usize, memory: &Memory) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return true };
        let Some(permit) = memory.acquire(more) else { return false };
        match &mut self.permit {
            Some(counted) => counted.merge(permit),
            None => self.permit = Some(permit),
        }
        self.bytes = bytes;
        true
    }
}

impl Frames {
    /// Passes bytes. Returns the most that a message had of them and before, and that its frame announced.
    fn pass(&mut self, mut bytes: &[u8]) -> usize {
        let mut longest = 0;
        while !bytes.is_empty() {
            let length = match self.missing {
                0 => self.pass_header(bytes),
                missing => {
                    let length = usize::try_from(missing).map_or(bytes.len(), |missing| missing.min(bytes.len()));
                    self.missing -= length as u64;
                    length
                }
            };
            bytes = &bytes[length..];
            if self.is_data {
                self.unfinished += length;
                longest = longest.max(self.unfinished + self.announced());
                if self.received == 0 && self.missing == 0 && self.is_last {
                    self.unfinished = 0;
                }
            }
        }
        longest
    }

    /// The missing bytes of the frame, for which the buffer has room already. The library refuses a longer one.
    fn announced(&self) -> usize {
        usize::try_from(self.missing).map_or(MAX_MESSAGE, |missing| missing.min(MAX_MESSAGE))
    }

    /// Receives a byte of a header, or more. Returns how many. Nothing of the header is left when it is complete.
    fn pass_header(&mut self, bytes: &[u8]) -> usize {
        self.header[self.received] = bytes[0];
        self.received += 1;
        let header = &self.header[..self.received];
        self.is_data = header[0] & 0x08 == 0;
        self.is_last = header[0] & 0x80 != 0;
        let length = match header {
            [_, second] if second & 0x7f < 126 => u64::from(second & 0x7f),
            [_, second, high, low] if second & 0x7f == 126 => u64::from(u16::from_be_bytes([*high, *low])),
            [_, _, length @ ..] => match length.try_into() {
                Ok(length) => u64::from_be_bytes(length),
                Err(_) => return 1,
            },
            _ => return 1,
        };
        let mask = if header[1] & 0x80 != 0 { 4 } else { 0 };
        self.missing = length.saturating_add(mask);
        self.received = 0;
        1
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(failure) = self.failure {
            return self.fail(failure);
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending()
            && let Some(end) = &mut self.end
        {
            ready!(end.as_mut().poll(context));
            return self.fail(Unfinished::Late);
        }
        ready!(read)?;
        match self.count(&buffer.filled()[before..]) {
            Ok(()) => Poll::Ready(Ok(())),
            Err(failure) => self.fail(failure),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::pause;
    use tungstenite::protocol::frame::Frame;
    use tungstenite::protocol::frame::coding::{Control, Data, OpCode};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    /// A masked frame.
    fn frame(kind: OpCode, is_last: bool, length: usize) -> Vec<u8> {
        let mut frame = match kind {
            OpCode::Data(_) => Frame::message(vec![0; length], kind, is_last),
            OpCode::Control(_) => Frame::ping(vec![0; length]),
        };
        frame.header_mut().mask = Some([1, 2, 3, 4]);
        let mut bytes = Vec::new();
        frame.format(&mut bytes).unwrap();
        bytes
    }

    fn text(is_last: bool, length: usize) -> Vec<u8> {
        frame(OpCode::Data(Data::Text), is_last, length)
    }

    fn more(is_last: bool, length: usize) -> Vec<u8> {
        frame(OpCode::Data(Data::Continue), is_last, length)
    }

    fn ping() -> Vec<u8> {
        frame(OpCode::Control(Control::Ping), true, 20)
    }

    #[test]
    fn frames_are_followed_however_they_are_cut() {
        let messages = [
            [text(true, 5)].concat(),
            [text(true, 0)].concat(),
            [text(true, 300)].concat(),
            [text(true, 70_000)].concat(),
            [text(false, 0), more(false, 200), ping(), more(true, 1)].concat(),
        ];
        let all = messages.concat();
        for size in [1, 2, 7, 1_000, all.len()] {
            let (mut frames, mut passed) = (Frames::default(), 0);
            let mut ends = messages.iter().scan(0, |end, message| {
                *end += message.len();
                Some(*end)
            });
            let mut end = ends.next();
            for part in all.chunks(size) {
                frames.pass(part);
                passed += part.len();
                while end.is_some_and(|end| end < passed) {
                    end = ends.next();
                }
                if size == 1 {
                    assert_eq!(frames.unfinished == 0, end == Some(passed), "after {passed} bytes");
                }
            }
            assert!(frames.unfinished == 0 && frames.missing == 0 && frames.received == 0, "{size}");
        }
    }

    fn metered(memory: &Memory) -> (DuplexStream, Metered<DuplexStream>) {
        let (client, server) = duplex(1 << 20);
        (client, Metered::new(server, memory.clone(), LIMIT))
    }

    async fn read(stream: &mut Metered<DuplexStream>, bytes: usize) -> io::Result<()> {
        let mut left = bytes;
        while left > 0 {
            left -= stream.read(&mut vec![0; left.min(READ_BUFFER)]).await?;
        }
        Ok(())
    }

    fn failure(result: io::Result<()>) -> Option<Unfinished> {
        result.unwrap_err().into_inner()?.downcast_ref().copied()
    }

    #[tokio::test]
    async fn an_unfinished_message_counts_from_its_first_byte_to_its_last() {
        let memory = Memory::new(1 << 20);
        let (mut client, mut stream) = metered(&memory);
        client.write_all(&text(false, READ_BUFFER / 2)).await.unwrap();
        read(&mut stream, READ_BUFFER / 2 + 8).await.unwrap();
        assert_eq!(memory.in_use(), 0, "a short one is free");
        let rest = [more(false, 100_000), ping()].concat();
        client.write_all(&rest).await.unwrap();
        read(&mut stream, 20).await.unwrap();
        assert!((90_000..110_000).contains(&memory.in_use()), "the buffer has room for all: {}", memory.in_use());
        read(&mut stream, rest.len() - 20).await.unwrap();
        assert!((300_000 - 2 * READ_BUFFER..310_000).contains(&memory.in_use()), "{}", memory.in_use());
        let end = more(true, 10);
        client.write_all(&end).await.unwrap();
        read(&mut stream, end.len()).await.unwrap();
        assert!((90_000..110_000).contains(&memory.in_use()), "the buffer is left: {}", memory.in_use());
        drop(stream);
        assert_eq!(memory.in_use(), 0);
    }

    #[tokio::test]
    async fn unfinished_messages_of_all_connections_share_the_budget() {
        let memory = Memory::new(1 << 20);
        let mut kept = Vec::new();
        let refused = loop {
            let (mut client, mut stream) = metered(&memory);
            let bytes = text(false, 100_000);
            client.write_all(&bytes).await.unwrap();
            let result = read(&mut stream, bytes.len()).await;
            kept.push((client, stream));
            if result.is_err() {
                break failure(result);
            }
        };
        assert_eq!((refused, kept.len()), (Some(Unfinished::Exhausted), 4));
        let (_, stream) = kept.last_mut().unwrap();
        assert_eq!(failure(read(stream, 1).await), Some(Unfinished::Exhausted), "it stays refused");
    }

    #[tokio::test]
    async fn a_message_has_a_time_limit_and_a_pause_between_two_has_none() {
        pause();
        let (mut client, mut stream) = metered(&Memory::new(1 << 20));
        let whole = [text(true, 10), ping()].concat();
        client.write_all(&whole).await.unwrap();
        read(&mut stream, whole.len()).await.unwrap();
        let mut byte = [0];
        {
            let mut waiting = Box::pin(stream.read(&mut byte));
            tokio::time::advance(2 * LIMIT).await;
            assert!(poll!(waiting.as_mut()).is_pending());
        }
        let part = [text(false, 10), ping()].concat();
        client.write_all(&part).await.unwrap();
        read(&mut stream, part.len()).await.unwrap();
        assert_eq!(failure(read(&mut stream, 1).await), Some(Unfinished::Late));
    }
}
