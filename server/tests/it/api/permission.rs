//! The permission to write.

use async_graphql::Request;
use bookends_server::request::{Incoming, Permission};

use crate::support::station::{SMALL, Station};

/// The permission is that of the operation that is executed, whichever names it.
#[tokio::test]
async fn only_the_operation_that_is_executed_needs_the_permission() {
    let station = Station::new(SMALL).await;
    let read = "query Read { sensors { totalCount } }";
    let write = "mutation Write { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }";
    let both = format!("{read} {write}");
    let (granted, refused, neither) = (None, Some("UNAUTHENTICATED"), Some("GRAPHQL_VALIDATION_FAILED"));
    for (document, name, code) in [
        (read, None, granted),
        (read, Some("Read"), granted),
        (&both, Some("Read"), granted),
        (&both, Some("Write"), refused),
        (&both, Some(""), neither),
        (&both, Some("write"), neither),
        (&both, None, neither),
        (write, None, refused),
        (write, Some("Write"), refused),
        (write, Some("Read"), neither),
    ] {
        // The second time, a document that was executed is in the cache.
        for _ in 0..2 {
            let mut request = Request::new(document);
            request.operation_name = name.map(str::to_owned);
            let request = Incoming::from(request).permitted(Permission::NoToken);
            let response = serde_json::to_value(station.api.execute(request).await).unwrap();
            assert_eq!(response["errors"][0]["extensions"]["code"].as_str(), code, "{document} {name:?}: {response}");
        }
    }
    assert_eq!(station.count("sensors").await, 8, "nothing was written");
}
