//! Subscriptions, and what they hear.

use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Executor, Request, Response};
use bookends_server::Api;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::patience::{LONG, until};

/// A subscription that is read as it comes.
pub struct Heard(mpsc::UnboundedReceiver<Value>);

impl Heard {
    /// Subscribes, and waits until it hears.
    pub async fn of(api: &Api, query: &str) -> Self {
        let before = api.events().subscribers();
        let heard = Self::soon(api, query);
        until(async || api.events().subscribers() > before).await;
        heard
    }

    pub fn soon(api: &Api, query: &str) -> Self {
        let (sender, heard) = mpsc::unbounded_channel();
        let mut responses = stream(api, query);
        tokio::spawn(async move {
            while let Some(response) = tokio::select! { next = responses.next() => next, () = sender.closed() => None }
            {
                let _ = sender.send(serde_json::to_value(response).unwrap());
            }
        });
        Self(heard)
    }

    /// The next response; none where it has ended.
    pub async fn response(&mut self) -> Option<Value> {
        timeout(LONG, self.0.recv()).await.expect("a response, or the end")
    }

    /// The next edge, whichever it is of.
    pub async fn edge(&mut self) -> Value {
        let response = self.response().await.expect("a response");
        assert_eq!(response["errors"], Value::Null, "{response}");
        response["data"].as_object().unwrap().values().next().unwrap().clone()
    }

    /// The code of the next response's only error.
    pub async fn code(&mut self) -> String {
        let response = self.response().await.expect("a response");
        assert_eq!(response["errors"].as_array().map(Vec::len), Some(1), "{response}");
        response["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub fn stream(api: &Api, query: &str) -> BoxStream<'static, Response> {
    Executor::execute_stream(api, Request::new(query), None)
}
