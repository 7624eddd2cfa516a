mod city;
mod river;
use async_graphql::{EmptyMutation, EmptySubscription, MergedObject, Schema};
use async_graphql_axum::GraphQL;
use keyset_graphql::{Reader, RootFields, RootObject, Roots, Snapshots};
use sea_orm::{ConnectionTrait, Database};

#[derive(Default, MergedObject)]
struct Query(RootObject<Query>);

impl RootFields for Query {
    const NAME: &str = "Query";

    fn fields(fields: &mut Roots) {
        fields.list::<river::Entity>("rivers", "The rivers.");
        fields.list::<city::Entity>("cities", "The cities on all rivers.");
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setting = |name, default: &str| std::env::var(name).unwrap_or_else(|_| default.into());
    let db = Database::connect(setting("DATABASE_URL", "sqlite://rivers.db?mode=rwc")).await?;
    db.execute_unprepared(include_str!("tables.sql")).await?;
    let schema = Schema::build(Query::default(), EmptyMutation, EmptySubscription).limit_depth(15).finish();
    let service = GraphQL::new(Snapshots::new(schema, Reader::new(db)));
    let router = axum::Router::new().route_service("/graphql", service);
    let listener = tokio::net::TcpListener::bind(setting("LISTEN", "127.0.0.1:8000")).await?;
    println!("listening on http://{}/graphql", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}
