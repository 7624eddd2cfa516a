//! axum and rusqlite: a thread for each connection, which reads the page and writes its JSON.

use crossbeam_channel::{Receiver, Sender, unbounded};
use floor::{Books, EACH, Kind, Page, Ratings, serve, settings};
use rusqlite::{Connection, OpenFlags, Result, Statement, params};
use tokio::sync::oneshot;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Task = (Page, oneshot::Sender<Result<Vec<u8>, String>>);

const TIES: &str = "SELECT r.segment, r.id, r.rating, b.name FROM (
    SELECT * FROM (SELECT 0 AS segment, id, rating, book_id FROM book_rating
        WHERE (rating, id) >= (?1, ?2) ORDER BY rating, id LIMIT 1) w
    UNION ALL SELECT * FROM (SELECT 1, id, rating, book_id FROM book_rating
        WHERE (rating, id) < (?1, ?2) ORDER BY rating DESC, id DESC LIMIT 11) p
) r LEFT JOIN book b ON b.id = r.book_id ORDER BY r.segment, r.rating DESC, r.id DESC";

const BOOKS: &str = "SELECT * FROM (SELECT 0 AS segment, id, name FROM book WHERE id <= ?1 ORDER BY id DESC LIMIT 1)
    UNION ALL SELECT * FROM (SELECT 1, id, name FROM book WHERE id > ?1 ORDER BY id LIMIT 51) ORDER BY 1, 2";

fn by_id(size: usize) -> String {
    format!(
        "SELECT r.segment, r.id, r.rating, b.name FROM (
            SELECT * FROM (SELECT 0 AS segment, id, rating, book_id FROM book_rating
                WHERE id <= ?1 ORDER BY id DESC LIMIT 1) w
            UNION ALL SELECT * FROM (SELECT 1, id, rating, book_id FROM book_rating
                WHERE id > ?1 ORDER BY id LIMIT {}) p
        ) r LEFT JOIN book b ON b.id = r.book_id ORDER BY r.segment, r.id",
        size + 1
    )
}

#[tokio::main]
async fn main() {
    let (url, connections) = settings(std::thread::available_parallelism().map_or(2, usize::from));
    let path = url.strip_prefix("sqlite://").unwrap_or(&url).split('?').next().unwrap_or_default().to_owned();
    let (sender, receiver): (Sender<Task>, Receiver<Task>) = unbounded();
    for _ in 0..connections {
        let (path, receiver) = (path.clone(), receiver.clone());
        std::thread::spawn(move || work(&path, &receiver).expect("the database can be read"));
    }
    serve(move |page| {
        let (sender, (done, result)) = (sender.clone(), oneshot::channel());
        async move {
            sender.send((page, done)).map_err(|error| error.to_string())?;
            result.await.map_err(|error| error.to_string())?
        }
    })
    .await;
}

fn work(path: &str, tasks: &Receiver<Task>) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.execute_batch("PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824; PRAGMA synchronous = NORMAL")?;
    let ratings = format!("SELECT id, rating FROM book_rating WHERE book_id = ?1 ORDER BY id LIMIT {}", EACH + 1);
    let (mut ten, mut hundred, mut ties) = (db.prepare(&by_id(10))?, db.prepare(&by_id(100))?, db.prepare(TIES)?);
    let (mut books, mut ratings) = (db.prepare(BOOKS)?, db.prepare(&ratings)?);
    let (mut begin, mut commit) = (db.prepare("BEGIN")?, db.prepare("COMMIT")?);
    for (page, done) in tasks {
        let json = match page.kind {
            Kind::Ratings { size } => {
                ratings_page(page, size, if size == 10 { &mut ten } else { &mut hundred }, params![page.id])
            }
            Kind::Ties { size } => ratings_page(page, size, &mut ties, params![page.rating, page.id]),
            Kind::Nested { size } => {
                begin.execute([])?;
                let json = books_page(page, size, &mut books, &mut ratings);
                commit.execute([])?;
                json
            }
        };
        let _ = done.send(json.map_err(|error| error.to_string()));
    }
    Ok(())
}

fn ratings_page(page: Page, size: usize, statement: &mut Statement, values: impl rusqlite::Params) -> Result<Vec<u8>> {
    let mut ratings = Ratings::new(page, size);
    let mut rows = statement.query(values)?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_i64()? == 0 {
            ratings.witness();
        } else {
            ratings.row(key(row.get_ref(1)?.as_blob()?), row.get(2)?, row.get_ref(3)?.as_str()?);
        }
    }
    Ok(ratings.finish())
}

/// Nested statements cost no trip here: each book has one for its ratings.
fn books_page(page: Page, size: usize, books: &mut Statement, ratings: &mut Statement) -> Result<Vec<u8>> {
    let mut writer = Books::new(page, size);
    let mut rows = books.query([page.id])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_i64()? == 0 {
            writer.witness();
            continue;
        }
        let id = row.get_ref(1)?.as_blob()?;
        let wanted = writer.wants();
        writer.book(key(id), row.get_ref(2)?.as_str()?);
        if wanted {
            let mut rows = ratings.query([id])?;
            while let Some(row) = rows.next()? {
                writer.rating(key(row.get_ref(0)?.as_blob()?), row.get(1)?);
            }
        }
    }
    Ok(writer.finish())
}

fn key(bytes: &[u8]) -> &[u8; 16] {
    bytes.try_into().expect("a key has 16 bytes")
}
