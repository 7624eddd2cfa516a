//! axum and tokio-postgres: each page is one prepared statement, pipelined on one of a few connections. With `pipelined` as the
//! second argument, the statements of a write are sent at once.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::BytesMut;
use floor::{Asked, Children, Key, Kind, Page, Parents, Schema, serve, settings};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Row, Statement};
use uuid::Uuid;

mod write;

use write::Writers;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Connection {
    client: Client,
    by_id: [Statement; 2],
    ties: Statement,
    nested: Statement,
}

fn nested(schema: &Schema) -> String {
    format!(
        "SELECT p.segment, p.id, p.name, r.* FROM ({}) p LEFT JOIN LATERAL ({}) r ON p.segment = 1
        ORDER BY p.segment, p.id, r.id",
        schema.parents(50),
        schema.of_parent("p.id")
    )
}

#[tokio::main]
async fn main() {
    let settings = settings(8);
    let (schema, url) = (settings.schema, &settings.url);
    let (mut pool, mut clients) = (Vec::new(), Vec::new());
    for _ in 0..settings.connections {
        pool.push(connect(schema, url).await.expect("the database accepts a connection"));
        if schema.is_written {
            clients.push(client(url).await.expect("the database accepts a connection"));
        }
    }
    let are_pipelined = std::env::args().nth(2).is_some_and(|way| way == "pipelined");
    let writers = Arc::new(Writers::new(clients, are_pipelined).await.expect("the database has the tables"));
    let (pool, next) = (Arc::new(pool), Arc::new(AtomicUsize::new(0)));
    serve(&settings, move |asked| {
        let (pool, at, writers) = (Arc::clone(&pool), next.fetch_add(1, Ordering::Relaxed), Arc::clone(&writers));
        async move {
            match asked {
                Asked::Page(page) => read(&pool[at % pool.len()], page).await.map_err(|error| error.to_string()),
                Asked::Write(write) => writers.write(write).await,
            }
        }
    })
    .await;
}

async fn client(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("SET enable_incremental_sort = off; SET statement_timeout = '10s'").await?;
    Ok(client)
}

async fn connect(schema: &Schema, url: &str) -> Result<Connection, tokio_postgres::Error> {
    let client = client(url).await?;
    Ok(Connection {
        by_id: [client.prepare(&schema.by_id(10)).await?, client.prepare(&schema.by_id(100)).await?],
        ties: client.prepare(&schema.ties(10, true)).await?,
        nested: client.prepare(&nested(schema)).await?,
        client,
    })
}

async fn read(connection: &Connection, page: Page) -> Result<Vec<u8>, tokio_postgres::Error> {
    let id = Sql(page.id);
    match page.kind {
        Kind::ById { size } => {
            let statement = &connection.by_id[usize::from(size == 100)];
            Ok(children(page, size, connection.client.query(statement, &[&id]).await?))
        }
        Kind::Ties { size } => {
            let rows = connection.client.query(&connection.ties, &[&Sql(page.number), &id]).await?;
            Ok(children(page, size, rows))
        }
        Kind::Nested { size } => {
            let mut parents = Parents::new(page, size);
            for row in connection.client.query(&connection.nested, &[&id]).await? {
                if row.get::<_, i32>(0) == 0 {
                    parents.witness();
                    continue;
                }
                let Sql(parent) = row.get(1);
                if !parents.is_last(parent) {
                    parents.parent(parent, row.get(2));
                }
                if let Some(Sql(id)) = row.get(3) {
                    parents.child(id, number(&row, 4));
                }
            }
            Ok(parents.finish())
        }
    }
}

fn children(page: Page, size: usize, rows: Vec<Row>) -> Vec<u8> {
    let mut children = Children::new(page, size);
    for row in rows {
        if row.get::<_, i32>(0) == 0 {
            children.witness();
        } else {
            let Sql(id) = row.get(1);
            children.row(id, number(&row, 2), row.get(3));
        }
    }
    children.finish()
}

fn number(row: &Row, column: usize) -> Option<i32> {
    row.get::<_, Option<Sql<i32>>>(column).map(|Sql(number)| number)
}

/// A key, or a number, in the type of its column.
#[derive(Debug)]
struct Sql<T>(T);

impl ToSql for Sql<Key> {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self.0 {
            Key::Uuid(key) => Uuid::from_bytes(key).to_sql(of, out),
            Key::Integer(key) => key.to_sql(of, out),
        }
    }

    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::UUID | Type::INT4)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Sql<Key> {
    fn from_sql(of: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *of {
            Type::UUID => Key::Uuid(Uuid::from_sql(of, raw)?.into_bytes()),
            _ => Key::Integer(i32::from_sql(of, raw)?),
        }))
    }

    fn accepts(of: &Type) -> bool {
        <Self as ToSql>::accepts(of)
    }
}

impl ToSql for Sql<i32> {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match *of {
            Type::INT2 => i16::try_from(self.0)?.to_sql(of, out),
            _ => self.0.to_sql(of, out),
        }
    }

    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::INT2 | Type::INT4)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Sql<i32> {
    fn from_sql(of: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *of {
            Type::INT2 => i16::from_sql(of, raw)?.into(),
            _ => i32::from_sql(of, raw)?,
        }))
    }

    fn accepts(of: &Type) -> bool {
        <Self as ToSql>::accepts(of)
    }
}
