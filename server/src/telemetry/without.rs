//! In place of [`otlp`](super) in a program without that feature, which sends no traces.

use axum::http::HeaderMap;
use tracing::Span;

use super::EndpointError;
use crate::config;

/// Never there.
#[derive(Debug)]
pub enum Traces {}

impl Traces {
    /// Refuses the endpoint.
    pub fn start(_: &str, _: &config::Telemetry) -> Result<Self, EndpointError> {
        Err(EndpointError::Unsupported)
    }

    /// Nothing to send.
    #[expect(clippy::unused_async, reason = "it is awaited where there is something")]
    pub async fn stop(self) {
        match self {}
    }
}

pub fn join(_: &Span, _: &HeaderMap) {}

pub fn sampled(_: &Span) -> Option<String> {
    None
}

pub fn answered(_: &Span, _: &'static str, _: Option<&str>, _: Option<u16>) {}

pub mod statement {
    use std::time::Duration;

    use sea_orm::DbBackend;

    pub fn executed(_: DbBackend, _: &str, _: bool, _: Duration) {}
}
