//! Subscriptions to what mutations create, change and delete.

use async_graphql::Response;
use async_graphql::futures_util::StreamExt;
use async_graphql::futures_util::stream::BoxStream;
use bookends_server::request::Incoming;
use serde_json::{Value, json};

use crate::app::Served;

const CREATE: &str =
    "mutation ($input: CreateCityInput!) { createCity(input: $input) { cityEdge { cursor node { id } } } }";
const UPDATE: &str = "mutation ($input: UpdateCityInput!) { updateCity(input: $input) { city { name } } }";
const DELETE: &str = "mutation ($input: DeleteCityInput!) { deleteCity(input: $input) { deletedId } }";

/// A subscription that hears.
struct Heard(BoxStream<'static, Response>);

impl Heard {
    async fn of(served: &Served, query: &str) -> Self {
        let mut responses = served.api.stream(Incoming::from(format!("subscription {{ {query} }}")));
        let before = served.api.events().subscribers();
        let listens = async {
            while served.api.events().subscribers() == before {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            response = responses.next() => panic!("{query}: {response:?}"),
            () = listens => Self(responses),
        }
    }

    async fn next(&mut self) -> Value {
        let response = serde_json::to_value(self.0.next().await.unwrap()).unwrap();
        assert_eq!(response.get("errors"), None, "{response}");
        response["data"].as_object().unwrap().values().next().unwrap().clone()
    }
}

async fn river(served: &Served, name: &str) -> Value {
    let create = "mutation ($input: CreateRiverInput!) { createRiver(input: $input) { riverEdge { node { id } } } }";
    let data = served.data(create, json!({ "input": { "name": name, "length": 1 } })).await;
    data["createRiver"]["riverEdge"]["node"]["id"].clone()
}

async fn city(served: &Served, river: &Value, name: &str) -> Value {
    let data = served.data(CREATE, json!({ "input": { "riverId": river, "name": name } })).await;
    data["createCity"]["cityEdge"]["node"]["id"].clone()
}

#[tokio::test]
async fn a_live_list_follows_what_is_created_changed_and_deleted() {
    let served = Served::new().await;
    let (rhine, elbe) = (river(&served, "Rhine").await, river(&served, "Elbe").await);
    let of_rhine = format!("riverId: {rhine}");
    let edge = "{ __typename cursor node { id name people river { name } bridges { totalCount } } }";
    let by_name = "orderBy: { field: NAME, direction: DESC }";
    let mut created = Heard::of(&served, &format!("cityCreated({of_rhine}, {by_name}) {edge}")).await;
    let mut updated = Heard::of(&served, &format!("changed: cityUpdated({of_rhine}, {by_name}) {edge}")).await;
    let of_elbe = format!("cityUpdated(riverId: {elbe}) {{ node {{ name river {{ name }} }} }}");
    let mut left = Heard::of(&served, &of_elbe).await;
    let mut deleted = Heard::of(&served, &format!("cityDeleted({of_rhine}) {{ __typename deletedId }}")).await;
    let mut all = Heard::of(&served, "cityDeleted { deletedId }").await;

    let hamburg = city(&served, &elbe, "Hamburg").await;
    let (basel, bonn) = (city(&served, &rhine, "Basel").await, city(&served, &rhine, "Bonn").await);
    let listed = async || {
        let query = format!("{{ river(id: {rhine}) {{ cities({by_name}) {{ edges {edge} }} }} }}");
        served.data(&query, Value::Null).await["river"]["cities"]["edges"].take()
    };
    let edges = listed().await;
    assert_eq!([created.next().await, created.next().await], [edges[1].clone(), edges[0].clone()]);

    for (id, name) in [(&hamburg, "Altona"), (&basel, "Wesel")] {
        served.data(UPDATE, json!({ "input": { "id": id, "name": name, "people": "60000" } })).await;
    }
    let edges = listed().await;
    assert_eq!(edges[0]["node"]["people"], "60000");
    assert_eq!(updated.next().await, edges[0], "the cursor is that of the new place");
    served.data(UPDATE, json!({ "input": { "id": hamburg, "riverId": rhine } })).await;
    assert_eq!(updated.next().await["node"]["id"], hamburg, "it has moved to this list");
    for river in ["Elbe", "Rhine"] {
        let node = json!({ "name": "Altona", "river": { "name": river } });
        assert_eq!(left.next().await["node"], node, "it was changed, then it has left this list");
    }

    for id in [&bonn, &hamburg] {
        served.data(DELETE, json!({ "input": { "id": id } })).await;
        let gone = json!({ "__typename": "CityDeletedPayload", "deletedId": id });
        assert_eq!(deleted.next().await, gone);
        assert_eq!(all.next().await["deletedId"], gone["deletedId"]);
    }
}

#[tokio::test]
async fn a_write_that_fails_announces_nothing() {
    let served = Served::new().await;
    let rhine = river(&served, "Rhine").await;
    let basel = city(&served, &rhine, "Basel").await;
    let mut created = Heard::of(&served, "cityCreated { node { name } }").await;
    let mut deleted = Heard::of(&served, "cityDeleted { deletedId }").await;
    served.errors(CREATE, json!({ "input": { "riverId": rhine, "name": "Basel" } })).await;
    let bridge = "mutation ($input: CreateBridgeInput!) { createBridge(input: $input) { clientMutationId } }";
    served.data(bridge, json!({ "input": { "cityId": basel, "name": "Mittlere" } })).await;
    let in_use = served.errors(DELETE, json!({ "input": { "id": basel } })).await;
    assert_eq!(in_use[0][0], "IN_USE", "{in_use:?}");
    let bonn = city(&served, &rhine, "Bonn").await;
    served.data(DELETE, json!({ "input": { "id": bonn } })).await;
    assert_eq!(created.next().await["node"]["name"], "Bonn");
    assert_eq!(deleted.next().await["deletedId"], bonn);
}

#[tokio::test]
async fn ids_and_orders_of_a_subscription_are_checked() {
    let served = Served::new().await;
    let rhine = river(&served, "Rhine").await;
    let of_city = city(&served, &rhine, "Basel").await;
    for (field, code) in [
        ("cityCreated(riverId: \"x\") { cursor }".to_owned(), "ID_INVALID"),
        (format!("cityDeleted(riverId: {of_city}) {{ deletedId }}"), "ID_INVALID"),
        ("cityCreated(orderBy: { field: RIVER_NAME }) { cursor }".to_owned(), "ORDER_NOT_OFFERED"),
        ("cityCreated(orderBy: { field: LENGTH }) { cursor }".to_owned(), "BAD_USER_INPUT"),
        ("cityDeleted(orderBy: { field: NAME }) { deletedId }".to_owned(), "GRAPHQL_VALIDATION_FAILED"),
    ] {
        let mut responses = served.api.stream(Incoming::from(format!("subscription {{ {field} }}")));
        let response = serde_json::to_value(responses.next().await.unwrap()).unwrap();
        assert_eq!(response["errors"][0]["extensions"]["code"], code, "{field}: {response}");
        assert!(responses.next().await.is_none(), "{field} ends");
    }
}

#[tokio::test]
async fn keys_of_several_columns_are_announced() {
    let served = Served::new().await;
    let rhine = river(&served, "Rhine").await;
    let basel = city(&served, &rhine, "Basel").await;
    let mut created = Heard::of(&served, &format!("bridgeCreated(cityId: {basel}) {{ node {{ id name }} }}")).await;
    let mut deleted = Heard::of(&served, &format!("bridgeDeleted(cityId: {basel}) {{ deletedId }}")).await;
    let mutation = "mutation ($input: BuildBridgeInput!) { buildBridge(input: $input) { bridgeEdge { node { id } } } }";
    let bridge = json!({ "cityId": basel, "name": " Mittlere ", "opened": "1905-11-11" });
    let built = served.data(mutation, json!({ "input": bridge })).await;
    let id = &built["buildBridge"]["bridgeEdge"]["node"]["id"];
    assert_eq!(created.next().await["node"], json!({ "id": id, "name": "Mittlere" }));
    let tear = "mutation ($input: TearDownBridgeInput!) { tearDownBridge(input: $input) { deletedId } }";
    served.data(tear, json!({ "input": { "id": id } })).await;
    assert_eq!(deleted.next().await["deletedId"], *id);
}
