//! Writes: a thread of their own, with the only connection that writes.

use std::path::Path;

use crossbeam_channel::Receiver;
use floor::{Done, Sum, Write, WriteKind};
use rusqlite::{Connection, Result, Row, Statement, params};
use tokio::sync::oneshot;
use uuid::Uuid;

pub type Task = (Write, oneshot::Sender<Result<Vec<u8>, String>>);

/// Writes with the settings of Bookends.
pub fn work(path: &Path, tasks: &Receiver<Task>) -> Result<()> {
    let db = Connection::open(path)?;
    db.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA busy_timeout = 5000;
        PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA mmap_size = 1073741824",
    )?;
    let prepare = |kind: WriteKind| -> Result<[Statement; 2]> {
        let insert = kind.insert("$2", "").replace('$', "?");
        let payload = kind.payload("$3", "0").replace('$', "?");
        Ok([db.prepare(&insert)?, db.prepare(&payload)?])
    };
    let [rate, place] = WriteKind::ALL.map(prepare);
    let mut statements = [rate?, place?];
    let (mut begin, mut commit) = (db.prepare("BEGIN IMMEDIATE")?, db.prepare("COMMIT")?);
    let mut rollback = db.prepare("ROLLBACK")?;
    for (write, done) in tasks {
        let mut transact = || {
            begin.execute([])?;
            let json = run(&write, &mut statements[write.kind as usize])?;
            commit.execute([])?;
            Ok(json)
        };
        let json = transact().map_err(|error: rusqlite::Error| {
            // It fails if nothing has begun.
            let _ = rollback.execute([]);
            error.to_string()
        });
        let _ = done.send(json);
    }
    Ok(())
}

fn run(write: &Write, [insert, payload]: &mut [Statement; 2]) -> Result<Vec<u8>> {
    let (id, book) = (write.id.as_bytes(), write.book.as_bytes());
    insert.execute(params![id, write.number, book])?;
    let json = |row: &Row<'_>| {
        let sum = match write.kind {
            WriteKind::Rate => Sum::Average(row.get(2)?),
            WriteKind::Place => Sum::Cents(row.get(2)?),
        };
        let previous = match row.get::<_, Option<[u8; 16]>>(4)? {
            Some(id) => Some((row.get(3)?, Uuid::from_bytes(id))),
            None => None,
        };
        Ok(write.json(&Done { name: row.get_ref(0)?.as_str()?, count: row.get(1)?, sum, previous }))
    };
    match write.kind {
        WriteKind::Rate => payload.query_row(params![book, id, write.number], json),
        WriteKind::Place => payload.query_row(params![book, id], json),
    }
}
