//! Captures the log.

use std::io;
use std::sync::{Arc, Mutex, Once};

use tracing::Level;
use tracing::subscriber::DefaultGuard;

/// The log of this thread.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log until the guard is dropped.
    pub fn capture(&self) -> DefaultGuard {
        // With one subscriber alone, tracing asks that of the thread which logs first, for all threads: another test, that has none.
        static OTHER: Once = Once::new();
        OTHER.call_once(|| tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap());
        let writer = self.clone();
        let log = tracing_subscriber::fmt().with_ansi(false).with_max_level(Level::DEBUG);
        tracing::subscriber::set_default(log.with_writer(move || writer.clone()).finish())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
