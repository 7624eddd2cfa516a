//! axum and rusqlite: a thread for each connection, which reads the page and writes its JSON.

use crossbeam_channel::{Receiver, Sender, unbounded};
use floor::{Asked, Children, Key, Keys, Kind, Page, Parents, Schema, serve, settings};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Result, Statement, ToSql, params};
use tokio::sync::oneshot;

mod write;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Task = (Page, oneshot::Sender<Result<Vec<u8>, String>>);

#[tokio::main]
async fn main() {
    let settings = settings(std::thread::available_parallelism().map_or(2, usize::from));
    let (schema, url) = (settings.schema, &settings.url);
    let path = url.strip_prefix("sqlite://").unwrap_or(url).split('?').next().unwrap_or_default().to_owned();
    let (sender, receiver): (Sender<Task>, Receiver<Task>) = unbounded();
    for _ in 0..settings.connections {
        let (path, receiver) = (path.clone(), receiver.clone());
        std::thread::spawn(move || work(schema, &path, &receiver).expect("the database can be read"));
    }
    let (writes, receiver) = unbounded();
    if schema.is_written {
        std::thread::spawn(move || write::work(path.as_ref(), &receiver).expect("the database can be written"));
    }
    serve(&settings, move |asked| {
        let (sender, writes, (done, result)) = (sender.clone(), writes.clone(), oneshot::channel());
        async move {
            match asked {
                Asked::Page(page) => sender.send((page, done)).map_err(|error| error.to_string())?,
                Asked::Write(write) => writes.send((write, done)).map_err(|error| error.to_string())?,
            }
            result.await.map_err(|error| error.to_string())?
        }
    })
    .await;
}

fn work(schema: &Schema, path: &str, tasks: &Receiver<Task>) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.execute_batch("PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824; PRAGMA synchronous = NORMAL")?;
    let (mut ten, mut hundred) = (db.prepare(&schema.by_id(10))?, db.prepare(&schema.by_id(100))?);
    let ties = schema.ties(10, schema.keys == Keys::Uuid);
    let (mut ties, mut parents) = (db.prepare(&ties)?, db.prepare(&(schema.parents(50) + " ORDER BY 1, 2"))?);
    let mut children = db.prepare(&schema.of_parent("$1"))?;
    let (mut begin, mut commit) = (db.prepare("BEGIN")?, db.prepare("COMMIT")?);
    for (page, done) in tasks {
        let id = Bound(page.id);
        let json = match page.kind {
            Kind::ById { size } => {
                children_page(page, size, if size == 10 { &mut ten } else { &mut hundred }, params![id])
            }
            Kind::Ties { size } => children_page(page, size, &mut ties, params![page.number, id]),
            Kind::Nested { size } => {
                begin.execute([])?;
                let json = parents_page(page, size, &mut parents, &mut children);
                commit.execute([])?;
                json
            }
        };
        let _ = done.send(json.map_err(|error| error.to_string()));
    }
    Ok(())
}

fn children_page(page: Page, size: usize, statement: &mut Statement, values: impl rusqlite::Params) -> Result<Vec<u8>> {
    let mut children = Children::new(page, size);
    let mut rows = statement.query(values)?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_i64()? == 0 {
            children.witness();
        } else {
            children.row(key(row.get_ref(1)?), row.get(2)?, row.get_ref(3)?.as_str()?);
        }
    }
    Ok(children.finish())
}

/// Nested statements cost no trip here: each parent has one for its children.
fn parents_page(page: Page, size: usize, parents: &mut Statement, children: &mut Statement) -> Result<Vec<u8>> {
    let mut writer = Parents::new(page, size);
    let mut rows = parents.query([Bound(page.id)])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_i64()? == 0 {
            writer.witness();
            continue;
        }
        let id = key(row.get_ref(1)?);
        let wanted = writer.wants();
        writer.parent(id, row.get_ref(2)?.as_str()?);
        if wanted {
            let mut rows = children.query([Bound(id)])?;
            while let Some(row) = rows.next()? {
                writer.child(key(row.get_ref(0)?), row.get(1)?);
            }
        }
    }
    Ok(writer.finish())
}

/// A key as a parameter.
struct Bound(Key);

impl ToSql for Bound {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            Key::Uuid(key) => ToSqlOutput::Borrowed(ValueRef::Blob(key)),
            Key::Integer(key) => ToSqlOutput::Borrowed(ValueRef::Integer((*key).into())),
        })
    }
}

fn key(value: ValueRef<'_>) -> Key {
    match value {
        ValueRef::Blob(key) => Key::Uuid(key.try_into().expect("a key has 16 bytes")),
        value => Key::Integer(value.as_i64().ok().and_then(|key| key.try_into().ok()).expect("a key is an integer")),
    }
}
