//! axum and tokio-postgres: each page is one prepared statement, pipelined on one of a few connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use floor::{Books, EACH, Kind, Page, Ratings, serve, settings};
use tokio_postgres::{Client, NoTls, Row, Statement};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Connection {
    client: Client,
    by_id: [Statement; 2],
    ties: Statement,
    nested: Statement,
}

fn by_id(size: usize) -> String {
    format!(
        "SELECT r.segment, r.id, r.rating, b.name FROM (
            SELECT * FROM (SELECT 0 AS segment, id, rating, book_id FROM book_rating
                WHERE id <= $1 ORDER BY id DESC LIMIT 1) w
            UNION ALL SELECT * FROM (SELECT 1, id, rating, book_id FROM book_rating
                WHERE id > $1 ORDER BY id LIMIT {}) p
        ) r LEFT JOIN book b ON b.id = r.book_id ORDER BY r.segment, r.id",
        size + 1
    )
}

const TIES: &str = "SELECT r.segment, r.id, r.rating, b.name FROM (
    SELECT * FROM (SELECT 0 AS segment, id, rating, book_id FROM book_rating
        WHERE (rating, id) >= ($1, $2) ORDER BY rating, id LIMIT 1) w
    UNION ALL SELECT * FROM (SELECT 1, id, rating, book_id FROM book_rating
        WHERE (rating, id) < ($1, $2) ORDER BY rating DESC, id DESC LIMIT 11) p
) r LEFT JOIN book b ON b.id = r.book_id ORDER BY r.segment, r.rating DESC, r.id DESC";

fn nested() -> String {
    format!(
        "SELECT p.segment, p.id, p.name, r.id, r.rating FROM (
            SELECT * FROM (SELECT 0 AS segment, id, name FROM book WHERE id <= $1 ORDER BY id DESC LIMIT 1) w
            UNION ALL SELECT * FROM (SELECT 1, id, name FROM book WHERE id > $1 ORDER BY id LIMIT 51) p
        ) p LEFT JOIN LATERAL (
            SELECT id, rating FROM book_rating WHERE book_id = p.id ORDER BY id LIMIT {}
        ) r ON p.segment = 1 ORDER BY p.segment, p.id, r.id",
        EACH + 1
    )
}

#[tokio::main]
async fn main() {
    let (url, connections) = settings(8);
    let mut pool = Vec::new();
    for _ in 0..connections {
        pool.push(connect(&url).await.expect("the database accepts a connection"));
    }
    let (pool, next) = (Arc::new(pool), Arc::new(AtomicUsize::new(0)));
    serve(move |page| {
        let (pool, at) = (Arc::clone(&pool), next.fetch_add(1, Ordering::Relaxed));
        async move { read(&pool[at % pool.len()], page).await.map_err(|error| error.to_string()) }
    })
    .await;
}

async fn connect(url: &str) -> Result<Connection, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("SET enable_incremental_sort = off; SET statement_timeout = '10s'").await?;
    Ok(Connection {
        by_id: [client.prepare(&by_id(10)).await?, client.prepare(&by_id(100)).await?],
        ties: client.prepare(TIES).await?,
        nested: client.prepare(&nested()).await?,
        client,
    })
}

async fn read(connection: &Connection, page: Page) -> Result<Vec<u8>, tokio_postgres::Error> {
    let id = Uuid::from_bytes(page.id);
    match page.kind {
        Kind::Ratings { size } => {
            let statement = &connection.by_id[usize::from(size == 100)];
            Ok(ratings(page, size, connection.client.query(statement, &[&id]).await?))
        }
        Kind::Ties { size } => {
            let rows = connection.client.query(&connection.ties, &[&i16::from(page.rating), &id]).await?;
            Ok(ratings(page, size, rows))
        }
        Kind::Nested { size } => {
            let mut books = Books::new(page, size);
            for row in connection.client.query(&connection.nested, &[&id]).await? {
                if row.get::<_, i32>(0) == 0 {
                    books.witness();
                    continue;
                }
                let book = row.get::<_, Uuid>(1).into_bytes();
                if !books.is_last(&book) {
                    books.book(&book, row.get(2));
                }
                if let Some(id) = row.get::<_, Option<Uuid>>(3) {
                    books.rating(id.as_bytes(), stars(row.get(4)));
                }
            }
            Ok(books.finish())
        }
    }
}

fn ratings(page: Page, size: usize, rows: Vec<Row>) -> Vec<u8> {
    let mut ratings = Ratings::new(page, size);
    for row in rows {
        if row.get::<_, i32>(0) == 0 {
            ratings.witness();
        } else {
            ratings.row(row.get::<_, Uuid>(1).as_bytes(), stars(row.get(2)), row.get(3));
        }
    }
    ratings.finish()
}

fn stars(rating: i16) -> u8 {
    u8::try_from(rating).expect("1 to 5")
}
