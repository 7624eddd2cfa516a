//! Subscriptions that listen before anything is written. The oracle's tests have this file, too.

use bookends_server::Api;
use bookends_server::async_graphql::Response;
use bookends_server::request::Incoming;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;

/// The responses to a subscription, from now on.
pub async fn hear(api: &Api, subscription: Incoming) -> BoxStream<'static, Response> {
    let before = api.events().subscribers();
    let mut responses = api.stream(subscription);
    let listens = async {
        while api.events().subscribers() == before {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        response = responses.next() => panic!("{response:?}"),
        () = listens => {}
    }
    responses
}
