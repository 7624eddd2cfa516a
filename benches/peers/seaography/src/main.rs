//! The server that Seaography's own generator writes for axum, without its explorer and its log.

use std::sync::LazyLock;

use async_graphql_axum::{GraphQLRequest, GraphQLResponse};
use axum::extract::State;
use axum::{Router, routing::post};
use sea_orm::Database;
use seaography::async_graphql::dynamic::Schema;
use seaography::{Builder, BuilderContext};

mod entities;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static CONTEXT: LazyLock<BuilderContext> = LazyLock::new(BuilderContext::default);

#[tokio::main]
async fn main() {
    let setting = |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set"));
    let database = Database::connect(setting("DATABASE_URL")).await.expect("the database accepts a connection");
    let builder = entities::register_entity_modules(Builder::new(&CONTEXT, database.clone()));
    let schema = builder.schema_builder().data(database).finish().expect("a schema");
    if std::env::args().nth(1).as_deref() == Some("schema") {
        print!("{}", schema.sdl());
        return;
    }
    let app = Router::new().route("/graphql", post(answer)).with_state(schema);
    let listener =
        tokio::net::TcpListener::bind(format!("127.0.0.1:{}", setting("PORT"))).await.expect("the port is free");
    axum::serve(listener, app).await.expect("it serves");
}

async fn answer(State(schema): State<Schema>, request: GraphQLRequest) -> GraphQLResponse {
    schema.execute(request.into_inner()).await.into()
}
