//! What subscribers hear in their roles.

use super::{Incoming, StreamExt, Tenants, json};
use crate::support::patience::{LONG, until};
use tokio::time::timeout;

const CREATED: &str = "subscription { readingCreated { node { value sensor { name } } } }";

#[tokio::test]
async fn a_tenant_hears_of_its_own_rows() {
    let Some(tenants) = Tenants::new().await else { return };
    let hear = |claims| tenants.api.stream(Incoming::from(CREATED).claiming(claims));
    let [mut of_a, mut of_b] = ["a", "b"].map(|tenant| {
        let mut events = hear(tenants.claims(tenant));
        tokio::spawn(async move { (events.next().await, events) })
    });
    until(async || tenants.api.events().subscribers() == 2).await;
    for (tenant, value) in [("b", 2), ("a", 1)] {
        let sensors = tenants.data(tenant, "{ sensors(first: 1) { nodes { id } } }").await;
        let sensor = &sensors["sensors"]["nodes"][0]["id"];
        let input = format!("input: {{ sensorId: {sensor}, value: {value} }}");
        tenants.data(tenant, &format!("mutation {{ createReading({input}) {{ __typename }} }}")).await;
    }
    for (heard, tenant, value) in [(&mut of_a, "a-", 1), (&mut of_b, "b-", 2)] {
        let (event, _events) = timeout(LONG, heard).await.unwrap().unwrap();
        let event = serde_json::to_value(event.unwrap()).unwrap();
        let node = &event["data"]["readingCreated"]["node"];
        assert_eq!(node["value"], json!(value), "{event}");
        assert!(node["sensor"]["name"].as_str().unwrap().starts_with(tenant), "{event}");
    }
    tenants.end().await;
}
