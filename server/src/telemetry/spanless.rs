//! Work that sees no current span.
//!
//! The driver runs each stream of rows in the span that is current when the stream begins: it enters the span twice for each row, which took a
//! twelfth of the instructions of a page of a hundred rows. So it reads where none is. Its events still belong to the
//! span of the request.

use std::sync::OnceLock;

use tracing::instrument::WithSubscriber;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber, dispatcher};

/// Made once: the subscribers of a process are never removed.
static SPANLESS: OnceLock<Dispatch> = OnceLock::new();

/// Uses the subscriber of the process.
pub fn install() {
    SPANLESS.get_or_init(|| Dispatch::new(Spanless(dispatcher::get_default(Clone::clone))));
}

/// Awaits this where no span is current. Before a log is [installed](install), as it is.
pub async fn without_span<F: Future>(work: F) -> F::Output {
    match SPANLESS.get() {
        Some(spanless) => work.with_subscriber(spanless.clone()).await,
        None => work.await,
    }
}

/// Another subscriber, which does not say what span is current.
struct Spanless(Dispatch);

impl Subscriber for Spanless {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        self.0.register_callsite(metadata)
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.enabled(metadata)
    }

    /// Without it, no level would be disabled anywhere.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::current())
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.new_span(span)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.0.record(span, values);
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        self.0.record_follows_from(span, follows);
    }

    fn event(&self, event: &Event<'_>) {
        self.0.event(event);
    }

    fn enter(&self, span: &Id) {
        self.0.enter(span);
    }

    fn exit(&self, span: &Id) {
        self.0.exit(span);
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.0.clone_span(id)
    }

    fn try_close(&self, id: Id) -> bool {
        self.0.try_close(id)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use tracing::Span;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_span_is_current_and_events_belong_to_the_one_that_is() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = Dispatch::new(tracing_subscriber::fmt().with_writer(move || writer.clone()).finish());
        dispatcher::with_default(&log, || {
            tracing::info_span!("request").in_scope(|| {
                assert!(!Span::current().is_none());
                dispatcher::with_default(&Dispatch::new(Spanless(log.clone())), || {
                    assert!(Span::current().is_none());
                    tracing::warn!("a notice of the driver");
                });
            });
        });
        let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(lines.contains("request") && lines.contains("a notice of the driver"), "{lines}");
    }
}
