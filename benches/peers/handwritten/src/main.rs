//! axum and tokio-postgres: each workload is one prepared statement of `documents.sql`, whose text is the response.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Map, Value};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Statement};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many connections to the database there are. Requests are pipelined on them.
const CONNECTIONS: usize = 8;

struct Operation {
    statement: Statement,
    parameters: Vec<(String, Value)>,
}

struct Connection {
    client: Client,
    operations: HashMap<String, Operation>,
}

struct Pool {
    connections: Vec<Connection>,
    next: AtomicUsize,
}

#[tokio::main]
async fn main() {
    let setting = |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set"));
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(connect(&setting("DATABASE_URL")).await.expect("the statements are right"));
    }
    let pool = Arc::new(Pool { connections, next: AtomicUsize::new(0) });
    let listener =
        tokio::net::TcpListener::bind(format!("127.0.0.1:{}", setting("PORT"))).await.expect("the port is free");
    axum::serve(listener, Router::new().route("/{operation}", post(answer)).with_state(pool)).await.expect("it serves");
}

async fn connect(url: &str) -> Result<Connection, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    // Their plans do not depend on the parameters, and no plan sorts equal rows where an index has them in order.
    client.batch_execute("SET plan_cache_mode = force_generic_plan; SET enable_incremental_sort = off").await?;
    let mut operations = HashMap::new();
    for section in include_str!("../documents.sql").split("-- == ").skip(1) {
        let (heading, sql) = section.split_once('\n').expect("a statement follows its name");
        let (name, parameters) = heading.split_once(": ").unwrap_or((heading, ""));
        if sql.starts_with("not expressible") {
            continue;
        }
        let parameters = parameters
            .split(", ")
            .filter_map(|text| text.split_once('='))
            .map(|(name, text)| (name.to_owned(), serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))));
        let operation = Operation { statement: client.prepare(sql).await?, parameters: parameters.collect() };
        operations.insert(name.to_owned(), operation);
    }
    Ok(Connection { client, operations })
}

async fn answer(State(pool): State<Arc<Pool>>, Path(name): Path<String>, body: Bytes) -> Response {
    let connection = &pool.connections[pool.next.fetch_add(1, Ordering::Relaxed) % CONNECTIONS];
    let (Some(operation), Ok(variables)) = (connection.operations.get(&name), variables(&body)) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let values: Vec<Box<dyn ToSql + Send + Sync>> = operation
        .parameters
        .iter()
        .zip(operation.statement.params())
        .map(|((name, default), of)| value(variables.get(name).unwrap_or(default), of))
        .collect();
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as _).collect();
    match connection.client.query_one(&operation.statement, &values).await {
        Ok(row) => ([(header::CONTENT_TYPE, "application/json")], row.get::<_, String>(0)).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// The variables, with the values in the cursor in place of theirs.
fn variables(body: &[u8]) -> serde_json::Result<Map<String, Value>> {
    let mut variables: Map<String, Value> = serde_json::from_slice(body)?;
    variables.retain(|_, value| !value.is_null());
    if let Some(Value::String(cursor)) = variables.remove("after") {
        variables.extend(serde_json::from_str::<Map<String, Value>>(&cursor)?);
    }
    Ok(variables)
}

fn value(json: &Value, of: &Type) -> Box<dyn ToSql + Send + Sync> {
    match *of {
        Type::INT4 => Box::new(json.as_i64().and_then(|number| i32::try_from(number).ok())),
        _ => Box::new(json.as_str().map(str::to_owned)),
    }
}
