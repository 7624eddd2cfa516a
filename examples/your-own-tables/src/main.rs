mod city;
mod river;
use async_graphql::{EmptyMutation, EmptySubscription, MergedObject};
use async_graphql_axum::GraphQL;
use bookends_graphql::{DeclaredQuery, Declaring, Reader, Snapshots};
use sea_orm::{ConnectionTrait, Database};

#[derive(Default, MergedObject)]
struct Query(DeclaredQuery);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setting = |name, default: &str| std::env::var(name).unwrap_or_else(|_| default.into());
    let db = Database::connect(setting("DATABASE_URL", "sqlite://rivers.db?mode=rwc")).await?;
    db.execute_unprepared(include_str!("tables.sql")).await?;
    let mut tables = Declaring::new("Query");
    tables.entity::<river::Entity>().describe("A river.");
    tables.entity::<city::Entity>().describe("A city on a river.");
    let schema = tables.check()?.schema(Query::default(), EmptyMutation, EmptySubscription).limit_depth(15).finish();
    let service = GraphQL::new(Snapshots::new(schema, Reader::new(db)));
    let router = axum::Router::new().route_service("/graphql", service);
    let listener = tokio::net::TcpListener::bind(setting("LISTEN", "127.0.0.1:8000")).await?;
    println!("listening on http://{}/graphql", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}
