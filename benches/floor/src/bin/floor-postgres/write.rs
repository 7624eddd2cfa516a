//! Writes: each is a transaction on a connection of its own.

use std::sync::{Arc, Mutex, PoisonError};

use floor::{Done, Sum, Write, WriteKind};
use tokio::sync::Semaphore;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

/// Connections that take turns.
pub struct Writers {
    idle: Mutex<Vec<Writer>>,
    count: Semaphore,
    /// Whether all statements of a transaction are sent at once. They are awaited one after the other otherwise.
    are_pipelined: bool,
}

struct Writer {
    client: Client,
    /// The insertion and the payload of each kind.
    statements: [[Statement; 2]; 2],
}

impl Writers {
    /// As many as these clients are.
    pub async fn new(clients: Vec<Client>, are_pipelined: bool) -> Result<Self, Error> {
        let mut idle = Vec::new();
        for client in clients {
            client.batch_execute("SET lock_timeout = '5s'; SET jit = off").await?;
            let prepare = async |kind: WriteKind| -> Result<[Statement; 2], Error> {
                let payload = kind.payload("$4::bigint", "pg_notify('bookends', $3)");
                Ok([
                    client.prepare(&kind.insert("$2::bigint", "FOR KEY SHARE")).await?,
                    client.prepare(&payload).await?,
                ])
            };
            let [rate, place] = WriteKind::ALL.map(prepare);
            let statements = [rate.await?, place.await?];
            idle.push(Writer { client, statements });
        }
        Ok(Self { count: Semaphore::new(idle.len()), idle: Mutex::new(idle), are_pipelined })
    }

    /// In a task of its own: a client that disconnects would leave a transaction open.
    pub async fn write(self: Arc<Self>, write: Write) -> Result<Vec<u8>, String> {
        let task = async move {
            let _turn = self.count.acquire().await.map_err(|error| error.to_string())?;
            let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = idle().pop().expect("there are as many as turns");
            let found = if self.are_pipelined { writer.at_once(&write).await } else { writer.in_turn(&write).await };
            idle().push(writer);
            let row = found.map_err(|error| error.to_string())?.ok_or("no book has this id")?;
            Ok(json(&write, &row))
        };
        tokio::spawn(task).await.map_err(|error| error.to_string())?
    }
}

impl Writer {
    async fn in_turn(&self, write: &Write) -> Result<Option<Row>, Error> {
        self.client.batch_execute("BEGIN").await?;
        let run = async {
            self.insert(write).await?;
            self.payload(write).await
        };
        let found = run.await;
        self.client.batch_execute(if found.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        found
    }

    /// After a failure, PostgreSQL skips the others, and its commit rolls back.
    async fn at_once(&self, write: &Write) -> Result<Option<Row>, Error> {
        let (begun, inserted, found, committed) = tokio::join!(
            biased;
            self.client.batch_execute("BEGIN"),
            self.insert(write),
            self.payload(write),
            self.client.batch_execute("COMMIT"),
        );
        begun?;
        inserted?;
        committed?;
        found
    }

    async fn insert(&self, write: &Write) -> Result<u64, Error> {
        let [insert, _] = &self.statements[write.kind as usize];
        self.client.execute(insert, &[&write.id, &write.number, &write.book]).await
    }

    /// It also announces the row, as Bookends does.
    async fn payload(&self, write: &Write) -> Result<Option<Row>, Error> {
        let [_, payload] = &self.statements[write.kind as usize];
        let (book, id, number) = (write.book, write.id, write.number);
        let event = match write.kind {
            WriteKind::Rate => format!(r#"{{"book_id":"{book}","event":"RatingAdded","id":"{id}","rating":{number}}}"#),
            WriteKind::Place => {
                let (whole, cents) = (number / 100, number % 100);
                format!(
                    r#"{{"book_id":"{book}","event":"OrderPlaced","id":"{id}","total_price":"{whole}.{cents:02}"}}"#
                )
            }
        };
        let values: [&(dyn ToSql + Sync); 4] = [&book, &id, &event, &number];
        self.client.query_opt(payload, &values[..payload.params().len()]).await
    }
}

fn json(write: &Write, row: &Row) -> Vec<u8> {
    let sum = match write.kind {
        WriteKind::Rate => Sum::Average(row.get(2)),
        WriteKind::Place => Sum::Cents(row.get(2)),
    };
    let stars = match write.kind {
        WriteKind::Rate => row.get::<_, Option<i16>>(3).map_or(0, i32::from),
        WriteKind::Place => 0,
    };
    let previous = row.get::<_, Option<_>>(4).map(|id| (stars, id));
    write.json(&Done { name: row.get(0), count: row.get(1), sum, previous })
}
