//! A hand-written mutation of an application: what it creates, says and returns.

use async_graphql::futures_util::StreamExt;
use async_graphql::futures_util::stream::BoxStream;
use async_graphql::{Context, InputObject, MergedObject, MergedSubscription, Object};
use bookends_server::mutation::{Done, Input, Payload, Problems, Transaction, Write, WriteResult, perform};
use bookends_server::request::Incoming;
use bookends_server::{
    ContextExt, Cost, Criterion, DeclaredMutation, DeclaredQuery, DeclaredSubscription, Edge, FieldCost, PayloadFields,
    Result, RowObject, ShownPayload, SortBy, WriteKind, subscription,
};
use sea_orm::{ActiveModelTrait, Set};
use serde_json::{Value, json};

use crate::app::{Served, app, city, river};

impl RowObject for city::Entity {
    type Entity = Self;
    const NAME: &str = "City";
}

/// The input of `settle`.
#[derive(InputObject)]
struct SettleInput {
    river: String,
    cities: Vec<String>,
    order_by: Option<Vec<SortBy<city::Entity>>>,
}

struct Settle {
    river: String,
    cities: Vec<String>,
    order_by: Vec<Criterion>,
}

struct Settled(Edge<city::Entity>, Option<String>);

impl Input for SettleInput {
    type Write = Settle;

    fn client_mutation_id(&self) -> Option<String> {
        None
    }

    fn check(self, _: &Context<'_>, _: &mut Problems) -> Option<Settle> {
        Some(Settle { river: self.river, cities: self.cities, order_by: SortBy::criteria(self.order_by) })
    }
}

impl Write for Settle {
    type Done = Settled;

    async fn run(&self, transaction: &Transaction) -> WriteResult<Settled> {
        let river = river::ActiveModel { name: Set(self.river.clone()), length: Set(1), ..Default::default() };
        let river = river.insert(transaction).await?;
        let mut last = transaction.next_key();
        for name in &self.cities {
            last = transaction.next_key();
            let row = city::ActiveModel {
                id: Set(last),
                river_id: Set(river.id),
                name: Set(name.clone()),
                people: Set(None),
                is_open: Set(true),
            };
            row.insert(transaction).await?;
            transaction.announce(WriteKind::Create, "City", &[last.into()]).await?;
        }
        let (edge, previous) = transaction.edge(&[last.into()], &self.order_by).await?;
        Ok(Settled(edge, previous))
    }
}

impl Done for Settled {
    const PAYLOAD: &'static str = "SettlePayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.edge("cityEdge", "The last city.", |payload| &payload.done.0);
        fields.value("previousEdgeCursor", "The cursor of the edge before it.", |payload| payload.done.1.clone());
    }
}

#[derive(Default)]
struct Own;

#[Object]
impl Own {
    async fn settle(&self, context: &Context<'_>, input: SettleInput) -> Option<ShownPayload<Payload<Settled>>> {
        perform(context, input).await
    }
}

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

#[derive(Default, MergedObject)]
struct Mutation(DeclaredMutation, Own);

#[derive(Default)]
struct OwnEvents;

#[async_graphql::Subscription]
impl OwnEvents {
    async fn city_named(
        &self,
        context: &Context<'_>,
        begins: String,
    ) -> Result<BoxStream<'static, Result<Edge<city::Entity>>>> {
        let order = context.declaration().order("City", &[])?;
        let wanted = move |city: &city::Model| city.name.starts_with(&begins);
        let rows = subscription::rows::<city::Entity>(context, "CityCreated", wanted).await?;
        Ok(rows.map(move |row| Edge::of_row(&order, row?)).boxed())
    }
}

#[derive(Default, MergedSubscription)]
struct Subscription(DeclaredSubscription, OwnEvents);

#[tokio::test]
async fn a_hand_written_mutation_announces_each_row_and_returns_an_edge() {
    let settle = FieldCost::new("Mutation", "settle", Cost::Write);
    let served = Served::of(app().roots::<Query, Mutation, Subscription>().costs([settle])).await;
    let mut heard = served.api.stream(Incoming::from("subscription { cityCreated { node { name } } }"));
    let own = "subscription { cityNamed(begins: \"Bo\") { cursor node { name river { name } } } }";
    let mut chosen = served.api.stream(Incoming::from(own));
    let settle = "mutation ($input: SettleInput!) {
        settle(input: $input) { cityEdge { cursor node { name river { name } } } previousEdgeCursor }
    }";
    let by_name = json!([{ "field": "NAME" }]);
    let input = json!({ "river": "Rhine", "cities": ["Basel", "Wesel", "Bonn"], "orderBy": by_name });
    let (first, own, settled) = tokio::join!(heard.next(), chosen.next(), async {
        while served.api.events().subscribers() < 2 {
            tokio::task::yield_now().await;
        }
        served.data(settle, json!({ "input": input })).await
    });
    let listed = served
        .data("{ cities(orderBy: { field: NAME }) { edges { cursor node { name river { name } } } } }", Value::Null);
    let edges = listed.await["cities"]["edges"].take();
    assert_eq!(settled["settle"], json!({ "cityEdge": edges[1], "previousEdgeCursor": edges[0]["cursor"] }));
    let own = serde_json::to_value(own.unwrap()).unwrap();
    assert_eq!(own["data"]["cityNamed"]["node"], edges[1]["node"], "{own}");
    let mut names = vec![serde_json::to_value(first.unwrap()).unwrap()];
    for _ in 0..2 {
        names.push(serde_json::to_value(heard.next().await.unwrap()).unwrap());
    }
    let names: Vec<_> = names.iter().map(|event| &event["data"]["cityCreated"]["node"]["name"]).collect();
    assert_eq!(names, ["Basel", "Wesel", "Bonn"]);

    let again = served.errors(settle, json!({ "input": { "river": "Elbe", "cities": ["Bonn", "Bonn"] } })).await;
    assert_eq!(again[0][0], "ALREADY_EXISTS", "{again:?}");
    assert_eq!(served.data("{ rivers { totalCount } }", Value::Null).await["rivers"]["totalCount"], 1);
}
